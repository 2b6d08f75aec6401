"""Where does randomness come from: from names, never from the order of calls."""

from __future__ import annotations

import hashlib

import numpy as np


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
    text = "\x1f".join(f"{type(name).__name__}:{name}" for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def derive_rng(*names: object) -> np.random.Generator:
    """Return a generator that depends on the names alone; see `derive_seed`."""
    text = "\x1f".join(f"{type(name).__name__}:{name}" for name in names)
    entropy = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
    return np.random.Generator(np.random.PCG64(entropy))
