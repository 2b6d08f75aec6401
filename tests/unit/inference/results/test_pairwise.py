import math

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import PairwiseResult
from bestofk.inference.many_data_sets.comparison_matrix import multi_comparison_matrix
from bestofk.inference.many_data_sets.rank_comparisons import nemenyi_test

NAN = math.nan
RAW = np.array([[NAN, 0.01, 0.20], [0.01, NAN, 0.03], [0.20, 0.03, NAN]])
ADJUSTED = np.array([[NAN, 0.03, 0.20], [0.03, NAN, 0.06], [0.20, 0.06, NAN]])
ESTIMATE = np.array([[NAN, -1.0, -0.2], [1.0, NAN, 0.8], [0.2, -0.8, NAN]])


def result(control="", mask=None, **fields):
    masked = ADJUSTED if mask is None else np.where(mask, ADJUSTED, NAN)
    return PairwiseResult(
        procedure="ranks", n=10, names=("a", "b", "c"), levels=(1.5, 2.5, 2.0), estimate=ESTIMATE,
        statistic=2 * ESTIMATE, p_value=RAW, p_adjusted=masked, correction="holm",
        control=control, level_of="mean rank", n_of="data sets", **fields,
    )  # fmt: skip


def test_each_pair_is_a_row_once_first_before_second():
    frame = result().to_frame()
    assert frame["first"].tolist() == ["a", "a", "b"]
    assert frame["second"].tolist() == ["b", "c", "c"]
    assert frame["estimate"].tolist() == [-1.0, -0.2, 0.8]
    assert frame["statistic"].tolist() == [-2.0, -0.4, 1.6]
    assert frame["p_value"].tolist() == [0.01, 0.20, 0.03]
    assert frame["p_adjusted"].tolist() == [0.03, 0.20, 0.06]
    assert result().n_hypotheses == 3


def test_against_a_control_the_control_is_first():
    frame = result(control="b").to_frame()
    assert frame["first"].tolist() == ["b", "b"]
    assert frame["second"].tolist() == ["a", "c"]
    assert frame["estimate"].tolist() == [1.0, 0.8]


def test_pairs_that_were_not_tested_are_no_rows():
    untested = np.ones((3, 3), dtype=bool)
    untested[0, 2] = untested[2, 0] = False
    frame = result(mask=untested).to_frame()
    assert list(zip(frame["first"], frame["second"], strict=True)) == [("a", "b"), ("b", "c")]
    nothing = result(mask=np.zeros((3, 3), dtype=bool))
    assert (len(nothing.to_frame()), nothing.n_hypotheses) == (0, 0)


def test_a_pair_is_shown_to_differ_at_most_at_alpha():
    assert result().reject(0.06).tolist() == [
        [False, True, False], [True, False, True], [False, True, False],
    ]  # fmt: skip
    with pytest.raises(InvalidArgumentError, match="alpha must be"):
        result().reject(2)


def test_text_has_levels_pairs_and_the_critical_difference_where_there_is_one():
    said = str(result(critical_difference=0.7))
    assert "  critical difference at 0.05  0.7\n" in said
    assert "  a - b                        p = 0.01, adjusted 0.03\n" in said
    assert "critical difference" not in str(result())
    assert repr(result()).endswith("(ranks: 1 of 3 pairs differ significantly at 0.05, holm)")


def test_a_text_shows_fifty_pairs_and_says_where_the_others_are():
    ranked = np.random.default_rng(0).random((12, 12))
    for result in (nemenyi_test(ranked), multi_comparison_matrix(ranked)):
        text = str(result)
        assert len(result.to_frame()) == 66
        assert text.count(" - learner ") == 50
        assert "16 more pairs" in text
    assert str(nemenyi_test(ranked[:, :9])).count(" - learner ") == 36
    assert "more pairs" not in str(nemenyi_test(ranked[:, :9]))
