"""Variants of the 5x2cv t test, one for each of its ten differences as numerator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.results import Result
from bestofk.inference.results.result import number
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats, check_alternative, check_share
from bestofk.inference.two_learners.five_by_two_cv_f import scores_of_five_by_two
from bestofk.inference.two_learners.five_by_two_cv_t import (
    HALVES,
    N_SCORES,
    SHAPE,
    FiveByTwoCvT,
    five_by_two,
)
from bestofk.inference.two_learners.paired_test import NEARLY_NORMAL, SHARED_SPLITS
from bestofk.inference.two_learners.single_result import USUAL_LEVEL
from bestofk.words import p_text

if TYPE_CHECKING:
    import pandas as pd

FAMILY = (
    "All ten statistics test one hypothesis (family of m = 10, no correction): decide for one "
    "before you look, or take 5x2cv-f or corrected-t, which use all ten."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FiveByTwoCvNumerators(Result):
    """The ten statistics that 5x2cv t could have had.

    Parameters
    ----------
    difference, statistic, p_value : ndarray of shape (5, 2)
        Of every fold (column) of every repeat (row), had it stood in the numerator; the test
        as it was published uses the first.
    alternative : {"two-sided", "greater", "less"}
        Side of the p values, for the first minus the second.
    """

    pictures = (("numerators", "TenNumeratorsDisplay"),)

    difference: Floats
    statistic: Floats
    p_value: Floats
    alternative: str

    def n_rejected(self, alpha: float) -> int:
        """Return how many of the ten p values are at most `alpha`.

        Parameters
        ----------
        alpha : float in (0, 1)
            Level of the test.

        Returns
        -------
        int
            From 0 to 10; in between, the order of the folds decides.

        Raises
        ------
        InvalidArgumentError
            If `alpha` is not inside (0, 1).
        """
        return int((self.p_value <= check_share(alpha, "alpha")).sum())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per difference.

        Returns
        -------
        DataFrame
            Columns repeat and fold (from 0), difference, statistic, p_value (side as
            `alternative`).
        """
        import pandas as pd

        repeat, fold = np.indices(SHAPE)
        return pd.DataFrame(
            {
                "repeat": repeat.ravel(),
                "fold": fold.ravel(),
                "difference": self.difference.ravel(),
                "statistic": self.statistic.ravel(),
                "p_value": self.p_value.ravel(),
            }
        )

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        rows = [
            (
                f"repeat {i + 1}, fold {j + 1}",
                f"t = {number(self.statistic[i, j])}, p = {p_text(self.p_value[i, j])}",
            )
            for i in range(SHAPE[0])
            for j in range(SHAPE[1])
        ]
        return [*rows, (f"p at most {USUAL_LEVEL:g}", f"{self.n_rejected(USUAL_LEVEL)} of 10")]

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(t from {number(self.statistic.min())} to "
            f"{number(self.statistic.max())}, {self.n_rejected(USUAL_LEVEL)} of 10 with p at most "
            f"{USUAL_LEVEL:g} {self.alternative})"
        )


def five_by_two_cv_t_numerators(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided"
) -> FiveByTwoCvNumerators:
    """Return the 5x2cv t test with each of the ten differences in the numerator.

    Shows how much of a verdict of `five_by_two_cv_t_test` hangs on the order of the folds.

    Parameters
    ----------
    a, b : array-like of shape (5, 2), float
        Scores of the first and of the second learner, row = repeat, column = fold, in any
        unit.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    FiveByTwoCvNumerators
        [0, 0] is what `five_by_two_cv_t_test` returns; flagged ``"zero_variance"`` where the
        folds of no repeat differ.

    Raises
    ------
    DesignError
        If the shape is not (5, 2), or a score is nan or infinite.
    InvalidArgumentError
        If `alternative` is unknown.

    Notes
    -----
    The denominator is the same for all ten. The F test was made to combine them [1]_.

    References
    ----------
    .. [1] Alpaydin (1999), Combined 5x2 cv F test for comparing supervised classification
       learning algorithms, Neural Computation 11(8).

    Examples
    --------
    >>> a = [[0.30, 0.28], [0.29, 0.31], [0.27, 0.30], [0.31, 0.29], [0.30, 0.30]]
    >>> b = [[0.25, 0.26], [0.26, 0.27], [0.25, 0.24], [0.26, 0.27], [0.27, 0.25]]
    >>> ten = five_by_two_cv_t_numerators(a, b, alternative="greater")
    >>> ten.n_rejected(0.05), ten.statistic.round(1).tolist()[0]
    (5, [2.5, 1.0])
    """
    check_alternative(alternative)
    differences, scale = five_by_two(a, b, "five_by_two_cv_t_numerators")
    # Each of the ten goes first once; its partner stays in its repeat, for the denominator.
    turned = np.array([_with_first(differences, i, j) for i in range(5) for j in range(2)])
    result = FiveByTwoCvT().compare(turned, Sampling("k-fold", *SHAPE), scale=scale)
    p_value = result.p_value(alternative).reshape(SHAPE)
    n_rejected = int((p_value <= USUAL_LEVEL).sum())
    zero = bool(result.zero_variance[0])
    return FiveByTwoCvNumerators(
        procedure="5x2cv paired t test, all ten numerators",
        n=N_SCORES,
        difference=differences,
        statistic=result.statistic.reshape(SHAPE),
        p_value=p_value,
        alternative=alternative,
        assumptions=(SHARED_SPLITS, NEARLY_NORMAL, HALVES),
        flags=("zero_variance",) if zero else (),
        warnings=_warnings(n_rejected, zero),
    )


def _with_first(differences: Floats, repeat: int, fold: int) -> Floats:
    order = [repeat, *(i for i in range(SHAPE[0]) if i != repeat)]
    turned = differences[order]
    return turned[:, ::-1].ravel() if fold else turned.ravel()


def _warnings(n_rejected: int, zero: bool) -> tuple[Caution, ...]:
    limits = "The folds of no repeat differ, so the p values are limits and no evidence."
    by_order = (
        f"{n_rejected} of the ten numerators have p at most {USUAL_LEVEL:g}: the order of the "
        "folds decides the verdict of 5x2cv-t."
    )
    return (
        Caution("multiplicity", FAMILY),
        *caution_if(zero, "degenerate", limits),
        *caution_if(0 < n_rejected < N_SCORES, "split-seed", by_order),
    )


def _run(
    a: ArrayLike, b: ArrayLike, *, sampling: Sampling, alternative: str = "two-sided"
) -> FiveByTwoCvNumerators:
    a, b = scores_of_five_by_two("5x2cv-t-numerators", a, b, sampling)
    return five_by_two_cv_t_numerators(a, b, alternative=alternative)


PROCEDURE = Procedure(
    name="5x2cv-t-numerators",
    title="5x2cv paired t test, all ten numerators",
    question="Would 5x2cv t have said the same with its folds in another order?",
    takes="two-on-splits",
    run=_run,
    needs_all_splits=True,
)
