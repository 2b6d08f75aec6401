"""Shared core of all tests of mean ranks over many data sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.inference.adjust import reject_adjusted
from bestofk.inference.cautions import Caution
from bestofk.inference.many_data_sets.ranks import rank_rows, score_table
from bestofk.inference.many_data_sets.remarks import (
    INDEPENDENT,
    RANKED_WITHIN,
    all_ties,
    few_data_sets,
    multiplicity,
    pairs_not_equal,
)
from bestofk.inference.results import PairwiseResult
from bestofk.inference.student import Floats, check_share
from bestofk.inference.two_learners.paired_comparison import pair_table

Bools = NDArray[np.bool_]
MEAN_RANKS = "The mean ranks of each pair do not depend on which other learners are in the table."


@dataclass(frozen=True)
class RankFamily:
    """Family of comparisons of mean ranks, and how it is adjusted.

    Parameters
    ----------
    procedure : str
        Title.
    correction : str
        Name of the adjustment.
    adjust : callable
        From absolute z of shape (..., n_hypotheses) and the number of learners to adjusted
        p values.
    reject : callable or None
        From z, the number of learners and alpha to what is rejected, if that is quicker than
        by adjusted p values.
    """

    procedure: str
    correction: str
    adjust: Callable[[Floats, int], Floats]
    reject: Callable[[Floats, int, float], Bools] | None = None

    def rejected(self, z: Floats, n_learners: int, alpha: float) -> Bools:
        """Return what is rejected at `alpha`.

        Parameters
        ----------
        z : ndarray of shape (..., n_hypotheses), float
            Absolute differences of mean ranks in standard errors.
        n_learners : int
            In the table.
        alpha : float in (0, 1)
            Level of the family.

        Returns
        -------
        ndarray of shape (..., n_hypotheses), bool
            True where the pair is shown to differ.
        """
        if self.reject is not None:
            return self.reject(z, n_learners, alpha)
        return reject_adjusted(self.adjust(z, n_learners), alpha)


def p_of_z(z: Floats) -> Floats:
    """Return two-sided p values of absolute differences in standard errors."""
    return np.asarray(2 * ndtr(-z))


def rank_standard_error(n_learners: int, n_data_sets: int) -> float:
    """Return the standard error of a difference of two mean ranks, sqrt(k (k + 1) / (6 N)).

    Parameters
    ----------
    n_learners, n_data_sets : int
        k, at least 2, and N, at least 1.

    Returns
    -------
    float
        In ranks.

    Raises
    ------
    InvalidArgumentError
        If a number is no whole one or too small.
    """
    for value, what, least in ((n_learners, "n_learners", 2), (n_data_sets, "n_data_sets", 1)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
            raise InvalidArgumentError(
                f"{what} must be a whole number of at least {least}; got {value!r}. "
                "Count the learners and the data sets of the table."
            )
    return float(np.sqrt(n_learners * (n_learners + 1) / (6 * n_data_sets)))


def compare_mean_ranks(
    scores: ArrayLike,
    family: RankFamily,
    *,
    names: Sequence[str] | None,
    greater_is_better: bool,
    alpha: float,
    control: str | None = None,
    all_pairs: bool = True,
    critical_difference: Callable[[int, int], float] | None = None,
) -> PairwiseResult:
    """Return the comparisons of mean ranks of a family as a result.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set.
    family : RankFamily
        How they are adjusted.
    names : sequence of str or None
        Of the learners.
    greater_is_better : bool
        Direction of the scores.
    alpha : float in (0, 1)
        Level of the statements in words.
    control : str or None
        With `all_pairs` False: learner that the others are compared with; the first if None.
    all_pairs : bool
        Whether all pairs are tested, or the control against the rest.
    critical_difference : callable or None
        From the numbers of learners and of data sets to the critical difference.

    Returns
    -------
    PairwiseResult
        Estimates are mean ranks of the first minus the second.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If `alpha`, the names or the control do not fit.
    """
    check_share(alpha, "alpha")
    table, known = score_table(scores, names, family.procedure)
    against = None if all_pairs else _index(control, known)
    ranks = rank_rows(table, greater_is_better=greater_is_better)
    n_data_sets, n_learners = ranks.shape
    means = ranks.mean(axis=0)
    pairs = _pairs(n_learners, against)
    difference = _differences(means, pairs, n_data_sets)
    z = difference / rank_standard_error(n_learners, n_data_sets)
    adjusted = family.adjust(np.abs(z), n_learners)
    rejected = reject_adjusted(adjusted, alpha)
    tied = bool((ranks == ranks[0, 0]).all())
    m = len(z)
    square, p_value = partial(pair_table, pairs, n_learners), p_of_z(np.abs(z))
    compared = "all pairs" if against is None else f"{known[against]} against the others"
    return PairwiseResult(
        procedure=family.procedure,
        n=n_data_sets,
        n_of="data sets",
        assumptions=(INDEPENDENT, RANKED_WITHIN, MEAN_RANKS),
        flags=("all_ties",) if tied else (),
        warnings=(
            *(all_ties("learners on every data set") if tied else ()),
            *few_data_sets(n_data_sets),
            *multiplicity(m, compared, family.correction),
            *_depends_on_pool(ranks, known, family, alpha, against, rejected),
            *pairs_not_equal(m - int(rejected.sum()), m, alpha),
        ),
        names=known,
        levels=tuple(means.tolist()),
        level_of="mean rank",
        estimate=square(difference, -difference),
        statistic=square(z, -z),
        p_value=square(p_value, p_value),
        p_adjusted=square(adjusted, adjusted),
        correction=family.correction,
        control="" if against is None else known[against],
        alpha=alpha,
        critical_difference=(
            critical_difference(n_learners, n_data_sets) if critical_difference else float("nan")
        ),
    )


def _index(control: str | None, names: tuple[str, ...]) -> int:
    if control is None:
        return 0
    if control not in names:
        raise InvalidArgumentError(
            f"control must be the name of a learner; got {control!r}. "
            + nearest_name(str(control), names)
        )
    return names.index(control)


def _pairs(n_learners: int, against: int | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    if against is None:
        return np.triu_indices(n_learners, k=1)
    others = np.delete(np.arange(n_learners), against)
    return np.full_like(others, against), others


def _differences(
    means: Floats, pairs: tuple[NDArray[np.intp], NDArray[np.intp]], n_data_sets: int
) -> Floats:
    """Return first minus second of mean ranks; equal ones are the same float.

    Ranks are whole or half, so that a difference of mean ranks is a whole number over
    2 n_data_sets.
    """
    difference = means[..., pairs[0]] - means[..., pairs[1]]
    return np.asarray(np.rint(2 * n_data_sets * difference) / (2 * n_data_sets))


def _depends_on_pool(
    ranks: Floats,
    names: tuple[str, ...],
    family: RankFamily,
    alpha: float,
    against: int | None,
    rejected: Bools,
) -> tuple[Caution, ...]:
    """Leave out one learner at a time; say which verdict about the others changes."""
    n_data_sets, n_learners = ranks.shape
    if n_learners < 3:
        return ()
    order = list(range(n_learners))
    if against is not None:  # the control to the front, where it stays
        order = [against, *(j for j in order if j != against)]
    left_out = [j for j in order if j != against]
    kept = np.array([[j for j in order if j != item] for item in left_out])
    # Without a learner, those behind it move up by one, those that tie with it by one half.
    before = np.array([_share_before(ranks, item) for item in left_out])
    means = np.take_along_axis(ranks.mean(axis=0) - before, kept, axis=1)
    pairs = _pairs(n_learners - 1, None if against is None else 0)
    z = np.abs(_differences(means, pairs, n_data_sets))
    z /= rank_standard_error(n_learners - 1, n_data_sets)
    without = family.rejected(z, n_learners - 1, alpha)
    full = np.zeros((n_learners, n_learners), dtype=bool)
    first, second = _pairs(n_learners, against)
    full[first, second] = full[second, first] = rejected
    a, b = kept[:, pairs[0]], kept[:, pairs[1]]
    changed = np.argwhere(without != full[a, b])
    if not len(changed):
        return ()
    at = tuple(changed[0])
    verdict = (
        "shown to differ becomes not shown" if full[a[at], b[at]] else "not shown becomes shown"
    )
    more = f" (more: {len(changed) - 1})" if len(changed) > 1 else ""
    text = (
        f"Mean ranks depend on the learners in the pool: without {names[left_out[at[0]]]} the "
        f"verdict on {names[a[at]]} and {names[b[at]]} changes, {verdict}{more}. Test single pairs "
        "by Wilcoxon or sign test."
    )
    return (Caution("mean-ranks", text),)


def _share_before(ranks: Floats, index: int) -> Floats:
    """Return on what share of the data sets a learner stands before each other; ties are half."""
    own = ranks[:, [index]]
    return np.asarray((own < ranks).mean(axis=0) + (own == ranks).mean(axis=0) / 2)
