"""Generators of Breiman's artificial data sets.

The normal sets have 20 inputs and equally likely classes 1 and 2;
their shift is a = 2 / sqrt(20).
"""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.checks import check_number
from bestofk.data.arrays import from_arrays
from bestofk.data.data_set import CLASSIFICATION, DataSet

N_INPUTS = 20
_MOST_ROWS = 10_000_000  # rows; more may not fit into memory
SHIFT = 2 / np.sqrt(N_INPUTS)  # the `a` of Breiman (1996)


def twonorm(n_samples: int = 300, random_state: int = 0) -> DataSet:
    """Draw twonorm: two normal classes with means (a, ..., a) and (-a, ..., -a).

    Both have unit covariance; the best possible error is 2.3 %.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows, from 1 to 10 million.
    random_state : int, default=0
        Same number, same rows.

    Returns
    -------
    DataSet
        Features float64 of shape (n_samples, 20), target int64 in {1, 2}.

    Raises
    ------
    InvalidArgumentError
        If `n_samples` is not from 1 to 10 million, or `random_state` is negative.

    References
    ----------
    .. [1] Breiman (1996), Bias, variance, and arcing classifiers, Technical Report 460,
       Statistics Department, University of California, Berkeley.

    Examples
    --------
    >>> twonorm(5, random_state=1).features.shape
    (5, 20)
    """
    rng, target = _drawn_classes(n_samples, random_state, 2)
    signs = np.where(target == 1, 1.0, -1.0)[:, None]
    features = signs * SHIFT + rng.standard_normal((n_samples, N_INPUTS))
    return _data_set("twonorm", features, target, random_state)


def threenorm(n_samples: int = 300, random_state: int = 0) -> DataSet:
    """Draw threenorm: class 1 has two normal clouds, class 2 one between them.

    Class 1 comes with equal probability from mean (a, ..., a) or (-a, ..., -a),
    class 2 from mean (a, -a, a, -a, ...); unit covariance. The best possible
    error is 10.5 %.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows, from 1 to 10 million.
    random_state : int, default=0
        Same number, same rows.

    Returns
    -------
    DataSet
        Features float64 of shape (n_samples, 20), target int64 in {1, 2}.

    Raises
    ------
    InvalidArgumentError
        If `n_samples` is not from 1 to 10 million, or `random_state` is negative.

    References
    ----------
    .. [1] Breiman (1996), Bias, variance, and arcing classifiers, Technical Report 460,
       Statistics Department, University of California, Berkeley.

    Examples
    --------
    >>> threenorm(4).n_features
    20
    """
    rng, target = _drawn_classes(n_samples, random_state, 2)
    cloud = rng.choice([1.0, -1.0], n_samples)[:, None]
    alternating = np.where(np.arange(N_INPUTS) % 2 == 0, 1.0, -1.0)
    signs = np.where(target[:, None] == 1, cloud, alternating)
    features = signs * SHIFT + rng.standard_normal((n_samples, N_INPUTS))
    return _data_set("threenorm", features, target, random_state)


def ringnorm(n_samples: int = 300, random_state: int = 0) -> DataSet:
    """Draw ringnorm: a wide normal class around a narrow one.

    Class 1 has mean 0 and covariance 4 I, class 2 mean (a, ..., a) and covariance I.
    The best possible error is 1.3 %.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows, from 1 to 10 million.
    random_state : int, default=0
        Same number, same rows.

    Returns
    -------
    DataSet
        Features float64 of shape (n_samples, 20), target int64 in {1, 2}.

    Raises
    ------
    InvalidArgumentError
        If `n_samples` is not from 1 to 10 million, or `random_state` is negative.

    References
    ----------
    .. [1] Breiman (1996), Bias, variance, and arcing classifiers, Technical Report 460,
       Statistics Department, University of California, Berkeley.

    Examples
    --------
    >>> ringnorm(6).n_samples
    6
    """
    rng, target = _drawn_classes(n_samples, random_state, 2)
    noise = rng.standard_normal((n_samples, N_INPUTS))
    features = np.where(target[:, None] == 1, 2.0 * noise, SHIFT + noise)
    return _data_set("ringnorm", features, target, random_state)


def waveform(n_samples: int = 300, random_state: int = 0) -> DataSet:
    """Draw waveform: noisy mixtures of two out of three triangular waves.

    Three equally likely classes, 21 inputs; the best possible error is 14 %.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows, from 1 to 10 million.
    random_state : int, default=0
        Same number, same rows.

    Returns
    -------
    DataSet
        Features float64 of shape (n_samples, 21), target int64 in {1, 2, 3}.

    Raises
    ------
    InvalidArgumentError
        If `n_samples` is not from 1 to 10 million, or `random_state` is negative.

    Notes
    -----
    With h_1(i) = max(6 - abs(i - 11), 0), h_2(i) = h_1(i - 4), h_3(i) = h_1(i + 4),
    i = 1..21, u uniform on (0, 1) and e standard normal:
    class 1 is u h_1 + (1 - u) h_2 + e, class 2 mixes h_1 and h_3, class 3 h_2 and h_3.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees,
       section 2.6.2; used again in Breiman (1996) and Breiman (1998), Arcing
       classifiers, Annals of Statistics 26(3).

    Examples
    --------
    >>> waveform(3).features.shape
    (3, 21)
    """
    rng, target = _drawn_classes(n_samples, random_state, 3)
    position = np.arange(1, 22)
    waves = np.stack([np.maximum(6.0 - np.abs(position - peak), 0.0) for peak in (11, 15, 7)])
    first = waves[[0, 0, 1]][target - 1]
    second = waves[[1, 2, 2]][target - 1]
    share = rng.random((n_samples, 1))
    features = share * first + (1 - share) * second + rng.standard_normal((n_samples, 21))
    return _data_set("waveform", features, target, random_state)


GENERATORS = {draw.__name__: draw for draw in (twonorm, threenorm, ringnorm, waveform)}


def _drawn_classes(
    n_samples: int, random_state: int, n_classes: int
) -> tuple[np.random.Generator, Ints]:
    """Return a generator, and the class that it drew for each row, from 1."""
    check_number(
        n_samples, "n_samples", low=1, high=_MOST_ROWS, whole=True, way_out="300 is usual."
    )
    check_number(random_state, "random_state", low=0, whole=True, way_out="0 is usual.")
    rng = np.random.default_rng(random_state)
    return rng, rng.integers(1, n_classes + 1, n_samples)


def _data_set(kind: str, features: Floats, target: Ints, random_state: int) -> DataSet:
    name = f"{kind}:{len(target)}:{random_state}"
    return from_arrays(features, target, name=name, task=CLASSIFICATION)
