"""Interface of orderings: rules that turn scores and preference into a best learner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Floats
from bestofk.inference import PairedComparison


@dataclass(frozen=True, eq=False)
class OrderingInput:
    """Input of every ordering; learners in decreasing preference.

    Parameters
    ----------
    names : sequence of str
        Learners.
    losses : ndarray of shape (n_splits, n_learners)
        Lower is better.
    compared : PairedComparison
        The paired test of every ordered pair, fields of shape (n_learners, n_learners).
    alpha : float
        Level.
    """

    names: Sequence[str]
    losses: Floats
    compared: PairedComparison
    alpha: float

    @property
    def means(self) -> Floats:
        """Mean loss of each learner."""
        return np.asarray(self.losses.mean(axis=0))

    def list_names(self, learners: Sequence[int]) -> str:
        """Return names of learners, joined."""
        return ", ".join(self.names[i] for i in learners)


@dataclass(frozen=True)
class Pick:
    """Result of an ordering; learners as numbers from 0 in decreasing preference.

    Parameters
    ----------
    best : int or None
        None where the rule names none.
    why : str
        A sentence.
    order : tuple of int
        All learners, best first; empty where the rule gives no order.
    may_be_best : tuple of int
        The learners that the rule leaves in; empty where it does not say.
    """

    best: int | None
    why: str
    order: tuple[int, ...] = ()
    may_be_best: tuple[int, ...] = ()


@dataclass(frozen=True)
class Ordering:
    """A rule with a name.

    Parameters
    ----------
    name, title : str
        As users and as reports write it.
    pick : callable
        Takes an `OrderingInput` and returns a `Pick`.
    test : str or None, default=None
        Title of the test that it uses, empty for none; None for the paired test that is given.
    aliases : tuple of str, default=()
        Other spellings of the name.
    """

    name: str
    title: str
    pick: Callable[[OrderingInput], Pick]
    test: str | None = None
    aliases: tuple[str, ...] = ()
