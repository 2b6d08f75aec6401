"""Randomization tests of K learners, which permute losses within each split or test row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.inference._draws import add_permuted
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import Names, learner_table
from bestofk.inference.many_learners.mean_losses import repeat_means
from bestofk.inference.many_learners.omnibus_tests import CAUTION_ALPHA, blocked, cautions
from bestofk.inference.one_test_set.many_classifiers import none_shown
from bestofk.inference.one_test_set.rows import FIXED_MODELS, OWN_ROWS, check_draws
from bestofk.inference.results import OmnibusResult
from bestofk.inference.sampling import Sampling
from bestofk.measures.ties import at_most, tied_values

TITLE = "randomization test"
ROW_TITLE = "row randomization test"
EXCHANGEABLE = "On each split the learners are exchangeable, whatever the other splits gave."
# So many arrangements are listed at most; beyond, they are drawn.
_MOST_ARRANGEMENTS = 2**16
# So many losses are permuted in one call, which nothing interrupts.
_CELLS = 2**22


def randomization_test(
    scores: ArrayLike,
    *,
    names: Names = None,
    sampling: Sampling | None = None,
    n_draws: int = 9999,
    random_state: int = 0,
) -> OmnibusResult:
    """Test whether any of K learners differ by permuting their scores within each split.

    Null hypothesis: on every split, which score belongs to which learner is chance. Rejection
    names no best.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. Required with more learners than splits, so
        that no transposed table is accepted.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.
    n_draws : int, default=9999
        Random arrangements, where there are too many to list. 99 give a p value in steps of 1%.
    random_state : int, default=0
        The same number gives the same draws.

    Returns
    -------
    OmnibusResult
        The statistic is F of `repeated_measures_anova_test`. The p value is exact where
        65,536 arrangements or fewer decide it; otherwise drawn, and at least 1/(n_draws + 1).
        If all learners have the same score on every split: statistic 0, p value 1, flagged
        ``"all_ties"``. If they differ by the same on every split: statistic inf, flagged
        ``"zero_variance"``; the p value still holds.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit, or `n_draws` or `random_state` is not allowed.

    See Also
    --------
    row_randomization_test : The same with the rows of a test set.
    repeated_measures_anova_test : Compares the same F with its distribution for normal scores.

    Notes
    -----
    All K! orders of the scores of a split are equally likely [1]_. Among drawn arrangements the
    one found counts as one more: p = (1 + number of F at least as large) / (1 + n_draws) [2]_.
    The p value changes neither with the order of learners or splits, nor with a constant added
    to a split. When not to trust it: training sets of splits overlap.

    References
    ----------
    .. [1] Pitman (1938), Significance tests which may be applied to samples from any
       populations: III. The analysis of variance test, Biometrika 29.
    .. [2] Phipson & Smyth (2010), Permutation p-values should never be zero, Statistical
       Applications in Genetics and Molecular Biology 9(1).

    Examples
    --------
    >>> result = randomization_test([[0.1, 0.2, 0.4], [0.2, 0.3, 0.4], [0.1, 0.3, 0.5]])
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (24.4, 0.0278)
    """
    rng = check_draws(n_draws, random_state, "randomization_test")
    what = "scores of randomization_test"
    table, labels = learner_table(scores, what, row="split", names=names)
    outcome = _Randomization.of(table, n_draws, rng)
    overlap = cautions(TITLE, len(table), sampling, outcome.p_value)
    return OmnibusResult(
        procedure=TITLE,
        names=labels,
        assumptions=(EXCHANGEABLE,),
        **outcome.fields(table),
        warnings=(*outcome.doubts("split"), *overlap),
    )


def row_randomization_test(
    losses: ArrayLike,
    *,
    names: Names = None,
    rows: ArrayLike | None = None,
    n_draws: int = 9999,
    random_state: int = 0,
) -> OmnibusResult:
    """Test whether any of K fitted learners differ by permuting their losses within each row.

    Null hypothesis: on every row, which loss belongs to which learner is chance. Design: blocked,
    all models predict the same rows.

    Parameters
    ----------
    losses : array-like of shape (n_results, n_learners), float
        Loss of every learner, in any unit; one result per row, or several of the same row.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out.
    rows : array-like of shape (n_results,), optional
        The row that each result is of. Results of one row depend on each other, so they are
        permuted together. If left out, each result is of a row of its own.
    n_draws : int, default=9999
        Random arrangements, where there are too many to list.
    random_state : int, default=0
        The same number gives the same draws.

    Returns
    -------
    OmnibusResult
        As from `randomization_test`, with rows in place of splits.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, there are fewer than 2 learners or rows, or
        `rows` does not name one row per result.
    InvalidArgumentError
        If names do not fit, or `n_draws` or `random_state` is not allowed.

    See Also
    --------
    cochran_q_test : For losses of 0 and 1, by the chi2 distribution.
    permutation_test : For two learners.

    Notes
    -----
    Rows and learners are a two-way layout without replication [1]_: the loss of a row is the mean
    of its results, so that each row counts once. To permute all results of a row in the same way
    is to permute their means. When not to trust it: rows pooled over folds depend on each other,
    as those of a fold share their models.

    References
    ----------
    .. [1] Pitman (1938), Significance tests which may be applied to samples from any
       populations: III. The analysis of variance test, Biometrika 29.

    Examples
    --------
    >>> losses = [[0, 1, 1], [0, 0, 1], [0, 1, 1], [1, 0, 1], [0, 0, 1]]
    >>> result = row_randomization_test(losses)
    >>> print(round(result.statistic, 4), round(result.p_value, 4))
    4.3333 0.1235
    """
    rng = check_draws(n_draws, random_state, "row_randomization_test")
    what = "losses of row_randomization_test"
    table, labels = learner_table(losses, what, row="row", names=names)
    if rows is not None:
        table = _row_means(table, rows)
    outcome = _Randomization.of(table, n_draws, rng)
    return OmnibusResult(
        procedure=ROW_TITLE,
        names=labels,
        n_of="rows",
        level_of="mean loss",
        assumptions=(FIXED_MODELS, OWN_ROWS),
        **outcome.fields(table),
        warnings=(*outcome.doubts("row"), *none_shown(outcome.p_value)),
    )


@dataclass(frozen=True)
class _Randomization:
    """P value of a table whose columns were permuted within each row, and how it was found."""

    p_value: float
    least_p: float
    n_telling: int
    distribution: str
    n_draws: int = 0

    @classmethod
    def of(cls, table: Floats, n_draws: int, rng: np.random.Generator) -> _Randomization:
        """Return the p value of a table of shape (n_blocks, n_learners).

        Within blocks, permuting changes no sum of squares but that of the learners, so F orders
        arrangements as the length of the vector of their column sums does.
        """
        scale = np.abs(table).max()
        centered = table - table.mean(axis=1, keepdims=True)
        centered = tied_values(centered.ravel(), scale).reshape(table.shape)
        centered = centered[np.ptp(centered, axis=1) > 0]
        observed = _spread(centered.sum(axis=0))
        # in an order of its own, so that the order of learners and blocks changes no draw
        blocks = np.sort(centered, axis=1)
        blocks = blocks[np.lexsort(blocks.T)]
        scale *= len(table)  # that of the sums
        counts = [_n_orders(block) for block in blocks]
        if not counts:
            return cls(1.0, 1.0, 0, "all arrangements")
        if math.prod(counts) <= _MOST_ARRANGEMENTS * max(counts):
            spreads = _spread(_all_sums(blocks[np.argsort(counts)[::-1]]))
            p_value, least = (
                float(at_most(bar, spreads, scale).mean()) for bar in (observed, spreads.max())
            )
            return cls(p_value, least, len(blocks), "all arrangements")
        as_large = at_most(observed, _drawn_spreads(blocks, n_draws, rng), scale)
        p_value = (1 + np.count_nonzero(as_large)) / (1 + n_draws)
        return cls(
            p_value, 1 / (1 + n_draws), len(blocks), f"{n_draws} drawn arrangements", n_draws
        )

    def fields(self, table: Floats) -> dict[str, Any]:
        """Return the fields of a result that follow from the table."""
        fields = blocked(table).fields(table) | {
            "p_value": self.p_value,
            "distribution": self.distribution,
            "n_draws": self.n_draws,
        }
        return fields if self.n_telling else fields | {"flags": ("all_ties",)}

    def doubts(self, block: str) -> tuple[Caution, ...]:
        """Return the cautions about ties, and about too few splits or rows that differ."""
        if self.n_telling == 0:
            text = f"All learners have the same loss on every {block}, so the p value is 1."
            return (Caution("degenerate", text),)
        text = (
            f"On only {self.n_telling} {block}{'s' if self.n_telling > 1 else ''} the losses "
            f"differ: the p value cannot fall below {self.least_p:.3g}."
        )
        return caution_if(self.least_p > CAUTION_ALPHA, "few-scores", text)


def _row_means(table: Floats, rows: ArrayLike) -> Floats:
    """Return the mean loss of each row and learner; rows in increasing order."""
    named = np.asarray(rows)
    if named.shape != (len(table),):
        raise DesignError(
            f"rows of row_randomization_test must be one per result ({len(table)}); got shape "
            f"{named.shape}. Name the row of each result, or leave rows out."
        )
    listed, index = np.unique(named, return_inverse=True)
    if len(listed) < 2:
        raise DesignError(
            f"rows of row_randomization_test must be at least 2; got {len(listed)}. "
            "Test on more rows."
        )
    return repeat_means(table, index)


def _spread(sums: Floats) -> Floats:
    """Return the root of the sum of the squares along the last axis."""
    return np.asarray(np.linalg.norm(sums, axis=-1))


def _n_orders(block: Floats) -> int:
    """Return in how many ways the values of a block can be ordered."""
    ties = np.unique(block, return_counts=True)[1]
    return math.factorial(len(block)) // math.prod(math.factorial(n) for n in ties.tolist())


def _orders(left: Counter[float]) -> Iterator[tuple[float, ...]]:
    """Yield every different order of values, each as often as it is counted."""
    if not left:
        yield ()
    for value in left:
        for rest in _orders(left - Counter([value])):
            yield (value, *rest)


def _all_sums(blocks: Floats) -> Floats:
    """Return the column sums of all arrangements, the first block kept as it is.

    To exchange learners in all blocks alike changes no F, so every order of the first block gives
    the same ones.
    """
    sums = blocks[:1]
    for block in blocks[1:]:
        orders = np.array(list(_orders(Counter(block.tolist()))))
        sums = (sums[:, None] + orders).reshape(-1, blocks.shape[1])
    return sums


def _drawn_spreads(blocks: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Return the spreads of random arrangements."""
    patterns, counts = np.unique(blocks, axis=0, return_counts=True)
    is_counted = np.array(
        [n > 1 and _n_orders(block) <= n for block, n in zip(patterns, counts, strict=True)]
    )
    sums = np.zeros((n_draws, blocks.shape[1]))
    for block, n in zip(patterns[is_counted], counts[is_counted], strict=True):
        # of blocks alike, as losses of 0 and 1 have, it is drawn how many get which order
        orders = np.array(list(_orders(Counter(block.tolist()))))
        sums += rng.multinomial(n, np.full(len(orders), 1 / len(orders)), size=n_draws) @ orders
    permuted = np.zeros_like(sums)
    rest = np.repeat(patterns[~is_counted], counts[~is_counted], axis=0)
    step = max(1, _CELLS // max(1, rest.size))
    for start in range(0, n_draws, step):
        add_permuted(rng.bit_generator.capsule, rest, permuted[start : start + step])
    return _spread(sums + permuted)


PROCEDURE = Procedure(
    name="randomization",
    title=TITLE,
    question="Do any of K learners differ by more than random permutations within splits explain?",
    takes="many-on-splits",
    run=randomization_test,
)

ROW_PROCEDURE = Procedure(
    name="row-randomization",
    title=ROW_TITLE,
    question="Do any of K fitted learners differ by more than random permutations within test rows "
    "explain?",
    takes="losses-on-rows",
    run=row_randomization_test,
)
