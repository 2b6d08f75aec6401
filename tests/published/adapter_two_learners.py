"""Adapters of the cases about two learners on shared splits."""

from typing import Any

import numpy as np
from tests.published.cases import Case, losses, numbers, of_result

from bestofk.inference import (
    HypothesisTestResult,
    bayesian_correlated_t,
    calibrated_t_test,
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_test,
    paired_t_test,
)


def paired_t(a: Any, b: Any, options: Case, alternative: str) -> HypothesisTestResult:
    return paired_t_test(np.ravel(a), np.ravel(b), alternative=alternative)


def cv52_t(a: Any, b: Any, options: Case, alternative: str) -> HypothesisTestResult:
    return five_by_two_cv_t_test(a, b, alternative=alternative)


def cv52_f(a: Any, b: Any, options: Case, alternative: str) -> HypothesisTestResult:
    return five_by_two_cv_f_test(a, b, alternative=alternative)


def corrected_t(a: Any, b: Any, options: Case, alternative: str) -> HypothesisTestResult:
    return corrected_resampled_t_test(
        a,
        b,
        n_train=numbers(options.get("n_train")),
        n_test=numbers(options.get("n_test")),
        alternative=alternative,
    )


def calibrated_t(a: Any, b: Any, options: Case, alternative: str) -> HypothesisTestResult:
    return calibrated_t_test(
        a,
        b,
        scheme=options.get("scheme", "use_all_data"),
        df=None if options.get("df") is None else numbers(options["df"]),
        alternative=alternative,
    )


PAIRWISE = {
    "paired_t": paired_t,
    "cv52_t": cv52_t,
    "cv52_f": cv52_f,
    "corrected_resampled_t": corrected_t,
    "calibrated_t": calibrated_t,
}


def two_learners(case: Case) -> Case:
    options, given = case["options"], case["input"]
    a, b = (losses(given[key], options) for key in "ab")
    run = PAIRWISE[case["test"]]
    return of_result(run(a, b, options, options.get("alternative", "two-sided")), options)


def bayesian(case: Case) -> Case:
    """Probabilities of mean(b) - mean(a), of scores as they are; rho = 1 / folds."""
    options, given = case["options"], case["input"]
    a, b = numbers(given["a"]), numbers(given["b"])
    folds = sum(np.size(row) for row in a) // options.get("runs", 1)
    result = bayesian_correlated_t(
        b,
        a,
        n_train=folds - 1,
        n_test=1,
        rope=numbers(options.get("rope", 0.01)),
        level=numbers(options.get("confidence", 0.95)),
    )
    return of_result(result, options) | {
        "p_b_less": result.p_less,
        "p_rope": result.p_rope,
        "p_b_greater": result.p_greater,
        "ci": [result.low, result.high],
    }


PROCEDURES = {**dict.fromkeys(PAIRWISE, two_learners), "bayes_correlated_t": bayesian}
