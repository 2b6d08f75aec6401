"""Stop when another seed would give the same verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bestofk.inference import PairedComparison
from bestofk.inference.student import check_share
from bestofk.ordering.reseeding import reseed
from bestofk.ordering.stopping.verdict_rule import Standing, VerdictRule


@dataclass(frozen=True)
class SameVerdict(VerdictRule):
    """Until another seed would name the same best and the same candidates with a probability.

    Parameters
    ----------
    share : float in (0, 1), default=0.9
        That probability, estimated from the repeats so far; see `bestofk.ordering.Reseeding`.

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
    'another seed would give the same best and candidates with a probability of 95 %'
    """

    name: ClassVar[str] = "same-verdict"
    share: float = 0.9

    def __post_init__(self) -> None:
        check_share(self.share, "share of same-verdict")

    @property
    def title(self) -> str:
        """The rule in words, with its threshold."""
        return (
            "another seed would give the same best and candidates with a probability of "
            f"{100 * self.share:g} %"
        )

    def _is_enough(self, standing: Standing, compared: PairedComparison) -> bool:
        found = reseed(
            standing.repeat_losses,
            compared,
            best=standing.leader,
            alpha=standing.alpha,
            indifference=standing.indifference,
        )
        if found is None or found.candidates is None:
            return False
        return min(found.best.value, found.candidates.value) >= self.share
