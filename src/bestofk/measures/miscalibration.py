"""Miscalibration of class probabilities by isotonic regression, and its size by chance alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import entr, xlog1py, xlogy

from bestofk.array_types import Bools, Floats, Ints
from bestofk.measures.class_scores import PROBABILITY_MARGIN
from bestofk.measures.measure import PredictionBatch
from bestofk.randomness import derive_rng

_N_DRAWS = 200  # simulations of each class, spread over the repeats


@dataclass(frozen=True, eq=False)
class _Forecasts:
    """The different probabilities of a class, ascending, with counts of rows and of hits."""

    stated: Floats
    counts: Ints
    hits: Ints

    @classmethod
    def of(cls, probabilities: Floats, is_class: Bools) -> Self:
        # clipping as in the log loss, which keeps it finite
        clipped = probabilities.clip(PROBABILITY_MARGIN, 1 - PROBABILITY_MARGIN)
        stated, group, counts = np.unique(clipped, return_inverse=True, return_counts=True)
        return cls(stated, counts, np.bincount(group[is_class], minlength=len(stated)))

    def miscalibration(self, hits: Ints) -> float:
        """Return the log loss minus that of recalibrated forecasts, for each set of hit counts."""
        own = -(xlogy(hits, self.stated) + xlog1py(self.counts - hits, -self.stated)).sum()
        shares = isotonic_regression(hits / self.counts, weights=self.counts).x
        recalibrated = self.counts @ (entr(shares) + entr(1 - shares))
        return max(0.0, float(own - recalibrated) / int(self.counts.sum()))


@dataclass(frozen=True, eq=False)
class Miscalibration:
    """Part of the log loss that isotonic regression on the same predictions removes.

    Within each repeat, isotonic regression replaces the probabilities of a class by observed shares
    [1]_; `value` is the log loss of the class against the rest minus that of the replaced
    probabilities. It is a mean over repeats, and over classes if there are more than two. Because
    the shares are fitted to the rows, it is above 0 by chance alone; `expected` is its mean if
    every class is drawn with its predicted probability. Both are computed when first used.

    Parameters
    ----------
    batches : sequence of PredictionBatch
        Predictions with probabilities, run after run.
    repeat_of_run : ndarray of shape (n_runs,), int
        The repeat of each run; rows of one repeat are pooled.
    names : tuple
        Names from which the random draws are derived.

    References
    ----------
    .. [1] Dimitriadis, Gneiting & Jordan (2021), Stable reliability diagrams for probabilistic
       classifiers, PNAS 118(8): MCB of the CORP decomposition, with the logarithmic score.

    Examples
    --------
    >>> batch = PredictionBatch(
    ...     np.array([0, 1, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 4]), np.array(["a", "b"]),
    ...     probabilities=np.array([[0.6, 0.4], [0.6, 0.4], [0.1, 0.9], [0.1, 0.9]]),
    ... )
    >>> round(Miscalibration([batch], np.array([0]), ("doc",)).value, 3)
    0.063
    """

    batches: Sequence[PredictionBatch]
    repeat_of_run: Ints
    names: tuple[object, ...] = ()

    @cached_property
    def value(self) -> float:
        """Mean over repeats and classes, in the unit of the log loss; at least 0."""
        return float(np.mean([item.miscalibration(item.hits) for item in self._forecasts]))

    @cached_property
    def expected(self) -> float:
        """Mean of `value` if the predicted probabilities are correct, by simulation."""
        rng = derive_rng("miscalibration", *self.names)
        n_each = -(-_N_DRAWS // len(np.unique(self.repeat_of_run)))
        drawn = [
            item.miscalibration(rng.binomial(item.counts, item.stated))
            for item in self._forecasts
            for _ in range(n_each)
        ]
        return float(np.mean(drawn))

    @cached_property
    def _forecasts(self) -> list[_Forecasts]:
        probabilities = np.concatenate([item.probabilities for item in self.batches])
        y_true = np.concatenate([item.y_true for item in self.batches])
        lengths = np.concatenate([item.lengths for item in self.batches])
        n_classes = probabilities.shape[1]
        repeat_of_row = np.repeat(self.repeat_of_run, lengths)
        order = np.argsort(repeat_of_row, kind="stable")
        results = []
        for rows in np.split(order, np.flatnonzero(np.diff(repeat_of_row[order])) + 1):
            for index in range(1 if n_classes == 2 else 0, n_classes):  # both of two are equal
                is_class = y_true[rows] == index
                results.append(_Forecasts.of(probabilities[rows, index], is_class))
        return results
