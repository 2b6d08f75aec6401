"""Multi-comparison matrix: every pair of learners compared over many data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from bestofk.array_types import Bools, Floats, Ints
from bestofk.checks import check_known
from bestofk.inference.adjust import adjust_p_values
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import caution_if
from bestofk.inference.checks import Names, check_rope, check_share
from bestofk.inference.many_data_sets import remarks
from bestofk.inference.many_data_sets.paired_tests import signed_ranks
from bestofk.inference.many_data_sets.posteriors import (
    region_masses,
    region_shares,
    signed_rank_weights,
)
from bestofk.inference.many_data_sets.rank_comparisons import bonferroni_dunn_test, nemenyi_test
from bestofk.inference.many_data_sets.ranks import rank_rows, score_table
from bestofk.inference.results import PairwiseResult, number
from bestofk.inference.student import student_interval
from bestofk.inference.two_learners.paired_test import pair_table
from bestofk.measures.ties import tied_differences

if TYPE_CHECKING:
    import pandas as pd


TITLE = "multi-comparison matrix"
_PRIOR_STRENGTH = 0.5


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ComparisonMatrix(PairwiseResult):
    """Results of every pair of learners on many data sets; row against column.

    Parameters
    ----------
    low, high : ndarray of shape (n_learners, n_learners)
        Student interval of the mean difference at level 1 - alpha, for the pair alone.
    wins, ties : ndarray of shape (n_learners, n_learners), int
        Data sets where the row is better, and where both score the same; the losses of the
        row are the wins of the column.
    p_greater : ndarray of shape (n_learners, n_learners)
        One-sided Wilcoxon p value: small where the score of the row is significantly greater.
    rope : float or None
        Half the width of the region of practical equivalence; None where it was left out.
    p_below, p_equivalent, p_above : ndarray of shape (n_learners, n_learners)
        Bayesian signed-rank probabilities that row minus column is below the region, inside,
        above it; nan where the region was left out, and on the diagonal.
    """

    pictures = (("pairs", "MultiComparisonMatrixDisplay"),)

    low: Floats
    high: Floats
    wins: Ints
    ties: Ints
    p_greater: Floats
    rope: float | None
    p_below: Floats
    p_equivalent: Floats
    p_above: Floats

    def to_frame(self) -> pd.DataFrame:
        """Return one row per tested pair.

        Returns
        -------
        DataFrame
            As `PairwiseResult.to_frame`, with low, high, wins, ties, losses, and, where there
            is a region, p_below, p_equivalent and p_above.
        """
        regions = ("p_below", "p_equivalent", "p_above") if self.rope is not None else ()
        names = ("low", "high", "wins", "ties", "losses", *regions)
        columns = {name: getattr(self, name)[self.pairs] for name in names}
        return super().to_frame().assign(**columns)

    @property
    def losses(self) -> Ints:
        """Data sets where the row is worse."""
        return self.wins.T

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        return self._rows_with()

    def _pair_text(self, i: int, j: int) -> str:
        text = (
            f"{number(self.estimate[i, j])} ({number(self.low[i, j])} to "
            f"{number(self.high[i, j])}), {self.wins[i, j]}/{self.ties[i, j]}/"
            f"{self.losses[i, j]} won/tied/lost, {super()._pair_text(i, j)}"
        )
        if self.rope is not None:
            text += f", equivalent {self._probability(self.p_equivalent[i, j])}"
        return text


def multi_comparison_matrix(
    scores: ArrayLike,
    *,
    names: Names = None,
    greater_is_better: bool = False,
    correction: str = "holm",
    control: str | None = None,
    rope: float | None = None,
    alpha: float = 0.05,
    n_draws: int = 10_000,
    random_state: int = 0,
) -> ComparisonMatrix:
    """Compare every pair of learners on many data sets, each pair by its own scores.

    Null hypotheses: the differences of a pair are symmetric around 0 (Wilcoxon, two-sided).
    Design: blocked, one score of each learner on each data set.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, of one unit.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    greater_is_better : bool, default=False
        Direction of the scores; decides which learner wins, and the ranks.
    correction : str, default="holm"
        How the Wilcoxon p values of the family are adjusted; see `adjust_p_values`.
    control : str, optional
        The family is this learner against every other; all pairs if left out.
    rope : float, optional
        Half the width of the region of practical equivalence, in the unit of the scores;
        adds Bayesian signed-rank probabilities.
    alpha : float in (0, 1), default=0.05
        Level of the family, and 1 - alpha that of the intervals.
    n_draws : int, default=10000
        Draws of the posterior of each pair.
    random_state : int, default=0
        What the draws come from; all pairs share them.

    Returns
    -------
    ComparisonMatrix
        Differences are row minus column. Levels are mean ranks, which describe and decide
        nothing. Flag ``"all_ties"`` where a pair has the same score on every data set: p 1.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If a name or an option is not allowed.

    See Also
    --------
    wilcoxon_test, bayesian_signed_rank : What it says of one pair.

    Notes
    -----
    Raw entries of a pair depend on its two learners alone, so adding or removing others does
    not change them [1]_, as it does for tests on mean ranks; adjusted p values depend on the
    size of the family. When not to trust it: as for the Wilcoxon test.

    References
    ----------
    .. [1] Ismail-Fawaz et al. (2023), An approach to multiple comparison benchmark evaluations
       that is stable under manipulation of the comparate set, arXiv 2305.11921.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> losses = 0.2 + 0.05 * rng.random((12, 3)) + [0, 0.001, 0.1]
    >>> result = multi_comparison_matrix(losses, names=["lda", "cart", "1nn"])
    >>> result.wins[0].tolist(), result.reject(0.05)[0].tolist()
    ([0, 5, 12], [False, False, True])
    """
    table, known = score_table(scores, names, "multi_comparison_matrix")
    check_share(alpha, "alpha")
    k, n = table.shape[1], len(table)
    first, second = np.triu_indices(k, 1)
    family = _family(first, second, known, control)
    scale = np.maximum(np.abs(table[:, first]), np.abs(table[:, second]))
    differences = tied_differences((table[:, first] - table[:, second]).T, scale.T)
    ranked = signed_ranks(differences)
    adjusted = np.full(len(first), math.nan)
    adjusted[family] = adjust_p_values(ranked.p_two_sided[family], correction)
    means, errors = differences.mean(axis=1), differences.std(axis=1, ddof=1) / math.sqrt(n)
    low, high = student_interval(means, errors, n - 1, level=1 - alpha, alternative="two-sided")
    gains = differences if greater_is_better else -differences
    below, inside, above = _regions(differences, scale.T, rope, n_draws, random_state)

    both = partial(pair_table, (first, second), k)
    tied = (differences == 0).sum(axis=1)
    alike = zip(first[tied == n], second[tied == n], strict=True)
    same = [f"{known[i]} and {known[j]}" for i, j in alike]
    degenerate = f"Scores are the same on every data set: {'; '.join(same)}."
    compared = "all pairs" if control is None else f"{control} against the others"
    is_open = adjusted[family] > alpha
    return ComparisonMatrix(
        procedure=TITLE,
        n=n,
        n_draws=0 if rope is None else n_draws,
        n_of="data sets",
        assumptions=(remarks.INDEPENDENT, remarks.SYMMETRIC),
        flags=("all_ties",) if same else (),
        warnings=(
            *remarks.few_differences(n, "two-sided"),
            *caution_if(len(same) > 0, "degenerate", degenerate),
            *remarks.multiplicity(len(is_open), compared, correction),
            *remarks.pairs_not_equal(int(is_open.sum()), len(is_open), alpha),
        ),
        names=known,
        levels=tuple(rank_rows(table, greater_is_better=greater_is_better).mean(axis=0).tolist()),
        level_of="mean rank",
        estimate=both(means, -means, 0.0),
        statistic=both(ranked.w_plus, ranked.w_minus),
        symbol="W+",
        p_value=both(ranked.p_two_sided, ranked.p_two_sided),
        p_adjusted=both(adjusted, adjusted),
        correction=correction,
        control=control or "",
        alpha=alpha,
        low=both(low, -high, 0.0),
        high=both(high, -low, 0.0),
        wins=both((gains > 0).sum(axis=1), (gains < 0).sum(axis=1), 0).astype(np.int64),
        ties=both(tied, tied, n).astype(np.int64),
        p_greater=both(ranked.p_greater, ranked.p_less, 1.0),
        rope=rope,
        p_below=both(below, above),
        p_equivalent=both(inside, inside),
        p_above=both(above, below),
    )


def _family(first: Ints, second: Ints, names: Sequence[str], control: str | None) -> Bools:
    """Return which pairs are tested together."""
    if control is None:
        return np.ones(len(first), dtype=bool)
    check_known(control, "control", names, rule="one of the learners")
    index = list(names).index(control)
    return np.asarray((first == index) | (second == index))


def _regions(
    differences: Floats, scale: Floats, rope: float | None, n_draws: int, random_state: int
) -> tuple[Floats, Floats, Floats]:
    """Return the probabilities of the regions of each pair, all pairs under the same weights."""
    n_pairs, n = differences.shape
    if rope is None:
        nothing = np.full(n_pairs, math.nan)
        return nothing, nothing, nothing
    check_rope(rope)
    shares, total = np.zeros((n_pairs, 3)), 0
    for weights in signed_rank_weights(n, _PRIOR_STRENGTH, n_draws, random_state):
        total += len(weights)
        for pair in range(n_pairs):
            largest = float(scale[pair].max())
            masses = region_masses(weights, differences[pair], rope, scale=largest)
            shares[pair] += len(weights) * np.array(region_shares(masses))
    below, inside, above = (shares / total).T
    return below, inside, above


PROCEDURE = Procedure(
    name="multi-comparison-matrix",
    title=TITLE,
    question="Which learners differ over many data sets, each pair judged by itself?",
    takes="many-on-data-sets",
    run=multi_comparison_matrix,
    aliases=("mcm", "comparison-matrix"),
)


def mean_rank_matrix(
    scores: ArrayLike, *, names: Names = None, control: str | None = None, alpha: float = 0.05
) -> ComparisonMatrix:
    """Compare every pair of learners on many data sets by their mean ranks.

    Null hypotheses: the two learners of a pair have the same expected rank (two-sided). Design:
    blocked, one loss of each learner on each data set; each data set may have its own unit.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One loss of each learner on each data set.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    control : str, optional
        The family is this learner against every other, by Bonferroni-Dunn; all pairs, by
        Nemenyi, if left out.
    alpha : float in (0, 1), default=0.05
        Level of the family, and 1 - alpha that of the intervals.

    Returns
    -------
    ComparisonMatrix
        Differences, intervals, wins and ties are those of ranks (1 is best). Statistics are z,
        row minus column.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If a name or `alpha` is not allowed.

    See Also
    --------
    nemenyi_test, bonferroni_dunn_test : The tests.
    multi_comparison_matrix : For losses of one unit.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 300.0], [20, 30, 40], [0.1, 0.3, 0.2], [100, 200, 400]]
    >>> matrix = mean_rank_matrix(losses)
    >>> matrix.levels, matrix.p_adjusted[0].round(4).tolist()
    ((1.0, 2.25, 2.75), [nan, 0.1805, 0.0356])
    """
    table, known = score_table(scores, names, "mean_rank_matrix")
    ranks = rank_rows(table, greater_is_better=False)
    matrix = multi_comparison_matrix(ranks, names=known, control=control, alpha=alpha)
    every = nemenyi_test(ranks, names=known, alpha=alpha)
    tested = every
    if control is not None:
        tested = bonferroni_dunn_test(ranks, control=control, names=known, alpha=alpha)
    of_pairs = {name: getattr(every, name) for name in ("statistic", "symbol", "p_value")}
    of_family = {
        name: getattr(tested, name)
        for name in ("procedure", "assumptions", "flags", "warnings", "p_adjusted", "correction",
                     "critical_difference")
    }  # fmt: skip
    return replace(matrix, **of_pairs, **of_family, p_greater=ndtr(-every.statistic))
