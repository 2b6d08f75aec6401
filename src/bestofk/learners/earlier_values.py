"""Baselines for rows in time, which repeat earlier values of the target."""

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from bestofk.array_types import Floats

LAST_PERIOD = "last-period"
LAST_OF_GROUP = "last-of-group"
LAST_SEASON = "same-time-last-season"
SEASONS = {"day": 1.0, "week": 7.0, "year": 365.25}  # in days
_MINUTES = 1440
_SEEN = 2  # times that a season must have occurred


def known_seasons(days: Floats) -> tuple[str, ...]:
    """Return the seasons that moments, in days since 1970-01-01, cover at least twice.

    A season of one day requires times of day.

    Examples
    --------
    >>> known_seasons(np.arange(20.0)), known_seasons(np.arange(0, 20, 0.5))
    (('week',), ('day', 'week'))
    """
    length, has_times = float(np.ptp(days)), bool((np.mod(days, 1) > 0).any())
    return tuple(
        name
        for name, season in SEASONS.items()
        if length >= _SEEN * season and (has_times or name != "day")
    )


class _EarlierValues(BaseEstimator):  # type: ignore[misc]
    """Predict from the latest similar training rows; see the subclasses."""

    #: Whether it receives time and group of the rows instead of the inputs.
    reads_times = True
    code_version = 1

    def __init__(self, rule: str, n_rows: int = 1, seasons: tuple[str, ...] = ()) -> None:
        self.rule, self.n_rows, self.seasons = rule, n_rows, seasons

    def _remember(self, X: pd.DataFrame, values: Floats) -> Self:
        """Store the values to repeat, by key and for all rows; values are rows of numbers."""
        order = np.argsort(X["time"].to_numpy(), kind="stable")
        X, values = X.iloc[order], values[order]
        self.usual_ = values.mean(axis=0)
        self.season_, self.table_ = "", None
        if self.rule == LAST_PERIOD:
            self.usual_ = values[-self.n_rows :].mean(axis=0)
            return self
        if self.rule == LAST_OF_GROUP:
            keys = X["group"]
        else:
            self.season_ = min(self.seasons, key=lambda name: _gap(_keys(X, name), values))
            keys = _keys(X, self.season_)
        table = pd.DataFrame(values).assign(time=X["time"].to_numpy(), key=keys.to_numpy())
        last = table.groupby("key")["time"].transform("max") == table["time"]
        self.table_ = table[last].groupby("key").mean().drop(columns="time")
        return self

    def _repeated(self, X: pd.DataFrame) -> Floats:
        """Return the numbers to repeat for each row, shape (n_rows, n_numbers)."""
        if self.table_ is None:
            return np.tile(self.usual_, (len(X), 1))
        keys = X["group"] if self.rule == LAST_OF_GROUP else _keys(X, self.season_)
        values = self.table_.reindex(keys.to_numpy()).to_numpy()
        return np.asarray(np.where(np.isnan(values), self.usual_, values))


def _keys(X: pd.DataFrame, season: str) -> pd.Series:
    """Return the time within the season of each row, with its group if there are groups."""
    minutes = np.round(X["time"].to_numpy() * _MINUTES).astype(np.int64)
    day, minute = np.divmod(minutes, _MINUTES)
    date = pd.to_datetime(day, unit="D")
    first = {"day": 0, "week": day % 7, "year": np.asarray(date.month) * 100 + np.asarray(date.day)}
    within = first[season] * _MINUTES + minute
    keys = pd.Series(within, index=X.index)
    return keys + X["group"] * 10**8 if "group" in X else keys


def _gap(keys: pd.Series, values: Floats) -> float:
    """Return the mean absolute error of repeating the value one season earlier."""
    table = pd.DataFrame(values)
    gaps = (table - table.groupby(keys.to_numpy()).shift()).abs().to_numpy()
    known = gaps[~np.isnan(gaps)]
    return float(known.mean()) if len(known) else np.inf


class EarlierValueRegressor(RegressorMixin, _EarlierValues):  # type: ignore[misc]
    """Predict an earlier value of the target.

    Parameters
    ----------
    rule : {"last-period", "last-of-group", "same-time-last-season"}
        The mean of the last training rows; the last value of the row's group; or the last value at
        the same time of the season (in the row's group, if there are groups). Rows of an unknown
        group or time get the mean of all.
    n_rows : int
        Number of rows of the last period.
    seasons : tuple of {"day", "week", "year"}
        Candidates; the season with the smallest error in training is used.

    Examples
    --------
    >>> X = pd.DataFrame({"time": [0.0, 1.0, 2.0]})
    >>> EarlierValueRegressor("last-period", 2).fit(X, np.array([1.0, 2.0, 4.0])).predict(X[:1])
    array([3.])
    """

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        """Store the values of rows with the columns time, in days, and group, if there is one."""
        return self._remember(X, np.asarray(y, dtype=np.float64)[:, None])

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return a value for each row."""
        return self._repeated(X)[:, 0]


class EarlierClassClassifier(ClassifierMixin, _EarlierValues):  # type: ignore[misc]
    """Predict the most frequent class of earlier rows; see `EarlierValueRegressor`.

    Examples
    --------
    >>> X = pd.DataFrame({"time": [0.0, 1.0, 2.0]})
    >>> EarlierClassClassifier("last-period", 2).fit(X, ["a", "b", "b"]).predict(X[:1])
    array(['b'], dtype='<U1')
    """

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        """Store the classes of rows with the columns time, in days, and group, if there is one."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        return self._remember(X, np.eye(len(self.classes_))[codes])

    def predict_proba(self, X: pd.DataFrame) -> Floats:
        """Return the shares of the classes among the rows to repeat."""
        return self._repeated(X)

    def predict(self, X: pd.DataFrame) -> Any:
        """Return the most frequent class of those rows."""
        return self.classes_[self._repeated(X).argmax(axis=1)]
