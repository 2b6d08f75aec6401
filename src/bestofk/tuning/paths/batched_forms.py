"""Shared computation by batched forms: logistic regression and nearest neighbors."""

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from bestofk.batched.logistic import LogisticForm
from bestofk.batched.nearest_neighbors import NearestNeighborsForm
from bestofk.tuning.training_parts import (
    Rows,
    Setting,
    SettingPath,
    SettingPredictions,
    TrainingParts,
)


class LogisticPath(SettingPath):
    """Logistic regression by its batched form.

    For every penalty, all parts start from the optimum of all rows. Parts that do not converge from
    there, such as nearly separable classes under a weak penalty, are trained separately.
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"C"})

    def __init__(self, learner: Any, settings: Sequence[Setting]) -> None:
        super().__init__(learner, settings)
        self._forms: list[LogisticForm] = []

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether the form supports every setting on the table."""
        table = parts.table
        if not super().supports(parts, settings) or table is None:
            return False
        tried = [clone(parts.learner).set_params(**setting) for setting in settings]
        return all(LogisticForm.supports(learner, table) for learner in tried)

    def predict_parts(
        self, parts: TrainingParts, train_rows: Sequence[Rows], asked_rows: Sequence[Rows]
    ) -> Iterator[SettingPredictions | None]:
        """Predict all parts under one setting after another; see `SettingPath.predict_parts`."""
        assert parts.table is not None
        if not self._forms:
            tried = [clone(self.learner).set_params(**setting) for setting in self.settings]
            self._forms = [LogisticForm(learner, parts.table) for learner in tried]
        results = [form.predict_splits(train_rows, asked_rows) for form in self._forms]
        labels, probabilities, _ = (
            None if values[0] is None else np.stack(values)
            for values in zip(*(result.take() for result in results), strict=True)
        )
        assert labels is not None
        assert probabilities is not None
        stops = np.cumsum([len(rows) for rows in asked_rows])
        for part, (rows, asked, stop) in enumerate(zip(train_rows, asked_rows, stops, strict=True)):
            left = [
                index
                for index, result in enumerate(results)
                if result.is_done is not None and not result.is_done[part]
            ]
            here = np.s_[:, stop - len(asked) : stop]
            if left and len(np.unique(parts.y[rows])) < parts.n_classes:
                yield None
                continue
            if left:
                X, others = next(parts.prepared([rows], [asked]))
            for index in left:
                plain = clone(self.learner).set_params(**self.settings[index])
                shares = plain.fit(X, parts.y[rows]).predict_proba(others)
                probabilities[index][here[1]] = shares
                labels[index][here[1]] = shares.argmax(axis=1)
            yield SettingPredictions(labels[here], probabilities[here])


class NearestNeighborsPath(SettingPath):
    """Euclidean nearest neighbors.

    The nearest rows of each row are listed once for the table; every training part takes its
    neighbors from the list, as many as the largest setting needs.
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"n_neighbors", "weights"})

    def __init__(self, learner: Any, settings: Sequence[Setting]) -> None:
        super().__init__(learner, settings)
        self._forms: dict[tuple[tuple[int, bool], ...], NearestNeighborsForm] = {}

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether the learner's batched form lists neighbors for all settings."""
        if not super().supports(parts, settings) or parts.table is None:
            return False
        tried = [clone(parts.learner).set_params(**setting) for setting in settings]
        return all(
            isinstance(learner.n_neighbors, Integral)
            and NearestNeighborsForm.supports(learner, parts.table)
            and NearestNeighborsForm.supports_subsets(learner, parts.table)
            for learner in tried
        )

    def predict_parts(
        self, parts: TrainingParts, train_rows: Sequence[Rows], asked_rows: Sequence[Rows]
    ) -> Iterator[SettingPredictions | None]:
        """Take neighbors from shared lists; see `SettingPath.predict_parts`."""
        assert parts.table is not None
        is_train = parts.are_trained(train_rows)
        trained = parts.table.parts(is_train.astype(np.int32), 2)
        row = np.concatenate(list(asked_rows)).astype(np.intp)
        lengths = [len(rows) for rows in asked_rows]
        part = np.repeat(2 * np.arange(len(lengths)), lengths)
        shares = np.full((len(self.settings), len(row), max(parts.n_classes, 1)), np.nan)
        is_done = np.ones(len(train_rows), dtype=bool)
        ks = self.values("n_neighbors")
        is_weighted = [weights == "distance" for weights in self.values("weights")]
        possible = [tuple(i for i, k in enumerate(ks) if k <= len(rows)) for rows in train_rows]
        for some in dict.fromkeys(filter(None, possible)):
            order = sorted(some, key=lambda index: (is_weighted[index], ks[index]))
            lists = tuple((ks[i], is_weighted[i]) for i in order)
            if lists not in self._forms:
                self._forms[lists] = NearestNeighborsForm(self.learner, parts.table, settings=lists)
            form = self._forms[lists]
            is_here = np.array([own == some for own in possible])
            is_asked = np.repeat(is_here, lengths)
            counted, done = form.shares(trained, row[is_asked], part[is_asked])
            is_done[is_here] = done[is_here, 0]
            shares[np.ix_(np.array(order), is_asked)] = counted.swapaxes(0, 1)
        stops = np.cumsum(lengths)
        for own, rows, length, stop in zip(is_done, train_rows, lengths, stops, strict=True):
            failures = {
                index: f"n_neighbors exceeds the {len(rows):,} inner training rows"
                for index, k in enumerate(ks)
                if k > len(rows)
            }
            here = np.nan_to_num(shares[:, stop - length : stop])
            codes = here.argmax(axis=2) if parts.n_classes else here[..., 0]
            given = here if parts.n_classes else None
            yield SettingPredictions(codes, given, failures=failures) if own else None
