"""Claim of a published table, in a form that can be computed again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bestofk.array_types import Bools, Floats
from bestofk.errors import InvalidArgumentError
from bestofk.inference.adjust import adjust_p_values, reject_adjusted
from bestofk.inference.many_data_sets.paired_tests import signed_ranks
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.measures.ties import tied_differences
from bestofk.score_tables.score_column_names import plain_name
from bestofk.words import listing

_FORMS = "'X best', 'X beats Y', 'X significantly better than Y' or '... than all'"
_VERB = re.compile(
    r"(?:is |was |are )?(?:the )?(?P<strong>significantly |statistically )*"
    r"(?P<verb>best|wins|winner|beats|better than|outperforms|superior to)(?: |$)"
)
_ALL = (
    "",
    "all",
    "all others",
    "the others",
    "the rest",
    "every other",
    "all other methods",
    "overall",
)


@dataclass(frozen=True)
class Claim:
    """Claim that a learner is better than others over the data sets of a table.

    Parameters
    ----------
    names : tuple of str
        All learners of the table.
    learner : int
        The learner that is claimed to be better, as an index of `names`.
    rivals : tuple of int
        Those it is claimed to be better than.
    is_significant : bool
        Whether a significant difference from each of them is claimed.
    by_rank : bool
        Whether mean ranks decide, else means.
    alpha : float, default=0.05
        Level of the tests.
    """

    names: tuple[str, ...]
    learner: int
    rivals: tuple[int, ...]
    is_significant: bool = False
    by_rank: bool = False
    alpha: float = 0.05

    def __str__(self) -> str:
        name = self.names[self.learner]
        all_others = len(self.rivals) == len(self.names) - 1
        if all_others and not self.is_significant:
            return f"{name} is best"
        rivals = [self.names[index] for index in self.rivals]
        others = "all others" if all_others and len(rivals) > 1 else listing(rivals)
        return (
            f"{name} {'is significantly better than' if self.is_significant else 'beats'} {others}"
        )

    def leads(self, losses: Floats) -> Floats:
        """Return the lead of the learner over each rival, in mean losses or mean ranks.

        Parameters
        ----------
        losses : ndarray of shape (..., n_data_sets, n_learners), float
            Less is better; ties are equal to the last bit.

        Returns
        -------
        ndarray of shape (..., n_rivals), float
            Above 0 where the learner is ahead.
        """
        values = mid_ranks(losses) if self.by_rank else losses
        means = values.mean(axis=-2)
        lead = means[..., list(self.rivals)] - means[..., [self.learner]]
        return tied_differences(lead, np.abs(means).max(axis=-1, keepdims=True))

    def p_values(self, losses: Floats) -> Floats:
        """Return two-sided Wilcoxon p values against each rival, Holm-adjusted over them.

        Parameters
        ----------
        losses : ndarray of shape (..., n_data_sets, n_learners), float
            Less is better.

        Returns
        -------
        ndarray of shape (..., n_rivals), float
            In [0, 1].
        """
        own, others = losses[..., [self.learner]], losses[..., list(self.rivals)]
        scale = np.maximum(np.abs(own), np.abs(others))
        differences = np.swapaxes(tied_differences(others - own, scale), -1, -2)
        return adjust_p_values(signed_ranks(differences).p_two_sided, "holm")

    def holds(self, losses: Floats) -> Bools:
        """Return whether the claim is true of each table of losses.

        Parameters
        ----------
        losses : ndarray of shape (..., n_data_sets, n_learners), float
            Less is better.

        Returns
        -------
        ndarray of shape (...), bool
        """
        is_ahead = (self.leads(losses) > 0).all(axis=-1)
        if not self.is_significant:
            return np.asarray(is_ahead)
        if losses.shape[-2] < 2:
            return np.zeros(losses.shape[:-2], dtype=bool)
        return np.asarray(
            is_ahead & reject_adjusted(self.p_values(losses), self.alpha).all(axis=-1)
        )

    def without(self, index: int) -> Claim:
        """Return the claim about the table without one of the other learners."""
        kept = [i for i in range(len(self.names)) if i != index]
        return replace(
            self,
            names=tuple(self.names[i] for i in kept),
            learner=kept.index(self.learner),
            rivals=tuple(kept.index(i) for i in self.rivals if i != index),
        )


def parse_claim(
    text: str | None, names: Sequence[str], losses: Floats, *, by_rank: bool, alpha: float = 0.05
) -> Claim:
    """Return the claim that a sentence makes; without one, that the first in the table is best.

    Parameters
    ----------
    text : str or None
        Such as "forest best", "forest beats lda", "forest significantly better than all".
    names : sequence of str
        The learners of the table.
    losses : ndarray of shape (n_data_sets, n_learners), float
        Less is better.
    by_rank : bool
        Whether mean ranks decide.
    alpha : float, default=0.05
        Level of the tests.

    Raises
    ------
    InvalidArgumentError
        If the sentence has another form, or names no learner of the table.

    Examples
    --------
    >>> losses = np.array([[0.1, 0.2, 0.3], [0.2, 0.1, 0.4]])
    >>> claim = parse_claim("b significantly better than c", "abc", losses, by_rank=False)
    >>> str(claim), claim.learner, claim.rivals
    ('b is significantly better than c', 1, (2,))
    """
    every = range(len(names))
    if text is None:
        learner = int(np.argmin((mid_ranks(losses) if by_rank else losses).mean(axis=0)))
        rivals = tuple(i for i in every if i != learner)
        return Claim(tuple(names), learner, rivals, by_rank=by_rank, alpha=alpha)
    found = _leading_name(text, names)
    verb = _VERB.match(found[1].casefold()) if found else None
    if found is None or verb is None:
        raise InvalidArgumentError(
            f"claim must be {_FORMS}, of {listing(names, 'or')}; got {text!r}. Write the learner "
            "as the table does."
        )
    learner, rest = found[0], found[1][verb.end() :].strip(" .")
    rest = rest.removeprefix("than ").strip()
    if rest.casefold() in _ALL:
        rivals = tuple(i for i in every if i != learner)
    else:
        other = _leading_name(rest, names)
        if other is None or other[0] == learner:
            raise InvalidArgumentError(
                f"claim must name another learner of the table, {listing(names, 'or')}; got "
                f"{rest!r}. Write it as the table does, or 'all'."
            )
        rivals = (other[0],)
    return Claim(tuple(names), learner, rivals, bool(verb["strong"]), by_rank, alpha)


def _leading_name(text: str, names: Sequence[str]) -> tuple[int, str] | None:
    """Return the learner that a text begins with, the longest name that fits, and the rest."""
    text = text.strip()
    for index in sorted(range(len(names)), key=lambda i: -len(names[i])):
        for end in range(len(text), 0, -1):
            is_end = end == len(text) or not text[end].isalnum()
            if is_end and plain_name(text[:end]) == plain_name(names[index]):
                return index, text[end:].strip()
    return None
