"""Cases of tests.json (papers, R, other packages, hand) against the procedures of the package."""

from __future__ import annotations

import builtins
import itertools
import json
from typing import Any

import numpy as np
import pytest
from tests.given import reference_folder

from bestofk import errors
from bestofk.inference import (
    ADJUSTMENTS,
    HypothesisTestResult,
    adjust_p_values,
    corrected_resampled_t_test,
    five_by_two_cv_t_test,
    paired_t_test,
)
from bestofk.ordering.first_test import first_test_best, lowest_loss
from bestofk.ordering.multitest import multitest_edges, multitest_order

Case = dict[str, Any]


def read_cases() -> list[Case]:
    path = reference_folder() / "tests.json"
    if not path.is_file():
        pytest.skip(f"no file {path}", allow_module_level=True)
    return json.loads(path.read_text(encoding="utf-8"))["cases"]


def numbers(values: Any) -> Any:
    """Read "inf", "-inf" and "nan", which stand as strings in the cases, and null as nan."""
    if isinstance(values, list):
        return [numbers(value) for value in values]
    return float("nan" if values is None else values)


def losses(values: Any, options: Case) -> Any:
    """Turn scores into losses; lists may be ragged, which is for the procedure to refuse."""
    if isinstance(values, list):
        return [losses(value, options) for value in values]
    return -numbers(values) if options.get("higher_is_better") else numbers(values)


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


def adjusted(case: Case) -> Case:
    method = case["options"].get("method", "holm")
    if method.lower() not in ADJUSTMENTS:
        pytest.skip(f"p_adjust {method} does not exist yet")
    return {"adjusted_p": adjust_p_values(numbers(case["input"]["p"]), method.lower()).tolist()}


def pair(key: str) -> tuple[int, int]:
    i, j = key.split("-")
    return int(i) - 1, int(j) - 1


def by_pair(values: np.ndarray) -> dict[str, float]:
    return {
        f"{i + 1}-{j + 1}": float(values[i, j])
        for i, j in np.argwhere(~np.eye(len(values), dtype=bool))
    }


def one_sided_tests(case: Case) -> tuple[list[Any], np.ndarray, np.ndarray]:
    """Test every ordered pair for a greater loss of the first."""
    options, given = case["options"], case["input"]
    scores = losses(given["errors"] if "errors" in given else given["scores"], options)
    name = options.get("pairwise", "cv52_t")
    if name not in PAIRWISE:
        pytest.skip(f"pairwise {name} does not exist yet")
    t, p = np.full((2, len(scores), len(scores)), np.nan)
    for i, j in itertools.permutations(range(len(scores)), 2):
        result = PAIRWISE[name](scores[i], scores[j], options, "greater")
        t[i, j], p[i, j] = result.statistic, result.p_value
    return scores, t, p


def given_p(p_of_pairs: dict[str, Any], n_learners: int) -> np.ndarray:
    p = np.full((n_learners, n_learners), np.nan)
    for key, value in p_of_pairs.items():
        p[pair(key)] = numbers(value)
    return p


def ordered(edges: np.ndarray) -> Case:
    order = [i + 1 for i in multitest_order(edges)]
    return {"edges": (np.argwhere(edges) + 1).tolist(), "best": order[0], "order": order}


def multitest(case: Case) -> Case:
    options, given = case["options"], case["input"]
    found: Case = {}
    if "p" in given:
        p = given_p(given["p"], given.get("n_learners") or 1 + max(pair(k)[1] for k in given["p"]))
    else:
        _, t, p = one_sided_tests(case)
        found = {"t": by_pair(t), "p": by_pair(p)}
    edges, adjusted_p = multitest_edges(
        p, alpha=options.get("alpha", 0.05), correction=options.get("correction", "bonferroni")
    )
    return found | {"adjusted_p": by_pair(adjusted_p)} | ordered(edges)


def graph(case: Case) -> Case:
    edges = np.zeros((case["input"]["n_learners"],) * 2, dtype=bool)
    for i, j in case["input"]["edges"]:
        edges[i - 1, j - 1] = True
    return ordered(edges)


def first_test(case: Case) -> Case:
    options, given = case["options"], case["input"]
    if "means" in given:
        means = losses(given["means"], options)
        p = given_p(given.get("p_vs_first") or given.get("p") or {}, len(means))
    else:
        scores, _, p = one_sided_tests(case)
        means = [np.mean(score) for score in scores]
    best = first_test_best(
        means,
        p,
        alpha=options.get("alpha", 0.05),
        correction=options.get("correction", "bonferroni"),
        per_comparison=options.get("per_comparison"),
    )
    return {"best": None if best is None else best + 1, "smallest_mean": lowest_loss(means) + 1}


PROCEDURES = {
    "paired_t": two_learners,
    "cv52_t": two_learners,
    "corrected_resampled_t": two_learners,
    "p_adjust": adjusted,
    "multitest": multitest,
    "multitest_5x2": multitest,
    "multitest_order": graph,
    "testfirst": first_test,
}


def assert_agrees(found: Any, wanted: Any, key: str, case: Case) -> None:
    if key == "degenerate":
        assert wanted in found if wanted else not found
    elif key == "edges":
        assert sorted(found) == sorted(wanted)
    elif wanted is None:
        assert found is None
    elif isinstance(wanted, dict):
        for name, value in wanted.items():
            assert_agrees(found[name], value, f"{key} {name}", case)
    else:
        np.testing.assert_allclose(
            np.asarray(found, dtype=float),
            numbers(wanted),
            rtol=case.get("rtol", 1e-7),
            atol=case.get("atol", 1e-12),
            err_msg=key,
        )


def expected_error(name: str) -> type[BaseException]:
    return getattr(errors, name, None) or getattr(builtins, name)


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case["id"])
def test_a_published_number_comes_out(case: Case) -> None:
    if case["test"] not in PROCEDURES:
        pytest.skip(f"procedure {case['test']} does not exist yet")
    case = {**case, "options": case.get("options") or {}}
    run, expect = PROCEDURES[case["test"]], case["expect"]
    if "error" in expect:
        with pytest.raises(expected_error(expect["error"])):
            run(case)
        return
    found = run(case)
    for key, wanted in expect.items():
        assert key in found, f"the adapter of {case['test']} knows no {key}"
        assert_agrees(found[key], wanted, key, case)
