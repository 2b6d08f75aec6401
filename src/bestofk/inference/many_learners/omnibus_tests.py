"""Tests of K learners on shared splits: analyses of variance and Kruskal-Wallis."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc, fdtri

from bestofk.array_types import Floats, Ints
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import Names, learner_table
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.inference.results import OmnibusResult, number
from bestofk.inference.sampling import Sampling, refuse_order
from bestofk.inference.two_learners.paired_test import check_refusal
from bestofk.measures.ties import is_noise, tied_values
from bestofk.words import fixed, p_text

# Level at which cautions speak of "shown" and "not shown".
CAUTION_ALPHA = 0.05
# With fewer scores of each learner only large differences can be shown.
FEW_SCORES = 10
NO_VARIANCE = Caution(
    "degenerate",
    "Apart from the differences between learners the scores do not vary, so statistic and p value "
    "are limits, not evidence.",
)


@dataclass(frozen=True)
class MeanSquares:
    """Numerator and denominator of an F statistic.

    Parameters
    ----------
    learners, error : float
        Mean squares.
    df : tuple of two floats
        Their degrees of freedom.
    """

    learners: float
    error: float
    df: tuple[float, float]

    @property
    def has_variance(self) -> bool:
        """True if the error is more than rounding noise."""
        return self.error > 0

    @property
    def statistic(self) -> float:
        """F; 0 where nothing varies, inf where only the learners differ."""
        if self.has_variance:
            return self.learners / self.error
        return np.inf if self.learners > 0 else 0.0

    def p_value(self, epsilon: float = 1.0) -> float:
        """Return P(F > statistic), both degrees of freedom multiplied by `epsilon`."""
        if not self.has_variance:
            return 0.0 if self.learners > 0 else 1.0
        return float(fdtrc(self.df[0] * epsilon, self.df[1] * epsilon, self.statistic))

    def fields(self, scores: Floats) -> dict[str, Any]:
        """Return the fields that results of all such tests of a table have."""
        return {
            "n": len(scores),
            "statistic": self.statistic,
            "df": self.df,
            "levels": tuple(scores.mean(axis=0).tolist()),
            "flags": () if self.has_variance else ("zero_variance",),
        }


def _mean_squares(table: Floats, residuals: Floats, df_error: int) -> MeanSquares:
    n_splits, k = table.shape
    means = table.mean(axis=0)
    df = float(k - 1), float(df_error)
    between = n_splits * ((means - means.mean()) ** 2).sum() / df[0]
    scale = np.abs(table).max() * np.sqrt(n_splits)
    learners, error = (
        0.0 if is_noise(np.sqrt(square), scale) else float(square)
        for square in (between, (residuals**2).sum() / df[1])
    )
    return MeanSquares(learners, error, df)


def cautions(
    title: str,
    n_scores: int,
    sampling: Sampling | None,
    p_value: float,
    has_variance: bool = True,
    can_show: str = "",
) -> tuple[Caution, ...]:
    """Return what to distrust of a test of K learners on shared splits.

    Parameters
    ----------
    title : str
        Of the test.
    n_scores : int
        Scores of each learner.
    sampling : Sampling or None
        How they were made; None is taken for one run of k-fold.
    p_value : float in [0, 1]
        Of the hypothesis; the largest where there are several.
    has_variance : bool, default=True
        Whether the figures are no limits.
    can_show : str, default=""
        What so few scores can show, the end of a sentence.

    Returns
    -------
    tuple of Caution
        Those of zero variance, overlap, few scores and "not equal" that apply.

    Raises
    ------
    DesignError
        If the splits are periods in order of time.
    """
    check_refusal(title, refuse_order(f"the {title}", sampling.scheme) if sampling else None)
    overlap = (
        "The training sets of the splits share rows, so the error variance is underestimated and "
        f"the {title} rejects too often."
    )
    few = f"Only {n_scores} scores of each learner: {can_show}."
    not_equal = (
        f"Not all learners differ significantly at {CAUTION_ALPHA:g}. That does not mean equal."
    )
    # without a plan it is taken for one run of k-fold
    has_overlap = max(sampling.n_repeats, sampling.n_folds - 1) > 1 if sampling else n_scores > 2
    is_few = n_scores < FEW_SCORES and has_variance and can_show != ""
    return (
        *(() if has_variance else (NO_VARIANCE,)),
        *caution_if(has_overlap, "overlap", overlap),
        *caution_if(is_few, "few-scores", few),
        *caution_if(p_value > CAUTION_ALPHA, "not-equal", not_equal),
    )


ANOVA_TITLE = "one-way analysis of variance"
ASSUMPTIONS = (
    "The scores of each learner are normal with one variance.",
    "All scores are independent, also those on the same split.",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnovaResult(OmnibusResult):
    """The outcome of an analysis of variance.

    Parameters
    ----------
    ms_learners, ms_error : float
        Mean squares between the learners and of the error; F is their ratio.
    """

    ms_learners: float
    ms_error: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        learners = ("mean square of learners", number(self.ms_learners))
        return [learners, ("mean square of error", number(self.ms_error)), *super().rows()]


def anova_test(
    scores: ArrayLike, *, names: Names = None, sampling: Sampling | None = None
) -> AnovaResult:
    """Test whether any of K learners differ, by one-way analysis of variance.

    Null hypothesis: all learners have the same expected score. Rejection names no best.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. Required with more learners than splits, so
        that no transposed table is accepted.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.

    Returns
    -------
    AnovaResult
        With df = (K - 1, K (L - 1)) for L splits and eta squared as effect size. If the scores
        of no learner vary: statistic 0 and p value 1 where all are the same, else inf and 0,
        flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit.

    See Also
    --------
    repeated_measures_anova_test : Uses that the splits are shared; the better design.

    Notes
    -----
    MST = L sum_i (m_i - m)^2 / (K - 1), MSE = sum_ij (Y_ij - m_i)^2 / (K (L - 1)),
    F = MST / MSE [1]_. When not to trust it: on shared splits the scores of two learners are
    correlated, and on overlapping training sets those of one learner are too.

    References
    ----------
    .. [1] Fisher (1925), Statistical Methods for Research Workers.

    Examples
    --------
    >>> result = anova_test([[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]])
    >>> round(result.statistic, 2), result.df, round(result.p_value, 4)
    (24.0, (1.0, 4.0), 0.008)
    """
    table, labels = learner_table(scores, "scores of anova_test", row="split", names=names)
    squares = one_way(table)
    p_value, can_show = squares.p_value(), _least_share(squares.df)
    between, within = squares.learners * squares.df[0], squares.error * squares.df[1]
    return AnovaResult(
        p_value=p_value,
        names=labels,
        effect_size=between / (between + within) if between + within > 0 else 0.0,
        effect_size_of="eta squared",
        assumptions=ASSUMPTIONS,
        **_anova_fields(squares, table, ANOVA_TITLE, sampling, p_value, can_show),
    )


def _anova_fields(
    squares: MeanSquares,
    table: Floats,
    title: str,
    sampling: Sampling | None,
    p_value: float,
    can_show: str,
) -> dict[str, Any]:
    """Return the fields that results of both analyses of variance have."""
    return squares.fields(table) | {
        "procedure": title,
        "ms_learners": squares.learners,
        "ms_error": squares.error,
        "warnings": cautions(title, len(table), sampling, p_value, squares.has_variance, can_show),
    }


def one_way(table: Floats) -> MeanSquares:
    """Return the mean squares between learners and within them.

    Parameters
    ----------
    table : ndarray of shape (n_splits, n_learners)
        Scores.

    Returns
    -------
    MeanSquares
        Mean squares that are rounding noise are 0.
    """
    n_splits, k = table.shape
    return _mean_squares(table, table - table.mean(axis=0), k * (n_splits - 1))


def _least_share(df: tuple[float, float]) -> str:
    """Return in words how much of the variance learners must explain to be shown to differ."""
    bar = df[0] * float(fdtri(*df, 1 - CAUTION_ALPHA))
    return (
        f"learners differ significantly at {CAUTION_ALPHA:g} only if they explain at least "
        f"{fixed(100 * bar / (bar + df[1]), 0, whole=100)}% of the variance"
    )


ANOVA = Procedure(
    name="anova",
    title=ANOVA_TITLE,
    question="Do any of K learners differ, as if all scores were independent?",
    takes="many-on-splits",
    run=anova_test,
    aliases=("one-way-anova", "f-oneway"),
)


_REPEATED_TITLE = "repeated-measures analysis of variance"
_REPEATED_ASSUMPTIONS = (
    "Splits are independent of each other, and the deviations of the scores are normal.",
    "The p value without epsilon: all differences of two learners vary equally (sphericity).",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RepeatedMeasuresResult(AnovaResult):
    """The outcome of an analysis of variance with splits as blocks.

    Parameters
    ----------
    epsilon_gg, epsilon_hf : float in (0, 1]
        Greenhouse-Geisser's and Huynh-Feldt's estimate of how far sphericity holds; 1 if it
        does.
    p_gg, p_hf : float in [0, 1]
        P values with both degrees of freedom multiplied by epsilon.
    """

    epsilon_gg: float
    epsilon_hf: float
    p_gg: float
    p_hf: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        return [
            *super().rows(),
            ("p value, Greenhouse-Geisser", f"{p_text(self.p_gg)} ({number(self.epsilon_gg)})"),
            ("p value, Huynh-Feldt", f"{p_text(self.p_hf)} ({number(self.epsilon_hf)})"),
        ]


def repeated_measures_anova_test(
    scores: ArrayLike, *, names: Names = None, sampling: Sampling | None = None
) -> RepeatedMeasuresResult:
    """Test whether any of K learners differ, each split taken as a block.

    Null hypothesis: all learners have the same expected score. Rejection names no best.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. Required with more learners than splits, so
        that no transposed table is accepted.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.

    Returns
    -------
    RepeatedMeasuresResult
        With df = (K - 1, (K - 1)(L - 1)) for L splits and generalized eta squared as effect
        size. `p_value` takes sphericity for granted; `p_gg` does not. If learners differ by the
        same on every split: statistic 0 and p values 1 where they do not differ at all, else inf
        and 0, epsilons 1, flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit.

    Notes
    -----
    F = MS of learners / MS of learner x split. With S the covariance matrix of the learners,
    centered by rows and columns, epsilon is tr(S)^2 / ((K - 1) tr(S S)) [1]_; Huynh & Feldt
    correct its bias, capped at 1 [2]_. Generalized eta squared is the share of the learners in
    the whole sum of squares [3]_. When not to trust it: training sets of splits overlap.

    References
    ----------
    .. [1] Greenhouse & Geisser (1959), On methods in the analysis of profile data,
       Psychometrika 24.
    .. [2] Huynh & Feldt (1976), Estimation of the Box correction for degrees of freedom from
       sample data, Journal of Educational Statistics 1(1).
    .. [3] Olejnik & Algina (2003), Generalized eta and omega squared statistics, Psychological
       Methods 8(4).

    Examples
    --------
    >>> result = repeated_measures_anova_test(
    ...     [[0.20, 0.25, 0.21], [0.22, 0.24, 0.24], [0.21, 0.26, 0.22], [0.24, 0.27, 0.23]]
    ... )
    >>> round(result.statistic, 2), result.df
    (12.06, (2.0, 6.0))
    >>> [round(p, 4) for p in (result.p_value, result.p_hf, result.p_gg)]
    [0.0079, 0.0079, 0.0167]
    """
    table, labels = learner_table(
        scores, "scores of repeated_measures_anova_test", row="split", names=names
    )
    squares = blocked(table)
    gg = greenhouse_geisser(table) if squares.has_variance else 1.0
    hf = _huynh_feldt(gg, *table.shape)
    p_gg = squares.p_value(gg)
    can_show = f"{_least_share(squares.df)} around the means of the splits"
    total = ((table - table.mean()) ** 2).sum()
    return RepeatedMeasuresResult(
        p_value=squares.p_value(),
        names=labels,
        effect_size=float(squares.learners * squares.df[0] / total) if total > 0 else 0.0,
        effect_size_of="generalized eta squared",
        epsilon_gg=gg,
        epsilon_hf=hf,
        p_gg=p_gg,
        p_hf=squares.p_value(hf),
        assumptions=_REPEATED_ASSUMPTIONS,
        **_anova_fields(squares, table, _REPEATED_TITLE, sampling, p_gg, can_show),
    )


def blocked(table: Floats) -> MeanSquares:
    """Return the mean squares of learners, and of learners within splits.

    Parameters
    ----------
    table : ndarray of shape (n_splits, n_learners)
        Scores.

    Returns
    -------
    MeanSquares
        Mean squares that are rounding noise are 0.
    """
    n_splits, k = table.shape
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    return _mean_squares(table, residuals, (k - 1) * (n_splits - 1))


def greenhouse_geisser(table: Floats | Ints) -> float:
    """Return how far the covariances of the columns are from sphericity.

    Parameters
    ----------
    table : ndarray of shape (n_splits, n_learners)
        Scores, or 0 and 1 for rows that learners get wrong and right.

    Returns
    -------
    float
        Epsilon, from 1 / (n_learners - 1) to 1; 1 where the differences do not vary.
    """
    covariance = np.cov(table, rowvar=False)
    k = len(covariance)
    centered = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None]
    centered = centered + covariance.mean()
    squared = (centered**2).sum()
    if is_noise(np.sqrt(squared), np.trace(covariance)):
        return 1.0
    return float(np.clip(np.trace(centered) ** 2 / ((k - 1) * squared), 1 / (k - 1), 1))


def _huynh_feldt(epsilon: float, n_splits: int, k: int) -> float:
    below = (k - 1) * (n_splits - 1 - (k - 1) * epsilon)
    above = n_splits * (k - 1) * epsilon - 2
    return 1.0 if below <= 0 or above >= below else float(max(above / below, epsilon))


REPEATED_MEASURES = Procedure(
    name="repeated-measures-anova",
    title=_REPEATED_TITLE,
    question="Do any of K learners differ, as if the splits were independent?",
    takes="many-on-splits",
    run=repeated_measures_anova_test,
    aliases=("rm-anova", "within-subjects-anova", "anova-rm"),
)


_KRUSKAL_TITLE = "Kruskal-Wallis test"
_KRUSKAL_ASSUMPTIONS = ("All scores are independent, also those on the same split.",)


def kruskal_wallis_test(
    scores: ArrayLike,
    *,
    names: Names = None,
    sampling: Sampling | None = None,
    greater_is_better: bool = False,
) -> OmnibusResult:
    """Test whether the scores of any of K learners tend to be greater than those of another.

    Null hypothesis: the scores of all learners have one distribution. Rejection names no best.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. Required with more learners than splits, so
        that no transposed table is accepted.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.
    greater_is_better : bool, default=False
        Decides which end has rank 1; the test is the same.

    Returns
    -------
    OmnibusResult
        With df = K - 1, mean ranks (1 is best) and epsilon squared = H / (K L - 1) as effect
        size. If all scores are tied: statistic 0, p value 1, flagged ``"all_ties"``.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit.

    Notes
    -----
    All K L scores are ranked together; H = 12 / (n (n + 1)) L sum_i (r_i - (n + 1) / 2)^2 with
    n = K L and r_i the mean rank of learner i, divided by 1 - sum (t^3 - t) / (n^3 - n) over
    the groups of t ties; compared with chi squared [1]_. When not to trust it: it does not use
    that the splits are shared, and their training sets overlap.

    References
    ----------
    .. [1] Kruskal & Wallis (1952), Use of ranks in one-criterion variance analysis, Journal of
       the American Statistical Association 47(260).

    Examples
    --------
    >>> result = kruskal_wallis_test([[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]])
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4), result.levels
    (3.857, 1.0, 0.0495, (2.0, 5.0))
    """
    table, labels = learner_table(scores, "scores of kruskal_wallis_test", row="split", names=names)
    n_splits, k = table.shape
    n = table.size
    values = tied_values((-table if greater_is_better else table).ravel())
    ties = np.unique(values, return_counts=True)[1].astype(float)
    means = mid_ranks(values).reshape(table.shape).mean(axis=0)
    untied = 1 - (ties**3 - ties).sum() / (n**3 - n)
    spread = n_splits * ((means - (n + 1) / 2) ** 2).sum()
    statistic = float(12 * spread / (n * (n + 1)) / untied) if len(ties) > 1 else 0.0
    p_value = float(chdtrc(k - 1, statistic))
    farthest = 12 * n_splits**3 * k * (k**2 - 1) / 12 / (n * (n + 1))
    can_show = (
        "even learners without any overlap of their scores reach no smaller p value than "
        f"{float(chdtrc(k - 1, farthest)):.2g}"
    )
    return OmnibusResult(
        procedure=_KRUSKAL_TITLE,
        n=n_splits,
        statistic=statistic,
        symbol="H",
        df=float(k - 1),
        p_value=p_value,
        names=labels,
        levels=tuple(means.tolist()),
        level_of="mean rank",
        effect_size=statistic / (n - 1),
        effect_size_of="epsilon squared",
        distribution="chi squared",
        assumptions=_KRUSKAL_ASSUMPTIONS,
        flags=() if len(ties) > 1 else ("all_ties",),
        warnings=cautions(_KRUSKAL_TITLE, n_splits, sampling, p_value, len(ties) > 1, can_show),
    )


KRUSKAL_WALLIS = Procedure(
    name="kruskal-wallis",
    title=_KRUSKAL_TITLE,
    question="Do the scores of any of K learners tend to be greater than those of another?",
    takes="many-on-splits",
    run=kruskal_wallis_test,
    aliases=("kruskal",),
)
