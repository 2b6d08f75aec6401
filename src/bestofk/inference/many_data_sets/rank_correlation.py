"""Rank correlations of two lists: Spearman's rho and Kendall's tau."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bestofk.errors import DesignError
from bestofk.inference.cautions import Caution
from bestofk.inference.many_data_sets.effect_sizes import finite_sample
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.inference.results.result import Result, number
from bestofk.inference.student import Floats

UNDEFINED = Caution(
    "degenerate", "One of the lists is constant: it orders nothing, and no correlation is defined."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankCorrelation(Result):
    """A rank correlation of two lists.

    Parameters
    ----------
    symbol : str
        What it is called: rho or tau.
    value : float
        From -1 (opposite orders) to 1 (one order); nan where a list is constant, flagged
        ``"all_ties"``.
    """

    symbol: str
    value: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        return [(self.symbol, number(self.value)), ("n", f"{self.n} pairs")]

    def __repr__(self) -> str:
        return f"RankCorrelation({self.procedure}: {self.symbol} = {number(self.value)})"


def spearman(a: ArrayLike, b: ArrayLike) -> RankCorrelation:
    """Return Spearman's rank correlation of two lists.

    Parameters
    ----------
    a, b : array-like of shape (n,), float
        Two numbers for each of n things, n at least 2; ties share the mean rank.

    Returns
    -------
    RankCorrelation
        rho, Pearson's correlation of the ranks [1]_. If a list is constant: nan, flag
        ``"all_ties"``.

    Raises
    ------
    DesignError
        If the lists do not pair, are not finite, or shorter than two.

    References
    ----------
    .. [1] Spearman (1904), The proof and measurement of association between two things, American
       Journal of Psychology 15(1).

    Examples
    --------
    >>> spearman([1, 2, 3, 4], [1, 3, 2, 4]).value
    0.8
    """
    first, second = _paired(a, b, "spearman")
    x, y = (mid_ranks(values) - (len(values) + 1) / 2 for values in (first, second))
    spread = float((x**2).sum() * (y**2).sum())
    value = float((x * y).sum()) / math.sqrt(spread) if spread else math.nan
    return _correlation("Spearman's rank correlation", "rho", value, len(x))


def kendall(a: ArrayLike, b: ArrayLike) -> RankCorrelation:
    """Return Kendall's rank correlation tau-b of two lists.

    Parameters
    ----------
    a, b : array-like of shape (n,), float
        Two numbers for each of n things, n at least 2.

    Returns
    -------
    RankCorrelation
        tau-b: pairs in the same order minus pairs in opposite orders, over the geometric mean of
        the pairs that each list orders [1]_. If a list is constant: nan, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If the lists do not pair, are not finite, or shorter than two.

    References
    ----------
    .. [1] Kendall (1945), The treatment of ties in ranking problems, Biometrika 33(3).

    Examples
    --------
    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]).value, 4)
    0.6667
    """
    first, second = _paired(a, b, "kendall")
    agreement = ordered_first = ordered_second = 0
    for i in range(len(first) - 1):  # row by row, so that memory stays small
        x, y = np.sign(first[i + 1 :] - first[i]), np.sign(second[i + 1 :] - second[i])
        agreement += int((x * y).sum())
        ordered_first += int(np.abs(x).sum())
        ordered_second += int(np.abs(y).sum())
    ordered = math.sqrt(ordered_first) * math.sqrt(ordered_second)
    value = max(-1.0, min(1.0, agreement / ordered)) if ordered else math.nan
    return _correlation("Kendall's rank correlation", "tau", value, len(first))


def _correlation(procedure: str, symbol: str, value: float, n: int) -> RankCorrelation:
    undefined = math.isnan(value)
    return RankCorrelation(
        procedure=procedure,
        n=n,
        symbol=symbol,
        value=value,
        flags=("all_ties",) if undefined else (),
        warnings=(UNDEFINED,) if undefined else (),
    )


def _paired(a: ArrayLike, b: ArrayLike, procedure: str) -> tuple[Floats, Floats]:
    first, second = finite_sample(a, procedure), finite_sample(b, procedure)
    if len(first) != len(second) or len(first) < 2:
        raise DesignError(
            f"values of {procedure} must pair, two lists of one length of at least 2; got "
            f"{len(first)} and {len(second)}. Leave a thing out of both lists or of none."
        )
    return first, second
