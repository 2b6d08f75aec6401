"""Extrapolation: recovered families, intervals, refusals, predicted leads, bad input."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.text import Text
from scipy.optimize import nnls
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.unit.curves.given_learners import FirstClass

from bestofk import learning_curve
from bestofk.curves.extrapolation import (
    FAMILIES,
    check_rows,
    extrapolate_losses,
    predict_losses,
    predicted_lead,
)
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report.plots import LearningCurveDisplay

pytestmark = pytest.mark.usefixtures("module_in_this_process")

SIZES = np.array([20, 28, 40, 57, 80, 113, 160, 226, 320])
FALLING = [family for family in FAMILIES if family.falling is not None]


def noisy(means, n_splits=20, spread=0.02, seed=0):
    """Return losses of splits around means, each split shifted alike at all sizes, in part."""
    rng = np.random.default_rng(seed)
    alike, own = rng.normal(0, spread, n_splits), rng.normal(0, spread, (len(means), n_splits))
    return np.asarray(means)[:, None] + alike + own / 3


def power_curve(end=0.1, height=2.0):
    return end + height / SIZES


@pytest.mark.parametrize("family", FALLING, ids=lambda family: family.name)
@pytest.mark.parametrize("place", [0.2, 0.5, 0.8])
def test_a_curve_of_a_family_is_found_again(family, place):
    shapes = family.falling(np.append(SIZES, 640.0), SIZES[0], SIZES[-1])
    shape = shapes[int(place * len(shapes))]
    curve = 0.12 + 0.3 * shape
    result = predict_losses(SIZES, curve[None, :-1], 640)[0, FAMILIES.index(family)]
    assert result == pytest.approx(curve[-1], abs=1e-9)


def test_shapes_between_those_of_the_grid_are_found_nearly():
    for power in (0.37, 0.91, 1.43):
        curve = 0.05 + 3 * SIZES**-power
        result = predict_losses(SIZES, curve[None], 640)[0]
        names = [family.name for family in FAMILIES]
        true = 0.05 + 3 * 640**-power
        assert result[names.index("pow3")] == pytest.approx(true, abs=0.003)


@pytest.mark.parametrize("family", FALLING, ids=lambda family: family.name)
def test_the_closed_form_is_bounded_least_squares(family):
    rng = np.random.default_rng(1)
    shapes = family.falling(np.append(SIZES, 640.0), SIZES[0], SIZES[-1])
    weights = np.sqrt(SIZES / SIZES.sum())
    for curve in rng.uniform(0, 0.5, (6, len(SIZES))):
        fits = []
        for shape in shapes:
            columns = np.column_stack([np.ones(len(SIZES)), shape[:-1]])
            (end, height), rest = nnls(columns * weights[:, None], curve * weights)
            fits.append((rest, end + height * shape[-1]))
        least = min(fits)[0]
        result = predict_losses(SIZES, curve[None], 640)[0, FAMILIES.index(family)]
        alike = [value for rest, value in fits if rest <= least * (1 + 1e-9) + 1e-12]
        assert min(abs(result - value) for value in alike) < 1e-6


@given(st.lists(st.floats(0, 1), min_size=len(SIZES), max_size=len(SIZES)), st.integers(321, 640))
@settings(max_examples=60, deadline=None)
def test_no_family_leaves_the_bounds_or_rises(losses, n_train):
    curve = np.array(losses)[None]
    result = predict_losses(SIZES, curve, n_train)[0]
    assert (result >= -1e-12).all()
    assert (result <= max(losses) + 1e-9).all()
    farther = predict_losses(SIZES, curve, 2 * n_train)[0]
    assert (farther <= result + 1e-9).all()


@given(st.floats(0.1, 10), st.floats(-1, 1))
@settings(max_examples=30, deadline=None)
def test_without_bounds_a_change_of_units_changes_nothing_else(factor, shift):
    curve = power_curve()[None]
    plain = predict_losses(SIZES, curve, 640, -np.inf)
    moved = predict_losses(SIZES, factor * curve + shift, 640, -np.inf)
    np.testing.assert_allclose(moved, factor * plain + shift, atol=1e-7)


def test_curves_side_by_side_do_not_disturb_each_other():
    curves = np.stack([power_curve(), power_curve(0.2, 1.0), np.full(len(SIZES), 0.3)])
    together = predict_losses(SIZES, curves, 500)
    alone = np.concatenate([predict_losses(SIZES, curve[None], 500) for curve in curves])
    np.testing.assert_allclose(together, alone, atol=1e-12)
    np.testing.assert_allclose(together[2], 0.3)


def test_the_interval_is_around_the_mean_of_the_families():
    losses = noisy(power_curve())
    ahead = extrapolate_losses("a", SIZES, losses, 640)
    assert ahead.loss == predict_losses(SIZES, losses.mean(axis=1)[None], 640).mean()
    half = 0.8 * np.sqrt(ahead.draws.var() + np.mean(ahead.missed**2))
    assert (ahead.low, ahead.high) == pytest.approx((ahead.loss - half, ahead.loss + half))
    assert ahead.low < 0.1 + 2 / 640 < ahead.high
    assert not ahead.is_refused


def test_what_was_missed_is_that_of_the_largest_sizes_held_back():
    losses = noisy(power_curve())
    means = losses.mean(axis=1)
    expected = [
        means[index] - predict_losses(SIZES[: index - 1], means[None, : index - 1], size).mean()
        for index, size in [(6, 160), (7, 226), (8, 320)]
    ]
    ahead = extrapolate_losses("a", SIZES, losses, 640)
    np.testing.assert_allclose(ahead.missed, expected, atol=1e-12)


def test_the_same_call_gives_the_same_bits_and_another_seed_other_draws():
    losses = noisy(power_curve())
    first, again = (extrapolate_losses("a", SIZES, losses, 640) for _ in range(2))
    assert (first.low, first.high) == (again.low, again.high)
    other = extrapolate_losses("a", SIZES, losses, 640, random_state=1)
    assert other.low != first.low
    assert other.loss == first.loss


@given(st.integers(0, 1000), st.floats(0, 0.2), st.floats(0, 4))
@settings(max_examples=40, deadline=None)
def test_an_interval_lies_in_the_range_of_the_measure(seed, end, height):
    ahead = extrapolate_losses("a", SIZES, noisy(power_curve(end, height), seed=seed), 640,
                               best=0.0, worst=0.3)  # fmt: skip
    if ahead.is_refused:
        assert np.isnan([ahead.loss, ahead.low, ahead.high]).all()
    else:
        assert 0 <= ahead.low <= ahead.high <= 0.3


def failed_at(place):
    losses = noisy(power_curve())
    losses[place, 0] = np.nan
    return losses


@pytest.mark.parametrize(
    ("sizes", "losses", "n_train", "reason"),
    [
        (SIZES, noisy(power_curve(), n_splits=4), 640, "4 splits are too few to resample"),
        (SIZES, noisy(power_curve(), n_splits=1), 640, "1 split is too few to resample"),
        (SIZES // 4, noisy(power_curve()), 160, "80 rows are too few; at least 100"),
        (SIZES[4:], noisy(power_curve())[4:], 640, "5 sizes are too few: to check the"),
        (SIZES, failed_at(-1), 640, "not every run has a score with 320 rows"),
        (SIZES, noisy(0.1 + SIZES / 1000), 640, "its loss rises with more rows"),
        (SIZES, np.full((9, 20), 0.25), 640, "its loss is the same in all splits and sizes"),
    ],
)
def test_what_is_not_earned_is_refused(sizes, losses, n_train, reason):
    ahead = extrapolate_losses("a", sizes, losses, n_train)
    assert ahead.is_refused
    assert reason in ahead.reason
    assert np.isnan([ahead.loss, ahead.low, ahead.high]).all()


def test_a_size_with_a_failed_run_is_left_out():
    losses = failed_at(1)
    ahead = extrapolate_losses("a", SIZES, losses, 640)
    known = np.delete(np.arange(len(SIZES)), 1)
    alone = extrapolate_losses("a", SIZES[known], losses[known], 640)
    assert not ahead.is_refused
    assert (ahead.loss, ahead.low) == (alone.loss, alone.low)


def lead(first, second, **options):
    return predicted_lead(
        extrapolate_losses("a", SIZES, first, 640, **options),
        extrapolate_losses("b", SIZES, second, 640, **options),
    )


def test_who_is_far_ahead_stays_ahead():
    result = lead(noisy(power_curve(0.1)), noisy(power_curve(0.3)))
    assert result.high < 0
    assert result.is_sure
    assert result.leader == "a"
    assert result.share == 0


def test_a_steeper_curve_may_overtake():
    still = noisy(np.full(len(SIZES), 0.2) + 0.1 / SIZES, spread=0.001)
    steep = noisy(0.6 - 0.0012 * SIZES, spread=0.001)
    result = lead(still, steep)
    assert still[-1].mean() < steep[-1].mean()
    assert result.difference > 0
    assert result.share > 0.5
    mirrored = lead(steep, still)
    assert mirrored.difference == -result.difference
    assert (mirrored.low, mirrored.high) == pytest.approx((-result.high, -result.low))


def test_the_order_changes_where_most_draws_say_so():
    open_lead = lead(noisy(power_curve()), noisy(power_curve(), seed=5))
    assert replace(open_lead, share=0.81).leader == "b"
    assert replace(open_lead, share=0.8).leader == "a"
    assert replace(open_lead, low=0.01, high=0.02).is_sure


def test_two_alike_are_open_and_keep_their_order():
    losses = noisy(power_curve())
    result = lead(losses, losses + 1e-9)
    assert result.leader == "a"
    result = lead(losses, noisy(power_curve(), seed=5))
    assert not result.is_sure


def test_a_lead_is_refused_with_either():
    result = lead(noisy(power_curve()), noisy(0.1 + SIZES / 1000))
    assert result.reason == "b: its loss rises with more rows, which no family of curves allows"
    assert np.isnan([result.difference, result.low, result.high, result.share]).all()
    assert not result.is_sure
    assert result.leader == "a"


@pytest.mark.parametrize("n_train", [100, 99, 201, 150.5, "150", True, -3])
def test_rows_out_of_reach_are_told(n_train):
    with pytest.raises(InvalidArgumentError, match="must be a whole number from 101 to 200"):
        check_rows(n_train, 100)


class Fails(FirstClass):
    """Learner that can be trained with few rows only."""

    def fit(self, X, y):
        if len(X) > 100:
            raise ValueError("too many rows")
        return super().fit(X, y)


@pytest.fixture(scope="module")
def curves():
    X, y = make_classification(300, 8, n_informative=4, random_state=0)
    learners = {"bayes": GaussianNB(), "5nn": KNeighborsClassifier(5), "fails": Fails()}
    sizes = [10, 20, 40, 57, 80, 113, 160, 240]
    return learning_curve(learners, X, y, train_sizes=sizes, cv="1x5", progress=False)


def test_one_repeat_is_enough(curves):
    frame = curves.extrapolate()
    assert frame.columns.tolist() == ["learner", "n_train", "test", "low", "high", "reason"]
    assert frame["n_train"].tolist() == [480] * 3
    assert frame["reason"].tolist() == ["", "", "not every run has a score with 240 rows"]
    known = frame.iloc[:2]
    assert (known["low"] < known["test"]).all()
    assert (known["test"] < known["high"]).all()
    assert frame.iloc[2][["test", "low", "high"]].isna().all()


def test_the_frame_is_in_the_units_of_the_measure(curves):
    as_error = curves.extrapolate(300)
    accuracy = AsAccuracy(curves.measure)
    turned = replace(curves, measure=accuracy, test_values=1 - curves.test_values)
    as_accuracy = turned.extrapolate(300)
    assert as_accuracy["low"].iloc[:2].tolist() == pytest.approx(1 - as_error["high"].iloc[:2])
    assert as_accuracy["high"].iloc[:2].tolist() == pytest.approx(1 - as_error["low"].iloc[:2])


class AsAccuracy:
    """The share that is right: higher is better, from 0 to 1."""

    greater_is_better, minimum, maximum = True, 0.0, 1.0

    def __init__(self, measure):
        self.name = measure.name

    def loss(self, values):
        return -values


def test_the_third_line_looks_ahead(curves):
    assert "Expected mean with 480 rows, twice the largest size: " in unfolded(curves)
    assert "Expected mean with 300 rows: " in unfolded(curves, 300)
    lead = curves.predicted_lead()
    third = curves.sections().answer[2]
    assert third.startswith("With 480 rows ")
    assert ("should still be better" if lead.is_sure else "can't tell which of") in third
    assert {lead.first, lead.second} == {"bayes", "5nn"}


def test_the_text_says_why_nothing_is_said(curves):
    of_size = "levels test_values train_values train_seconds predict_seconds test_seconds"
    of_size += " model_bytes complexity complexity_unit"
    few = replace(curves, **{name: getattr(curves, name)[:4] for name in of_size.split()})
    text = unfolded(few)
    assert "No forecast for 114 rows: 57 rows are too few;" in text
    assert text.count("57 rows are too few") == 1


def test_a_learner_has_a_forecast_or_a_reason_and_not_both(curves):
    """Of the two best, each, both or none is refused; baselines have neither."""
    same = curves.test_values.copy()
    first, second = curves.leaders()
    for refused in ([], [first], [second], [first, second]):
        values = same.copy()
        values[:, refused] = same[-1:, refused].mean(axis=2, keepdims=True)
        made = replace(curves, test_values=values)
        assert set(made.leaders()) == {first, second}
        third, text = made.sections().answer[2], unfolded(made)
        _, _, details = text.partition("Expected mean with 480 rows")
        for index in (first, second):
            name, is_refused = curves.learners[index], index in refused
            reason = "its loss is the same in all splits and sizes"
            assert (f"for {name}" in details.split(":", 1)[-1].split(".  ")[0]) != is_refused
            if is_refused and len(refused) == 1:
                assert f"No forecast for {name}: {reason}." in third
                assert third.count("expect") == 1
        if len(refused) == 2:
            assert third == f"No forecast for 480 rows: {reason}."
            assert "Expected mean" not in text
        frame = made.extrapolate()
        assert (frame["test"].isna() == (frame["reason"] != "")).all()


def test_one_candidate_has_no_rival(curves):
    alone = replace(curves, is_baseline=(True, False, True))
    assert alone.predicted_lead() is None
    assert "better" not in alone.sections().answer[2]
    assert alone.sections().answer[2].endswith("error (80% interval).")
    none = replace(curves, is_baseline=(True, True, True))
    assert none.sections().answer[2] == "No forecast: no learner can be picked."
    assert "Expected" not in unfolded(none)


def unfolded(curves, n_train=None):
    return " ".join(curves.text(n_train).split())


def test_the_picture_draws_what_is_expected(curves):
    display = LearningCurveDisplay.from_curves(curves, n_train=480).plot()
    frame = curves.extrapolate(480)
    np.testing.assert_allclose(display.ahead.T, frame[["test", "low", "high"]])
    texts = [text.get_text() for text in display.ax_.figure.findobj(Text)]
    assert any("open" in text and "80% intervals" in text for text in texts)
    dotted = [line for line in display.ax_.get_lines() if line.get_linestyle() == ":"]
    ends = [line.get_ydata()[-1] for line in dotted if len(line.get_ydata()) == 2]
    np.testing.assert_allclose(ends, frame["test"].iloc[:2])
    plain = LearningCurveDisplay.from_curves(curves).plot()
    assert "open markers" not in plain.ax_.get_xlabel()


def test_the_picture_needs_rows_with_what_is_expected():
    with pytest.raises(DesignError, match="ahead of LearningCurveDisplay must be 3 x learners"):
        LearningCurveDisplay(
            [10, 20], [[0.3], [0.2]], [[0], [0]], [[0], [0]], ["a"], measure_title="error rate",
            ahead=[[0.1], [0.0], [0.2]],
        )  # fmt: skip
