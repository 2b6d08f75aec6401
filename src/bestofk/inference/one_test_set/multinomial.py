"""Multinomial selection of the fitted classifier that is most often surest of the true class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import Names, check_share, finite_table, names_of_columns
from bestofk.inference.one_test_set.proportions import wilson_limits
from bestofk.inference.one_test_set.rows import FIXED_MODELS, OWN_ROWS
from bestofk.inference.results import Result, number
from bestofk.inference.student import normal_quantile
from bestofk.measures.ties import tied_values

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MultinomialSelection(Result):
    """Number of rows that each learner wins.

    Parameters
    ----------
    names : tuple of str
        Learners.
    wins : tuple of float
        Rows won; a row won by several is split between them.
    low, high : tuple of float
        Limits of the probability to win a row.
    level : float in (0, 1)
        With which all limits hold together.
    """

    names: tuple[str, ...]
    wins: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    level: float

    @property
    def shares(self) -> tuple[float, ...]:
        """Estimated probability of each learner to win a row."""
        return tuple(wins / self.n for wins in self.wins)

    @property
    def best(self) -> str:
        """Learner with the most wins; of several, the first of them."""
        return self.names[int(np.argmax(self.wins))]

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        listed = zip(self.names, self.wins, self.shares, self.low, self.high, strict=True)
        return [
            *(
                (f"wins of {name}", f"{wins:g}, share {number(share)}, {number(a)} to {number(b)}")
                for name, wins, share, a, b in listed
            ),
            ("best", self.best),
            ("n", f"{self.n} rows"),
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner.

        Returns
        -------
        DataFrame
            Columns learner, wins, share, low, high.
        """
        import pandas as pd

        columns = {"learner": self.names, "wins": self.wins, "share": self.shares}
        return pd.DataFrame(columns | {"low": self.low, "high": self.high})

    def __repr__(self) -> str:
        return (
            f"MultinomialSelection({self.best} wins {max(self.wins):g} of {self.n} rows, "
            f"{len(self.names)} learners)"
        )


def multinomial_selection(
    posterior_true: ArrayLike, *, names: Names = None, level: float = 0.95
) -> MultinomialSelection:
    """Estimate how probably each of K fitted classifiers is the surest of the true class.

    Parameters
    ----------
    posterior_true : array-like of shape (n_rows, n_learners), float in [0, 1]
        Probability that each learner gives to the true class of each row.
    names : sequence of str, optional
        Of the learners, needed where they are more than the rows; learner 1, learner 2, ... if
        left out.
    level : float in (0, 1), default=0.95
        With which the intervals of all learners hold together (Bonferroni).

    Returns
    -------
    MultinomialSelection
        Wins, their shares, and Wilson's limits of each share. If all learners tie on every
        row: flagged ``"all_ties"``.

    Raises
    ------
    DesignError
        If it is no table of probabilities with at least one row and two learners, or has more
        learners than rows and no names.
    InvalidArgumentError
        If `level` or the names do not fit.

    Notes
    -----
    The learner with the largest probability of the true class wins the row; a tie is split
    [1]_. When not to trust it: probabilities of different make. A nearest neighbor or a pure
    leaf says 1 where it is right and wins the row against any careful learner. A warning names
    learners with at least 3 rows per different probability, such as 5-NN and trees.

    References
    ----------
    .. [1] Alsing, Bauer & Miller (2002), A multinomial selection procedure for evaluating
       pattern recognition algorithms, Pattern Recognition 35(11).

    Examples
    --------
    >>> result = multinomial_selection([[0.9, 0.8, 0.7], [0.6, 0.7, 0.65], [0.5, 0.5, 0.4]])
    >>> result.wins, result.best
    ((1.5, 1.5, 0.0), 'learner 1')
    """
    what = "posterior_true of multinomial_selection"
    table = finite_table(posterior_true, what, row="row", column="learner", min_columns=2)
    outside = table[(table < 0) | (table > 1)]
    if outside.size:
        raise DesignError(
            f"{what} must be probabilities from 0 to 1; got {outside[0]:g}. "
            "Take predict_proba, at the column of the true class."
        )
    labels = names_of_columns(posterior_true, what, row="row", names=names)
    n, k = table.shape
    is_top = table == table.max(axis=1, keepdims=True)
    wins = (is_top / is_top.sum(axis=1, keepdims=True)).sum(axis=0)
    each = 1 - (1 - check_share(level, "level")) / k
    low, high = wilson_limits(np.clip(wins / n, 0, 1), n, normal_quantile(each))
    all_tied = bool(is_top.all())
    return MultinomialSelection(
        procedure="multinomial selection",
        n=n,
        names=labels,
        wins=tuple(map(float, wins)),
        low=tuple(map(float, low)),
        high=tuple(map(float, high)),
        level=float(level),
        assumptions=(FIXED_MODELS, OWN_ROWS, "The probabilities of all learners are comparable."),
        flags=("all_ties",) if all_tied else (),
        warnings=(
            *((_ALL_TIES,) if all_tied else _coarse(table, labels)),
            Caution(
                "multiplicity",
                f"Family: the {k} win probabilities, m = {k}; Bonferroni: each interval has level "
                f"{each:.4g}, so that all hold together at {level:g}.",
            ),
        ),
    )


_ALL_TIES = Caution(
    "degenerate", "All learners give the true class the same probability on every row."
)
_CRISP = (
    "{} gives no probabilities between 0 and 1, and so wins or loses whole rows against learners "
    "that do."
)
_FEW_VALUES = (
    "Probabilities of few values: {}. They are shares of neighbors or of the rows of a leaf, which "
    "say 1 or tie where others say 0.98, so such wins and losses mean little."
)
_FEW_ROWS_PER_VALUE = 3  # rows per value from which probabilities are coarse
PROCEDURE = Procedure(
    name="multinomial-selection",
    title="multinomial selection",
    question="Which of K fitted classifiers is most often the surest of the true class?",
    takes="posteriors",
    run=multinomial_selection,
    aliases=("msp", "multinomial"),
)


def _coarse(table: Floats, labels: Sequence[str]) -> tuple[Caution, ...]:
    """Return cautions about learners without probabilities, and with few different ones."""
    n = len(table)
    n_values = [len(np.unique(column)) for column in tied_values(table, axis=0).T]
    is_crisp = [bool(np.isin(column, (0, 1)).all()) for column in table.T]
    crisp = [label for label, alone in zip(labels, is_crisp, strict=True) if alone]
    few = [
        f"{label} ({count} on {n} rows)"
        for label, count, alone in zip(labels, n_values, is_crisp, strict=True)
        if not alone and count * _FEW_ROWS_PER_VALUE <= n
    ]
    return (
        *caution_if(len(crisp) > 0, "degenerate", _CRISP.format(", ".join(crisp))),
        *caution_if(len(few) > 0, "degenerate", _FEW_VALUES.format(", ".join(few))),
    )
