"""Student's t tests of two learners on shared splits: corrected, plain, with calibrated df."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bestofk.array_types import Floats
from bestofk.checks import check_known, check_number
from bestofk.errors import DesignError
from bestofk.inference.cautions import Caution
from bestofk.inference.checks import check_share
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.paired_test import (
    NEARLY_NORMAL,
    SHARED_SPLITS,
    PairedComparison,
    PairedTest,
    check_differences,
    compare_by_t,
    few_scores,
    paired_scores,
    score_scale,
    single_result,
    unstable,
)
from bestofk.randomness import derive_rng

OVERLAP = "Training sets share rows between splits; the correction for that is a rule of thumb."
UNSTABLE = unstable("corrected-t")
ONE_RUN = (
    "One repeat of cross-validation seldom detects a real difference. Repeat it, for example with "
    "--cv 10x10."
)
BOOTSTRAP = (
    "Bootstrap training sets hold rows more than once, which the correction ignores: treat these p "
    "values as rough."
)
TRAINED_ON = (
    "Each model was tested on rows that it trained on, 63% of all on average: errors are too low, "
    "most of all for learners that remember rows, and their order may be wrong. "
    "100xbootstrap tests only the other rows."
)


class CorrectedT(PairedTest):
    """The corrected resampled t test as orderings use it; see `corrected_resampled_t_test`."""

    name = "corrected-t"
    title = "corrected resampled t test"
    question = "Do two learners differ on repeated splits, allowing for shared training rows?"
    assumptions = (
        SHARED_SPLITS,
        NEARLY_NORMAL,
        "Scores of two splits are correlated by n_test / (n_train + n_test).",
    )
    if_unstable = UNSTABLE
    aliases = ("corrected-resampled-t", "resampled-t", "nadeau-bengio", "corrected-ttest")

    def refuse(self, sampling: Sampling) -> str | None:
        """Refuse a single score, and sizes that are unknown."""
        if sampling.n_scores < 2:
            return "corrected-t needs at least 2 scores per learner, and there is 1."
        if sampling.n_train is None or sampling.n_test is None:
            return "corrected-t needs the sizes of training and test sets, and they are unknown."
        return None

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Warn of the rule of thumb always; of one run, bootstrap and few scores in place."""
        results = [OVERLAP]
        if sampling.scheme in ("k-fold", "leave-one-out") and sampling.n_repeats == 1:
            results.append(ONE_RUN)
        if sampling.scheme.startswith("bootstrap"):
            results.append(BOOTSTRAP)
        if sampling.scheme == "bootstrap-full":
            results.append(TRAINED_ON)
        return (*results, *few_scores(sampling.n_scores))

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair of an array; sizes of the sampling make the correction."""
        values = check_differences(differences, self.name)
        standard_error = corrected_standard_error(values, sampling)
        scale = score_scale(values, scale)
        return compare_by_t(values.mean(axis=-1), standard_error, values.shape[-1], scale=scale)


def corrected_standard_error(differences: Floats, sampling: Sampling) -> Floats:
    """Return sqrt((1/n + n_test/n_train) s^2), n the number of scores.

    Parameters
    ----------
    differences : ndarray of shape (..., n_scores)
        First minus second.
    sampling : Sampling
        Gives n_train and n_test.

    Returns
    -------
    ndarray of shape (...)
        Standard error of the mean difference.

    Raises
    ------
    DesignError
        If a size is unknown.
    """
    factor = 1 / differences.shape[-1] + sampling.size_ratio("corrected-t")
    return np.asarray(np.sqrt(factor) * differences.std(axis=-1, ddof=1))


def corrected_resampled_t_test(
    a: ArrayLike, b: ArrayLike, *, n_train: float, n_test: float, alternative: str = "two-sided"
) -> HypothesisTestResult:
    """Compare two learners on repeated splits, allowing for overlapping training sets.

    Null hypothesis: both learners have the same expected score when trained on `n_train`
    rows (two-sided), or the first has no greater ("greater") or no smaller ("less") one.
    Design: paired; r repeats of k folds, or repeated hold-out, with shared splits.

    Parameters
    ----------
    a, b : array-like of one shape, float
        Scores of the first and of the second learner on the same splits, in any unit; the
        order of the splits does not matter.
    n_train, n_test : float
        Mean number of rows trained on and tested on; for k folds of n rows n - n/k and n/k.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    HypothesisTestResult
        With df = number of scores - 1. If all differences are 0: statistic 0, p value 1. If
        they are all the same but not 0: statistic inf or -inf, p value 0 (1 on the wrong
        side). Both are flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite or fewer than two.
    InvalidArgumentError
        If a size is not positive or `alternative` is unknown.

    See Also
    --------
    paired_t_test : Without the correction.

    Notes
    -----
    t = mean(d) / sqrt((1/n + n_test/n_train) s^2) with d = a - b and n the number of *scores*,
    not of rows [1]_; n = r k for r runs of k folds [2]_. When not to trust it: unstable learners
    may exceed the level; a single run of k-fold makes it conservative.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52.
    .. [2] Bouckaert & Frank (2004), Evaluating the replicability of significance tests for
       comparing learning algorithms, PAKDD.

    Examples
    --------
    >>> a, b = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
    >>> result = corrected_resampled_t_test(a, b, n_train=75, n_test=25)
    >>> round(result.statistic, 4), result.df, round(result.p_value, 4)
    (-1.8183, 3.0, 0.1666)
    """
    differences, scale = paired_scores(a, b, "corrected_resampled_t_test")
    sampling = Sampling("custom", 1, differences.size, n_train, n_test)
    return CorrectedT().single(differences, scale, sampling, alternative)


CORRECTED_T = CorrectedT().procedure


K_FOLD_OVERLAP = Caution(
    "overlap",
    "The training sets of k-fold overlap, so the variance is underestimated and the paired t test "
    "rejects too often; corrected-t allows for the overlap.",
)


class PairedT(PairedTest):
    """The paired t test as orderings use it; see `paired_t_test`."""

    name = "paired-t"
    title = "paired t test"
    aliases = ("t-test", "ttest", "t", "paired-ttest", "ttest-rel", "students-t")
    question = "Do two learners differ on one run of k-fold, as if its folds were independent?"
    assumptions = (SHARED_SPLITS, NEARLY_NORMAL, "Folds are independent, which they are not.")

    def refuse(self, sampling: Sampling) -> str | None:
        """Refuse all but one run of k-fold: about half of true nulls fall with repeats."""
        if sampling.scheme != "k-fold" or sampling.n_folds < 2:
            return f"paired-t needs one run of k-fold, and this is {sampling.scheme}."
        if sampling.n_repeats > 1:
            return (
                f"paired-t needs one run of k-fold, and these are {sampling.n_repeats} repeats, "
                "whose scores depend on each other."
            )
        return None

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Warn of overlap but for two folds, whose training sets share nothing."""
        overlap = (K_FOLD_OVERLAP,) if sampling.n_folds > 2 else ()
        return (*few_scores(sampling.n_scores), *overlap)

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair of an array; the sampling is not used."""
        values = check_differences(differences, self.name)
        n_scores = values.shape[-1]
        standard_error = values.std(axis=-1, ddof=1) / np.sqrt(n_scores)
        scale = score_scale(values, scale)
        return compare_by_t(values.mean(axis=-1), standard_error, n_scores, scale=scale)


def paired_t_test(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided"
) -> HypothesisTestResult:
    """Compare two learners by the paired t test on one run of k-fold cross-validation.

    Null hypothesis: both learners have the same expected score (two-sided), or the first
    has no greater ("greater") or no smaller ("less") one. Design: paired, one score of
    each learner per fold.

    Parameters
    ----------
    a, b : array-like of shape (n_folds,), float
        Scores of the first and of the second learner on the same folds, in any unit.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    HypothesisTestResult
        With df = n_folds - 1. If all differences are 0: statistic 0, p value 1. If they are
        all the same but not 0: statistic inf or -inf, p value 0 (1 on the wrong side). Both
        are flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the scores do not pair, are not one-dimensional, not finite or fewer than two.
    InvalidArgumentError
        If `alternative` is unknown.

    See Also
    --------
    corrected_resampled_t_test : For repeats, and for a level that holds.

    Notes
    -----
    t = mean(d) / (sd(d) / sqrt(n)) with d = a - b [1]_. The effect size d_z = mean(d) / sd(d) is
    inflated where scores are averages: do not compare it across plans. When not to trust it: the
    folds share training rows, so the variance is underestimated; with unstable learners the test
    rejects more than twice as often as its level says.

    References
    ----------
    .. [1] Dietterich (1998), Approximate statistical tests for comparing supervised
       classification learning algorithms, Neural Computation 10(7).

    Examples
    --------
    >>> result = paired_t_test([0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18])
    >>> round(result.statistic, 4), result.df, round(result.p_value, 4)
    (-2.7775, 3.0, 0.0691)
    """
    differences, scale = paired_scores(a, b, "paired_t_test")
    if differences.ndim != 1:
        raise DesignError(
            "scores of paired_t_test must be one number per fold of a single run; got shape "
            f"{differences.shape}. Use corrected_resampled_t_test for repeats."
        )
    sampling = Sampling("k-fold", 1, differences.size)
    return PairedT().single(differences, scale, sampling, alternative)


PAIRED_T = PairedT().procedure


SCHEMES = ("use-all-data", "sorted-runs", "fold-averages", "run-averages")
N_SIMULATIONS = 20_000
_CHUNK = 1_000
_LOWEST, _HIGHEST = 0.05, 1e6


def check_scheme(scheme: str) -> str:
    """Return the name of a scheme; underscores do for hyphens.

    Parameters
    ----------
    scheme : str
        One of `SCHEMES`.

    Returns
    -------
    str
        As this package writes it.

    Raises
    ------
    InvalidArgumentError
        If there is no such scheme.
    """
    key = str(scheme).replace("_", "-")
    check_known(key, "scheme", SCHEMES, rule=f"one of {len(SCHEMES)}", got=scheme)
    return key


def scheme_values(differences: Floats, scheme: str) -> Floats:
    """Return the values on which the t test of a scheme works.

    Parameters
    ----------
    differences : ndarray of shape (..., n_repeats, n_folds)
        First minus second.
    scheme : str
        "use-all-data": all differences. "sorted-runs": those of each run (repeat) are sorted,
        then averaged over runs place by place. "fold-averages": one mean per fold number,
        "run-averages": one mean per run.

    Returns
    -------
    ndarray of shape (..., n_values)
        n_values is n_repeats n_folds, n_folds, n_folds or n_repeats.
    """
    if scheme == "run-averages":
        return np.asarray(differences.mean(axis=-1))
    if scheme in ("sorted-runs", "fold-averages"):
        runs = np.sort(differences, axis=-1) if scheme == "sorted-runs" else differences
        return np.asarray(runs.mean(axis=-2))
    return differences.reshape(*differences.shape[:-2], -1)


def calibrate_df(
    scheme: str,
    n_repeats: int,
    n_folds: int,
    *,
    alpha: float = 0.05,
    correlation: float | None = None,
    random_state: int = 0,
) -> float:
    """Return degrees of freedom with which a scheme keeps its level under a simple model.

    The model: differences are normal, and any two of them, of the same run or not, have one
    correlation. Bouckaert [1]_ calibrated by simulated data sets and real learners; this model
    gives 9.6 where 10 was published (10 repeats of 10 folds, all data).

    Parameters
    ----------
    scheme : {"use-all-data", "sorted-runs", "fold-averages", "run-averages"}
        How the differences enter the test.
    n_repeats, n_folds : int
        Runs, at least 1, and folds of each, at least 2.
    alpha : float in (0, 1), default=0.05
        Two-sided level that is to be kept.
    correlation : float in [0, 1), optional
        Of two differences; 1 / n_folds, the share of the test rows, if left out.
    random_state : int, default=0
        For "sorted-runs", which is simulated 20,000 times; the others are solved exactly.

    Returns
    -------
    float
        To be handed to `calibrated_t_test` as `df`; not an integer as a rule.

    Raises
    ------
    InvalidArgumentError
        If the scheme is unknown or a number is not allowed.
    DesignError
        If the scheme leaves fewer than two values.

    Notes
    -----
    With all data the calibrated test rejects at `alpha` exactly when the corrected resampled
    t test does: both rest on the same correlation. When not to trust it: the correlation is a
    rule of thumb, unstable learners have another; at other levels than `alpha` the calibration
    is only near.

    References
    ----------
    .. [1] Bouckaert (2003), Choosing between two learning algorithms based on calibrated
       tests, ICML.

    Examples
    --------
    >>> round(calibrate_df("use-all-data", 10, 10), 2)
    9.55
    """
    scheme, alpha = check_scheme(scheme), check_share(alpha, "alpha")
    check_shape(scheme, n_repeats, n_folds)
    rho = 1 / n_folds if correlation is None else float(correlation)
    way_out = "Leave it out for 1 / n_folds."
    check_number(rho, "correlation of calibrate_df", low=0, high=1, is_open="high", way_out=way_out)
    if scheme == "sorted-runs":
        ratio = _simulated_ratio(n_repeats, n_folds, rho, alpha, random_state)
    else:
        averaged = {"use-all-data": 1, "fold-averages": n_repeats, "run-averages": n_folds}
        n_values = n_repeats * n_folds // averaged[scheme]
        # correlation / (1 - correlation) of the values grows with what they average
        odds = averaged[scheme] * rho / (1 - rho)
        ratio = float(stdtrit(n_values - 1, 1 - alpha / 2)) * np.sqrt(1 / n_values + odds)
    return _solve(ratio, alpha)


def check_shape(scheme: str, n_repeats: int, n_folds: int) -> None:
    """Raise unless repeats and folds leave a scheme at least two values.

    Parameters
    ----------
    scheme : str
        One of `SCHEMES`.
    n_repeats, n_folds : int
        Shape of the scores.

    Raises
    ------
    DesignError
        If there are fewer.
    """
    if n_folds < 2 or n_repeats < 1:
        raise DesignError(
            "scores of a calibrated t test must be at least 1 repeat (row) of 2 folds (columns); "
            f"got {n_repeats} of {n_folds}. Use corrected-t for repeated hold-out."
        )
    if scheme == "run-averages" and n_repeats < 2:
        raise DesignError(
            "scores of a calibrated t test on run-averages must be at least 2 repeats; got "
            f"{n_repeats}. Use use-all-data."
        )


def _simulated_ratio(
    n_repeats: int, n_folds: int, rho: float, alpha: float, random_state: int
) -> float:
    """Return the value that |mean| / sd of sorted runs exceeds with probability `alpha`."""
    rng = derive_rng("calibrate_df", random_state, n_repeats, n_folds)
    ratios = []
    for _ in range(N_SIMULATIONS // _CHUNK):
        own = rng.standard_normal((_CHUNK, n_repeats, n_folds))
        shared = rng.standard_normal((_CHUNK, 1, 1))
        values = scheme_values(np.sqrt(rho) * shared + np.sqrt(1 - rho) * own, "sorted-runs")
        ratios.append(np.abs(values.mean(axis=-1)) / values.std(axis=-1, ddof=1))
    return float(np.quantile(np.concatenate(ratios), 1 - alpha))


def _solve(ratio: float, alpha: float) -> float:
    """Return the df with t_df / sqrt(df + 1) = ratio; the left side falls with df."""
    low, high = np.log(_LOWEST), np.log(_HIGHEST)
    for _ in range(100):
        middle = (low + high) / 2
        df = np.exp(middle)
        if stdtrit(df, 1 - alpha / 2) / np.sqrt(df + 1) > ratio:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))


# (repeats, folds) -> df of "use-all-data" in Bouckaert (2003), at the level 0.05
PUBLISHED_DF = {(10, 10): 10.0}
CALIBRATED_UNSTABLE = unstable("a calibrated t test")
AVERAGES = Caution(
    "overlap",
    "Averages over runs or folds hardly vary because they share their rows, so with {df:g} df this "
    "test rejects far too often; take use-all-data, or a df of calibrate_df.",
)


class CalibratedT(PairedTest):
    """The t test with calibrated df as orderings use it; see `calibrated_t_test`."""

    name = "calibrated-t"
    title = "calibrated t test"
    question = "Do two learners differ on 10x10 cross-validation, as if it held 11 scores?"
    assumptions = (SHARED_SPLITS, NEARLY_NORMAL, "Scores are worth df + 1 independent ones.")
    if_unstable = CALIBRATED_UNSTABLE
    needs_all_splits = True
    scheme = "use-all-data"

    def refuse(self, sampling: Sampling) -> str | None:
        """Refuse all but 10 repeats of 10 folds, for which df have been published."""
        shape = sampling.n_repeats, sampling.n_folds
        if sampling.scheme == "k-fold" and shape in PUBLISHED_DF:
            return None
        return (
            f"{self.name} needs 10 repeats of 10 folds, for which its df were published, and this "
            f"is {sampling.scheme} with {shape[0]} repeats of {shape[1]}."
        )

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Warn of few scores."""
        return few_scores(sampling.n_scores)

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair; df of `calibrate_df` where none were published."""
        values = check_differences(differences, self.name)
        shape = sampling.n_repeats, sampling.n_folds
        if values.shape[-1] != sampling.n_scores:
            raise DesignError(
                f"differences of {self.name} must be {shape[0]} repeats of {shape[1]} folds "
                f"without a gap; got {values.shape[-1]}. Resume the run, or use corrected-t."
            )
        folds = values.reshape(*values.shape[:-1], *shape)
        df = default_df(self.scheme, *shape) or calibrate_df(self.scheme, *shape)
        return compare_by_scheme(folds, self.scheme, df, score_scale(values, scale))


class SortedRunsT(CalibratedT):
    """The t test on sorted runs as orderings use it; see `calibrated_t_test`."""

    name = "sorted-runs-t"
    title = "sorted-runs t test"
    question = "Do two learners differ on 10x10 cross-validation, its runs sorted and averaged?"
    assumptions = (SHARED_SPLITS, NEARLY_NORMAL, "Averages of sorted runs are independent.")
    scheme = "sorted-runs"


def compare_by_scheme(folds: Floats, scheme: str, df: float, scale: ArrayLike) -> PairedComparison:
    """Return t = mean / (sd / sqrt(df + 1)) on the values of a scheme.

    Parameters
    ----------
    folds : ndarray of shape (..., n_repeats, n_folds)
        First minus second.
    scheme : str
        How they enter.
    df : float
        Degrees of freedom.
    scale : array-like that broadcasts to (...)
        Largest absolute score of each pair.

    Returns
    -------
    PairedComparison
        Fields of shape (...); the interval has the same df.
    """
    values = scheme_values(folds, scheme)
    standard_error = values.std(axis=-1, ddof=1) / np.sqrt(df + 1)
    n_scores = folds.shape[-2] * folds.shape[-1]
    return compare_by_t(values.mean(axis=-1), standard_error, n_scores, scale=scale, df=df)


def default_df(scheme: str, n_repeats: int, n_folds: int) -> float | None:
    """Return the df that belong to a scheme, or None where none were published.

    Parameters
    ----------
    scheme : str
        How the differences enter.
    n_repeats, n_folds : int
        Shape of the scores.

    Returns
    -------
    float or None
        One less than the number of averages; for all data the published ones.
    """
    if scheme == "use-all-data":
        return PUBLISHED_DF.get((n_repeats, n_folds))
    return float(n_repeats if scheme == "run-averages" else n_folds) - 1


def calibrated_t_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    scheme: str = "use-all-data",
    df: float | None = None,
    alternative: str = "two-sided",
) -> HypothesisTestResult:
    """Compare two learners on r runs of k folds by a t test with calibrated df.

    Null hypothesis: both learners have the same expected score (two-sided), or the first has
    no greater ("greater") or no smaller ("less") one. Design: paired, repeated
    cross-validation.

    Parameters
    ----------
    a, b : array-like of shape (n_repeats, n_folds), float
        Scores of the first and of the second learner, row = run, in any unit.
    scheme : {"use-all-data", "sorted-runs", "fold-averages", "run-averages"}
        On what the test works: all differences; differences sorted within each run, then
        averaged over runs place by place; one mean per fold number; one mean per run.
        Underscores do for hyphens.
    df : float above 0, optional
        Degrees of freedom. Left out: 10 for all data of 10 runs of 10 folds; one less than
        the number of averages for the other schemes.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    HypothesisTestResult
        With the df. If the values of the scheme do not vary: statistic 0 and p value 1 if
        their mean is 0, else statistic inf or -inf and p value 0 (1 on the wrong side);
        flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, not r runs of at least 2 folds, or no df
        are known for them.
    InvalidArgumentError
        If `scheme`, `df` or `alternative` is not allowed.

    See Also
    --------
    calibrate_df : Degrees of freedom for other numbers of runs and folds.
    corrected_resampled_t_test : Corrects the variance instead of the df.

    Notes
    -----
    t = mean(x) / (sd(x) / sqrt(df + 1)) [1]_: the values are taken to be worth df + 1
    independent ones. When not to trust it: df hold for one scheme and one plan; unstable learners
    exceed the level; averages of runs reject most true null hypotheses with r - 1 df.

    References
    ----------
    .. [1] Bouckaert (2003), Choosing between two learning algorithms based on calibrated
       tests, ICML.

    Examples
    --------
    >>> a = [[0.20, 0.24, 0.22], [0.23, 0.21, 0.25]]
    >>> b = [[0.18, 0.21, 0.20], [0.20, 0.19, 0.21]]
    >>> result = calibrated_t_test(a, b, df=3)
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4)
    (6.532, 3.0, 0.0073)
    """
    scheme = check_scheme(scheme)
    differences, scale = paired_scores(a, b, "calibrated_t_test")
    if differences.ndim != 2:
        raise DesignError(
            "scores of calibrated_t_test must be repeats (rows) of folds (columns); got shape "
            f"{differences.shape}. One run is a table of one row."
        )
    check_shape(scheme, *differences.shape)
    result = _known_df(scheme, df, *differences.shape)
    is_average = scheme in ("fold-averages", "run-averages") and df is None
    return single_result(
        compare_by_scheme(differences, scheme, result, scale),
        differences,
        scale,
        procedure=CalibratedT.title if scheme == "use-all-data" else f"{scheme} t test",
        alternative=alternative,
        warnings=(
            *few_scores(differences.size),
            *((Caution(AVERAGES.code, AVERAGES.format(df=result)),) if is_average else ()),
            CALIBRATED_UNSTABLE,
        ),
        assumptions=CalibratedT.assumptions,
    )


def _known_df(scheme: str, df: float | None, n_repeats: int, n_folds: int) -> float:
    if df is None:
        result = default_df(scheme, n_repeats, n_folds)
        if result is None:
            raise DesignError(
                "df of calibrated_t_test must be given where none are published (10 repeats of 10 "
                f"folds); got {n_repeats} of {n_folds}. Take df=calibrate_df({scheme!r}, "
                f"{n_repeats}, {n_folds}), or corrected-t."
            )
        return result
    way_out = "Leave it out for the published ones."
    check_number(df, "df of calibrated_t_test", low=0, is_open="low", way_out=way_out)
    return float(df)


CALIBRATED = CalibratedT().procedure
SORTED_RUNS = SortedRunsT().procedure
