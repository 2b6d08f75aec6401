"""Values of options that the reference cases do not use, against other software."""

import json

import pytest
from tests.given import FIGURES
from tests.published.agreement import assert_comes_out
from tests.published.cases import Case

# Made with R 4.2.2, scipy 1.17.1, statsmodels 0.15.0, pingouin 0.7.0 and baycomp 1.0.3, or by
# counting all cases in exact arithmetic; `source` says which.
CASES: list[Case] = json.loads((FIGURES / "option_values.json").read_text(encoding="utf-8"))[
    "cases"
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["test"])
def test_a_number_of_other_software_comes_out(case: Case) -> None:
    assert_comes_out(case)


SCORES = {"a": [0.1, 0.2, 0.4], "b": [0.2, 0.1, 0.1]}
TABLE = {"scores": [[0.1, 0.2, 0.3], [0.2, 0.1, 0.4]]}
REFUSED: list[tuple[str, Case, Case]] = [
    ("paired_t", {"a": [0.1, "nan"], "b": [0.2, 0.1]}, {}),
    ("paired_t", SCORES, {"alternative": "two_sided"}),
    ("paired_t", SCORES, {"confidence": "nan"}),
    ("cv52_f", {"a": [[0.1, 0.2]] * 5, "b": [[0.2, 0.2]] * 5}, {"alternative": "greater"}),
    ("corrected_resampled_t", SCORES, {"n_train": "nan", "n_test": 10}),
    ("calibrated_t", {"a": [[0.1, 0.2]], "b": [[0.2, 0.2]]}, {"df": "inf"}),
    ("mcnemar", {"n01": 1.5, "n10": 3}, {}),
    ("mcnemar", {"n01": "inf", "n10": 3}, {}),
    ("two_proportion_z", {"e1": 1.2, "n1": 30, "e2": 0.1, "n2": 40}, {}),
    ("proportion_ci", {"successes": 0, "n": 0}, {}),
    ("delong", {"y": [1, 1, 1], "s1": [1, 2, 3], "s2": [1, 2, 3]}, {}),
    ("cochran_q", {"correct": [[1, 0], [2, 1]]}, {}),
    ("anova", {"scores": [["inf", 0.2], [0.1, 0.3]]}, {}),
    ("studentized_range_quantile", {"p": 2.5, "df": 3}, {}),
    ("p_adjust", {"p": [0.1, "nan"]}, {"method": "holm"}),
    ("quade", {"scores": [[0.1, "nan"], [0.1, 0.2]]}, {}),
    ("holm_control", TABLE, {"control": 4}),
    ("nemenyi", {"n_learners": 3, "n_datasets": 5}, {"alpha": 0}),
    ("wilcoxon", SCORES, {"zeros": "drop"}),
    ("bayes_signed_rank", SCORES, {"rope": -1}),
    ("multitest", {"n_learners": 2, "p": {"1-2": 1.5}}, {}),
    ("testfirst", {"means": [0.3, "nan"], "p_vs_first": {"1-2": 0.04}}, {}),
]


@pytest.mark.parametrize(("test", "given", "options"), REFUSED, ids=[item[0] for item in REFUSED])
def test_bad_input_is_refused(test: str, given: Case, options: Case) -> None:
    expect = {"error": "ValueError"}
    assert_comes_out({"test": test, "input": given, "options": options, "expect": expect})
