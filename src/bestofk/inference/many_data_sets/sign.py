"""Sign test of two learners over many data sets."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from bestofk.checks import check_known
from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.checks import check_alternative
from bestofk.inference.many_data_sets import remarks
from bestofk.inference.many_data_sets.ranks import paired_differences
from bestofk.inference.one_test_set.mcnemar import p_values
from bestofk.inference.one_test_set.proportion import clopper_pearson_limits
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import one_sided_limits, tail

ZEROS = ("drop", "split")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SignTestResult(HypothesisTestResult):
    """The outcome of a sign test.

    Parameters
    ----------
    wins, losses, ties : int
        Data sets where the score of the first is greater, smaller, the same as that of the
        second. Of losses (errors) a greater one is worse.
    """

    wins: int
    losses: int
    ties: int

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the Clopper-Pearson limits of the share of data sets where the first is greater.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence, which is kept at least.

        Returns
        -------
        low, high : float
            From 0 to 1; (0, 1) where all data sets tie. One-sided tests have one-sided
            intervals.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        outside = tail(level, self.alternative)
        low, high = clopper_pearson_limits(int(self.statistic), self.n, outside)
        return one_sided_limits(low, high, self.alternative, least=0.0, most=1.0)


def sign_test(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided", zeros: str = "drop"
) -> SignTestResult:
    """Compare two learners over many data sets by the sign test.

    Null hypothesis: on a data set where they differ either learner has the greater score with
    probability 1/2 (two-sided), or the first with no greater ("greater") or no smaller ("less")
    one. Design: paired, one score of each learner per data set; sizes of differences do not
    count, so units may differ.

    Parameters
    ----------
    a, b : array-like of shape (n_data_sets,), float
        One score of the first and of the second learner on each data set. What agrees in 12
        significant digits is a tie.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.
    zeros : {"drop", "split"}, default="drop"
        Ties are left out, or given half to each side, an odd one left out [1]_.

    Returns
    -------
    SignTestResult
        Statistic: data sets where a > b, with split ties if asked for; estimate: their share of
        the n that count; effect size (statistic - (n - statistic)) / n. If all tie and are
        dropped: p value 1, flag ``"all_ties"``, n = 0.

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, or of fewer than two data sets.
    InvalidArgumentError
        If `alternative` or `zeros` is unknown.

    See Also
    --------
    wilcoxon_test : Shows more where sizes of differences can be compared.

    Notes
    -----
    Two-sided p values are twice the smaller binomial tail, at most 1. When not to
    trust it: data sets that are variants of each other.

    References
    ----------
    .. [1] Demsar (2006), Statistical comparisons of classifiers over multiple data sets,
       Journal of Machine Learning Research 7.

    Examples
    --------
    >>> result = sign_test([0.9, 0.8, 0.7, 0.9, 0.6, 0.8], [0.8, 0.7, 0.7, 0.8, 0.5, 0.7])
    >>> result.wins, result.losses, result.ties, result.p_value
    (5, 0, 1, 0.0625)
    """
    check_alternative(alternative)
    check_known(zeros, "zeros of sign_test", ZEROS)
    differences = paired_differences(a, b, "sign_test")
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    ties = len(differences) - wins - losses
    half = ties // 2 if zeros == "split" else 0
    greater, n = wins + half, wins + losses + 2 * half
    p_value = float(p_values(greater, n - greater, "exact")[alternative])
    tied = wins + losses == 0
    return SignTestResult(
        procedure="sign test",
        n=n,
        n_of="data sets that count",
        assumptions=(remarks.INDEPENDENT, remarks.RANKED_WITHIN),
        flags=("all_ties",) if tied else (),
        warnings=(
            *(remarks.all_ties("data sets") if tied else remarks.few_differences(n, alternative)),
            *remarks.not_equal(p_value),
        ),
        statistic=float(greater),
        symbol="wins",
        p_value=p_value,
        alternative=alternative,
        estimate=greater / n if n else 0.5,
        estimate_of="share of data sets where the first is greater",
        effect_size=(2 * greater - n) / n if n else 0.0,
        effect_size_of="wins minus losses, as a share",
        distribution="binomial",
        wins=wins,
        losses=losses,
        ties=ties,
    )


PROCEDURE = Procedure(
    name="sign-test",
    title="sign test",
    question="Does one of two learners win on more data sets than the other?",
    takes="two-on-data-sets",
    run=sign_test,
    aliases=("signs",),
)
