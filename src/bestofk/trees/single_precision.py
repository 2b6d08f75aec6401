"""Worth of tests in 32-bit numbers, as computed by C4.5 Release 8."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Floats

Single = NDArray[np.float32]


def rounded(values: Floats) -> Floats:
    """Return numbers of 64 bits rounded to 32 bits, of the same shape."""
    return values.astype(np.float32).astype(np.float64)


def worth_of_branches(
    branches: Floats, known: Floats, weight: Floats, *, is_cut: bool
) -> tuple[Floats, Floats]:
    """Return gain and split information of tests.

    Parameters
    ----------
    branches : ndarray of shape (b, n_branches, c), float64
        Class weights of the branches.
    known : ndarray of shape (b, c), float64
        Class weights of the rows whose branch is known.
    weight : ndarray of shape (b,), float64
        Weight of the nodes, above 0, unknown rows included.
    is_cut : bool
        Whether a number is tested: then the entropy of the node, too, is rounded step by step.

    Returns
    -------
    gain, info : ndarray of shape (b,), float64
        In bits; sums are rounded at every step. A gain of 0 where nothing is known.
    """
    total = weight.astype(np.float32)
    sizes = known.sum(axis=1).astype(np.float32)
    by_size = np.where(sizes > 0, sizes, np.float32(1))
    if is_cut:
        entropy = _sum_of_logs(known) / by_size
    else:
        logs = _times_log(sizes) - _times_log(known.astype(np.float32)).sum(axis=1)
        entropy = (logs / by_size).astype(np.float32)
    inside = np.zeros_like(entropy)
    for branch in _sum_of_logs(branches).T:
        inside = inside + branch
    unknown = np.maximum(total - sizes, 0)
    gain = (np.float32(1) - unknown / total) * (entropy - inside / by_size)
    parts = np.concatenate([unknown[:, None], branches.sum(axis=2)], axis=1)
    return gain.astype(np.float64), split_info(parts, weight)


def split_info(parts: Floats, weight: Floats) -> Floats:
    """Return the entropy of weights, in bits.

    Parameters
    ----------
    parts : ndarray of shape (..., n), float64
        Weights of the unknown rows, and of the branches.
    weight : ndarray of shape (...), float64
        Weights of the nodes, above 0.

    Returns
    -------
    ndarray of shape (...), float64
    """
    return (_sum_of_logs(parts) / weight.astype(np.float32)).astype(np.float64)


def _sum_of_logs(parts: Floats) -> Single:
    """Return t log2 t less the sum of w log2 w for weights w of shape (..., n) with the sum t."""
    result = np.zeros(parts.shape[:-1], np.float32)
    total = np.zeros(parts.shape[:-1], np.float32)
    for i in range(parts.shape[-1]):
        part = parts[..., i].astype(np.float32)
        result = (result + _times_log(part)).astype(np.float32)
        total = total + part
    return (_times_log(total) - result).astype(np.float32)


def _times_log(x: Single) -> Floats:
    wide = x.astype(np.float64)
    return wide * np.log2(wide, out=np.zeros_like(wide), where=wide > 0)
