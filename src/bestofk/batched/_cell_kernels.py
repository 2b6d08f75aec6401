# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops over rows in the order of cells: the rows that one fold tests, class by class.

Throughout: order int32 (R, n), the rows of each repeat, chunk after chunk, in each by cell;
bounds int64 (R, chunks, k C + 1), where cells begin in it, cell f C + c being class c of fold f;
k folds; d columns, a multiple of 4. A model is that of one part: arrays (R, k, C, d). Chunks are
gone through by all repeats in turn, while they are in the processor's cache.

Rows of a fold are laid side by side in a tile, so that one instruction does a step of eight of
them: tile float64 (d, L), L a multiple of 8.
"""

from __future__ import annotations

import numpy as np

from bestofk.trees.compiled import kernel


# order int (n,); X float64 (n, d), tile float64 (d, L), numbers of a row side by side: column
# `lane` of the tile is overwritten with row order[at + lane] of X, lanes below n_rows. O(n_rows d).
@kernel(_nrt=False)
def _lay_side_by_side(order, at, n_rows, X, tile):
    """Write rows as columns."""
    for lane in range(n_rows):
        i = order[at + lane]
        for q in range(X.shape[1]):
            tile[q, lane] = X[i, q]


# folds int32 (R, n), the fold that tests each row; y int64 (n,), classes below C; chunk: rows of
# each but the last; next_index int64 (k C,): buffer; order, bounds: overwritten.
# O(R (n + chunks k C)).
@kernel(lambda folds, *given: 4 * folds.size + 3 * given[-1].size, _nrt=False)
def _sort_into_cells(folds, y, n_classes, chunk, next_index, order, bounds):
    """Sort the rows of every chunk by fold and class; rows of a cell stay in their order."""
    n_cells = next_index.size
    for r in range(bounds.shape[0]):
        for g in range(bounds.shape[1]):
            start = g * chunk
            stop = min(start + chunk, y.size)
            for cell in range(n_cells):
                next_index[cell] = 0
            for i in range(start, stop):
                next_index[folds[r, i] * n_classes + y[i]] += 1
            total = start
            for cell in range(n_cells):
                bounds[r, g, cell] = total
                total += next_index[cell]
                next_index[cell] = bounds[r, g, cell]
            bounds[r, g, n_cells] = total
            for i in range(start, stop):
                cell = folds[r, i] * n_classes + y[i]
                order[r, next_index[cell]] = i
                next_index[cell] += 1


# X float64 (n + 1, d) C, norms float64 (n + 1,): rows and the sums of their squares, the last of
# 0; counts int64 (R, k, C): all rows of a class, lowered; sums float64 (R, k, C, d), squares (R,
# k, C, d), or (R, k, C, 1) for those of all columns together: zeros, added to. O(R n d).
@kernel(lambda order, bounds, X, *_: order.size * X.shape[1], _nrt=False)
def _add_cells(order, bounds, X, norms, counts, sums, squares):
    """Sum rows and their squares by test fold and class; count those of the rest."""
    zero = X.shape[0] - 1
    for g in range(bounds.shape[1]):
        for r in range(bounds.shape[0]):
            for f in range(counts.shape[1]):
                for c in range(counts.shape[2]):
                    start = bounds[r, g, f * counts.shape[2] + c]
                    stop = bounds[r, g, f * counts.shape[2] + c + 1]
                    counts[r, f, c] -= stop - start
                    for at in range(start, stop, 4):
                        h = order[r, at]
                        i = order[r, at + 1] if at + 1 < stop else zero
                        j = order[r, at + 2] if at + 2 < stop else zero
                        k = order[r, at + 3] if at + 3 < stop else zero
                        if squares.shape[3] == 1:
                            for q in range(X.shape[1]):
                                sums[r, f, c, q] += (X[h, q] + X[i, q]) + (X[j, q] + X[k, q])
                            squares[r, f, c, 0] += (norms[h] + norms[i]) + (norms[j] + norms[k])
                            continue
                        for q in range(X.shape[1]):
                            s, t, u, v = X[h, q], X[i, q], X[j, q], X[k, q]
                            sums[r, f, c, q] += (s + t) + (u + v)
                            squares[r, f, c, q] += (s * s + t * t) + (u * u + v * v)


# X float64 (n, d) C; weights (R, k, C, d): half of 1 / variance; constants float64 (R, k, C), -inf
# for a class without rows; scores float64 (C + 1, L), best int64 (L,): buffers; is_extreme bool
# (R, k): False, set; labels int64 (R, n), logs float64 (R, n, C): overwritten. O(R n C d).
@kernel(lambda order, bounds, X, means, *_: order.size * means.shape[2] * X.shape[1], _nrt=False)
def _log_shares_of_normals(
    order,
    bounds,
    X,
    means,
    weights,
    constants,
    lowest,
    tile,
    scores,
    best,
    is_extreme,
    labels,
    logs,
):
    """Predict by log densities, a constant minus a weighted square; shares of the largest."""
    n_classes = means.shape[2]
    highest = scores[n_classes]
    for g in range(bounds.shape[1]):
        for r in range(bounds.shape[0]):
            for f in range(means.shape[1]):
                stop = bounds[r, g, (f + 1) * n_classes]
                for at in range(bounds[r, g, f * n_classes], stop, tile.shape[1]):
                    n_rows = min(tile.shape[1], stop - at)
                    width = (n_rows + 7) // 8 * 8
                    _lay_side_by_side(order[r], at, n_rows, X, tile)
                    for lane in range(width):
                        best[lane], highest[lane] = 0, -np.inf
                    for c in range(n_classes):
                        mean, weight = means[r, f, c], weights[r, f, c]
                        _add_weighted_squares(tile, mean, weight, width, scores[c])
                        _keep_highest(c, constants[r, f, c], width, scores[c], best, highest)
                    for lane in range(n_rows):
                        i = order[r, at + lane]
                        labels[r, i] = best[lane]
                        if not highest[lane] >= lowest:
                            is_extreme[r, f] = True
                        for c in range(n_classes):
                            logs[r, i, c] = scores[c, lane] - highest[lane]


# mean, weight float64 (d,); scores float64 (L,): the first `width` are overwritten. O(width d).
@kernel(_nrt=False)
def _add_weighted_squares(tile, mean, weight, width, scores):
    """Compute the weighted squared distance of rows side by side to one mean."""
    for lane in range(width):
        scores[lane] = 0.0
    for block in range(mean.size // 4):
        q = 4 * block
        m, n, o, p = mean[q], mean[q + 1], mean[q + 2], mean[q + 3]
        w, x, y, z = weight[q], weight[q + 1], weight[q + 2], weight[q + 3]
        for lane in range(width):
            s, t = tile[q, lane] - m, tile[q + 1, lane] - n
            u, v = tile[q + 2, lane] - o, tile[q + 3, lane] - p
            scores[lane] += (s * s * w + t * t * x) + (u * u * y + v * v * z)


# scores float64 (L,): the first `width`, weighted squares, become log densities of class c; best
# int64 (L,), highest float64 (L,): the first of the classes so far that are densest. O(width).
@kernel(_nrt=False)
def _keep_highest(c, constant, width, scores, best, highest):
    """Compute log densities of one class and see where they are the highest."""
    for lane in range(width):
        log = constant - scores[lane]
        scores[lane] = log
        best[lane] = c if log > highest[lane] else best[lane]
        highest[lane] = log if log > highest[lane] else highest[lane]


# slope float64 (d,); scores float64 (L,): the first `width` are overwritten. O(width d).
@kernel(_nrt=False)
def _add_products(tile, slope, start, width, scores):
    """Compute a linear function of rows side by side."""
    for lane in range(width):
        scores[lane] = start
    for block in range(slope.size // 4):
        q = 4 * block
        w, x, y, z = slope[q], slope[q + 1], slope[q + 2], slope[q + 3]
        for lane in range(width):
            s, t, u, v = tile[q, lane], tile[q + 1, lane], tile[q + 2, lane], tile[q + 3, lane]
            scores[lane] += (s * w + t * x) + (u * y + v * z)


# X float64 (n, d) C: rows less the center; slopes (R, k, C - 1, d); facts (R, k, 3 + C): as
# `_distance_model` writes them; scores float64 (C + 2, L), best int64 (L,): room; labels int64 (R,
# n), -1 where in doubt, logs float64 (R, n, C): overwritten. Returns the rows in doubt.
# O(R n C d).
@kernel(lambda order, bounds, X, slopes, *_: order.size * slopes.shape[2] * X.shape[1], _nrt=False)
def _log_shares_of_distances(order, bounds, X, slopes, facts, tile, scores, best, labels, logs):
    """Predict the nearest mean; round normal classes give shares relative to its own."""
    n_classes = logs.shape[2]
    nearest, second = scores[n_classes], scores[n_classes + 1]
    n_doubts = 0
    for g in range(bounds.shape[1]):
        for r in range(bounds.shape[0]):
            for f in range(slopes.shape[1]):
                rate, doubt = facts[r, f, 1], facts[r, f, 2]
                stop = bounds[r, g, (f + 1) * n_classes]
                for at in range(bounds[r, g, f * n_classes], stop, tile.shape[1]):
                    n_rows = min(tile.shape[1], stop - at)
                    width = (n_rows + 7) // 8 * 8
                    _lay_side_by_side(order[r], at, n_rows, X, tile)
                    for lane in range(width):
                        best[lane], nearest[lane], second[lane] = 0, facts[r, f, 3], np.inf
                        scores[0, lane] = nearest[lane]
                    for c in range(1, n_classes):
                        height = facts[r, f, 3 + c]
                        _add_products(tile, slopes[r, f, c - 1], height, width, scores[c])
                        _keep_nearest(c, width, scores[c], best, nearest, second)
                    for lane in range(n_rows):
                        i = order[r, at + lane]
                        for c in range(n_classes):
                            logs[r, i, c] = (nearest[lane] - scores[c, lane]) * rate
                        labels[r, i] = best[lane]
                        if not second[lane] - nearest[lane] > doubt:
                            labels[r, i] = -1
                            n_doubts += 1
    return n_doubts


# scores float64 (L,): of the first `width`, distances to mean c; best int64 (L,), nearest, second
# float64 (L,): the first of the nearest means so far, and the two least distances. O(width).
@kernel(_nrt=False)
def _keep_nearest(c, width, scores, best, nearest, second):
    """See where one mean is nearer than those before."""
    for lane in range(width):
        gap, least = scores[lane], nearest[lane]
        farther = least if gap < least else gap
        second[lane] = farther if farther < second[lane] else second[lane]
        best[lane] = c if gap < least else best[lane]
        nearest[lane] = gap if gap < least else least
