"""The plain, the corrected and the calibrated t test."""

import math

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    Sampling,
    calibrate_df,
    calibrated_t_test,
    corrected_resampled_t_test,
    paired_t_test,
    paired_test,
)

A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]


def test_the_worked_example_of_the_lecture_comes_out_and_repeats_are_refused() -> None:
    result = paired_t_test(A, B)
    assert (result.statistic, result.df, result.p_value) == pytest.approx((-2.777460, 3, 0.0691369))
    assert (result.estimate, result.standard_error) == pytest.approx((-0.03, 0.0108012345))
    with pytest.raises(DesignError, match="Use corrected_resampled_t_test for repeats"):
        paired_t_test([A, A], [B, B])


@pytest.mark.parametrize(
    ("sampling", "reason"),
    [
        (Sampling("k-fold", 1, 10), None),
        (Sampling("k-fold", 10, 10), "these are 10 repeats, whose scores depend on each other."),
        (Sampling("hold-out", 30, 1), "this is hold-out."),
        (Sampling("k-fold", 1, 1), "this is k-fold."),
    ],
)
def test_only_one_run_of_k_fold_is_taken(sampling: Sampling, reason: str | None) -> None:
    result = paired_test("paired-t").refuse(sampling)
    assert result == reason or (reason is not None and str(result).endswith(reason))


def test_overlap_is_warned_of_where_there_is_any() -> None:
    warnings = paired_test("paired-t").warnings
    (overlap,) = warnings(Sampling("k-fold", 1, 10))
    assert "training sets of k-fold overlap" in overlap
    assert overlap.code == "overlap"
    assert [name.code for name in warnings(Sampling("k-fold", 1, 2))] == ["few-scores"]


def test_the_worked_example_of_the_lecture_comes_out_whatever_the_shape() -> None:
    result = corrected_resampled_t_test(A, B, n_train=75, n_test=25)
    assert (result.statistic, result.df, result.p_value) == pytest.approx((-1.818275, 3, 0.1666074))
    assert result.confidence_interval() == pytest.approx((-0.0825076851, 0.0225076851))
    square = np.reshape([A, B], (2, 2, 2))
    assert repr(corrected_resampled_t_test(*square, n_train=75, n_test=25)) == repr(result)


@pytest.mark.parametrize("n_train", [0, -5, float("nan")])
def test_sizes_must_be_positive(n_train: float) -> None:
    with pytest.raises(InvalidArgumentError, match="n_train must be a number above 0 or None"):
        corrected_resampled_t_test(A, B, n_train=n_train, n_test=25)


def test_unknown_sizes_are_refused() -> None:
    with pytest.raises(DesignError, match="n_train and n_test of corrected-t must be known"):
        paired_test("corrected-t").compare([0.1, 0.2], Sampling("custom", 1, 2))


@pytest.mark.parametrize(
    ("sampling", "reason"),
    [
        (Sampling("bootstrap", 10, 1, 100, 37), None),
        (Sampling("test-set", 1, 1, 100, 50), "there is 1."),
        (Sampling("custom", 1, 10), "they are unknown."),
    ],
)
def test_it_needs_two_scores_and_the_sizes(sampling: Sampling, reason: str | None) -> None:
    result = paired_test("corrected-t").refuse(sampling)
    assert result == reason or (reason is not None and str(result).endswith(reason))


@pytest.mark.parametrize(
    ("sampling", "words"),
    [
        (Sampling("k-fold", 10, 10, 90, 10), ["rule of thumb"]),
        (
            Sampling("k-fold", 1, 10, 90, 10),
            ["rule of thumb", "seldom detects a real difference"],
        ),
        (Sampling("bootstrap", 5, 1, 90, 33), ["rule of thumb", "more than once", "Only 5 scores"]),
    ],
)
def test_what_to_distrust_depends_on_the_plan(sampling: Sampling, words: list[str]) -> None:
    warnings = paired_test("corrected-t").warnings(sampling)
    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))


# Two runs of three folds, mean 3.
RUNS = np.array([[2.0, 5.0, 3.0], [1.0, 4.0, 3.0]])
NONE = np.zeros((2, 3))
TEN = np.random.default_rng(5).normal(0.01, 0.03, (10, 10))


def test_all_data_count_as_df_plus_one_scores() -> None:
    result = calibrated_t_test(RUNS, NONE, df=3)
    sd = RUNS.std(ddof=1)
    assert (result.statistic, result.df) == pytest.approx((3 / (sd / 2), 3))
    assert result.confidence_interval() == pytest.approx(
        (3 - 3.182446 * sd / 2, 3 + 3.182446 * sd / 2)
    )
    assert result.effect_size == pytest.approx(3 / sd)


def test_ten_runs_of_ten_folds_have_ten_df() -> None:
    result = calibrated_t_test(TEN, np.zeros((10, 10)))
    assert (result.df, result.n) == (10, 100)
    assert result.statistic == pytest.approx(TEN.mean() / (TEN.std(ddof=1) / math.sqrt(11)))


def test_sorted_runs_folds_and_runs_are_averaged_place_by_place() -> None:
    result = calibrated_t_test(RUNS, NONE, scheme="sorted_runs")  # 1.5 3 4.5
    assert (result.statistic, result.df) == pytest.approx((3 / (1.5 / math.sqrt(3)), 2))
    folds = calibrated_t_test(RUNS, NONE, scheme="fold-averages")  # 1.5 4.5 3
    assert (folds.statistic, folds.df) == pytest.approx((3 / (1.5 / math.sqrt(3)), 2))
    runs = calibrated_t_test(RUNS, NONE, scheme="run-averages")  # 10/3 8/3
    assert (runs.statistic, runs.df) == pytest.approx((3 / (1 / 3), 1))


def test_averages_are_warned_of_unless_their_df_are_given() -> None:
    (overlap,) = (
        warning
        for warning in calibrated_t_test(RUNS, NONE, scheme="run-averages").warnings
        if warning.code == "overlap"
    )
    assert "with 1 df this test rejects far too often" in overlap
    given = calibrated_t_test(RUNS, NONE, scheme="run-averages", df=0.9)
    assert "overlap" not in [warning.code for warning in given.warnings]


def test_runs_of_one_mean_are_no_evidence() -> None:
    d = np.array([[1.0, 3.0], [3.0, 1.0]])
    result = calibrated_t_test(d, np.zeros((2, 2)), scheme="run-averages")
    assert (result.statistic, result.p_value, result.flags) == (math.inf, 0, ("zero_variance",))
    assert math.isfinite(result.effect_size)
    twins = calibrated_t_test(d, d, scheme="sorted-runs")
    assert (twins.statistic, twins.p_value, twins.flags) == (0, 1, ("zero_variance",))


@pytest.mark.parametrize("df", [0, -1, math.nan, math.inf, "ten"])
def test_df_must_be_positive(df: object) -> None:
    with pytest.raises(InvalidArgumentError, match="df of calibrated_t_test must be a number"):
        calibrated_t_test(RUNS, NONE, df=df)  # type: ignore[arg-type]


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="Did you mean 'sorted-runs'"):
        calibrated_t_test(RUNS, NONE, scheme="sorted")
    with pytest.raises(DesignError, match=r"must be repeats \(rows\) of folds \(columns\)"):
        calibrated_t_test(RUNS.ravel(), NONE.ravel(), df=3)
    with pytest.raises(DesignError, match=r"at least 1 repeat \(row\) of 2 folds"):
        calibrated_t_test(RUNS[:, :1], NONE[:, :1], df=3)
    with pytest.raises(DesignError, match="on run-averages must be at least 2 repeats"):
        calibrated_t_test(RUNS[:1], NONE[:1], scheme="run-averages")
    with pytest.raises(DesignError, match=r"Take df=calibrate_df\('use-all-data', 2, 3\)"):
        calibrated_t_test(RUNS, NONE)


@pytest.mark.parametrize(
    ("name", "scheme"), [("calibrated-t", "use-all-data"), ("sorted-runs-t", "sorted-runs")]
)
def test_orderings_take_it_on_ten_by_ten_only_and_agree_with_the_function(
    name: str, scheme: str
) -> None:
    test, sampling = paired_test(name), Sampling("k-fold", 10, 10)
    assert test.refuse(sampling) is None
    assert "needs 10 repeats of 10 folds" in str(test.refuse(Sampling("k-fold", 5, 2)))
    assert test.needs_all_splits
    with pytest.raises(DesignError, match=r"10 repeats of 10 folds without a gap; got 99"):
        test.compare(TEN.ravel()[:99], sampling)
    first = test.result(TEN, np.zeros((10, 10)), sampling=sampling)
    other = calibrated_t_test(TEN, np.zeros((10, 10)), scheme=scheme)
    assert (first.statistic, first.df, first.p_value) == (other.statistic, other.df, other.p_value)


def test_calibrated_df_make_the_decisions_of_the_corrected_t() -> None:
    df = calibrate_df("use-all-data", 10, 10)
    assert df == pytest.approx(9.5469, abs=1e-4)
    # a mean at which the corrected t is exactly at its critical value
    x = np.random.default_rng(0).normal(size=(10, 10))
    x -= x.mean()
    x += 1.9842169 * x.std(ddof=1) * math.sqrt(1 / 100 + 1 / 9)
    zero = np.zeros((10, 10))
    corrected = corrected_resampled_t_test(x, zero, n_train=9, n_test=1)
    assert corrected.p_value == pytest.approx(0.05, abs=1e-7)
    assert calibrated_t_test(x, zero, df=df).p_value == pytest.approx(0.05, abs=1e-6)


def test_independent_scores_keep_all_their_df_and_sorted_runs_are_simulated_alike() -> None:
    assert calibrate_df("use-all-data", 5, 4, correlation=0) == pytest.approx(19)
    assert calibrate_df("fold-averages", 5, 4, correlation=0) == pytest.approx(3)
    assert calibrate_df("run-averages", 5, 4, correlation=0) == pytest.approx(4)
    df = calibrate_df("sorted-runs", 10, 10)
    assert df == calibrate_df("sorted-runs", 10, 10)
    assert df == pytest.approx(8.76, abs=0.01)
    assert df != calibrate_df("sorted-runs", 10, 10, random_state=1)


def test_calibrating_refuses_what_cannot_be() -> None:
    with pytest.raises(
        InvalidArgumentError, match="correlation of calibrate_df must be a number of"
    ):
        calibrate_df("use-all-data", 10, 10, correlation=1)
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        calibrate_df("use-all-data", 10, 10, alpha=5)
    with pytest.raises(DesignError, match="at least 1 repeat"):
        calibrate_df("use-all-data", 0, 10)
