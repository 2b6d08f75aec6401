"""scikit-learn's neural network on many parts: its own trajectory in compiled loops."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.network_stack import (
    Network,
    NetworkSettings,
    TrainedNetwork,
    train_networks,
)
from bestofk.batched.parts import Parts
from bestofk.batched.rectified_network import is_rectified, train_rectified_networks
from bestofk.batched.shared_table import SharedTable
from bestofk.data.table_columns import column_numbers, table_columns
from bestofk.errors import InvalidArgumentError

# Below it, rounding of the losses would decide when training stops.
_SMALLEST_TOLERANCE: Final = 1e-9
# Inputs beyond it may overflow, of which the plain way warns.
_LARGEST_INPUT: Final = 1e50
_CLIPPED: Final = (
    "UserWarning: Got `batch_size` less than 1 or larger than sample size. It is going to be "
    "clipped"
)


class NeuralNetworkForm(BatchedForm):
    """`MLPClassifier` trained by Adam, several networks side by side.

    Nothing is shared between training parts but the interpreter's work: first weights, order of
    rows, products of matrices and stopping are those of scikit-learn, and so are the weights
    up to rounding.
    """

    is_random: ClassVar[bool] = True

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether training is by Adam, stops by the loss, and gets finite doubles."""
        return _is_reproduced(estimator) and _is_trainable(table)

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self._settings = NetworkSettings.of(estimator)
        self._scaled_at, self._unscaled = _unscaled_columns(table)

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Train one network per part; see `BatchedForm.predict`."""
        if random_states is None:
            raise InvalidArgumentError(
                "random_states must be given for a neural network; got None. Give the "
                "random_state of every fit."
            )
        shape = (*folds.shape, self.table.n_classes)
        predictions = BatchedPredictions(
            labels=np.zeros(folds.shape, dtype=np.int64),
            probabilities=np.zeros(shape),
            is_done=np.zeros(random_states.shape, dtype=bool),
            messages={},
        )
        parts = self.table.parts(folds, self.n_folds)
        for indices in self._stacks(parts):
            networks = [self._network(parts, index, random_states) for index in indices]
            with np.errstate(all="ignore"):
                n_columns, n_classes = networks[0].matrix.shape[1], networks[0].n_classes
                is_quick = is_rectified(self._settings, n_columns, n_classes)
                train = train_rectified_networks if is_quick else train_networks
                for item, trained in train(self._settings, networks):
                    self._write(predictions, parts, indices[item], networks[item], trained)
        return predictions

    def _stacks(self, parts: Parts) -> Iterator[list[tuple[int, int]]]:
        """Put together parts that have as many rows, columns and classes as each other."""
        alike: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        for index in np.ndindex(parts.n_repeats, parts.n_folds):
            n_present = int(np.count_nonzero(parts.class_counts[index]))
            n_columns = self.table.n_columns
            if parts.is_active is not None:
                n_columns = int(np.count_nonzero(parts.is_active[index]))
            if n_present > 1 and n_columns > 0:
                key = (n_columns, int(parts.n_train[index]), n_present)
                alike.setdefault(key, []).append((index[0], index[1]))
        for key, indices in alike.items():
            size = self._settings.stack_size(*key)
            for start in range(0, len(indices), size):
                yield indices[start : start + size]

    def _network(
        self, parts: Parts, place: tuple[int, int], random_states: NDArray[np.int64]
    ) -> Network:
        is_present = parts.class_counts[place] > 0
        return Network(
            matrix=self._matrix(parts, place),
            rows=np.flatnonzero(parts.is_train(*place)),
            codes=(np.cumsum(is_present) - 1)[self.table.y],
            n_classes=int(is_present.sum()),
            random_state=int(random_states[place]),
        )

    def _matrix(self, parts: Parts, place: tuple[int, int]) -> NDArray[np.float64]:
        """Return all rows as the plain learner gets them, standardized with the same rounding.

        Training may magnify what two ways of standardizing differ by ten thousand times.
        """
        matrix = parts.matrix(*place)
        at, values = self._scaled_at, self._unscaled
        if len(at) == 0:
            return matrix
        if parts.fill is not None:
            columns = self.table.encoded
            fill = parts.fill[place][at] * columns.spread[at] + columns.center[at]
            values = np.where(np.isnan(values), fill, values)
        values = _standardized(values, parts.is_train(*place))
        if parts.is_active is not None:
            at = np.cumsum(parts.is_active[place])[at] - 1
        matrix[:, at] = values
        return matrix

    def _write(
        self,
        found: Any,
        parts: Parts,
        place: tuple[int, int],
        network: Network,
        trained: TrainedNetwork,
    ) -> None:
        """Put down what a network predicts for the rows left out, unless it failed."""
        if not trained.is_finite():
            return
        repeat, fold = place
        rows = np.flatnonzero(parts.folds[repeat] == fold)
        classes = np.flatnonzero(parts.class_counts[place])
        shares = trained.probabilities(network.matrix[rows])
        found.probabilities[repeat, rows[:, None], classes] = shares
        # of two classes the plain learner says the second where it has more than half
        best = shares[:, 1] > 0.5 if len(classes) == 2 else shares.argmax(axis=1)
        found.labels[repeat, rows] = classes[best.astype(np.int64)]
        found.is_done[place] = True
        message = self._message(len(network.rows), trained.is_converged)
        if message:
            found.messages[place] = message

    def _message(self, n_train: int, is_converged: bool) -> str:
        texts = []
        if self.estimator.batch_size != "auto" and self.estimator.batch_size > n_train:
            texts.append(_CLIPPED)
        if not is_converged:
            texts.append(
                "ConvergenceWarning: Stochastic Optimizer: Maximum iterations "
                f"({self._settings.max_iter}) reached and the optimization hasn't converged yet."
            )
        return " | ".join(texts)


def _is_reproduced(estimator: Any) -> bool:
    """Return whether every setting is one that is honoured here."""
    try:
        estimator._validate_params()
    except (ValueError, TypeError):
        return False
    hidden = estimator.hidden_layer_sizes
    sizes = list(hidden) if hasattr(hidden, "__iter__") else [hidden]
    return (
        estimator.solver == "adam"
        and not estimator.early_stopping
        and not estimator.warm_start
        and not estimator.verbose
        and estimator.tol >= _SMALLEST_TOLERANCE
        and all(isinstance(size, Integral) and int(size) > 0 for size in sizes)
        and (estimator.random_state is None or isinstance(estimator.random_state, Integral))
    )


def _is_trainable(table: SharedTable) -> bool:
    """Return whether the plain learner would take the table, as finite float64."""
    if table.n_classes < 2 or not _are_labels(table.target) or _has_short_floats(table.features):
        return False
    try:
        columns = table.encoded
    except (ValueError, TypeError):
        return False
    if columns.is_missing is not None and any(step.fill is None for step in columns.steps):
        return False
    # a NaN compares as False
    return columns.matrix.shape[1] > 0 and bool(
        np.abs(columns.matrix).max(initial=0.0) <= _LARGEST_INPUT
    )


def _standardized(values: NDArray[np.float64], is_train: NDArray[Any]) -> NDArray[np.float64]:
    """Standardize columns in the steps of `StandardScaler`, which rounds as they do."""
    train = values[is_train]
    n_train = len(train)
    means = train.sum(axis=0) / n_train
    train -= means
    correction = train.sum(axis=0)
    train **= 2
    variances = (train.sum(axis=0) - correction**2 / n_train) / n_train
    n_eps = n_train * np.finfo(np.float64).eps
    is_constant = variances <= n_eps * variances + (n_eps * means) ** 2
    scales = np.where(is_constant, 1.0, np.sqrt(np.maximum(variances, 0.0)))
    standardized: NDArray[np.float64] = (values - means) / scales
    return standardized


def _unscaled_columns(table: SharedTable) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return where the standardized columns stand, and these columns as they are in the table."""
    columns = table.encoded
    is_scaled = [step.scale == "standard" and not step.is_nominal for step in columns.steps]
    at = np.flatnonzero(is_scaled)
    given = table_columns(table.features)
    values = np.empty((table.n_samples, len(at)))
    for index, column in enumerate(columns.attribute[at]):
        values[:, index] = column_numbers(given[column])
    return at, values


def _are_labels(target: NDArray[Any]) -> bool:
    if target.dtype.kind == "f":
        return bool((target == np.floor(target)).all())
    return target.dtype.kind in "iubU" or all(isinstance(item, str) for item in target.tolist())


def _has_short_floats(features: Any) -> bool:
    """Return whether the plain learner might compute with fewer digits."""
    dtypes = [features.dtype] if isinstance(features, np.ndarray) else list(features.dtypes)
    return any(getattr(dtype, "kind", "") == "f" and dtype.itemsize < 8 for dtype in dtypes)
