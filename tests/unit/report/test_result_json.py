"""Results of procedures as JSON that any reader takes."""

import json
import math

import numpy as np
import pytest

from bestofk.inference import Caution, HypothesisTestResult, PairwiseResult, paired_t_test
from bestofk.report import result_json


def test_the_fields_of_a_result_are_the_entries():
    result = paired_t_test([0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18])
    outcome = json.loads(result_json(result))
    assert list(outcome)[:5] == ["procedure", "n", "assumptions", "flags", "warnings"]
    assert outcome["p_value"] == result.p_value
    assert outcome["warnings"] == list(result.warnings)
    assert result_json(result).endswith("}\n")


def test_infinity_is_text_and_nan_is_null():
    result = HypothesisTestResult(
        procedure="test", n=np.int64(4), statistic=math.inf, df=(10.0, -math.inf), p_value=0.0,
        alternative="two-sided", estimate=np.float64(0.5), effect_size=math.nan,
        flags=("zero_variance",), warnings=(Caution("degenerate", "They do not vary."),),
    )  # fmt: skip
    outcome = json.loads(result_json(result), parse_constant=pytest.fail)
    assert (outcome["statistic"], outcome["df"], outcome["n"]) == ("inf", [10.0, "-inf"], 4)
    assert (outcome["effect_size"], outcome["estimate"]) == (None, 0.5)
    assert (outcome["flags"], outcome["warnings"]) == (["zero_variance"], ["They do not vary."])


def test_matrices_are_lists_of_rows():
    table = np.array([[math.nan, 0.25], [0.25, math.nan]])
    result = PairwiseResult(
        procedure="pairs", n=5, names=("a", "ü"), levels=(1.0, 2.0), estimate=table,
        statistic=table, p_value=table, p_adjusted=table, correction="holm",
    )  # fmt: skip
    text = result_json(result)
    assert json.loads(text)["p_adjusted"] == [[None, 0.25], [0.25, None]]
    assert '"ü"' in text
