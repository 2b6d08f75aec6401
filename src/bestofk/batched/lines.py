"""Room for compiled loops that begins with a line of the processor's cache."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_LINE = 64  # bytes


def zeros_in_lines(*shape: int) -> NDArray[np.float64]:
    """Return zeros that begin with a line of the cache, of 64 bytes.

    Loads of eight numbers that lie across two lines take twice as long.

    Parameters
    ----------
    *shape : int
        Of the array, which is in C order.

    Examples
    --------
    >>> zeros_in_lines(3, 8).ctypes.data % 64
    0
    """
    size = math.prod(shape)
    buffer = np.zeros(size + 7)
    start = -buffer.ctypes.data % _LINE // buffer.itemsize
    return buffer[start : start + size].reshape(shape)


def fours(size: int) -> int:
    """Return the next multiple of four.

    Examples
    --------
    >>> fours(4), fours(5)
    (4, 8)
    """
    return -(-size // 4) * 4
