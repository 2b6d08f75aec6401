"""Networks of one hidden layer of rectified units, trained as scikit-learn trains them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.lines import zeros_in_lines
from bestofk.batched.network_stack import (
    Layers,
    Network,
    NetworkSettings,
    TrainedNetwork,
    first_layers,
)

# With more outputs, or more numbers of all outputs, sums over subsets of rows take longer than
# products of matrices; so they do where batches are smaller than a block of rows.
_MOST_OUTPUTS: Final = 3
_MOST_NUMBERS: Final = 64
_LEAST_BATCH: Final = 40
# Rows times weights after which an interrupt is heard: some thousandths of a second.
_AT_ONCE: Final = 20_000_000


def is_rectified(settings: NetworkSettings, n_columns: int, n_classes: int) -> bool:
    """Return whether networks are of the kind that is trained here.

    Parameters
    ----------
    settings : NetworkSettings
        What was asked for.
    n_columns : int
        Columns of the training rows.
    n_classes : int
        Classes of the training rows, at least 2.

    Returns
    -------
    bool
        False also where weights that are not used would become NaN.
    """
    n_outputs = _n_outputs(n_classes)
    is_small = n_outputs <= _MOST_OUTPUTS and n_outputs * _up_to(n_columns + 1, 8) <= _MOST_NUMBERS
    return (
        settings.activation == "relu"
        and len(settings.hidden) == 1
        and (n_outputs == 1 or is_small)
        and settings.batch_size >= _LEAST_BATCH
        and settings.epsilon > 0
    )


def train_rectified_networks(
    settings: NetworkSettings, networks: Sequence[Network]
) -> Iterator[tuple[int, TrainedNetwork]]:
    """Train networks one after the other; see `network_stack.train_networks`."""
    for index, network in enumerate(networks):
        yield index, _train(settings, network)


def _n_outputs(n_classes: int) -> int:
    return 1 if n_classes == 2 else n_classes


def _up_to(number: int, unit: int) -> int:
    """Return a number rounded up to a multiple."""
    return -(-number // unit) * unit


def _train(settings: NetworkSettings, network: Network) -> TrainedNetwork:
    from bestofk.batched import _rectified_kernels as kernels

    n_columns, n_outputs = network.matrix.shape[1], _n_outputs(network.n_classes)
    rng = np.random.RandomState(network.random_state)
    layers = first_layers(settings.activation, (n_columns, *settings.hidden, n_outputs), rng)
    weights, *parts = _flatten(layers)
    state = (weights, *(np.zeros_like(weights) for _ in range(3)))
    data, room = _data(network), _room(n_columns, settings.hidden[0], n_outputs)
    n_train = len(network.rows)
    batch_size = min(settings.batch_size, n_train)
    # the order of rows does not matter where one batch holds them all
    stream = _stream(network.rows, rng, settings.shuffle and batch_size < n_train)
    numbers = np.array([0.0, 0.0, *settings.betas, settings.epsilon, settings.alpha, settings.tol,
                        settings.patience])  # fmt: skip
    progress = np.array([np.inf, 0.0])
    is_ready = False
    n_epochs = max(_AT_ONCE // (n_train * len(weights)), 1)
    for start in range(0, settings.max_iter, n_epochs):
        stop = min(start + n_epochs, settings.max_iter)
        rates = _rates(settings, start, stop, -(-n_train // batch_size))
        is_ready = bool(kernels._train_epochs(
            data, stream, state, room, rates, numbers, progress, batch_size
        ))  # fmt: skip
        if is_ready:
            break
    layers = _layers_of(parts, settings.hidden[0])
    return TrainedNetwork(layers, settings.activation, is_ready)


def _data(network: Network) -> tuple[NDArray[Any], ...]:
    """Return rows with a constant 1 and room for whole vectors, columns, and classes."""
    n_rows, n_columns = network.matrix.shape
    matrix = zeros_in_lines(n_rows, _up_to(n_columns + 1, 8))
    matrix[:, :n_columns] = network.matrix
    matrix[:, n_columns] = 1.0
    return matrix, np.ascontiguousarray(network.matrix.T), network.codes


def _stream(
    rows: NDArray[np.int64], rng: np.random.RandomState, is_shuffled: bool
) -> tuple[NDArray[Any], ...]:
    """Return rows as given, and the state of their generator where they are shuffled."""
    state = rng.get_state(legacy=False)["state"]
    indices = np.full(int(is_shuffled), state["pos"], dtype=np.int64)
    return rows[None].copy(), state["key"][None].copy(), indices, np.empty_like(rows)


def _room(n_columns: int, n_units: int, n_outputs: int) -> tuple[NDArray[Any], ...]:
    """Return what kernels need for a block of rows."""
    n_units, n_tiles = _up_to(n_units, 2), _up_to(n_columns, 8) // 8
    n_numbers = _up_to(n_outputs * _up_to(n_columns + 1, 8), 32)
    return (
        zeros_in_lines(n_tiles * 8 * 40),  # inputs
        zeros_in_lines(n_units // 2, n_tiles, 16),  # tiles
        zeros_in_lines(88),  # sums
        zeros_in_lines(n_outputs * 40),  # outputs
        np.zeros((n_units, 16), dtype=np.int64),  # found
        zeros_in_lines(40, n_numbers),  # weighed
        zeros_in_lines(10 * 16 * 32),  # table
        zeros_in_lines(n_units, n_numbers),  # totals
    )


def _rates(settings: NetworkSettings, start: int, stop: int, n_batches: int) -> NDArray[np.float64]:
    """Return the rate of each step of some epochs, shape (n_epochs, n_batches)."""
    steps = np.arange(start * n_batches, stop * n_batches).reshape(-1, n_batches) + 1
    beta_1, beta_2 = settings.betas
    rates: NDArray[np.float64] = settings.rate * np.sqrt(1 - beta_2**steps) / (1 - beta_1**steps)
    return rates


def _flatten(layers: Layers) -> tuple[NDArray[np.float64], ...]:
    """Return all weights in one row as kernels take them, and views of its four parts."""
    (coefs, intercepts), (shares, offsets) = layers
    (n_columns, n_units), n_outputs = coefs.shape, len(offsets)
    n_even = _up_to(n_units, 2)
    ends = np.cumsum([n_even * n_columns, n_outputs * n_even, n_even])
    weights = np.zeros(ends[-1] + n_outputs)
    parts = np.split(weights, ends)
    parts[0], parts[1] = parts[0].reshape(n_even, -1), parts[1].reshape(n_outputs, -1)
    parts[0][:n_units], parts[1][:, :n_units] = coefs.T, shares.T
    parts[2][:n_units], parts[3][:] = intercepts, offsets
    return weights, *parts


def _layers_of(parts: Sequence[NDArray[np.float64]], n_units: int) -> Layers:
    """Return a copy of the weights by layer."""
    coefs, shares, intercepts, offsets = parts
    return [
        (coefs[:n_units].T.copy(), intercepts[:n_units].copy()),
        (shares[:, :n_units].T.copy(), offsets.copy()),
    ]
