"""Stop when the running means of learners no longer cross."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference import PairedComparison
from bestofk.inference.checks import check_share, learner_names
from bestofk.inference.many_learners.repeated_estimates import last_crossing
from bestofk.stopping.verdict_rule import InterimState, VerdictRule


@dataclass(frozen=True)
class NoCrossing(VerdictRule):
    """Stopping rule that ends once no two running means crossed for a share of the repeats.

    Parameters
    ----------
    quiet_share : float in (0, 1), default=0.5
        The last share of all repeats in which no two learners changed order. It is a share
        because a running mean of r repeats moves by about 1 / r: after many repeats, a fixed
        number of quiet ones means little.

    Raises
    ------
    InvalidArgumentError
        If `quiet_share` is not inside (0, 1).

    Notes
    -----
    When not to trust it. It looks back: more repeats may bring another crossing, and the point
    where running means cross for the last time cannot be known for certain [1]_. Two learners
    with the same long-run mean cross forever, so the most repeats allowed end it; they may also
    stay apart by chance for long. Every learner that can be best counts, near the lead or not.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, section IV.A.

    Examples
    --------
    >>> NoCrossing(0.6).title
    'no two running means crossed in the last 60% of the repeats'
    """

    name: ClassVar[str] = "no-crossing"
    quiet_share: float = 0.5

    def __post_init__(self) -> None:
        check_share(self.quiet_share, "quiet_share of no-crossing")

    @property
    def title(self) -> str:
        """The rule in words, with its threshold."""
        return (
            f"no two running means crossed in the last {100 * self.quiet_share:g}% of the repeats"
        )

    def holds_after(self, values: ArrayLike) -> bool:
        """Return whether the rule holds after some repeats.

        Parameters
        ----------
        values : array-like of shape (n_repeats, n_learners), float
            Mean score of each repeat.

        Returns
        -------
        bool
        """
        n_repeats, n_learners = np.shape(values)
        names = learner_names(None, n_learners)  # early on they are more than the repeats
        return bool(last_crossing(values, names=names).max() <= (1 - self.quiet_share) * n_repeats)

    def _is_enough(self, state: InterimState, compared: PairedComparison) -> bool:
        return self.holds_after(state.repeat_losses)
