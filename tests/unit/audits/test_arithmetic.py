"""Arithmetic of tables: faults that are there are found, and rounding is granted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bestofk.audits.arithmetic import arithmetic_faults, impossible_values, recomputed_statistics
from bestofk.audits.claim import parse_claim
from bestofk.audits.published_table import PublishedTable
from bestofk.errors import InvalidArgumentError
from bestofk.inference import friedman_test, iman_davenport_test, wilcoxon_test

VALUES = np.array([[0.91, 0.89, 0.90], [0.80, 0.82, 0.82], [0.75, 0.70, 0.71], [0.66, 0.65, 0.6]])
TABLE = PublishedTable(
    "t", ("w", "x", "y", "z"), ("a", "b", "c"), VALUES, np.full(VALUES.shape, 0.01), True,
    "accuracy", is_bold=np.zeros(VALUES.shape, dtype=bool),
)  # fmt: skip


def marked(*places):
    bold = np.zeros(VALUES.shape, dtype=bool)
    bold[tuple(zip(*places, strict=True))] = True
    return replace(TABLE, is_bold=bold)


def test_a_table_that_says_nothing_twice_has_no_fault():
    assert list(arithmetic_faults(TABLE)) == []


def test_bold_face_is_held_against_the_best_value():
    assert list(arithmetic_faults(marked((0, 0), (1, 1), (1, 2), (2, 0)))) == []
    assert list(arithmetic_faults(marked((0, 0), (1, 2)))) == []  # one of two that tie
    assert list(arithmetic_faults(marked((0, 2), (1, 1)))) == [
        "Bold face misses the best value on w (c 0.9, but a 0.91)."
    ]


def test_ranks_may_follow_digits_that_are_not_printed():
    ranks = np.array([[1, 3, 2], [3, 1, 2], [1, 3, 2], [1, 2, 3.0]])  # .82 and .82 may differ
    assert list(arithmetic_faults(replace(TABLE, ranks=ranks))) == []
    wrong = ranks[:, [0, 2, 1]]
    assert list(arithmetic_faults(replace(TABLE, ranks=wrong))) == [
        "Printed ranks are not those of the values on z."
    ]


def test_means_are_granted_the_rounding_of_their_parts():
    exact = VALUES.mean(axis=0)

    def faults(kind, means, step):
        sums = {kind: np.vstack([means, np.full(3, step)])}
        return list(arithmetic_faults(replace(TABLE, summaries=sums)))

    assert faults("mean", exact, 0.0) == []
    assert faults("mean", exact + 0.0049, 0.0) == []
    assert faults("mean", exact.round(1), 0.1) == []
    assert faults("mean", np.add(exact, [0, 0, 0.02]), 0.001) == [
        "Printed means are not those of the values for c (printed 0.7775, recomputed 0.7575)."
    ]
    assert faults("rank", np.array([1.5, 2.375, 2.125]), 0.001) == []
    assert len(faults("rank", np.array([2.5, 1.5, 2.0]), 0.1)) == 1


def test_a_share_of_20_rows_has_20_steps():
    values = np.array([[0.95, 0.93]])
    table = replace(
        TABLE, data_sets=("w",), learners=("a", "b"), values=values,
        steps=np.full((1, 2), 0.01), n_rows=np.array([20.0]),
    )  # fmt: skip
    assert impossible_values(table, 1, 10) == ("0.93 of b on w",)
    assert impossible_values(replace(table, values=100 * values, steps=table.steps * 100), 1, 10)
    assert impossible_values(table, 10, 10) == ()  # .93 is 186 of 200
    assert impossible_values(replace(table, n_rows=None), 1, 10) == ()
    assert impossible_values(replace(table, n_rows=np.array([2000.0])), 1, 10) == ()


@pytest.mark.parametrize(("n", "folds", "repeats"), [(23, 5, 1), (31, 3, 2), (17, 10, 1)])
def test_no_mean_of_unequal_folds_is_called_impossible(n, folds, repeats):
    rng = np.random.default_rng(n)
    sizes = np.array([n // folds + (fold < n % folds) for fold in range(folds)])
    for _ in range(100):
        hits = rng.integers(0, sizes + 1, (repeats, folds))
        value = (hits / sizes).mean()
        table = replace(
            TABLE, data_sets=("w",), learners=("a", "b"), n_rows=np.array([float(n)]),
            values=np.full((1, 2), round(value, 4)), steps=np.full((1, 2), 1e-4),
        )  # fmt: skip
        assert impossible_values(table, repeats, folds) == ()


def test_statistics_are_tried_in_their_usual_variants():
    claim = parse_claim("a best", TABLE.learners, TABLE.losses, by_rank=False)
    options = {"names": TABLE.learners}
    for value in (
        friedman_test(TABLE.losses, **options).statistic,
        friedman_test(TABLE.losses, correct_ties=False, **options).statistic,
        iman_davenport_test(TABLE.losses, **options).statistic,
    ):
        assert list(recomputed_statistics(claim, TABLE, {"friedman": round(value, 2)})) == []
    pair = TABLE.losses[:, 0], TABLE.losses[:, 1]
    for given in (
        {"method": "exact"},
        {"method": "normal"},
        {"method": "normal", "continuity": True},
    ):
        p = round(wilcoxon_test(*pair, **given).p_value, 3)
        assert list(recomputed_statistics(claim, TABLE, {"b": p})) == []
    (fault,) = recomputed_statistics(claim, TABLE, {"friedman": 99.9})
    assert fault.startswith("Printed friedman 99.9 is none of the usual variants: ")
    with pytest.raises(InvalidArgumentError, match="printed statistics must be of friedman"):
        list(recomputed_statistics(claim, TABLE, {"forest": 0.1}))
