"""Results: texts, tables, intervals, rejections and pictures."""

import dataclasses
import math
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bestofk import inference
from bestofk.errors import InvalidArgumentError
from bestofk.inference import (
    HypothesisTestResult,
    IntervalResult,
    OmnibusResult,
    PairwiseResult,
    PosteriorResult,
    Result,
    paired_t_test,
)
from bestofk.inference.many_data_sets.comparison_matrix import multi_comparison_matrix
from bestofk.inference.many_data_sets.rank_comparisons import nemenyi_test
from bestofk.inference.results import degrees, number


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Counted(Result):
    pair: tuple[float, float] = (1.0, 2.0)

    def rows(self):
        return [("a", "1"), ("longer", "2")]


COUNTED = Counted(procedure="counting", n=3, flags=("one", "two"), warnings=("Careful.",))


def test_text_is_a_table_with_what_to_distrust_below_and_the_frame_joins_texts():
    assert str(COUNTED) == "counting\n  a       1\n  longer  2\n  ! Careful."
    frame = COUNTED.to_frame()
    assert list(frame) == ["procedure", "n", "assumptions", "flags", "warnings", "n_draws", "pair"]
    assert frame.iloc[0].tolist() == ["counting", 3, "", "one two", "Careful.", 0, (1.0, 2.0)]


def test_figures_have_four_digits_and_a_result_of_no_kind_shows_nothing():
    assert [number(item) for item in (0.0691412, 123456.0, float("-inf"))] == [
        "0.06914", "1.235e+05", "-inf",
    ]  # fmt: skip
    assert (degrees(1.82144), degrees((2, 362.451))) == ("1.8214", "2, 362.45")
    with pytest.raises(NotImplementedError):
        Result(procedure="x", n=1).rows()


A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]


def test_a_result_is_fixed_rejects_at_alpha_and_reads_as_a_table_with_warnings() -> None:
    result = paired_t_test(A, B)
    for name in ("statistic", "df", "p_value", "estimate", "standard_error"):
        assert type(getattr(result, name)) is float
    assert (type(result.n), result.n) == (int, 4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.p_value = 0.0  # type: ignore[misc]
    result = paired_t_test(A, B)
    assert result.reject(0.1)
    assert not result.reject(0.05)
    assert result.reject(result.p_value)
    assert result.confidence_interval(0.9) == pytest.approx((-0.0554192303, -0.0045807697))
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        result.reject(5)
    with pytest.raises(InvalidArgumentError, match="level must be a number above 0"):
        result.confidence_interval(95)
    assert repr(result) == (
        "HypothesisTestResult(paired t test: t = -2.777, df = 3, p = 0.06914 two-sided, "
        "estimate = -0.03)"
    )
    assert str(result).splitlines()[:3] == [
        "paired t test",
        "  mean difference  -0.03",
        "  95% interval     -0.06437 to 0.004374",
    ]
    assert str(result).splitlines()[-1].startswith("  ! The training sets of k-fold overlap")


def test_the_frame_has_one_row_and_a_column_per_field() -> None:
    frame = paired_t_test(A, A).to_frame()
    assert frame.shape == (1, 19)
    assert frame.loc[0, "p_value"] == 1
    assert frame.loc[0, "flags"] == "zero_variance"


def sided(alternative, standard_error):
    return HypothesisTestResult(
        procedure="test", n=9, statistic=2.0, df=8.0, p_value=0.04, alternative=alternative,
        estimate=0.2, standard_error=standard_error,
    )  # fmt: skip


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_without_a_standard_error_there_is_no_interval_on_any_side(alternative):
    limits = sided(alternative, math.nan).confidence_interval()
    assert all(math.isnan(limit) for limit in limits)
    assert "interval" not in str(sided(alternative, math.nan))


def test_a_one_sided_test_has_a_one_sided_interval_without_variance_no_width():
    margin = 1.6448536269514722 * 0.1
    assert sided("less", 0.1).confidence_interval() == pytest.approx((-math.inf, 0.2 + margin))
    assert sided("greater", 0.1).confidence_interval() == pytest.approx((0.2 - margin, math.inf))
    assert sided("two-sided", 0.0).confidence_interval() == (0.2, 0.2)


INTERVAL = IntervalResult(
    procedure="interval of a share", n=100, estimate=0.8, low=0.711, high=0.867, level=0.9,
    estimate_of="accuracy",
)  # fmt: skip


def test_an_interval_shows_its_level():
    assert str(INTERVAL).splitlines() == [
        "interval of a share",
        "  accuracy      0.8",
        "  90% interval  0.711 to 0.867",
        "  n             100 rows",
    ]
    assert repr(INTERVAL) == "IntervalResult(interval of a share: 0.8, 0.711 to 0.867 at 0.9)"


POSTERIOR = PosteriorResult(
    procedure="Bayes", n=10, p_less=0.7, p_rope=0.2, p_greater=0.1, rope=0.01, estimate=-0.02,
    low=-0.05, high=0.01,
)  # fmt: skip


def test_the_three_probabilities_are_shown_with_the_region():
    assert POSTERIOR.rows() == [
        ("difference", "-0.02"),
        ("95% interval", "-0.05 to 0.01"),
        ("P(below -0.01)", "0.7"),
        ("P(within 0.01)", "0.2"),
        ("P(above 0.01)", "0.1"),
        ("n", "10 pairs of scores"),
    ]
    assert repr(POSTERIOR) == "PosteriorResult(Bayes: below 0.7, within 0.01 0.2, above 0.1)"
    labels = [label for label, _ in replace(POSTERIOR, rope=0.0).rows()]
    assert labels[2:5] == ["P(below 0)", "P(within 0)", "P(above 0)"]


OMNIBUS = OmnibusResult(
    procedure="Friedman test", n=6, statistic=4.5, df=2.0, p_value=0.1054, symbol="chi2",
    names=("cart", "lda"), levels=(1.25, 1.75), level_of="mean rank", n_of="data sets",
    effect_size=0.375, effect_size_of="Kendall W",
)  # fmt: skip


def test_every_learner_is_shown_with_its_level_and_the_frame_has_one_row():
    assert OMNIBUS.rows() == [
        ("chi2", "4.5"),
        ("df", "2"),
        ("p value", "0.1054"),
        ("Kendall W", "0.375"),
        ("n", "6 data sets"),
        ("mean rank of cart", "1.25"),
        ("mean rank of lda", "1.75"),
    ]
    assert (
        repr(OMNIBUS) == "OmnibusResult(Friedman test: chi2 = 4.5, df = 2, p = 0.1054, 2 learners)"
    )
    frame = OMNIBUS.to_frame()
    assert frame.loc[0, "names"] == "cart lda"
    assert frame.loc[0, "levels"] == (1.25, 1.75)
    assert frame.loc[0, "p_value"] == 0.1054


def test_rejection_of_many_is_at_most_alpha():
    assert OMNIBUS.reject(0.1054)
    assert not OMNIBUS.reject(0.1)
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0 and below 1"):
        OMNIBUS.reject(0)


NAN = math.nan
RAW = np.array([[NAN, 0.01, 0.20], [0.01, NAN, 0.03], [0.20, 0.03, NAN]])
ADJUSTED = np.array([[NAN, 0.03, 0.20], [0.03, NAN, 0.06], [0.20, 0.06, NAN]])
ESTIMATE = np.array([[NAN, -1.0, -0.2], [1.0, NAN, 0.8], [0.2, -0.8, NAN]])


def pairwise(control="", mask=None, **fields):
    masked = ADJUSTED if mask is None else np.where(mask, ADJUSTED, NAN)
    return PairwiseResult(
        procedure="ranks", n=10, names=("a", "b", "c"), levels=(1.5, 2.5, 2.0), estimate=ESTIMATE,
        statistic=2 * ESTIMATE, p_value=RAW, p_adjusted=masked, correction="holm",
        control=control, level_of="mean rank", n_of="data sets", **fields,
    )  # fmt: skip


def test_each_pair_is_a_row_once_the_control_first():
    frame = pairwise().to_frame()
    assert frame["first"].tolist() == ["a", "a", "b"]
    assert frame["second"].tolist() == ["b", "c", "c"]
    assert frame["estimate"].tolist() == [-1.0, -0.2, 0.8]
    assert frame["statistic"].tolist() == [-2.0, -0.4, 1.6]
    assert frame["p_value"].tolist() == [0.01, 0.20, 0.03]
    assert frame["p_adjusted"].tolist() == [0.03, 0.20, 0.06]
    assert pairwise().n_hypotheses == 3
    frame = pairwise(control="b").to_frame()
    assert frame["first"].tolist() == ["b", "b"]
    assert frame["second"].tolist() == ["a", "c"]
    assert frame["estimate"].tolist() == [1.0, 0.8]


def test_pairs_that_were_not_tested_are_no_rows():
    untested = np.ones((3, 3), dtype=bool)
    untested[0, 2] = untested[2, 0] = False
    frame = pairwise(mask=untested).to_frame()
    assert list(zip(frame["first"], frame["second"], strict=True)) == [("a", "b"), ("b", "c")]
    nothing = pairwise(mask=np.zeros((3, 3), dtype=bool))
    assert (len(nothing.to_frame()), nothing.n_hypotheses) == (0, 0)


def test_a_pair_is_shown_to_differ_at_most_at_alpha():
    assert pairwise().reject(0.06).tolist() == [
        [False, True, False], [True, False, True], [False, True, False],
    ]  # fmt: skip
    with pytest.raises(InvalidArgumentError, match="alpha must be"):
        pairwise().reject(2)


def test_text_has_levels_pairs_and_the_critical_difference_where_there_is_one():
    said = str(pairwise(critical_difference=0.7))
    assert "  critical difference at 0.05  0.7\n" in said
    assert "  a - b                        p = 0.01, adjusted 0.03\n" in said
    assert "critical difference" not in str(pairwise())
    assert repr(pairwise()).endswith("(ranks: 1 of 3 pairs differ significantly at 0.05, holm)")


def test_a_text_shows_fifty_pairs_and_says_where_the_others_are():
    ranked = np.random.default_rng(0).random((12, 12))
    for pairwise in (nemenyi_test(ranked), multi_comparison_matrix(ranked)):
        text = str(pairwise)
        assert len(pairwise.to_frame()) == 66
        assert text.count(" - learner ") == 50
        assert "16 more pairs" in text
    assert str(nemenyi_test(ranked[:, :9])).count(" - learner ") == 36
    assert "more pairs" not in str(nemenyi_test(ranked[:, :9]))


TABLE = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]] * 3)


@pytest.fixture(autouse=True)
def _no_window():
    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.mark.parametrize(
    ("result", "displays"),
    [
        (lambda: inference.paired_t_test(A, B), ["Difference"]),
        (
            lambda: inference.two_proportion_z_test(0.15, 200, 0.25, 200),
            ["TwoAccuracies", "Difference", "ConfidenceTable"],
        ),
        (lambda: inference.bayesian_signed_rank(A, B), ["PosteriorTriangle"]),
        (
            lambda: inference.bayesian_correlated_t(A, B, n_train=90, n_test=10),
            ["PosteriorDensity"],
        ),
        (lambda: inference.newman_keuls(TABLE), ["NewmanKeuls"]),
        (lambda: inference.nemenyi_test(TABLE), ["CriticalDifference"]),
        (lambda: inference.multi_comparison_matrix(TABLE), ["MultiComparisonMatrix"]),
        (lambda: inference.roc_convex_hull([("A", 0.1, 0.5), ("B", 0.2, 0.6)]), ["RocHull"]),
    ],
)
def test_a_result_draws_its_pictures_the_usual_one_first(result, displays):
    given = result()
    drawn = [given.plot(kind) for kind, _ in given.pictures]
    assert [type(item).__name__ for item in drawn] == [f"{name}Display" for name in displays]
    assert type(given.plot()) is type(drawn[0])


def test_axes_and_names_are_those_given():
    _, ax = plt.subplots()
    drawn = inference.paired_t_test(A, B).plot(ax=ax, names=("lda", "cart"), level=0.9)
    assert drawn.ax_ is ax
    assert "lda" in ax.get_xlabel() + ax.get_title() + "".join(t.get_text() for t in ax.texts)
    assert not drawn.contains_zero


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InvalidArgumentError, match="must be one that can be drawn; got that of"):
        inference.friedman_test(TABLE).plot()
    with pytest.raises(InvalidArgumentError, match="must be a picture of the result; got 'diff'"):
        inference.paired_t_test(A, B).plot("diff")
