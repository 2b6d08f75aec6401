"""Adapters of the cases about two learners on shared splits."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.published.cases import Case, losses

from bestofk.inference import (
    HypothesisTestResult,
    corrected_resampled_t_test,
    five_by_two_cv_t_test,
    paired_t_test,
)


def paired_t(a: Any, b: Any, options: Case, alternative: str) -> HypothesisTestResult:
    return paired_t_test(np.ravel(a), np.ravel(b), alternative=alternative)


def cv52_t(a: Any, b: Any, options: Case, alternative: str) -> HypothesisTestResult:
    return five_by_two_cv_t_test(a, b, alternative=alternative)


def corrected_t(a: Any, b: Any, options: Case, alternative: str) -> HypothesisTestResult:
    return corrected_resampled_t_test(
        a,
        b,
        n_train=options.get("n_train"),
        n_test=options.get("n_test"),
        alternative=alternative,
    )


PAIRWISE = {"paired_t": paired_t, "cv52_t": cv52_t, "corrected_resampled_t": corrected_t}


def two_learners(case: Case) -> Case:
    options, given = case["options"], case["input"]
    result = PAIRWISE[case["test"]](
        losses(given["a"], options),
        losses(given["b"], options),
        options,
        options.get("alternative", "two-sided"),
    )
    return {
        "statistic": result.statistic,
        "df": result.df,
        "p": result.p_value,
        "ci": list(result.confidence_interval(options.get("confidence", 0.95))),
        "mean_difference": result.estimate,
        "degenerate": result.flags,
        "reject": result.reject(options.get("alpha", 0.05)),
    }


PROCEDURES = {
    "paired_t": two_learners,
    "cv52_t": two_learners,
    "corrected_resampled_t": two_learners,
}
