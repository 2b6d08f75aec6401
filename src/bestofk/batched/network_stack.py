"""Several networks of one shape, trained side by side as scikit-learn trains each by itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

# What keeps one entry per network.
_PER_NETWORK: Final = (
    "places", "weights", "first", "second", "gradient", "matrices", "codes", "rows", "keys",
    "key_places",
)  # fmt: skip

Layers = list[tuple[NDArray[np.float64], NDArray[np.float64]]]

# Cells of a batch in all layers of a stack: what lies in a processor's own cache.
_CACHED_CELLS: Final = 50_000
_LARGEST_STACK: Final = 10


@dataclass(frozen=True)
class NetworkSettings:
    """Settings of an `MLPClassifier`; see there."""

    hidden: tuple[int, ...]
    activation: str
    alpha: float
    batch_size: int
    rate: float
    betas: tuple[float, float]
    epsilon: float
    max_iter: int
    shuffle: bool
    tol: float
    patience: float

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Read the settings of an `MLPClassifier`."""
        hidden = estimator.hidden_layer_sizes
        batch_size = estimator.batch_size
        return cls(
            hidden=tuple(hidden) if hasattr(hidden, "__iter__") else (hidden,),
            activation=estimator.activation,
            alpha=estimator.alpha,
            batch_size=200 if batch_size == "auto" else int(batch_size),
            rate=estimator.learning_rate_init,
            betas=(estimator.beta_1, estimator.beta_2),
            epsilon=estimator.epsilon,
            max_iter=int(estimator.max_iter),
            shuffle=bool(estimator.shuffle),
            tol=estimator.tol,
            patience=estimator.n_iter_no_change,
        )

    def stack_size(self, n_columns: int, n_train: int, n_outputs: int) -> int:
        """Return how many networks to train side by side; results do not depend on it."""
        n_units = n_columns + sum(self.hidden) + n_outputs
        cells = min(self.batch_size, n_train) * n_units
        return min(max(_CACHED_CELLS // cells, 1), _LARGEST_STACK)


@dataclass(frozen=True, eq=False)
class Network:
    """One network to train.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_columns), float64
        Training rows among all rows.
    rows : ndarray of shape (n_train,), int64
        The training rows.
    codes : ndarray of shape (n_samples,), int64
        Class of each row, counted among those that the training rows have.
    n_classes : int
        How many those are, at least 2.
    random_state : int
        Of the plain learner.
    """

    matrix: NDArray[np.float64]
    rows: NDArray[np.int64]
    codes: NDArray[np.int64]
    n_classes: int
    random_state: int


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A network and whether its loss came to a stand within the epochs allowed."""

    layers: Layers
    activation: str
    is_converged: bool

    def probabilities(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n_rows, n_classes)."""
        values = matrix
        for index, (coefs, intercepts) in enumerate(self.layers):
            values = values @ coefs
            values += intercepts
            if index < len(self.layers) - 1:
                _activate(values, self.activation)
        if values.shape[1] == 1:
            second = _logistic(values).ravel()
            return np.vstack([1 - second, second]).T
        values -= values.max(axis=1)[:, None]
        np.exp(values, out=values)
        values /= values.sum(axis=1)[:, None]
        return values

    def is_finite(self) -> bool:
        """Return whether training stayed within the numbers."""
        return all(bool(np.isfinite(item).all()) for pair in self.layers for item in pair)


def train_networks(
    settings: NetworkSettings, networks: Sequence[Network]
) -> Iterator[tuple[int, TrainedNetwork]]:
    """Train networks that have as many rows, columns and classes as each other.

    The weights of each take the way that scikit-learn's `MLPClassifier` would take: same
    first weights, same order of rows, same number of epochs.

    Yields
    ------
    place : int
        Which of the networks is ready.
    trained : TrainedNetwork
        What it has become.
    """
    stack = _Stack(settings, networks)
    n_train = len(networks[0].rows)
    best = np.full(len(networks), np.inf)
    stalled = np.zeros(len(networks))
    for epoch in range(1, settings.max_iter + 1):
        losses = stack.run_epoch() / n_train
        stalled = np.where(losses > best - settings.tol, stalled + 1, 0)
        best = np.where(losses < best, losses, best)
        is_ready = stalled > settings.patience
        is_last = epoch == settings.max_iter
        for index in np.flatnonzero(is_ready | is_last).tolist():
            layers = stack.layers_of(index)
            trained = TrainedNetwork(layers, settings.activation, bool(is_ready[index]))
            yield int(stack.places[index]), trained
        if is_ready.all():
            return
        if is_ready.any():
            stack.keep(~is_ready)
            best, stalled = best[~is_ready], stalled[~is_ready]


def first_layers(activation: str, units: Sequence[int], rng: np.random.RandomState) -> Layers:
    """Draw the weights that `MLPClassifier` starts from.

    Parameters
    ----------
    activation : str
        Of the hidden layers.
    units : sequence of int
        Columns, units of the hidden layers, outputs.
    rng : RandomState
        Of the network; used.

    Returns
    -------
    list of tuple
        Coefficients and intercepts of each layer.
    """
    factor = 2.0 if activation == "logistic" else 6.0
    drawn = []
    for fan_in, fan_out in itertools.pairwise(units):
        bound = np.sqrt(factor / (fan_in + fan_out))
        coefs = rng.uniform(-bound, bound, (fan_in, fan_out))
        drawn.append((coefs, rng.uniform(-bound, bound, fan_out)))
    return drawn


class _Stack:
    """The weights of several networks, one row each, and what a step needs."""

    def __init__(self, settings: NetworkSettings, networks: Sequence[Network]) -> None:
        from bestofk.batched import _network_kernels

        self.settings, self.kernels = settings, _network_kernels
        self.places = np.arange(len(networks))
        n_classes = networks[0].n_classes
        n_outputs = 1 if n_classes == 2 else n_classes
        self.units = (networks[0].matrix.shape[1], *settings.hidden, n_outputs)
        self._lay_out()
        rngs = [np.random.RandomState(network.random_state) for network in networks]
        layers = [first_layers(settings.activation, self.units, rng) for rng in rngs]
        self.weights = np.stack([
            np.concatenate([item.ravel() for pair in pairs for item in pair]) for pairs in layers
        ])  # fmt: skip
        states = [rng.get_state(legacy=False)["state"] for rng in rngs]
        self.keys = np.stack([state["key"] for state in states])
        self.key_places = np.array([state["pos"] for state in states], dtype=np.int64)
        self.first, self.second = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self.gradient = np.empty_like(self.weights)
        self.matrices = np.stack([network.matrix for network in networks])
        self.codes = np.stack([network.codes for network in networks])
        self.rows = np.stack([network.rows for network in networks])
        self.partners = np.empty(self.rows.shape[1], dtype=np.int64)
        self.n_steps = 0
        self._benches: dict[int, _Bench] = {}

    def _lay_out(self) -> None:
        """Decide where in a row the weights of each layer are."""
        at = 0
        self.coefs_at: list[int] = []
        self.intercepts_at: list[int] = []
        decay = []
        for fan_in, fan_out in zip(self.units, self.units[1:], strict=False):
            self.coefs_at.append(at)
            self.intercepts_at.append(at + fan_in * fan_out)
            at += (fan_in + 1) * fan_out
            decay += [np.full(fan_in * fan_out, self.settings.alpha), np.zeros(fan_out)]
        self.decay = np.concatenate(decay).astype(np.float64)

    def coefs(self, rows: NDArray[np.float64], layer: int) -> NDArray[np.float64]:
        """Return a view of a layer's part of `weights` or `gradient`, one matrix per network."""
        start, stop = self.coefs_at[layer], self.intercepts_at[layer]
        return rows[:, start:stop].reshape(len(rows), self.units[layer], self.units[layer + 1])

    def layers_of(self, place: int) -> Layers:
        """Return a copy of the weights of one network."""
        results = []
        for layer, at in enumerate(self.intercepts_at):
            intercepts = self.weights[place, at : at + self.units[layer + 1]]
            results.append((self.coefs(self.weights, layer)[place].copy(), intercepts.copy()))
        return results

    def keep(self, is_kept: NDArray[np.bool_]) -> None:
        """Drop the other networks."""
        for name in _PER_NETWORK:
            setattr(self, name, getattr(self, name)[is_kept])
        self._benches.clear()

    def run_epoch(self) -> NDArray[np.float64]:
        """Take every training row once, in batches, and return the summed losses."""
        n_train = self.rows.shape[1]
        if self.settings.shuffle:
            self.kernels._shuffle_rows(self.rows, self.keys, self.key_places, self.partners)
        losses = np.zeros(len(self.places))
        size = min(self.settings.batch_size, n_train)
        for start in range(0, n_train, size):
            self._step(self.rows[:, start : start + size], losses)
        return losses

    def _step(self, rows: NDArray[np.int64], losses: NDArray[np.float64]) -> None:
        n_rows = rows.shape[1]
        bench = self._benches.get(n_rows)
        if bench is None:
            bench = self._benches[n_rows] = _Bench(self, n_rows)
        bench.find_gradient(rows, losses)
        settings = self.settings
        beta_1, beta_2 = settings.betas
        self.n_steps += 1
        rate = settings.rate * np.sqrt(1 - beta_2**self.n_steps) / (1 - beta_1**self.n_steps)
        numbers = np.array([n_rows, rate, beta_1, beta_2, settings.epsilon])
        self.kernels._adam_step(
            self.weights, self.gradient, self.first, self.second, self.decay, numbers, losses
        )


class _Bench:
    """Room for one batch of all networks of a stack, and the ways through their layers."""

    def __init__(self, stack: _Stack, n_rows: int) -> None:
        self.stack = stack
        self.activation = stack.settings.activation
        self.is_rectified = self.activation == "relu"
        shape = (len(stack.places), n_rows)
        self.codes = np.empty(shape, dtype=np.int64)
        self.values = [np.empty((*shape, units)) for units in stack.units]
        self.errors = [np.empty((*shape, units)) for units in stack.units[1:-1]]
        self.errors.append(self.values[-1])
        layers = range(len(stack.units) - 1)
        self.coefs = [stack.coefs(stack.weights, layer) for layer in layers]
        self.slopes = [stack.coefs(stack.gradient, layer) for layer in layers]

    def find_gradient(self, rows: NDArray[np.int64], losses: NDArray[np.float64]) -> None:
        """Write the gradient of the summed loss of a batch, and add up that loss."""
        stack = self.stack
        stack.kernels._gather(stack.matrices, stack.codes, rows, self.values[0], self.codes)
        self._forward(losses)
        self._backward()

    def _forward(self, losses: NDArray[np.float64]) -> None:
        kernels = self.stack.kernels
        stack, values = self.stack, self.values
        last = len(self.coefs) - 1
        for layer, coefs in enumerate(self.coefs):
            out = np.matmul(values[layer], coefs, out=values[layer + 1])
            is_rectified = self.is_rectified and layer < last
            kernels._add_bias(out, stack.weights, stack.intercepts_at[layer], is_rectified)
            if layer < last and not is_rectified:
                _activate(out, self.activation)
        if out.shape[2] == 1:
            _logistic(out)
        else:
            kernels._subtract_highest(out)
            np.exp(out, out=out)
        kernels._errors_of(out, self.codes, losses)

    def _backward(self) -> None:
        kernels = self.stack.kernels
        stack, values, errors = self.stack, self.values, self.errors
        last = len(self.coefs) - 1
        at = stack.intercepts_at[last]
        np.add.reduce(errors[last], axis=1, out=stack.gradient[:, at:])
        for layer in range(last, -1, -1):
            np.matmul(values[layer].transpose(0, 2, 1), errors[layer], out=self.slopes[layer])
            if layer == 0:
                return
            before = errors[layer - 1]
            if stack.units[layer + 1] == 1:
                # a product over one unit is no sum: a matrix product would only be slower
                kernels._spread_errors(errors[layer], stack.weights, stack.coefs_at[layer], before)
            else:
                np.matmul(errors[layer], self.coefs[layer].transpose(0, 2, 1), out=before)
            if not self.is_rectified:
                _derive(values[layer], before, self.activation)
            kernels._sum_errors(
                before, values[layer], stack.gradient, stack.intercepts_at[layer - 1],
                self.is_rectified,
            )  # fmt: skip


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import expit

    result: NDArray[np.float64] = expit(values, out=values)
    return result


def _activate(values: NDArray[np.float64], activation: str) -> None:
    """Apply what a hidden layer does, in place."""
    if activation == "relu":
        np.maximum(values, 0, out=values)
    elif activation == "tanh":
        np.tanh(values, out=values)
    elif activation == "logistic":
        _logistic(values)


def _derive(values: NDArray[np.float64], errors: NDArray[np.float64], activation: str) -> None:
    """Multiply errors by the slope of a hidden layer, given what came out of it."""
    if activation == "tanh":
        errors *= 1 - values**2
    elif activation == "logistic":
        errors *= values
        errors *= 1 - values
