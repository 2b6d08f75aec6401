"""Longest axis of a symmetric matrix, with the sign that EISPACK gives it."""

from __future__ import annotations

from typing import Final

import numpy as np

from bestofk.array_types import Floats

_EPSILON: Final = 2.0**-52


def principal_axis(matrix: Floats) -> Floats:
    """Return the eigenvector of the largest eigenvalue.

    Which of the two signs it has decides ties in `simple_cart`, and LAPACK's is another.

    Parameters
    ----------
    matrix : ndarray of shape (n, n), float64
        Symmetric.

    Returns
    -------
    ndarray of shape (n,), float64
        Of length 1.

    References
    ----------
    .. [1] Bowdler, Martin, Reinsch and Wilkinson (1968), The QR and QL algorithms for
       symmetric matrices, Numerische Mathematik 11 (procedures tred2 and tql2).

    Examples
    --------
    >>> import numpy as np
    >>> principal_axis(np.diag([1.0, 3.0, 2.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    vectors, diagonal, off_diagonal = _tridiagonal(matrix)
    for low in range(len(diagonal)):
        _diagonalize(vectors, diagonal, off_diagonal, low)
    return vectors[:, int(diagonal.argmax())]


def _tridiagonal(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Return transformation, diagonal and what is below the diagonal (last entry 0): tred2."""
    n, v = len(matrix), matrix.copy()
    d, e = v[n - 1].copy(), np.zeros(n + 1)
    for i in range(n - 1, 0, -1):
        scale, size = float(np.abs(d[:i]).sum()), 0.0
        if scale == 0.0:
            e[i] = d[i - 1]
            v[:i, i] = 0.0
        else:
            u = d[:i] / scale
            size = float(u @ u)
            turn = -np.copysign(np.sqrt(size), u[i - 1]) if u[i - 1] else np.sqrt(size)
            e[i] = scale * turn
            size -= float(u[i - 1] * turn)
            u[i - 1] -= turn
            v[:i, i] = u
            lower = np.tril(v[:i, :i])
            p = (lower + np.tril(lower, -1).T) @ u / size
            p -= (p @ u) / (2.0 * size) * u
            v[:i, :i] -= np.tril(np.outer(u, p) + np.outer(p, u))
        d[:i] = v[i - 1, :i]
        v[i, :i] = 0.0
        d[i] = size
    for i in range(n - 1):
        v[n - 1, i], v[i, i] = v[i, i], 1.0
        if d[i + 1] != 0.0:
            u = v[: i + 1, i + 1].copy()
            v[: i + 1, : i + 1] -= np.outer(u / d[i + 1], u @ v[: i + 1, : i + 1])
        v[: i + 1, i + 1] = 0.0
    d[:], v[n - 1], v[n - 1, n - 1] = v[n - 1], 0.0, 1.0
    return v, d, e[1:]


def _diagonalize(v: Floats, d: Floats, e: Floats, low: int) -> None:
    """Bring the entries next to entry `low` of the diagonal to 0 by QL steps: tql2. All change."""
    while True:
        limit = _EPSILON * (np.abs(d).max() + np.abs(e).max())
        high = low
        while high < len(d) - 1 and abs(e[high]) > limit:
            high += 1
        if high == low:
            return
        half = (d[low + 1] - d[low]) / (2.0 * e[low])
        shift = d[low] - e[low] / (half + np.copysign(np.hypot(half, 1.0), half))
        p, c, s = d[high] - shift, 1.0, 0.0
        for i in range(high - 1, low - 1, -1):
            g, h = c * e[i], c * p
            r = np.hypot(p, e[i])
            e[i + 1] = s * r
            s, c = e[i] / r, p / r
            p = c * (d[i] - shift) - s * g
            d[i + 1] = shift + h + s * (c * g + s * (d[i] - shift))
            above = v[:, i + 1].copy()
            v[:, i + 1] = s * v[:, i] + c * above
            v[:, i] = c * v[:, i] - s * above
        e[low] = s * p
        d[low] = shift + c * p
