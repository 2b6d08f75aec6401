"""The nearest class mean of every set of training rows."""

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.batched.moments import MomentForm, PartMoments, normalize_logs
from bestofk.learners.nearest_mean_classifier import EQUAL, NO_SPREAD


class NearestMeanForm(MomentForm):
    """`NearestMeanClassifier` on many parts, by the moments of each class.

    Parts in which rounding decides whether classes have a spread are left to the plain learner.
    """

    def _classify(self, block: PartMoments) -> tuple[Ints, Floats, Bools]:
        """Predict the nearest mean, with the probabilities of round normal classes."""
        weights, counts = block.scale**2, block.counts
        n_train = counts.sum(axis=1)
        within = (counts * (block.variances @ weights[..., None])[..., 0]).sum(axis=1)
        spread = (weights * block.total_variances()).sum(axis=1)
        n_active = (weights > 0).sum(axis=1)
        is_sure = (within == 0) | (within > 1e4 * NO_SPREAD * spread * n_train)
        with np.errstate(all="ignore"):
            degrees = np.maximum(n_train - (counts > 0).sum(axis=1), 1) * n_active
            rate = np.where(within > 0, 0.5 * degrees / within, np.inf)
            by_class = np.repeat(weights[:, None], counts.shape[1], axis=1)
            squares = block.squared_distances(by_class)
            squares += np.take(np.where(counts > 0, 0.0, np.inf), block.part_of_row, axis=0)
            nearest = np.take_along_axis(squares, squares.argmin(axis=1)[:, None], axis=1)
            equal = EQUAL * (nearest + np.take(spread, block.part_of_row)[:, None])
            squares -= nearest
            squares[squares <= equal] = 0.0
            labels = squares.argmin(axis=1)
            squares *= -np.take(rate, block.part_of_row)[:, None]
        squares[np.isnan(squares)] = -np.inf
        squares[np.arange(len(labels)), labels] = 0.0
        normalize_logs(squares)
        return labels, squares, is_sure & (n_active > 0)
