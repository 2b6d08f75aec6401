"""Compiled loops that turn scores of sorted rows into labels and probabilities in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.learners.compiled import kernel


# scores float64 (n, c): overwritten by what they are below the best of the row; intercepts
# float64 (k, c); bounds int64 (k + 1,): where each fold begins; order int64 (n,): the row of each;
# labels int64 (n,): overwritten, ties to the first class. O(n c).
@kernel(lambda scores, *_: scores.size)
def find_best(scores: Any, intercepts: Any, bounds: Any, order: Any, labels: Any) -> None:
    """Add the intercepts, find the best class of every row, and subtract its score."""
    n_classes = scores.shape[1]
    for fold in range(intercepts.shape[0]):
        for i in range(bounds[fold], bounds[fold + 1]):
            best, highest = 0, -np.inf
            for c in range(n_classes):
                score = scores[i, c] + intercepts[fold, c]
                scores[i, c] = score
                best = c if score > highest else best
                highest = max(highest, score)
            for c in range(n_classes):
                scores[i, c] -= highest
            labels[order[i]] = best


# shares float64 (n, c): positive; order int64 (n,); probabilities float64 (n, c): overwritten.
# O(n c).
@kernel(lambda shares, *_: shares.size)
def divide_by_sum(shares: Any, order: Any, probabilities: Any) -> None:
    """Divide every row by its sum and put it into its place."""
    n_classes = shares.shape[1]
    for i in range(shares.shape[0]):
        total = 0.0
        for c in range(n_classes):
            total += shares[i, c]
        for c in range(n_classes):
            probabilities[order[i], c] = shares[i, c] / total
