"""Stop when the differences that still matter are known well enough, or as well as can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from bestofk.inference import PairedComparison
from bestofk.inference.checks import check_share
from bestofk.stopping.verdict_rule import InterimState, VerdictRule


@dataclass(frozen=True)
class Precision(VerdictRule):
    """Stopping rule that ends once differences from the leader are precise to within `rope`.

    A difference matters no more once its interval, by the corrected t test [1]_, lies outside
    or inside the region. Of the others half the interval must be at most half the region. More
    repeats cannot make an interval as narrow as one likes, since they divide the same rows: it
    is enough to be near the width that endless repeats would leave.

    Parameters
    ----------
    excess : float in (0, 1), default=0.1
        How much wider than that width an interval may be.

    Raises
    ------
    InvalidArgumentError
        If `excess` is not inside (0, 1).

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52.

    Examples
    --------
    >>> Precision().title
    'every difference from the leader is known as well as repeats can tell (to 10%)'
    """

    name: ClassVar[str] = "precision"
    excess: float = 0.1

    def __post_init__(self) -> None:
        check_share(self.excess, "excess of precision")

    @property
    def title(self) -> str:
        """The rule in words, with its threshold."""
        return (
            "every difference from the leader is known as well as repeats can tell (to "
            f"{100 * self.excess:g}%)"
        )

    def _is_enough(self, state: InterimState, compared: PairedComparison) -> bool:
        leader, rope = state.leader, state.rope
        low, high = (limit[:, leader] for limit in compared.confidence_interval(1 - state.alpha))
        half = (high - low) / 2
        is_decided = (low > rope) | (high < -rope) | ((low >= -rope) & (high <= rope))
        n_shared = (~np.isnan(state.losses)).sum(axis=0)
        sampling = state.sampling
        assert sampling.n_test is not None  # the corrected t test needs them
        assert sampling.n_train is not None
        ratio = sampling.n_test / sampling.n_train
        endless = -ndtri(state.alpha / 2) * compared.standard_error[:, leader]
        endless *= np.sqrt(ratio / (1 / n_shared + ratio))
        is_enough = is_decided | (half <= np.maximum(rope, (1 + self.excess) * endless))
        is_enough[leader] = True
        return bool(is_enough.all())
