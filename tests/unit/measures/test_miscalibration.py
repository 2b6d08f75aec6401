"""Miscalibration by isotonic regression: a case by hand, an oracle, and what holds for all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss

from bestofk.measures import PredictionBatch
from bestofk.measures.miscalibration import Miscalibration


def measured(y, probabilities, starts=None, repeats=(0,), names=("test",)):
    y, probabilities = np.array(y), np.array(probabilities, dtype=float)
    if probabilities.ndim == 1:
        probabilities = np.column_stack([1 - probabilities, probabilities])
    classes = np.arange(probabilities.shape[1])
    starts = np.array([0, len(y)] if starts is None else starts)
    batch = PredictionBatch(y, y, starts, classes, probabilities=probabilities)
    return Miscalibration([batch], np.array(repeats), names)


def test_six_rows_by_hand():
    # sorted by probability the labels are 0 0 1 0 1 1: rows three and four are pooled to 1/2
    stated, y = [0.1, 0.2, 0.4, 0.6, 0.8, 0.9], [0, 0, 1, 0, 1, 1]
    own = -np.log([0.9, 0.8, 0.4, 0.4, 0.8, 0.9]).mean()
    recalibrated = 2 * np.log(2) / 6
    assert measured(y, stated).value == pytest.approx(own - recalibrated, abs=1e-12)
    assert own - recalibrated == pytest.approx(0.18388, abs=1e-5)


def test_equal_probabilities_are_one_group():
    # 1/2 came true where 1/4 was said, and nothing can tell these rows apart
    expected = -(np.log(0.25) + np.log(0.75)) / 2 - np.log(2)
    assert measured([0, 1], [0.25, 0.25]).value == pytest.approx(expected, abs=1e-12)


def test_what_chance_gives_by_hand():
    # one row of 1/2: whatever is drawn, isotonic regression is right and ln 2 is taken away
    item = measured([1], [0.5])
    assert [item.value, item.expected] == pytest.approx([np.log(2)] * 2)
    # two rows of 1/2: both of a class in one of two cases, else nothing to correct
    assert measured([0, 1], [0.5, 0.5]).expected == pytest.approx(np.log(2) / 2, abs=0.08)


def test_certain_and_right_is_calibrated_and_wrong_costs_the_margin():
    assert measured([0, 1, 1], [0.0, 1.0, 1.0]).value == pytest.approx(0, abs=1e-12)
    assert measured([0, 1, 1], [0.0, 1.0, 1.0]).expected == pytest.approx(0, abs=1e-12)
    wrong = measured([0, 0, 1, 1], [0.0, 1.0, 1.0, 1.0])
    pooled = -(np.log(1 / 3) + 2 * np.log(2 / 3)) / 4
    assert wrong.value == pytest.approx(-np.log(np.finfo(float).eps) / 4 - pooled)


def test_repeats_are_measured_apart_and_folds_of_one_together():
    stated, y = [0.2, 0.7, 0.7, 0.4, 0.1, 0.9], [0, 1, 0, 1, 0, 1]
    folds = measured(y, stated, starts=[0, 2, 4, 6], repeats=[0, 0, 1])
    parts = [measured(y[:4], stated[:4]).value, measured(y[4:], stated[4:]).value]
    assert folds.value == pytest.approx(np.mean(parts), abs=1e-12)


def test_draws_come_from_names_alone():
    rng = np.random.default_rng(1)
    y, stated = rng.integers(0, 2, 40), rng.random(40)
    first, again = measured(y, stated).expected, measured(y, stated).expected
    assert first == again
    assert first != measured(y, stated, names=("other",)).expected
    assert first == measured(1 - y, stated).expected  # labels play no part


def test_a_calibrated_forecast_is_as_expected_and_a_bold_one_is_not():
    rng = np.random.default_rng(3)
    stated = rng.random(2000)
    y = (rng.random(2000) < stated).astype(int)
    right = measured(y, stated)
    assert right.value == pytest.approx(right.expected, rel=0.4)
    bold = measured(y, np.where(stated > 0.5, 0.98, 0.02))
    assert bold.value > 5 * bold.expected


def _labels_and_probabilities(draw):
    n_classes = draw(st.integers(2, 4))
    n_rows = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    shares = rng.dirichlet(np.full(n_classes, 0.7), size=n_rows)
    if draw(st.booleans()):  # many equal ones, with 0 and 1 among them
        shares = np.round(shares, 1)
    return rng.integers(0, n_classes, n_rows), shares


FORECASTS = st.composite(_labels_and_probabilities)()


@given(FORECASTS)
def test_it_is_the_mean_of_what_scikit_learn_says_of_each_class(forecast):
    y, shares = forecast
    n_classes = shares.shape[1]
    gaps = []
    for index in range(n_classes) if n_classes > 2 else [1]:
        of_class, stated = (y == index).astype(float), shares[:, index]
        best = IsotonicRegression().fit_transform(stated, of_class)
        losses = [log_loss(of_class, np.column_stack([1 - p, p]), labels=[0, 1])
                  for p in (stated, best)]  # fmt: skip
        gaps.append(losses[0] - losses[1])
    assert measured(y, shares).value == pytest.approx(np.mean(gaps), abs=1e-9)


@given(FORECASTS)
def test_it_is_never_below_zero_and_zero_once_recalibrated(forecast):
    y, shares = forecast
    item = measured(y, shares)
    assert item.value >= 0
    assert item.expected >= 0
    columns = [IsotonicRegression().fit_transform(column, (y == index).astype(float))
               for index, column in enumerate(shares.T)]  # fmt: skip
    assert measured(y, np.column_stack(columns)).value == pytest.approx(0, abs=1e-9)
