# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops over subsets of the rows of a table, each with its own training rows.

Throughout: train int64 (S, m), training rows; rows int64 (t,), rows to predict, those of subset s
being rows[start[s]] to rows[start[s + 1] - 1]; y int64 (n,), classes below C; X float64 (n, d) C;
scale float64 (S, d): what columns are multiplied by, 0 where there is no such column; labels int64
(t,), scores float64 (t, C): overwritten.
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.batched._moment_kernels import _compare_distances
from bestofk.trees.compiled import kernel


# rows_of int64 (m,): the training rows of a subset; origin float64 (d,): what is taken off before
# rows are added, so that what all share is exact; counts float64 (C,), means, variances float64
# (C, d): overwritten. O(m d).
@kernel()
def _class_moments(X, y, rows_of, origin, counts, means, variances):
    """Compute means and variances in two passes, adding row after row as numpy does."""
    n_classes, n_columns = means.shape
    for c in range(n_classes):
        counts[c] = 0.0
        for q in range(n_columns):
            means[c, q] = 0.0
            variances[c, q] = 0.0
    for t in range(rows_of.size):
        i = rows_of[t]
        c = y[i]
        counts[c] += 1.0
        for q in range(n_columns):
            means[c, q] += X[i, q] - origin[q]
    for c in range(n_classes):
        for q in range(n_columns):
            means[c, q] = origin[q] + means[c, q] / max(counts[c], 1.0)
    for t in range(rows_of.size):
        i = rows_of[t]
        c = y[i]
        for q in range(n_columns):
            x = X[i, q] - means[c, q]
            variances[c, q] += x * x
    for c in range(n_classes):
        for q in range(n_columns):
            variances[c, q] /= max(counts[c], 1.0)


# counts (C,), means, variances (C, d) of one subset; total float64 (d,): overwritten by the
# variances around the mean of the subset. O(C d).
@kernel()
def _total_variances(counts, means, variances, total):
    """Compute the variances of a subset from those of its classes."""
    n = 0.0
    for c in range(counts.size):
        n += counts[c]
    for q in range(total.size):
        mean = 0.0
        for c in range(counts.size):
            mean += counts[c] / n * means[c, q]
        total[q] = 0.0
        for c in range(counts.size):
            offset = means[c, q] - mean
            total[q] += counts[c] / n * (variances[c, q] + offset * offset)


# is_done bool (S,): True, unset where rounding decides whether there is a spread within classes.
# O(m d + t C d).
@kernel(lambda X, y, train, rows, *_: (2 * train.size + 3 * rows.size) * X.shape[1])
def _nearest_means(X, y, train, rows, start, scale, no_spread, is_done, labels, scores):
    """Predict the nearest class mean; logarithms of shares relative to its own."""
    n_classes, n_columns = scores.shape[1], X.shape[1]
    counts, total = np.empty(n_classes), np.empty(n_columns)
    means, variances = np.empty((n_classes, n_columns)), np.empty((n_classes, n_columns))
    facts = np.empty(3 + n_classes)
    for s in range(train.shape[0]):
        _class_moments(X, y, train[s], X[train[s, 0]], counts, means, variances)
        _total_variances(counts, means, variances, total)
        n, n_seen, n_active, within, spread = train.shape[1], 0.0, 0.0, 0.0, 0.0
        for q in range(n_columns):
            weight = scale[s, q] * scale[s, q]
            n_active += 1.0 if weight > 0.0 else 0.0
            spread += weight * total[q]
            for c in range(n_classes):
                within += weight * counts[c] * variances[c, q]
        for c in range(n_classes):
            n_seen += 1.0 if counts[c] > 0.0 else 0.0
            facts[3 + c] = 0.0 if counts[c] > 0.0 else np.inf
        limit = no_spread * spread * n
        is_done[s] = n_active > 0.0 and (within == 0.0 or within > 1e4 * limit)
        if not is_done[s]:
            continue
        rate = np.inf
        if within > 0.0:
            rate = 0.5 * max(n - n_seen, 1.0) * n_active / within
        facts[0] = spread
        for t in range(start[s], start[s + 1]):
            label = _compare_distances(X[rows[t]], means, scale[s], facts, scores[t])
            for c in range(n_classes):
                if scores[t, c] > 0.0:
                    scores[t, c] *= -rate
                elif rate == np.inf and c != label:
                    scores[t, c] = -np.inf
            labels[t] = label


# shift float64 (S, d): what is taken off before columns are scaled; is_done bool (S,): True,
# unset where a variance is 0; is_extreme bool (S,): False, set where a row is so far from all
# classes that rounding is seen.
# O(m d + t C d).
@kernel(lambda X, y, train, rows, *_: (2 * train.size + 3 * rows.size) * X.shape[1])
def _normal_classes(
    X, y, train, rows, start, shift, scale, smoothing, lowest, is_done, is_extreme, labels, scores
):
    """Predict by independent normal columns; logarithms of shares relative to the largest."""
    n_classes, n_columns = scores.shape[1], X.shape[1]
    counts, total = np.empty(n_classes), np.empty(n_columns)
    means, variances = np.empty((n_classes, n_columns)), np.empty((n_classes, n_columns))
    weights, constants = np.empty((n_classes, n_columns)), np.empty(n_classes)
    terms, nowhere = np.empty(n_columns), np.zeros(n_columns)
    for s in range(train.shape[0]):
        _class_moments(X, y, train[s], nowhere, counts, means, variances)
        _total_variances(counts, means, variances, total)
        widest, largest, n_active = 0.0, 0.0, 0.0
        for q in range(n_columns):
            square = scale[s, q] * scale[s, q]
            widest = max(widest, total[q] * square)
            n_active += 1.0 if square > 0.0 else 0.0
        for c in range(n_classes):
            logs = n_active * math.log(2.0 * math.pi)
            for q in range(n_columns):
                square = scale[s, q] * scale[s, q]
                offset = means[c, q] - shift[s, q]
                largest = max(largest, offset * offset * square)
                variance = variances[c, q] * square + smoothing * widest
                weights[c, q] = 0.0
                if square > 0.0 and counts[c] > 0.0:
                    if variance > 0.0:
                        weights[c, q] = 0.5 * square / variance
                        logs += math.log(variance)
                    else:
                        is_done[s] = False
            constants[c] = -np.inf
            if counts[c] > 0.0:
                constants[c] = math.log(counts[c] / train.shape[1]) - 0.5 * logs
        # below it, all variances are rounding
        is_done[s] = is_done[s] and widest > 1e-24 * largest
        if not is_done[s]:
            continue
        for t in range(start[s], start[s + 1]):
            i = rows[t]
            label, highest = 0, -np.inf
            for c in range(n_classes):
                scores[t, c] = constants[c]
                if counts[c] == 0.0:
                    continue
                for q in range(n_columns):
                    difference = X[i, q] - means[c, q]
                    terms[q] = difference * difference * weights[c, q]
                a, b, e, f = 0.0, 0.0, 0.0, 0.0  # four chains of additions run side by side
                for block in range(n_columns // 4):
                    q = 4 * block
                    a += terms[q]
                    b += terms[q + 1]
                    e += terms[q + 2]
                    f += terms[q + 3]
                for q in range(4 * (n_columns // 4), n_columns):
                    a += terms[q]
                scores[t, c] -= (a + b) + (e + f)
                label = c if scores[t, c] > highest else label
                highest = max(highest, scores[t, c])
            if not highest >= lowest:
                is_extreme[s] = True
                break
            for c in range(n_classes):
                scores[t, c] -= highest
            labels[t] = label
