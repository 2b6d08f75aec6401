"""Stop when another random seed would give the same verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bestofk.inference import PairedComparison
from bestofk.inference.checks import check_share
from bestofk.inference.many_learners.reseeding import reseed
from bestofk.stopping.verdict_rule import InterimState, VerdictRule


@dataclass(frozen=True)
class SameVerdict(VerdictRule):
    """Stopping rule that ends once another seed is likely to give the same pick and candidates.

    Parameters
    ----------
    share : float in (0, 1), default=0.9
        How likely, estimated from the repeats so far; see `bestofk.verdict.Reseeding`.

    Raises
    ------
    InvalidArgumentError
        If `share` is not inside (0, 1).

    Notes
    -----
    Learners near the border of being shown worse may keep it from ever holding: then the most
    repeats allowed end it.

    Examples
    --------
    >>> SameVerdict(0.95).title
    'another seed is at least 95% likely to give the same lowest mean and candidates'
    """

    name: ClassVar[str] = "same-verdict"
    share: float = 0.9

    def __post_init__(self) -> None:
        check_share(self.share, "share of same-verdict")

    @property
    def title(self) -> str:
        """The rule in words, with its threshold."""
        return (
            f"another seed is at least {100 * self.share:g}% likely to give the same lowest mean "
            "and candidates"
        )

    def _is_enough(self, state: InterimState, compared: PairedComparison) -> bool:
        reseeding = reseed(
            state.losses,
            np.arange(len(state.losses)) // state.sampling.n_folds,
            compared,
            best=state.leader,
            alpha=state.alpha,
            indifference=state.indifference,
        )
        if reseeding is None or reseeding.best is None or reseeding.candidates is None:
            return False
        return min(reseeding.best.value, reseeding.candidates.value) >= self.share
