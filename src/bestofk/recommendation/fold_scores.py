"""Scores of single folds, on which significance within a data set rests."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Floats, Positions


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Scores of learners on the folds of data sets.

    Parameters
    ----------
    values : ndarray of shape (n_data_sets, n_learners, n_folds)
        Higher is better; nan where there is none, and beyond the folds of a data set.
    test_shares : ndarray of shape (n_data_sets,)
        Test rows per training row; nan where unknown.
    """

    values: Floats
    test_shares: Floats

    def part(self, rows: Positions, columns: Positions) -> FoldScores:
        """Return those of some data sets and learners; a column of -1 is one of nan."""
        values = self.values[rows][:, columns]
        values[:, columns < 0] = np.nan
        return FoldScores(values, self.test_shares[rows])


def join_fold_scores(
    first: FoldScores | None, second: FoldScores | None, shapes: Sequence[tuple[int, int]]
) -> FoldScores | None:
    """Return the rows of both over the same learners; None if there are none of either.

    `shapes` are data sets and learners of the first and of the second.
    """
    if first is None and second is None:
        return None
    both = [
        FoldScores(np.empty((*shape, 0)), np.full(shape[0], np.nan)) if item is None else item
        for item, shape in zip((first, second), shapes, strict=True)
    ]
    most = max(item.values.shape[2] for item in both)
    padded = [
        np.pad(
            item.values, ((0, 0), (0, 0), (0, most - item.values.shape[2])), constant_values=np.nan
        )
        for item in both
    ]
    return FoldScores(np.concatenate(padded), np.concatenate([item.test_shares for item in both]))


def fold_scores_of(
    scores: Sequence[Mapping[tuple[int, tuple[Hashable, Hashable]], float]], n_learners: int
) -> FoldScores | None:
    """Put scores by learner and split into a table; None where no data set has two splits.

    Parameters
    ----------
    scores : sequence of mapping, one per data set
        The score by position of the learner and (repeat, fold).
    n_learners : int
        How many learners there are.

    Returns
    -------
    FoldScores or None
        With k folds in a repeat there is one test row for k - 1 training rows; without folds the
        share is unknown.
    """
    splits = [list(dict.fromkeys(split for _, split in of_data_set)) for of_data_set in scores]
    most = max(map(len, splits), default=0)
    if most < 2:
        return None
    values = np.full((len(scores), n_learners, most), np.nan)
    shares = np.full(len(scores), np.nan)
    for i, of_data_set in enumerate(scores):
        position = {split: k for k, split in enumerate(splits[i])}
        for (learner, split), score in of_data_set.items():
            values[i, learner, position[split]] = score
        n_folds = len({fold for _, fold in splits[i]})
        if n_folds > 1:
            shares[i] = 1 / (n_folds - 1)
    return FoldScores(values, shares)
