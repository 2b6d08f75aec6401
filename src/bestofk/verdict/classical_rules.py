"""Rules that may name no best: analysis of variance, Newman-Keuls, comparisons with the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bestofk.array_types import Bools, Floats
from bestofk.errors import InvalidArgumentError
from bestofk.inference import PairedComparison, Sampling, anova_test, newman_keuls
from bestofk.inference.checks import check_share, learner_names
from bestofk.inference.many_learners.omnibus_tests import ANOVA_TITLE
from bestofk.inference.many_learners.range_tests import NEWMAN_KEULS_TITLE
from bestofk.verdict.rules import Ordering, OrderingInput, Pick

if TYPE_CHECKING:
    import pandas as pd


def anova_best(
    losses: ArrayLike,
    *,
    alpha: float = 0.05,
    names: Sequence[str] | None = None,
    sampling: Sampling | None = None,
) -> int | None:
    """Return the most preferred learner if no difference is significant, else None.

    One-way analysis of variance, used as a selector: where it does not reject, every learner
    may be taken, so the most preferred is; where it rejects, some learner is worse,
    and it does not say which [1]_.

    Parameters
    ----------
    losses : array-like of shape (n_splits, n_learners)
        Learners in decreasing preference.
    alpha : float in (0, 1), default=0.05
        Level.
    names, sampling
        As for `bestofk.inference.anova_test`.

    Returns
    -------
    int or None
        0 or None; 0 where the losses of no learner vary.

    Raises
    ------
    DesignError
        If losses are no table of finite numbers of at least 2 learners on 2 splits.
    InvalidArgumentError
        If `alpha` is not inside (0, 1).

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> anova_best([[0.20, 0.21], [0.22, 0.20], [0.21, 0.21]])
    0
    >>> print(anova_best([[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]]))
    None
    """
    check_share(alpha, "alpha")
    result = anova_test(losses, names=names, sampling=sampling)
    return None if result.reject(alpha) and not result.flags else 0


def _pick_by_anova(given: OrderingInput) -> Pick:
    every = tuple(range(len(given.names)))
    if anova_best(given.losses, alpha=given.alpha, names=given.names) is None:
        return Pick(None, "Some learners differ; analysis of variance does not say which.")
    why = "No difference is significant, so the most preferred learner is picked."
    return Pick(0, why, order=every, may_be_best=every)


ANOVA = Ordering(
    "anova", "ANOVA as selector", _pick_by_anova, ANOVA_TITLE, aliases=("anova-selector",)
)


def newman_keuls_best(order: Sequence[int], underlines: Sequence[Sequence[int]]) -> int | None:
    """Return the best learner by the four rules for underlines, None where none applies.

    The learner with the lowest mean is best if no line starts at it. Else it is the most
    preferred learner of that line, unless this one lies in another line too.

    Parameters
    ----------
    order : sequence of int
        Learners from the lowest mean loss to the highest, numbered in decreasing preference.
    underlines : sequence of sequence of int
        Runs of `order` whose learners cannot be distinguished, each of at least two learners.

    Returns
    -------
    int or None
        A learner of `order`. None where the most preferred of the first line lies in two lines:
        it may equal a learner that is better than those preferred to it [1]_.

    Raises
    ------
    InvalidArgumentError
        If `order` is empty or names a learner twice, or a line is no run of it.

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> newman_keuls_best([5, 2, 4, 3, 1], [[5, 2, 4], [4, 3]])
    2
    >>> print(newman_keuls_best([5, 4, 2, 1, 3], [[5, 4, 2], [2, 1]]))
    None
    """
    ascending = [int(learner) for learner in order]
    if not ascending or len(set(ascending)) < len(ascending):
        raise InvalidArgumentError(
            f"order of newman_keuls_best must hold every learner once; got {ascending}. "
            "List the learners from the lowest mean loss to the highest."
        )
    lines = [[int(learner) for learner in line] for line in underlines]
    for line in lines:
        start = ascending.index(line[0]) if line and line[0] in ascending else 0
        if len(line) < 2 or ascending[start : start + len(line)] != line:
            raise InvalidArgumentError(
                "underlines of newman_keuls_best must be runs of at least two of the order "
                f"{ascending}; got {line}. Leave single learners out, and list each line as the "
                "order does."
            )
    first = next((line for line in lines if line[0] == ascending[0]), ascending[:1])
    simplest = min(first)
    return simplest if sum(simplest in line for line in lines) <= 1 else None


def _pick_by_underlines(given: OrderingInput) -> Pick:
    result = newman_keuls(given.losses, names=given.names, alpha=given.alpha)
    if result.flags:  # no test without variance
        return Pick(0, "No difference is significant, so the most preferred learner is picked.")
    best = newman_keuls_best(result.order, result.underlines)
    lines = "; ".join(given.list_names(line) for line in result.underlines)
    why = f"Underlined together: {lines}." if lines else "No underlines: all means differ."
    return Pick(best, why)


NEWMAN_KEULS = Ordering(
    "newman-keuls", "Newman-Keuls rules", _pick_by_underlines, NEWMAN_KEULS_TITLE
)


@dataclass(frozen=True, eq=False)
class BestComparisons:
    """Each learner against the best of the others.

    Parameters
    ----------
    names : tuple of str
        Learners.
    excess : ndarray of shape (n_learners,)
        Mean loss minus the lowest mean loss of the others: below 0 for the lowest alone.
    low, high : ndarray of shape (n_learners,)
        Bounds of the expected excess, at most 0 and at least 0; with probability 1 - alpha all
        of them hold.
    may_be_best : ndarray of shape (n_learners,), bool
        Learners that no other is shown to beat.
    alpha : float
        Probability that any bound fails.
    """

    names: tuple[str, ...]
    excess: Floats
    low: Floats
    high: Floats
    may_be_best: Bools
    alpha: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner.

        Returns
        -------
        DataFrame
            Columns learner, excess (mean loss above the best of the others), low, high,
            may_be_best.
        """
        import pandas as pd

        columns = {name: getattr(self, name) for name in ("excess", "low", "high", "may_be_best")}
        return pd.DataFrame({"learner": self.names, **columns})


def comparisons_with_best(
    compared: PairedComparison, *, alpha: float = 0.05, names: Sequence[str] | None = None
) -> BestComparisons:
    """Bound the loss of each learner above that of the best of the others.

    If the standard errors are right, all bounds hold together with probability at least
    1 - alpha, and the best learner is among `may_be_best`.

    Parameters
    ----------
    compared : PairedComparison
        Of every ordered pair of learners, fields of shape (n_learners, n_learners), loss of the
        row minus loss of the column; by the corrected resampled t test as a rule.
    alpha : float in (0, 1), default=0.05
        Probability that any bound fails.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out.

    Returns
    -------
    BestComparisons
        A learner shown to be the only best has high = 0; one shown to be beaten has low = 0.
        One learner has no other: all its figures are 0. Pairs whose standard error is nan, since
        their differences do not vary, have bounds of infinite width.

    Raises
    ------
    InvalidArgumentError
        If the fields are not square, names do not fit, or `alpha` is not inside (0, 1).

    Notes
    -----
    Hsu's constrained multiple comparisons with the best [1]_, paired. With d_ij the mean
    difference, s_ij its standard error and c = t_{1 - alpha / (K - 1)}, let G hold every i with
    d_ij <= c s_ij for all j. Then low_i = min(0, max_{j != i} (d_ij - c s_ij)), and
    high_i = max(0, max_{j in G, j != i} (d_ij + c s_ij)), 0 if G holds i alone.

    Everything follows from K - 1 one-sided bounds: those of each other learner against the
    learner b that is truly best (any one of several). It is not known which it is, but whichever
    it is, only these K - 1 need to hold together, which Bonferroni's c grants under any
    dependence [2]_. On them b lies in G; for i other than b the true excess is that over b, so
    d_ib + c s_ib bounds it; and that of b is at most 0.

    References
    ----------
    .. [1] Hsu (1984), Constrained simultaneous confidence intervals for multiple comparisons
       with the best, Annals of Statistics 12(3).
    .. [2] Edwards & Hsu (1983), Multiple comparisons with the best treatment, Journal of the
       American Statistical Association 78(384).

    Examples
    --------
    >>> from bestofk.inference import Sampling, paired_test
    >>> from bestofk.inference.many_learners.pair_evidence import compare_all
    >>> losses = [[0.20, 0.30, 0.21], [0.22, 0.33, 0.21], [0.21, 0.32, 0.22], [0.23, 0.33, 0.24]]
    >>> sampling = Sampling("k-fold", 1, 4, n_train=75, n_test=25)
    >>> compared = compare_all(losses, paired_test("corrected-t"), sampling).compared
    >>> comparisons = comparisons_with_best(compared)
    >>> comparisons.may_be_best.tolist(), comparisons.high.round(3).tolist()
    ([True, False, True], [0.019, 0.134, 0.029])
    """
    level = check_share(alpha, "alpha")
    difference = np.asarray(compared.mean)
    k = difference.shape[-1] if difference.ndim else 0
    if difference.shape != (k, k) or k == 0:
        raise InvalidArgumentError(
            "compared of comparisons_with_best must hold every ordered pair of learners; got "
            f"fields of shape {difference.shape}. Compare all learners with one test."
        )
    others = ~np.eye(k, dtype=bool)
    quantile = float(stdtrit(compared.interval_df, 1 - level / max(k - 1, 1)))
    margin = quantile * np.nan_to_num(compared.standard_error, nan=np.inf)
    may_be_best = ~np.any(others & (difference > margin), axis=1)
    low = np.max(difference - margin, axis=1, where=others, initial=-np.inf)
    high = np.max(difference + margin, axis=1, where=others & may_be_best, initial=0.0)
    excess = np.max(difference, axis=1, where=others, initial=-np.inf)
    return BestComparisons(
        names=learner_names(names, k),
        excess=excess if k > 1 else np.zeros(1),
        low=np.minimum(low, 0.0) if k > 1 else np.zeros(1),
        high=high,
        may_be_best=np.asarray(may_be_best),
        alpha=level,
    )


def _pick_with_the_best(given: OrderingInput) -> Pick:
    comparisons = comparisons_with_best(given.compared, alpha=given.alpha)
    left = tuple(int(i) for i in np.flatnonzero(comparisons.may_be_best))
    if len(left) == 1:
        return Pick(left[0], "All others are significantly worse than the best.", may_be_best=left)
    farthest = max(float(comparisons.high[i]) for i in left)
    bound = f", each at most {farthest:.3g} above the best" if np.isfinite(farthest) else ""
    return Pick(None, f"May be best: {given.list_names(left)}{bound}.", may_be_best=left)


WITH_THE_BEST = Ordering("with-the-best", "comparisons with the best", _pick_with_the_best)
