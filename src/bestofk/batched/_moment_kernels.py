# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops over rows that need no more than counts, sums and squares of their parts.

Throughout: folds int32 (R, n), the fold that tests each row; y int64 (n,), classes below C;
k folds; d columns, a multiple of 4. A model is that of one part: arrays (R, k, C, d).
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.trees.compiled import kernel

# Share of squared distances, and of the spread of all rows, that is rounding.
_EQUAL = 1e-12
# Rounding errors of a sum of products of two columns, per column, and what of an exponent is seen.
_ROUNDING, _SEEN = 6 * 2.0**-52, 3e-10


# counts int64 (R, k, C); all_sums, origin float64 (C, d), all_squares (C, s), may_lose bool (s,);
# sums (R, k, C, d), squares (R, k, C, s) of folds become means and variances of the parts, s is d,
# or 1 for the sum of variances; is_lost bool (R, k): False, set. O(R k C d).
@kernel(lambda counts, all_sums, *_: 4 * counts.size * all_sums.shape[1])
def _subtract_folds(counts, all_sums, all_squares, origin, may_lose, sums, squares, is_lost):
    """Turn sums of test folds into moments of the rest, and say where digits are lost."""
    n_columns, n_squares = sums.shape[3], squares.shape[3]
    moved = np.empty(n_columns)
    for r in range(sums.shape[0]):
        for f in range(sums.shape[1]):
            for c in range(sums.shape[2]):
                n = counts[r, f, c]
                for q in range(n_columns):
                    mean = (all_sums[c, q] - sums[r, f, c, q]) / max(n, 1)
                    sums[r, f, c, q] = origin[c, q] + mean if n > 0 else 0.0
                    moved[q] = mean * mean
                if n_squares == 1:
                    for q in range(1, n_columns):
                        moved[0] += moved[q]
                is_bad = False
                for q in range(n_squares):
                    square = all_squares[c, q] - squares[r, f, c, q]
                    variance = square / max(n, 1) - moved[q]
                    limit = 1e-3 * max(square, all_squares[c, q])
                    is_bad |= may_lose[q] and variance * n < limit
                    squares[r, f, c, q] = max(variance, 0.0) if n > 0 else 0.0
                is_lost[r, f] |= is_bad and n > 0


# counts int64 (R, k, C), means, variances float64 (R, k, C, d); within, total (R, k, d):
# overwritten by variances around the class means, and around the mean of the part. O(R k C d).
@kernel(lambda counts, means, *_: 2 * means.size)
def _join_classes(counts, means, variances, within, total):
    """Compute the variances of whole parts from those of their classes."""
    n_columns = total.shape[2]
    mean = np.empty(n_columns)
    for r in range(total.shape[0]):
        for f in range(total.shape[1]):
            n = 0.0
            for c in range(counts.shape[2]):
                n += counts[r, f, c]
            for q in range(n_columns):
                mean[q], within[r, f, q], total[r, f, q] = 0.0, 0.0, 0.0
            for c in range(counts.shape[2]):
                share = counts[r, f, c] / max(n, 1.0)
                for q in range(n_columns):
                    mean[q] += share * means[r, f, c, q]
                    within[r, f, q] += share * variances[r, f, c, q]
            for c in range(counts.shape[2]):
                share = counts[r, f, c] / max(n, 1.0)
                for q in range(n_columns):
                    offset = means[r, f, c, q] - mean[q]
                    total[r, f, q] += share * offset * offset
            for q in range(n_columns):
                total[r, f, q] += within[r, f, q]


# counts int64 (R, k, C), means, variances float64 (R, k, C, d), total and scales (R, k, d); weights
# (R, k, C, d), constants (R, k, C): overwritten; is_sound bool (R, k): True, unset. O(R k C d).
@kernel(lambda counts, means, *_: 2 * means.size, _nrt=False)
def _normal_model(counts, means, variances, total, scales, smoothing, weights, constants, is_sound):
    """Compute half the inverse of smoothed variances, and log prior minus log normalizers."""
    n_columns = total.shape[2]
    for r in range(total.shape[0]):
        for f in range(total.shape[1]):
            n, widest, n_active = 0.0, 0.0, 0.0
            for c in range(counts.shape[2]):
                n += counts[r, f, c]
            for q in range(n_columns):
                square = scales[r, f, q] * scales[r, f, q]
                widest = max(widest, total[r, f, q] * square)
                n_active += 1.0 if square > 0.0 else 0.0
            largest = 0.0
            for c in range(counts.shape[2]):
                logs = n_active * math.log(2.0 * math.pi)
                for q in range(n_columns):
                    square = scales[r, f, q] * scales[r, f, q]
                    variance = variances[r, f, c, q] * square + smoothing * widest
                    weights[r, f, c, q] = 0.0
                    largest = max(largest, means[r, f, c, q] * means[r, f, c, q] * square)
                    if square > 0.0 and counts[r, f, c] > 0:
                        is_sound[r, f] &= variance > 0.0
                        weights[r, f, c, q] = 0.5 * square / variance
                        logs += math.log(variance) if variance > 0.0 else -np.inf
                prior = counts[r, f, c] / max(n, 1.0)
                constants[r, f, c] = (math.log(prior) if prior > 0.0 else -np.inf) - 0.5 * logs
            is_sound[r, f] &= widest > 1e-24 * largest  # below it, all variances are rounding


# X float64 (n, d) C; row_folds int32 (n,); means, variances float64 (C, d): overwritten. O(n d).
@kernel(lambda X, *_: 2 * X.size)
def _moments_of_part(X, y, row_folds, fold, means, variances):
    """Compute means and variances in two passes, adding row after row as numpy does."""
    n_classes, n_columns = means.shape
    counts = np.zeros(n_classes)
    for c in range(n_classes):
        for q in range(n_columns):
            means[c, q] = 0.0
            variances[c, q] = 0.0
    for i in range(y.size):
        if row_folds[i] != fold:
            counts[y[i]] += 1.0
            for q in range(n_columns):
                means[y[i], q] += X[i, q]
    for c in range(n_classes):
        for q in range(n_columns):
            means[c, q] /= max(counts[c], 1.0)
    for i in range(y.size):
        if row_folds[i] != fold:
            for q in range(n_columns):
                x = X[i, q] - means[y[i], q]
                variances[y[i], q] += x * x
    for c in range(n_classes):
        for q in range(n_columns):
            variances[c, q] /= max(counts[c], 1.0)


# counts int64 (R, k, C), means float64 (R, k, C, d), variances (R, k, C, d), or (R, k, C, 1) for
# their sum where nothing is scaled, in units of the matrix less the center (d,); scales (R, k, d);
# reach (R, d): the largest |value| of any row, so moved; slopes (R, k, C - 1, d): overwritten;
# facts (R, k, 3 + C): overwritten by the spread, half of 1 / variance, what gap is in doubt, and
# the gap of each class at the center; is_clear bool (R, k): overwritten. O(R k C d).
@kernel(lambda counts, means, *_: 4 * means.size)
def _distance_model(
    counts, means, variances, scales, center, reach, no_spread, slopes, facts, is_clear
):
    """Write squared distances to class means, less that to the first, as linear functions."""
    n_columns, n_classes = center.size, counts.shape[2]
    weights, first = np.empty(n_columns), np.empty(n_columns)
    for r in range(counts.shape[0]):
        for f in range(counts.shape[1]):
            n, n_seen, n_active, within, between, largest = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for c in range(n_classes):
                n += counts[r, f, c]
                n_seen += 1.0 if counts[r, f, c] > 0 else 0.0
            for q in range(n_columns):
                weights[q] = scales[r, f, q] * scales[r, f, q]
                n_active += 1.0 if weights[q] > 0.0 else 0.0
                largest += weights[q] * reach[r, q] * reach[r, q]
                mean, square = 0.0, 0.0
                for c in range(n_classes):
                    mean += counts[r, f, c] * means[r, f, c, q]
                mean /= max(n, 1.0)
                for c in range(n_classes):
                    offset = means[r, f, c, q] - mean
                    square += counts[r, f, c] * offset * offset
                between += weights[q] * square
                first[q] = means[r, f, 0, q] - center[q] if counts[r, f, 0] > 0 else 0.0
            for c in range(n_classes):
                inside = variances[r, f, c, 0]
                if variances.shape[3] > 1:
                    inside = 0.0
                    for q in range(n_columns):
                        inside += weights[q] * variances[r, f, c, q]
                within += counts[r, f, c] * inside
            spread = (within + between) / max(n, 1.0)
            is_flat = within <= no_spread * spread * n
            # between the two it takes the plain way's rounding to say whether there is a spread
            is_clear[r, f] = n_active > 0.0 and (
                within == 0.0 or (not is_flat and within > 1e4 * no_spread * spread * n)
            )
            rate = np.inf
            if not is_flat:
                rate = 0.5 * max(n - n_seen, 1.0) * max(n_active, 1.0) / within
            rounding = _ROUNDING * (n_columns + 8) * largest
            facts[r, f, 0], facts[r, f, 1] = spread, rate
            facts[r, f, 2] = 2.0 * rounding + 5.0 * _EQUAL * largest
            if not rounding * rate < _SEEN:
                facts[r, f, 2] = np.inf
            facts[r, f, 3] = 0.0 if counts[r, f, 0] > 0 else np.inf
            for c in range(1, n_classes):
                row = slopes[r, f, c - 1]
                height = 0.0
                for q in range(n_columns):
                    mean = means[r, f, c, q] - center[q]
                    row[q] = 2.0 * weights[q] * (first[q] - mean)
                    height += weights[q] * (mean - first[q]) * (mean + first[q])
                facts[r, f, 3 + c] = height if counts[r, f, c] > 0 else np.inf


# row, scale float64 (d,); means (C, d); facts (3 + C,): as `_distance_model` writes them; squares
# (C,): overwritten, 0 for all that are equal to the smallest. Returns the first of those. O(C d).
@kernel(_nrt=False)
def _compare_distances(row, means, scale, facts, squares):
    """Compute the squared distance of one row to every mean, less the smallest."""
    nearest = np.inf
    for c in range(squares.size):
        squares[c] = facts[3 + c]
        if squares[c] < np.inf:
            squares[c] = 0.0
            for q in range(row.size):
                offset = (row[q] - means[c, q]) * scale[q]
                squares[c] += offset * offset
            nearest = min(nearest, squares[c])
    slack = _EQUAL * (nearest + facts[0])
    first = 0
    for back in range(squares.size):
        c = squares.size - 1 - back
        squares[c] -= nearest
        if squares[c] <= slack:
            squares[c] = 0.0
            first = c
    return first


# X float64 (n, d) C; means (R, k, C, d); scales (R, k, d); facts (R, k, 3 + C): as
# `_distance_model` writes them; labels int64 (R, n), logs float64 (R, n, C): overwritten where the
# label is below 0. O(R n), and O(C d) for such a row.
@kernel(lambda folds, X, means, *_: folds.size + int(means[0, 0].size), _nrt=False)
def _settle_doubts(folds, X, means, scales, facts, labels, logs):
    """Predict rows that are about as near to several means by one distance after the other."""
    for r in range(folds.shape[0]):
        for i in range(folds.shape[1]):
            if labels[r, i] >= 0:
                continue
            f = folds[r, i]
            label = _compare_distances(X[i], means[r, f], scales[r, f], facts[r, f], logs[r, i])
            labels[r, i] = label
            rate = facts[r, f, 1]
            for c in range(logs.shape[2]):
                if logs[r, i, c] > 0.0:
                    logs[r, i, c] *= -rate
                elif rate == np.inf and c != label:
                    logs[r, i, c] = -np.inf


# constants float64 (R, k, C), -inf for a class without rows; is_extreme bool (R, k): False, set;
# labels int64 (R, n): overwritten; shares float64 (R, n, C): weighted squares become logarithms of
# shares. O(R n C).
@kernel(lambda *given: 3 * given[-1].size, _nrt=False)
def _log_shares_of_densities(folds, constants, lowest, is_extreme, labels, shares):
    """Predict by log densities, a constant minus a weighted square; shares of the largest."""
    for r in range(folds.shape[0]):
        for i in range(folds.shape[1]):
            f = folds[r, i]
            best = 0
            highest = -np.inf
            for c in range(shares.shape[2]):
                log = constants[r, f, c] - shares[r, i, c]
                shares[r, i, c] = log
                best = c if log > highest else best
                highest = log if log > highest else highest
            if not highest >= lowest:
                is_extreme[r, f] = True
            for c in range(shares.shape[2]):
                shares[r, i, c] -= highest
            labels[r, i] = best


# shares float64 (R, n, C): scaled to a sum of 1 over classes. O(R n C).
@kernel(lambda result: 2 * result.size, _nrt=False)
def _normalize(shares):
    """Turn shares into probabilities."""
    if shares.shape[2] == 2:  # without inner loops, several rows at once
        for r in range(shares.shape[0]):
            for i in range(shares.shape[1]):
                total = 1.0 / (shares[r, i, 0] + shares[r, i, 1])
                shares[r, i, 0] *= total
                shares[r, i, 1] *= total
        return
    for r in range(shares.shape[0]):
        for i in range(shares.shape[1]):
            total = 0.0
            for c in range(shares.shape[2]):
                total += shares[r, i, c]
            total = 1.0 / total
            for c in range(shares.shape[2]):
                shares[r, i, c] *= total
