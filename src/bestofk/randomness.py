"""Seeds and generators derived from names, never from the order of calls."""

import hashlib

import numpy as np
from numpy.typing import NDArray

_BETWEEN = b"\x1f"  # names


def derive_seed(*names: object) -> int:
    """Return an integer in [0, 2**32) that depends on the names alone.

    Parameters
    ----------
    *names : object
        What the stream is for: a seed, a data set, a learner, a repeat, a fold ...
        Two different sequences of names give unrelated integers.

    Returns
    -------
    int
        A seed that numpy and scikit-learn accept as `random_state`.

    Examples
    --------
    >>> derive_seed(0, "plan", 3) == derive_seed(0, "plan", 3)
    True
    >>> derive_seed(0, "plan", 3) == derive_seed(0, "plan", 4)
    False
    """
    return int.from_bytes(hashlib.sha256(_as_bytes(names)).digest()[:4], "big")


def derive_seeds(*names: object, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return ``derive_seed(*names, i, j)`` of every place of a table.

    Parameters
    ----------
    *names : object
        What the streams are for, but for the place; at least one.
    shape : (int, int)
        Rows and columns.

    Returns
    -------
    ndarray of shape `shape`, int64
        Integers in [0, 2**32).

    Examples
    --------
    >>> int(derive_seeds(0, "plan", shape=(2, 4))[1, 3]) == derive_seed(0, "plan", 1, 3)
    True
    """
    columns = [_BETWEEN + _name_as_bytes(column) for column in range(shape[1])]
    of_all = hashlib.sha256(_as_bytes(names) + _BETWEEN)  # what places share is hashed once
    digests = []
    for row in range(shape[0]):
        of_row = of_all.copy()
        of_row.update(_name_as_bytes(row))
        of_places = []
        for column in columns:
            index = of_row.copy()
            index.update(column)
            of_places.append(index.digest())
        digests.append(b"".join(of_places))
    words = np.frombuffer(b"".join(digests), dtype=">u4").reshape(*shape, -1)
    return words[..., 0].astype(np.int64)


def derive_rng(*names: object) -> np.random.Generator:
    """Return a generator that depends on the names alone; see `derive_seed`."""
    entropy = int.from_bytes(hashlib.sha256(_as_bytes(names)).digest()[:16], "big")
    return np.random.Generator(np.random.PCG64(entropy))


def _as_bytes(names: tuple[object, ...]) -> bytes:
    return _BETWEEN.join(map(_name_as_bytes, names))


def _name_as_bytes(name: object) -> bytes:
    return f"{type(name).__name__}:{name}".encode()
