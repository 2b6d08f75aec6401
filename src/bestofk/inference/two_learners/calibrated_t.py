"""Calibrated t tests: degrees of freedom found by simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bestofk.array_types import Floats
from bestofk.checks import nearest_name
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.cautions import Caution
from bestofk.inference.checks import as_number, check_share
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
    if key not in SCHEMES:
        raise InvalidArgumentError(
            f"scheme must be one of {len(SCHEMES)}; got {scheme!r}. " + nearest_name(key, SCHEMES)
        )
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
    if not 0 <= rho < 1:
        raise InvalidArgumentError(
            f"correlation of calibrate_df must be at least 0 and below 1; got {correlation}. "
            "Leave it out for 1 / n_folds."
        )
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
UNSTABLE = unstable("a calibrated t test")
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
    if_unstable = UNSTABLE
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
            UNSTABLE,
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
    number = as_number(df)
    if not 0 < number < float("inf"):
        raise InvalidArgumentError(
            f"df of calibrated_t_test must be a number above 0; got {df!r}. Leave it out for the "
            "published ones."
        )
    return number


CALIBRATED = CalibratedT().procedure
SORTED_RUNS = SortedRunsT().procedure
