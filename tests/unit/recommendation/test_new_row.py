"""One more row of a table: conditioning as the textbook has it, shrinking, gaps, constants."""

import numpy as np
import pytest
from sklearn.covariance import LedoitWolf

from bestofk.recommendation.latent_factors import NewRow, fill_gaps


def related(n_rows, seed=0, n_columns=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, 2)) @ rng.normal(size=(2, n_columns)) + 0.3 * rng.normal(
        size=(n_rows, n_columns)
    )


def covariance_of(table):
    """The covariance that a new row starts from, by another way."""
    spread = table.std(axis=0) + 1e-6
    of_standardized = LedoitWolf().fit((table - table.mean(axis=0)) / spread).covariance_
    return np.diag(spread) @ of_standardized @ np.diag(spread) * (1 + 1 / len(table))


@pytest.mark.parametrize("told", [[3], [0, 5], [4, 1, 2, 0], [5, 4, 3, 2, 1, 0]])
def test_what_is_told_conditions_all_columns(told):
    table = related(12)
    row, values = NewRow(table), np.linspace(-1, 2, len(told))
    for column, value in zip(told, values, strict=True):
        row.tell(column, float(value))
    mean, covariance = table.mean(axis=0), covariance_of(table)
    known = covariance[np.ix_(told, told)] + 0.01 * np.eye(len(told))
    weights = np.linalg.solve(known, covariance[told]).T
    np.testing.assert_allclose(row.expected(), mean + weights @ (values - mean[told]), atol=1e-9)
    left = np.diag(covariance - weights @ covariance[told])
    np.testing.assert_allclose(row.spread(), np.sqrt(np.maximum(left, 0)), atol=1e-6)


def test_the_order_of_telling_does_not_matter():
    rows = [NewRow(related(9)) for _ in range(2)]
    for column in (0, 2, 4):
        rows[0].tell(column, 1.0 + column)
    for column in (4, 0, 2):
        rows[1].tell(column, 1.0 + column)
    np.testing.assert_allclose(rows[0].expected(), rows[1].expected(), atol=1e-9)
    np.testing.assert_allclose(rows[0].spread(), rows[1].spread(), atol=1e-6)


def test_a_told_value_is_expected_and_nearly_certain():
    row = NewRow(related(20))
    row.tell(2, 1.5)
    assert row.expected()[2] == pytest.approx(1.5, abs=0.02)
    assert row.spread()[2] < 0.1


def test_few_rows_are_trusted_less_than_many():
    pulls = []
    for n_rows in (4, 4000):
        table = related(n_rows, seed=1)
        table[:, 1] = table[:, 0]
        row = NewRow(table)
        row.tell(0, table[:, 0].mean() + table[:, 0].std())
        pulls.append((row.expected()[1] - table[:, 1].mean()) / table[:, 1].std())
    assert 0 < pulls[0] < 0.95 < pulls[1]


def test_gaps_are_filled_first():
    table = related(30)
    table[::5, 1] = np.nan
    np.testing.assert_allclose(NewRow(table).expected(), fill_gaps(table).mean(axis=0))


def test_constant_columns_and_equal_rows_stay_finite():
    for table in (np.zeros((5, 3)), np.column_stack([np.ones(6), related(6)])):
        row = NewRow(table)
        for column in range(table.shape[1]):
            row.tell(column, 2.0)
        assert np.isfinite(row.expected()).all()
        assert np.isfinite(row.spread()).all()
