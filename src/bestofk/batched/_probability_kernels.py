# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops that turn scores, class after class, into labels and probabilities."""

from __future__ import annotations

import numpy as np

from bestofk.trees.compiled import kernel


# scores float64 (c, n) C: overwritten by what they are below the best of the row; intercepts
# float64 (k, c); bounds int64 (k + 1,): where each fold begins; order int64 (n,): the row of each;
# labels int64 (n,): overwritten, ties to the first class. O(n c).
@kernel(lambda scores, *_: scores.size)
def find_best(scores, intercepts, bounds, order, labels):
    """Add the intercepts, find the best class of every row, and subtract its score."""
    n_classes, n_rows = scores.shape
    best, highest = np.empty(n_rows, np.int64), np.empty(n_rows)
    for fold in range(intercepts.shape[0]):
        start, stop = bounds[fold], bounds[fold + 1]
        for i in range(stop - start):
            best[i] = 0
            highest[i] = -np.inf
        for c in range(n_classes):
            own, intercept = scores[c, start:stop], intercepts[fold, c]
            for i in range(own.size):
                score = own[i] + intercept
                own[i] = score
                best[i] = c if score > highest[i] else best[i]
                highest[i] = score if score > highest[i] else highest[i]
        for c in range(n_classes):
            own = scores[c, start:stop]
            for i in range(own.size):
                own[i] -= highest[i]
        for i in range(stop - start):
            labels[order[start + i]] = best[i]


# shares float64 (c, n) C: positive, overwritten by the probabilities; order int64 (n,);
# probabilities float64 (n, c): overwritten. O(n c).
@kernel(lambda shares, *_: shares.size)
def divide_by_sum(shares, order, probabilities):
    """Divide the shares of every row by their sum and put them into their place."""
    n_classes, n_rows = shares.shape
    total = np.zeros(n_rows)
    for c in range(n_classes):
        own = shares[c]
        for i in range(n_rows):
            total[i] += own[i]
    for c in range(n_classes):
        own = shares[c]
        for i in range(n_rows):
            own[i] /= total[i]
    for i in range(n_rows):
        for c in range(n_classes):
            probabilities[order[i], c] = shares[c, i]
