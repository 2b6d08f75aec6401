"""Compiled loops of the interior point method for linear support vector machines.

B float64 (m, p): rows with 1 behind them, times their sign. v float64 (p,): weights and offset.
alpha, low, high float64 (m,): multipliers in (0, C), slacks towards 0 and towards C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.trees.compiled import kernel


# out float64 (m,): overwritten. O(m p).
@kernel()
def _times(B: Any, v: Any, out: Any) -> None:
    """Compute B v, four sums at a time."""
    n_columns = v.size
    n_fours = n_columns - n_columns % 4
    for i in range(out.size):
        row = B[i]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for k in range(0, n_fours, 4):
            a += row[k] * v[k]
            b += row[k + 1] * v[k + 1]
            c += row[k + 2] * v[k + 2]
            d += row[k + 3] * v[k + 3]
        for k in range(n_fours, n_columns):
            a += row[k] * v[k]
        out[i] = (a + b) + (c + d)


# H float64 (p, p): its upper half becomes the factor. O(p^3).
@kernel()
def _factor(H: Any) -> bool:
    """Factor a symmetric matrix as U' U; False if it is not positive."""
    n_columns = H.shape[0]
    for k in range(n_columns):
        if not H[k, k] > 0.0:
            return False
        pivot = np.sqrt(H[k, k])
        for b in range(k, n_columns):
            H[k, b] /= pivot
        for a in range(k + 1, n_columns):
            factor = H[k, a]
            if factor != 0.0:
                for b in range(a, n_columns):
                    H[a, b] -= factor * H[k, b]
    return True


# U float64 (p, p): upper factor; x float64 (p,): the right side, overwritten. O(p^2).
@kernel()
def _backsolve(U: Any, x: Any) -> None:
    """Solve U' U x = right side."""
    n_columns = x.size
    for k in range(n_columns):
        x[k] /= U[k, k]
        for b in range(k + 1, n_columns):
            x[b] -= U[k, b] * x[k]
    for k in range(n_columns - 1, -1, -1):
        total = x[k]
        for b in range(k + 1, n_columns):
            total -= U[k, b] * x[b]
        x[k] = total / U[k, k]


# state float64 (5, m): alpha, low, high, what misses between them, theta; steps float64 (5, m): how
# alpha, low and high change, in the corrected step those of the predicted one, then scratch;
# pull, dv float64 (p,): what misses between weights and multipliers, the change of v. Steps and dv
# are overwritten. O(m p + p^2).
@kernel()
def _direction(
    B: Any, U: Any, state: Any, C: float, target: float, pull: Any, steps: Any, dv: Any
) -> float:
    """Compute a step to products of multiplier and slack; return its length over the bounds."""
    alpha, low, high, residual, theta = state[0], state[1], state[2], state[3], state[4]
    dalpha, dlow, dhigh, rho, db = steps[0], steps[1], steps[2], steps[3], steps[4]
    n_columns = dv.size
    for k in range(n_columns):
        dv[k] = pull[k]
    for i in range(alpha.size):
        # what the slacks would change by if multipliers did not
        second = dalpha[i]
        dlow[i] = (target - second * dlow[i]) / alpha[i] - low[i]
        dhigh[i] = (target + second * dhigh[i]) / (C - alpha[i]) - high[i]
        rho[i] = dlow[i] - dhigh[i] - residual[i]
        factor = theta[i] * rho[i]
        for k in range(n_columns):
            dv[k] += factor * B[i, k]
    _backsolve(U, dv)
    _times(B, dv, db)
    furthest = 0.0
    for i in range(alpha.size):
        change = theta[i] * (rho[i] - db[i])
        dlow[i] -= low[i] / alpha[i] * change
        dhigh[i] += high[i] / (C - alpha[i]) * change
        dalpha[i] = change
        furthest = max(furthest, -change / alpha[i], change / (C - alpha[i]))
        furthest = max(furthest, -dlow[i] / low[i], -dhigh[i] / high[i])
    return furthest


# state as above, its last two rows overwritten; fixed, pull float64 (p,): of further rows;
# overwritten; limits float64 (4,): C, gap and distance that are small enough, scale. O(m p).
@kernel(lambda B, *_: 3 * B.size)
def _measure(B: Any, state: Any, v: Any, fixed: Any, pull: Any, limits: Any) -> float:
    """Return the duality gap; 0 where the optimum is reached."""
    C = limits[0]
    alpha, low, high, residual, theta = state[0], state[1], state[2], state[3], state[4]
    n_columns = v.size
    for k in range(n_columns):
        # 0 at the optimum: weights are what the multipliers make of the rows
        pull[k] = fixed[k] - v[k] if k < n_columns - 1 else fixed[k]
    _times(B, v, residual)
    gap, loss, distance = 0.0, C, 0.0
    for i in range(alpha.size):
        beyond = residual[i] - 1.0
        residual[i] = beyond - low[i] + high[i]
        theta[i] = 1.0 / (low[i] / alpha[i] + high[i] / (C - alpha[i]))
        gap += alpha[i] * low[i] + (C - alpha[i]) * high[i]
        loss += C * max(-beyond, 0.0)
        distance = max(distance, abs(residual[i]))
        for k in range(n_columns):
            pull[k] += alpha[i] * B[i, k]
    for k in range(n_columns):
        distance = max(distance, abs(pull[k]) / limits[3])
    return 0.0 if gap <= limits[1] * loss and distance <= limits[2] else gap


# H float64 (p, p): sum of theta times the squares of rows; overwritten, as state and v; gap as
# measured; nearly: the part of the room that a step may take. O(m p + p^3).
@kernel(lambda B, H, *_: 8 * B.size + 2 * H.size * len(H))
def _advance(
    B: Any, H: Any, state: Any, v: Any, pull: Any, C: float, gap: float, nearly: float
) -> bool:
    """Take one predicted and corrected step (Mehrotra 1992); False if numbers break down."""
    alpha, low, high = state[0], state[1], state[2]
    for k in range(v.size - 1):
        H[k, k] += 1.0
    if not _factor(H):
        return False
    dv, steps = np.empty(v.size), np.zeros((5, alpha.size))
    target, size = 0.0, 0.0
    for is_corrected in range(2):
        room = 1.0 if is_corrected == 0 else nearly
        furthest = _direction(B, H, state, C, target, pull, steps, dv)
        size = room / max(furthest, room)
        after = 0.0
        for i in range(alpha.size):
            new_alpha = alpha[i] + size * steps[0, i]
            after += new_alpha * (low[i] + size * steps[1, i])
            after += (C - new_alpha) * (high[i] + size * steps[2, i])
        left = after / gap
        target = left * left * left * gap / (2 * alpha.size)
    for i in range(alpha.size):
        alpha[i] += size * steps[0, i]
        low[i] += size * steps[1, i]
        high[i] += size * steps[2, i]
    for k in range(v.size):
        v[k] += size * dv[k]
    return True
