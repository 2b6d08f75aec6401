"""Compiled loops that find the optimum of logistic regression on each part of a repeat.

n is the number of rows, p of columns, a multiple of 4, c of scores of a row, s = c p that of
parameters, k of parts. Rows lie in tiles float64 (t, p + c, 128), C order, by fold, the last tile
filled up with 0: a line for each column, then one for each score, 1 for the class of a row, else 0.
Lengths of 128 and 32 are written out, so that the compiler knows them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.batched.logistic_descent import LINE_STEPS, UPHILL
from bestofk.trees.compiled import kernel

# exp(x) = 2^m exp(r), m whole: what is added to x / log 2 to find m in the last bits, and log 2 in
# two parts, m times the first being exact.
_WHOLE, _PER_LOG_2 = 6755399441055744.0, 1.4426950408889634
_LOG_2, _LOG_2_REST = 6.93147180369123816490e-01, 1.90821492927058770002e-10


# X float64 (p, n), targets float64 (c, n), C order; order int64 (n,): rows by fold; tiles:
# overwritten but for what is beyond row n. O(n (p + c)).
@kernel(lambda X, targets, *_: X.size + targets.size, _nrt=False)
def _lay_out(X: Any, targets: Any, order: Any, tiles: Any) -> None:
    """Copy the rows of a repeat to tiles."""
    n_columns, n_rows = X.shape
    for t in range(tiles.shape[0]):
        rows = order[128 * t : min(128 * t + 128, n_rows)]
        for j in range(tiles.shape[1]):
            source = X[j] if j < n_columns else targets[j - n_columns]
            line = tiles[t, j]
            for i in range(rows.size):
                line[i] = source[rows[i]]


# tile float64 (p + c, 128), weights float64 (p,), scores float64 (128,): overwritten. O(p).
@kernel(lambda tile, *_: tile.size, _nrt=False)
def _score(tile: Any, weights: Any, scores: Any) -> None:
    """Compute one score of the rows of a tile."""
    for i in range(128):
        scores[i] = 0.0
    for j in range(0, weights.size, 4):
        a, b, c, d = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        first, second, third, fourth = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
        for i in range(128):
            scores[i] += (a * first[i] + b * second[i]) + (c * third[i] + d * fourth[i])


# values, highest float64 (128,); total float64 (128,): added to; values: overwritten. O(1).
@kernel(lambda *_: 4000, _nrt=False)
def _exponentiate(values: Any, highest: Any, total: Any) -> None:
    """Replace values by exponentials of what they are below the highest, and add these up."""
    for i in range(128):
        value = values[i] - highest[i]
        value = 700.0 if value > 700.0 else value
        value = -700.0 if value < -700.0 else value
        shifted = np.float64(value * _PER_LOG_2 + _WHOLE)
        whole = shifted - _WHOLE
        rest = (value - whole * _LOG_2) - whole * _LOG_2_REST
        series = rest * (1 / 479001600) + 1 / 39916800
        series = series * rest + 1 / 3628800
        series = series * rest + 1 / 362880
        series = series * rest + 1 / 40320
        series = series * rest + 1 / 5040
        series = series * rest + 1 / 720
        series = series * rest + 1 / 120
        series = series * rest + 1 / 24
        series = series * rest + 1 / 6
        series = series * rest + 0.5
        series = series * rest + 1.0
        series = series * rest + 1.0
        # what is shifted out of the exponent are the bits of _WHOLE
        power = np.int64((shifted.view(np.int64) + 1023) << 52).view(np.float64)
        values[i] = series * power
        total[i] += series * power


# scores float64 (c + 2, 128): overwritten, the last two are room; targets float64 (c, 128). O(c).
@kernel(lambda scores, *_: 4 * scores.size, _nrt=False)
def _turn_into_errors(scores: Any, targets: Any, start: int, stop: int, is_inside: bool) -> None:
    """Turn scores, or that of the second of two classes, into probabilities less truth.

    Those of rows that do not count, from start to stop or all others, become 0.
    """
    n_scores = targets.shape[0]
    first, highest, total = scores[0], scores[n_scores], scores[n_scores + 1]
    # of two classes the first has the score 0
    for i in range(128):
        highest[i] = first[i] if n_scores > 1 else 0.0
        total[i] = 0.0 if n_scores > 1 else 1.0
    for c in range(1, n_scores):
        line = scores[c]
        for i in range(128):
            highest[i] = line[i] if line[i] > highest[i] else highest[i]
    for c in range(n_scores):
        _exponentiate(scores[c], highest, total)
    for c in range(n_scores):
        line, truth = scores[c], targets[c]
        for i in range(128):
            counts = (start <= i < stop) == is_inside
            line[i] = line[i] / total[i] - truth[i] if counts else 0.0


# tile float64 (p + c, 128), errors float64 (128,), sums float64 (p, 32): added to. O(p).
@kernel(lambda tile, *_: tile.size, _nrt=False)
def _add_slopes(tile: Any, errors: Any, sums: Any) -> None:
    """Add errors times columns, every 32nd row to one sum."""
    for j in range(sums.shape[0]):
        line, total = tile[j], sums[j]
        for i in range(32):
            low = errors[i] * line[i] + errors[32 + i] * line[32 + i]
            total[i] += low + (errors[64 + i] * line[64 + i] + errors[96 + i] * line[96 + i])


# weights float64 (s,); scores float64 (c + 2, 128), sums float64 (s, 32): room; slopes float64
# (s,): overwritten. O(n s). Within the only loop that calls it, it is compiled once, not twice.
@kernel(lambda tiles, *_: 10 * tiles.shape[0], _nrt=False, inline="always")
def _find_slopes(
    tiles: Any, first: int, last: int, is_inside: bool, weights: Any, scores: Any, sums: Any,
    slopes: Any,
) -> None:  # fmt: skip
    """Sum the slopes of the log loss over the rows from first to last, or over all others."""
    n_scores = scores.shape[0] - 2
    n_columns = weights.size // n_scores
    for j in range(weights.size):
        for i in range(32):
            sums[j, i] = 0.0
    for t in range(tiles.shape[0]):
        tile, start, stop = tiles[t], first - 128 * t, last - 128 * t
        if (stop <= 0 or start >= 128) if is_inside else (start <= 0 and stop >= 128):
            continue
        for c in range(n_scores):
            _score(tile, weights[c * n_columns : (c + 1) * n_columns], scores[c])
        _turn_into_errors(scores, tile[n_columns:], start, stop, is_inside)
        for c in range(n_scores):
            _add_slopes(tile, scores[c], sums[c * n_columns : (c + 1) * n_columns])
    for j in range(weights.size):
        w = x = y = z = 0.0
        for i in range(0, 32, 4):
            w += sums[j, i]
            x += sums[j, i + 1]
            y += sums[j, i + 2]
            z += sums[j, i + 3]
        slopes[j] = (w + x) + (y + z)


# vectors float64 (6, s): the gradient where the part was, the direction times the length of the
# step, then the gradient where it came to, its product with the inverse Hessian, overwritten, and
# room; direction float64 (s,); inverse float64 (s, s): updated. O(s^2).
@kernel(lambda inverse, *_: 4 * inverse.size, _nrt=False)
def _learn(inverse: Any, vectors: Any, length: float) -> float:
    """Update an inverse Hessian by a step (BFGS), and return what the next one promises."""
    gradient, direction, slopes, turned, image = (
        vectors[0], vectors[1], vectors[2], vectors[3], vectors[4],
    )  # fmt: skip
    for j in range(slopes.size):
        turned[j] = 0.0
    for i in range(slopes.size):
        share, line = slopes[i], inverse[i]
        for j in range(slopes.size):
            turned[j] += share * line[j]
    curvature = yz = along = across = 0.0
    for j in range(slopes.size):
        change = slopes[j] - gradient[j]
        image[j] = turned[j] + direction[j]
        direction[j] *= length
        curvature += direction[j] * change
        yz += change * image[j]
        along += direction[j] * slopes[j]
        across += image[j] * slopes[j]
        gradient[j] = slopes[j]
    # at the start there is nothing to learn from
    r = 1.0 / curvature if curvature > 0.0 else 0.0
    a = (1.0 + r * yz) * r
    for i in range(slopes.size):
        line, own, other = inverse[i], a * direction[i] - r * image[i], r * direction[i]
        for j in range(slopes.size):
            line[j] += own * direction[j] - other * image[j]
    promise, old, new = 0.0, a * along - r * across, r * along
    for j in range(slopes.size):
        direction[j] = new * image[j] - old * direction[j] - turned[j]
        promise -= gradient[j] * direction[j]
    return promise


# start float64 (s,), (s,), (s, s): the reference, slopes of all rows there, inverse Hessian; room:
# tiles, float64 (6, s), (s, s), scores and sums as above; order int64 (n,): rows by fold; bounds
# int64 (k + 1,): where folds begin in it; ridge float64 (k, p); limits: tolerance, most steps;
# found float64 (c, n): overwritten with the scores of all rows by the part that was not trained on
# them; is_done bool (k,): which parts are wanted, overwritten. O(k steps (n s + s^2)).
@kernel(lambda start, room, order, *_: 20 * order.size * start[0].size, _nrt=False)
def _find_optima(
    start: Any, room: Any, order: Any, bounds: Any, ridge: Any, limits: Any, found: Any,
    is_done: Any,
) -> None:  # fmt: skip
    """Descend to the optimum of every part that is wanted."""
    (tolerance, max_steps), (tiles, vectors, inverse, scores, sums) = limits, room
    direction, slopes, trial, at = vectors[1], vectors[2], vectors[4], vectors[5]
    size, n_columns = at.size, ridge.shape[1]
    for f in range(is_done.size):
        if not is_done[f]:
            continue
        first, last, promise, length = bounds[f], bounds[f + 1], 0.0, 0.0
        for j in range(size):
            at[j], direction[j] = start[0][j], 0.0
            for i in range(size):
                inverse[j, i] = start[2][j, i]
        # step 0 stays where it is: the slopes there are those of all rows less the fold's own
        for step in range(max_steps + 1):
            for attempt in range(LINE_STEPS + 1):
                for j in range(size):
                    trial[j] = at[j] + length * direction[j]
                _find_slopes(tiles, first, last, step == 0, trial, scores, sums, slopes)
                end = 0.0
                for j in range(size):
                    slope = slopes[j] if step > 0 else start[1][j] - slopes[j]
                    slopes[j] = slope + ridge[f, j % n_columns] * trial[j]
                    end += slopes[j] * direction[j]
                if end <= UPHILL * promise or attempt == LINE_STEPS:
                    break
                share = promise / (promise + end)
                length *= min(share, 0.8) if share > 0.1 else 0.1
            for j in range(size):
                at[j] = trial[j]
            promise, length = _learn(inverse, vectors, length), 1.0
            if not tolerance < promise < np.inf:
                break
        is_done[f] = 0.0 <= promise <= tolerance
        for j in range(size):
            at[j] += direction[j]
        for t in range(first // 128, (last + 127) // 128):
            for c in range(found.shape[0]):
                line = scores[c]
                _score(tiles[t], at[c * n_columns : (c + 1) * n_columns], line)
                for i in range(max(first - 128 * t, 0), min(last - 128 * t, 128)):
                    found[c, order[128 * t + i]] = line[i]
