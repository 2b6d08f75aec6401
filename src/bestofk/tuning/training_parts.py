"""Training parts as the learner receives them, and predictions of many settings on them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Bools, Floats, Ints, Values
from bestofk.batched.preparation import read_preparation, split_pipeline
from bestofk.batched.shared_table import SharedTable
from bestofk.scikit_internals import rows_of

Rows = Ints


class TrainingParts:
    """A table and a learner with its preparation.

    Parameters
    ----------
    pipeline : estimator
        The learner with the preparation of its columns.
    features : ndarray or DataFrame of shape (n_samples, n_features)
        All rows.
    target : ndarray of shape (n_samples,)
        Labels or values, as learners receive them.
    y : ndarray of shape (n_samples,)
        Positions in `classes`, or values.
    classes : ndarray of shape (n_classes,)
        Sorted labels; empty for regression.
    """

    def __init__(
        self, pipeline: Any, features: Any, target: Values, y: Values, classes: Values
    ) -> None:
        self.pipeline, self.features, self.target, self.y = pipeline, features, target, y
        self.classes = classes
        self.front, self.learner = split_pipeline(pipeline)
        self.table = self._shared_table()

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return len(self.classes)

    def prepared(
        self, train_rows: Sequence[Rows], asked_rows: Sequence[Rows]
    ) -> Iterator[tuple[Any, Any]]:
        """Yield the prepared training rows of each part, and other rows.

        Parameters
        ----------
        train_rows, asked_rows : sequence of ndarray of int
            Rows of each part.
        """
        if self.table is not None:
            parts = self.table.parts(self.are_trained(train_rows).astype(np.int32), 2)
            for part, (rows, asked) in enumerate(zip(train_rows, asked_rows, strict=True)):
                matrix = parts.matrix(part, 0)
                yield matrix[rows], matrix[asked]
            return
        for rows, asked in zip(train_rows, asked_rows, strict=True):
            yield self.prepared_by(self.front, rows, asked)

    def prepared_by(self, front: Sequence[Any], rows: Rows, asked: Rows) -> tuple[Any, Any]:
        """Return training rows and others after some steps."""
        X, others = rows_of(self.features, rows), rows_of(self.features, asked)
        for step in front:
            fitted, target = clone(step, safe=False), self.target[rows]
            if hasattr(fitted, "fit_transform"):
                X = fitted.fit_transform(X, target)
            else:
                X = fitted.fit(X, target).transform(X)
            others = fitted.transform(others)
        return X, others

    def own_settings(self, settings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]] | None:
        """Return settings by the learner's parameter names; None if all steps are fitted together.

        That is so if a setting changes a step before the learner or a random state that the
        pipeline passes on, or if the steps share a generator.

        Parameters
        ----------
        settings : sequence of mapping
            Full names of parameters.
        """
        is_alone = self.learner is self.pipeline
        prefix = "" if is_alone else f"{self.pipeline.steps[-1][0]}__"
        names = {name for setting in settings for name in setting}
        if not all(name.startswith(prefix) for name in names):
            return None
        states = any(name.endswith("random_state") for name in names)
        seed = getattr(self.pipeline, "random_state", None)
        if not is_alone and (states or isinstance(seed, np.random.RandomState)):
            return None
        return [{n.removeprefix(prefix): v for n, v in setting.items()} for setting in settings]

    def are_trained(self, train_rows: Sequence[Rows]) -> Bools:
        """Return a mask of the training rows of each part, shape (n_parts, n_samples)."""
        is_train = np.zeros((len(train_rows), len(self.y)), dtype=bool)
        for part, rows in enumerate(train_rows):
            is_train[part, rows] = True
        return is_train

    def _shared_table(self) -> SharedTable | None:
        """Return the table if all parts can be prepared together; else None."""
        preparation = read_preparation(self.front, self.features) if self.front else None
        if self.front and preparation is None:
            return None
        table = SharedTable(self.features, self.target, self.y, self.classes, preparation)
        is_shared = table.is_faithful if self.front else table.is_numeric
        return table if is_shared else None


Setting = Mapping[str, Any]


class SettingPredictions(NamedTuple):
    """Predictions of every setting for the same rows, by models of one training part.

    Parameters
    ----------
    labels : ndarray of shape (n_settings, n_rows)
        int64 positions in the classes, or float64 values.
    probabilities : ndarray of shape (n_settings, n_rows, n_classes) or None
        0 for a class without training rows.
    decision : ndarray of shape (n_settings, n_rows) or (n_settings, n_rows, n_classes), or None
        Decision values if the learner gives no probabilities; one per row for two classes.
    failures : mapping of int to str
        Reason why a setting has no predictions, by position.
    """

    labels: Values
    probabilities: Floats | None = None
    decision: Floats | None = None
    failures: Mapping[int, str] = {}


class SettingPath:
    """A learner whose settings share work.

    Predictions equal those of the plain learner up to rounding.

    Parameters
    ----------
    learner : estimator
        The learner without its preparation; it is never fitted itself.
    settings : sequence of mapping of str to value
        Parameters that differ from the learner's.
    """

    #: Parameters that settings may name.
    parameters: ClassVar[frozenset[str]] = frozenset()
    #: Whether training may draw from the learner's `random_state`, which differs between runs.
    is_random: ClassVar[bool] = False
    #  Whether training rows may have any type that the learner takes, such as frames; else 64-bit
    # floats.
    takes_tables: ClassVar[bool] = False

    def __init__(self, learner: Any, settings: Sequence[Setting]) -> None:
        self.learner, self.settings = learner, settings

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether the path reproduces the learner under all settings.

        Parameters
        ----------
        parts : TrainingParts
            The learner and its table.
        settings : sequence of mapping
            Parameters that differ from the learner's.
        """
        return all(cls.parameters.issuperset(setting) for setting in settings)

    def predict_parts(
        self, parts: TrainingParts, train_rows: Sequence[Rows], asked_rows: Sequence[Rows]
    ) -> Iterator[SettingPredictions | None]:
        """Yield predictions of every setting, part by part; None for a part to train separately.

        Parameters
        ----------
        parts : TrainingParts
            The learner and its table.
        train_rows, asked_rows : sequence of ndarray of int
            Rows of each part; training rows ascending.
        """
        prepared = parts.prepared(train_rows, asked_rows)
        for rows, (X, asked) in zip(train_rows, prepared, strict=True):
            yield self._shared(X, parts.y[rows], asked, parts.n_classes)

    def _shared(self, X: Any, y: Values, asked: Any, n_classes: int) -> SettingPredictions | None:
        """Return predictions by shared work; None if that fails."""
        if not self.takes_tables and getattr(X, "dtype", None) != np.float64:
            return None
        try:
            return self._over_all_classes(X, y, asked, n_classes)
        except Exception:
            return None

    def _over_all_classes(
        self, X: Any, y: Values, asked: Any, n_classes: int
    ) -> SettingPredictions | None:
        present = np.unique(y) if n_classes else None
        if present is None or len(present) == n_classes:
            return self.predict(X, y, asked, n_classes)
        if len(present) < 2:
            return None
        own = self.predict(X, np.searchsorted(present, y), asked, len(present))
        if own is None or (own.decision is not None and len(present) == 2):
            return None
        return SettingPredictions(
            present[own.labels],
            spread(own.probabilities, present, n_classes, 0.0),
            spread(own.decision, present, n_classes, -np.inf),
            own.failures,
        )

    def predict(self, X: Any, y: Values, asked: Any, n_classes: int) -> SettingPredictions | None:
        """Train every setting on some rows and predict others.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_train, n_columns)
            Training rows, prepared.
        y : ndarray of shape (n_train,)
            Positions of their classes, all of which occur; or values.
        asked : ndarray or DataFrame of shape (n_rows, n_columns)
            Rows to predict, prepared.
        n_classes : int
            At least 2; 0 for regression.

        Returns
        -------
        SettingPredictions or None
            None if the part must be trained separately; always, unless a path defines this method
            or `predict_parts`.
        """
        return None

    def values(self, name: str) -> list[Any]:
        """Return the values of a parameter in all settings."""
        usual = getattr(self.learner, name)
        return [setting.get(name, usual) for setting in self.settings]


def spread(values: Floats | None, present: Ints, n_classes: int, absent: float) -> Floats | None:
    """Return values of some classes (last axis), with a given value for absent classes."""
    if values is None:
        return None
    result = np.full((*values.shape[:-1], n_classes), absent)
    result[..., present] = values
    return result


def probabilities_of_scores(scores: Floats) -> Floats:
    """Return probabilities from log shares, over the last axis."""
    shares: Floats = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares
