"""Bayesian comparisons of two learners over many data sets, by signed ranks or by all splits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, stdtr

from bestofk.array_types import Bools, Floats
from bestofk.checks import check_known, check_number
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import caution_if
from bestofk.inference.checks import as_numbers, check_finite, check_rope, check_share
from bestofk.inference.many_data_sets.ranks import paired_differences
from bestofk.inference.many_data_sets.remarks import INDEPENDENT, LEAST_DATA_SETS
from bestofk.inference.results import PosteriorResult
from bestofk.inference.sampling import Sampling, refuse_order
from bestofk.inference.two_learners.paired_test import check_refusal, score_scale
from bestofk.measures.ties import NOISE, at_most, is_noise
from bestofk.randomness import derive_rng
from bestofk.words import drawn_mean, fixed

SIGNED_RANK_TITLE = "Bayesian signed-rank test"
SIGNED_RANK_ASSUMPTIONS = (INDEPENDENT, "The score of a data set is taken as exact.")
PRIOR_PLACES = {"less": -np.inf, "rope": 0.0, "greater": np.inf}
_BLOCK = 4_000_000  # weights held at once, 32 MB


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PosteriorDraws(PosteriorResult):
    """A posterior of regions, with the draws it was counted from.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, 3)
        In each row the probabilities below, inside and above the region of practical
        equivalence; they add up to 1. `p_less`, `p_rope` and `p_greater` are the shares of
        rows in which each of them is the largest.
    """

    pictures = (("draws", "PosteriorTriangleDisplay"),)

    not_in_frame = ("draws",)
    draws: Floats


def bayesian_signed_rank(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    prior_place: str = "rope",
    level: float = 0.95,
    n_draws: int = 50_000,
    random_state: int = 0,
) -> PosteriorDraws:
    """Estimate over many data sets whether a learner is better, worse or practically equivalent.

    Parameters
    ----------
    a, b : array-like of shape (n_data_sets,), float
        One score of each of two learners on every data set, at least two.
    rope : float, at least 0, default=0.01
        Half the width of the region of practical equivalence, in the unit of the scores:
        smaller differences do not matter, one of exactly `rope` does. With 0 there is no
        region: differences of 0 count half on each side.
    prior_strength : float above 0, default=0.5
        Weight of a pseudo-difference, in data sets.
    prior_place : {"rope", "less", "greater"}, default="rope"
        Where the pseudo-difference lies: at 0, or beyond all others on one side.
    level : float in (0, 1), default=0.95
        Of the interval of the mean difference.
    n_draws : int, default=50000
        Draws of the posterior; the Monte Carlo error of a probability is at most
        0.5 / sqrt(n_draws).
    random_state : int, default=0
        The draws depend on it alone.

    Returns
    -------
    PosteriorDraws
        For a - b. `estimate`, `low` and `high` describe the mean difference under the same
        weights, without the pseudo-difference. Flag ``"all_ties"`` where all differences are 0.

    Raises
    ------
    DesignError
        If scores do not pair, are not finite, or come from fewer than two data sets.
    InvalidArgumentError
        If an option is out of its range.

    See Also
    --------
    wilcoxon_test : Its counterpart without prior and region.
    hierarchical_bayes : Uses the scores of all splits.

    Notes
    -----
    Weights w ~ Dirichlet(prior_strength, 1, ..., 1) on the pseudo-difference and the n
    differences; a draw gives the region R the probability sum w_i w_j [(d_i + d_j)/2 in R].
    The draws are made in blocks, each in O(n log n) by sorted differences.

    When not to trust it: few data sets, where the prior weighs; data sets that are variants
    of each other; a region that was chosen after the scores were seen.

    References
    ----------
    .. [1] Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon
       signed-rank test based on the Dirichlet process, ICML.
    .. [2] Benavoli, Corani, Demsar & Zaffalon (2017), Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis, JMLR 18(77).

    Examples
    --------
    >>> a, b = [0.10, 0.21, 0.15, 0.30, 0.25, 0.18], [0.14, 0.26, 0.22, 0.33, 0.29, 0.24]
    >>> result = bayesian_signed_rank(a, b, rope=0.01)
    >>> result.p_less > 0.99, round(result.estimate, 3)
    (True, -0.048)
    """
    differences = paired_differences(a, b, "bayesian_signed_rank")
    check_rope(rope)
    check_share(level, "level")
    usual = "0.5 is usual."
    check_number(prior_strength, "prior_strength", low=0, is_open="low", way_out=usual)
    check_known(prior_place, "prior_place", PRIOR_PLACES)
    weights = signed_rank_weights(len(differences), prior_strength, n_draws, random_state)
    scale = float(max(np.abs(a).max(), np.abs(b).max()))
    parts = [
        (region_masses(block, differences, rope, PRIOR_PLACES[prior_place], scale=scale),
         block[:, 1:] @ differences / block[:, 1:].sum(axis=1))
        for block in weights
    ]  # fmt: skip
    draws = np.concatenate([masses for masses, _ in parts])
    means = np.concatenate([mean for _, mean in parts])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    flags = () if differences.any() else ("all_ties",)
    return PosteriorDraws(
        procedure=SIGNED_RANK_TITLE,
        n=len(differences),
        n_draws=n_draws,
        assumptions=SIGNED_RANK_ASSUMPTIONS,
        flags=flags,
        warnings=_signed_rank_warnings(len(differences), prior_strength, bool(flags)),
        rope=float(rope),
        estimate=float(means.mean()),
        low=float(low),
        high=float(high),
        level=level,
        n_of="data sets",
        draws=draws,
        **PosteriorDraws.probabilities(region_shares(draws)),
    )


def signed_rank_weights(
    n_data_sets: int, prior_strength: float, n_draws: int, random_state: int
) -> Iterator[Floats]:
    """Yield Dirichlet weights, pseudo-difference first, in blocks of bounded size.

    Parameters
    ----------
    n_data_sets : int
        Differences in addition to the pseudo-difference.
    prior_strength : float
        Of the pseudo-difference.
    n_draws : int
        Rows in all.
    random_state : int
        What the draws come from.

    Yields
    ------
    ndarray of shape (n_rows, n_data_sets + 1)
        Rows add up to 1.

    Raises
    ------
    InvalidArgumentError
        If `n_draws` is no whole number from 1.
    """
    check_number(n_draws, "n_draws", low=1, whole=True, way_out="50000 gives two digits.")
    rng = derive_rng(random_state, "bayesian-signed-rank")
    shape = np.concatenate([[prior_strength], np.ones(n_data_sets)])
    rows = max(1, _BLOCK // len(shape))
    for start in range(0, n_draws, rows):
        yield rng.dirichlet(shape, min(rows, n_draws - start))


def region_masses(
    weights: Floats, differences: Floats, rope: float, pseudo: float = 0.0, *, scale: float = 0.0
) -> Floats:
    """Return the probability of each region under each row of weights.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_data_sets + 1)
        Pseudo-difference first.
    differences : ndarray of shape (n_data_sets,)
        First minus second.
    rope : float
        Half the width of the region.
    pseudo : float, default=0
        The pseudo-difference; may be infinite.
    scale : float, default=0
        Largest absolute score behind the differences, if it is above the largest of them: it
        tells what rounding may have done to them.

    Returns
    -------
    ndarray of shape (n_draws, 3)
        Below, inside, above.
    """
    points = np.concatenate([[pseudo], differences])
    order = np.argsort(points, kind="stable")
    points, sorted_weights = points[order], weights[:, order]
    below_each = np.zeros((len(weights), len(points) + 1))
    np.cumsum(sorted_weights, axis=1, out=below_each[:, 1:])
    slack = NOISE * (max(scale, float(np.abs(differences).max())) or 1.0)
    if rope == 0:
        slack = -slack  # sums of 0 are counted as inside first, then shared
    # how many points, added to each point, give at most -2 rope, and less than 2 rope
    n_below = np.searchsorted(points, -2 * rope - points + slack, side="right")
    n_within = np.searchsorted(points, 2 * rope - points - slack, side="right")
    below = (sorted_weights * below_each[:, n_below]).sum(axis=1)
    above = 1 - (sorted_weights * below_each[:, n_within]).sum(axis=1)
    inside = np.clip(1 - below - above, 0.0, 1.0)
    if rope == 0:
        below, above, inside = below + inside / 2, above + inside / 2, np.zeros_like(inside)
    return np.column_stack([below, inside, above])


def region_shares(draws: Floats) -> tuple[float, float, float]:
    """Return how often each region has the most probability; draws with two highest are shared.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, 3)
        Probabilities below, inside, above.

    Returns
    -------
    p_less, p_rope, p_greater : float
        They add up to 1.
    """
    largest = at_most(draws.max(axis=1, keepdims=True), draws, scale=1.0)
    less, inside, greater = (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0)
    return float(less), float(inside), float(greater)


def _signed_rank_warnings(
    n_data_sets: int, prior_strength: float, all_ties: bool
) -> tuple[str, ...]:
    share = fixed(100 * prior_strength / (n_data_sets + prior_strength), 0)
    few = f"Only {n_data_sets} data sets: the prior has {share}% of the weight."
    tied = "Scores are the same on every data set: they hold no evidence."
    return (
        *caution_if(n_data_sets < LEAST_DATA_SETS, "few-scores", few),
        *caution_if(all_ties, "degenerate", tied),
    )


SIGNED_RANK = Procedure(
    name="bayesian-signed-rank",
    title=SIGNED_RANK_TITLE,
    question="How probable is it that one of two learners is better, or that they are "
    "practically equivalent, over data sets?",
    takes="two-on-data-sets",
    run=bayesian_signed_rank,
    aliases=("bayes-signed-rank",),
)


HIERARCHICAL_TITLE = "hierarchical Bayesian comparison"
HIERARCHICAL_ASSUMPTIONS = (
    INDEPENDENT,
    "True differences of data sets follow Student's t around a common mean.",
    "Scores of one data set have the correlation n_test / (n_train + n_test).",
)
LEAST = 3  # with two, the flat prior of their spread makes no proper posterior
N_CHAINS, N_WARM_UP, N_KEPT = 40, 300, 500
# Where a data set shows no noise at all: share of the spread of the means that stands for it.
_NO_NOISE = 1e-3
_MAX_SPREAD = 1000.0  # prior of the spread: uniform up to so many standard deviations [1]_
_STEPS = (0.3, 1.0, 3.0)  # of the logarithm of the spread, tried one after the other
_MIXED = 1.05  # potential scale reduction above which chains are said to disagree
# df - 1 ~ Gamma(shape in (1, 2), rate in (0.01, 0.1)), both uniform: the prior of [1]_
_SHAPES, _RATES = np.linspace(1.0, 2.0, 21), np.linspace(0.01, 0.1, 31)
_LOG_DF = np.linspace(np.log(1e-3), np.log(1e4), 400)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HierarchicalPosterior(PosteriorDraws):
    """The posterior of a difference over data sets, and of every data set.

    Parameters
    ----------
    next_less, next_rope, next_greater : float
        Probability that the difference on the next data set is below the region, inside,
        above it: the mean of `draws`.
    spread : float
        Posterior median of the scale of true differences over data sets.
    observed, shrunken : tuple of float
        Mean difference of each data set as observed, and its posterior mean, drawn towards
        what all data sets have in common.
    n_independent : float
        Effective number of independent draws, since draws of a chain are correlated.
    """

    next_less: float
    next_rope: float
    next_greater: float
    spread: float
    observed: tuple[float, ...]
    shrunken: tuple[float, ...]
    n_independent: float = 0.0

    @property
    def _n_independent(self) -> float:
        return self.n_independent

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        next_one = (self.next_less, self.next_rope, self.next_greater)
        said = ", ".join(map(self._probability, next_one))
        error = self.spread / self.n_independent**0.5 if self.n_draws else 0.0
        return [
            *super().rows(),
            ("spread over data sets", drawn_mean(self.spread, error)),
            ("next data set: below, within, above", said),
        ]


def hierarchical_bayes(
    differences: Sequence[ArrayLike],
    *,
    samplings: Sequence[Sampling] | Sampling,
    rope: float = 0.01,
    level: float = 0.95,
    random_state: int = 0,
) -> HierarchicalPosterior:
    """Estimate from the splits of all data sets how two learners differ on the next one.

    Parameters
    ----------
    differences : sequence of array-like of shape (n_scores,), float
        First minus second on the splits of each of at least three data sets.
    samplings : sequence of Sampling, or one for all
        How the splits of each were made; sizes must be known.
    rope : float, at least 0, default=0.01
        Half the width of the region of practical equivalence, in the unit of the scores.
    level : float in (0, 1), default=0.95
        Of the interval of the mean difference.
    random_state : int, default=0
        The draws depend on it alone.

    Returns
    -------
    HierarchicalPosterior
        `estimate`, `low` and `high` describe the mean difference over data sets;
        `p_less`, `p_rope`, `p_greater` are the shares of draws in which the region is the
        most probable on the next data set. A data set whose differences do not vary takes the
        median noise of the others and is flagged ``"zero_variance"``; where no data set varies
        and all means are the same, all mass is there.

    Raises
    ------
    DesignError
        If there are fewer than three data sets, fewer than two scores of one, a value is not
        finite, or a size is unknown.
    InvalidArgumentError
        If an option is out of its range.

    See Also
    --------
    bayesian_signed_rank : Needs one score per data set only.

    Notes
    -----
    With y_i the mean difference of data set i and s_i its standard error as in the corrected
    resampled t test: y_i is Student's t with n_i - 1 degrees of freedom and scale s_i around
    delta_i, delta_i is Student's t with df degrees of freedom and scale sigma around mu.
    Priors: mu flat, sigma uniform, df - 1 gamma as in [1]_.

    DEVIATION: [1]_ gives the noise of a data set a uniform prior, which makes the degrees of
    freedom of its likelihood n_i - 2, and bounds mu by the largest difference; here the prior
    of the noise is 1/s, so that each likelihood is that of the Bayesian correlated t test, and
    mu is not bounded.

    Sampled by Gibbs steps over both t distributions as mixtures of normal ones, sigma by Metropolis
    steps with mu and delta integrated out; 40 chains of 500 kept draws.

    When not to trust it: a handful of data sets; learners whose differences have several
    groups of data sets; a warning that the chains disagree.

    References
    ----------
    .. [1] Corani, Benavoli, Demsar, Mangili & Zaffalon (2017), Statistical comparison of
       classifiers through Bayesian hierarchical modelling, Machine Learning 106.

    Examples
    --------
    >>> sampling = Sampling("k-fold", 1, 5, n_train=80, n_test=20)
    >>> noise = [-0.02, -0.01, 0.0, 0.01, 0.02]
    >>> data_sets = [[mean + d for d in noise] for mean in (0.04, 0.05, 0.05, 0.06, 0.1, 0.05)]
    >>> result = hierarchical_bayes(data_sets, samplings=sampling)
    >>> result.p_greater > 0.9, result.shrunken[4] < result.observed[4]
    (True, True)
    """
    check_rope(rope)
    check_share(level, "level")
    means, errors, df = _summaries(differences, samplings)
    is_flat = errors == 0
    scale = float(np.abs(means - np.median(means)).max())
    if is_flat.all() and is_noise(scale, np.abs(means).max()):
        return _limit(means, rope, level)
    errors = np.where(is_flat, np.median(errors[~is_flat]) if not is_flat.all() else
                      _NO_NOISE * means.std(), errors)  # fmt: skip
    unit = float(errors.mean() + means.std())
    chains = _Chains(means / unit, errors / unit, df, derive_rng(random_state, "hierarchical"))
    center, spread, tail_df, shrunken = chains.run()
    draws = _regions(center * unit, spread * unit, tail_df, rope)
    low, high = np.quantile(center * unit, [(1 - level) / 2, (1 + level) / 2])
    return replace(
        _posterior(means, draws, rope, level, float(center.mean() * unit)),
        n_draws=center.size,
        n_independent=N_CHAINS * float(center.var() / center.mean(axis=1).var(ddof=1)),
        flags=("zero_variance",) if is_flat.any() else (),
        warnings=_warnings(is_flat, max(_reduction(center), _reduction(np.log(spread)))),
        low=float(low),
        high=float(high),
        spread=float(np.median(spread) * unit),
        shrunken=tuple((shrunken * unit).tolist()),
    )


def _summaries(
    differences: Sequence[ArrayLike], samplings: Sequence[Sampling] | Sampling
) -> tuple[Floats, Floats, Floats]:
    """Return mean, standard error and degrees of freedom of each data set."""
    given = list(differences)
    if len(given) < LEAST:
        raise DesignError(
            f"differences of hierarchical_bayes must come from at least {LEAST} data sets; got "
            f"{len(given)}. With fewer, compare on each data set by itself."
        )
    each = [samplings] * len(given) if isinstance(samplings, Sampling) else list(samplings)
    if len(each) != len(given):
        raise InvalidArgumentError(
            f"samplings must be one per data set ({len(given)}); got {len(each)}. "
            "Give a single Sampling if all data sets were split the same way."
        )
    results = [_summary(d, s, i) for i, (d, s) in enumerate(zip(given, each, strict=True))]
    means, errors, df = np.array(results).T
    return means, errors, df


def _summary(given: ArrayLike, sampling: Sampling, index: int) -> tuple[float, float, float]:
    what = f"differences of hierarchical_bayes on data set {index + 1}"
    values = as_numbers(given, f"{what} must be numbers", "Give first minus second.")
    if values.ndim != 1 or values.size < 2:
        raise DesignError(
            f"{what} must be at least 2 numbers in a row; got shape {values.shape}. "
            "Use more folds or repeats, or leave the data set out."
        )
    check_finite(values, what, "score", "Drop the split from both learners.")
    check_refusal("hierarchical-bayes", refuse_order("hierarchical-bayes", sampling.scheme))
    ratio = sampling.size_ratio(f"data set {index + 1}")
    variance = (1 / values.size + ratio) * values.var(ddof=1)
    width = float(np.sqrt(variance))
    is_flat = is_noise(width, score_scale(values, None))
    return float(values.mean()), 0.0 if is_flat else width, values.size - 1.0


class _Chains:
    """Gibbs chains side by side; arrays have shape (n_chains, n_data_sets) or (n_chains,)."""

    def __init__(self, means: Floats, errors: Floats, df: Floats, rng: np.random.Generator) -> None:
        self.means, self.variances, self.df, self.rng = means, errors**2, df, rng
        shape = (N_CHAINS, len(means))
        self.noise = np.ones(shape)  # precision factor of the mixture of each likelihood
        self.weight = np.ones(shape)  # the same of the distribution of differences over data sets
        self.max_spread = _MAX_SPREAD * max(float(means.std()), float(errors.mean()))
        # starting points far apart, so that agreement at the end says something
        self.spread = np.geomspace(0.01, 10, N_CHAINS) * (means.std() + errors.mean())
        self.tail_df = np.geomspace(1.5, 200, N_CHAINS)
        self.log_prior = _log_prior_of_df()

    def run(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return draws of mu, sigma and df, shape (n_chains, n_kept), and mean deltas."""
        kept: list[tuple[Floats, Floats, Floats]] = []
        total = np.zeros(len(self.means))
        for step in range(N_WARM_UP + N_KEPT):
            center, expected = self._step()
            if step >= N_WARM_UP:
                total += expected.mean(axis=0)
                kept.append((center, self.spread, self.tail_df))
        center, spread, df = (np.stack(item, axis=1) for item in zip(*kept, strict=True))
        return center, spread, df, total / N_KEPT

    def _step(self) -> tuple[Floats, Floats]:
        """Do one round; return mu, and the conditional means of the deltas."""
        rng = self.rng
        self.spread = self._moved(self.spread, self._log_density)
        total_precision = 1 / self._variance(self.spread)
        sums = total_precision.sum(axis=1)
        center = (total_precision @ self.means) / sums + rng.normal(size=N_CHAINS) / np.sqrt(sums)
        likelihood = self.noise / self.variances
        prior = self.weight / (self.spread**2)[:, None]
        expected = (likelihood * self.means + prior * center[:, None]) / (likelihood + prior)
        delta = expected + rng.normal(size=expected.shape) / np.sqrt(likelihood + prior)
        residual = (self.means - delta) ** 2 / self.variances
        self.noise = self._precisions(self.df, residual)
        distance = ((delta - center[:, None]) / self.spread[:, None]) ** 2
        self.tail_df = self._moved(
            self.tail_df, partial(self._log_density_of_df, distance), least=1.0
        )
        self.weight = self._precisions(self.tail_df[:, None], distance)
        return center, expected

    def _precisions(self, df: Floats, distance: Floats) -> Floats:
        """Draw the factors that make normal distributions Student's t, given squared distances."""
        shape = np.broadcast_to((df + 1) / 2, distance.shape)
        return np.asarray(self.rng.gamma(shape) * 2 / (df + distance))

    def _variance(self, spread: Floats) -> Floats:
        return np.asarray(self.variances / self.noise + (spread**2)[:, None] / self.weight)

    def _log_density(self, spread: Floats) -> Floats:
        """Return the log density of log sigma with mu and delta integrated out."""
        variance = self._variance(spread)
        precision = 1 / variance
        sums = precision.sum(axis=1)
        center = (precision @ self.means) / sums
        square = (precision * (self.means - center[:, None]) ** 2).sum(axis=1)
        value = -0.5 * (np.log(variance).sum(axis=1) + np.log(sums) + square) + np.log(spread)
        return np.where(spread < self.max_spread, value, -np.inf)

    def _moved(
        self, start: Floats, log_density: Callable[[Floats], Floats], least: float = 0.0
    ) -> Floats:
        """Return values, above `least`, after Metropolis steps of several sizes."""
        for size in _STEPS:
            proposed = least + (start - least) * np.exp(size * self.rng.normal(size=N_CHAINS))
            gain = log_density(proposed) - log_density(start)
            start = np.where(np.log(self.rng.random(N_CHAINS)) < gain, proposed, start)
        return start

    def _log_density_of_df(self, distance: Floats, df: Floats) -> Floats:
        """Return the log density of log(df - 1) but for a constant."""
        norm = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df)
        each = np.log1p(distance / df[:, None]).sum(axis=1)
        prior = np.interp(np.log(df - 1), _LOG_DF, self.log_prior, left=-np.inf, right=-np.inf)
        return np.asarray(distance.shape[1] * norm - (df + 1) / 2 * each + prior)


def _log_prior_of_df() -> Floats:
    """Return the log prior density of log(df - 1) on its grid, but for a constant."""
    x = np.exp(_LOG_DF)[:, None, None]
    shape, rate = _SHAPES[:, None], _RATES
    log_gamma = shape * np.log(rate) - gammaln(shape) + shape * np.log(x) - rate * x
    return np.asarray(np.log(np.exp(log_gamma).mean(axis=(1, 2))))


def _regions(center: Floats, spread: Floats, df: Floats, rope: float) -> Floats:
    """Return the probability of each region on the next data set, a row per draw."""
    mu, sigma, nu = (item.ravel() for item in (center, spread, df))
    less, greater = stdtr(nu, (-rope - mu) / sigma), stdtr(nu, (mu - rope) / sigma)
    return np.column_stack([less, np.clip(1 - less - greater, 0.0, 1.0), greater])


def _posterior(
    means: Floats, draws: Floats, rope: float, level: float, estimate: float
) -> HierarchicalPosterior:
    """Return the posterior that is certain of its estimate and of all data sets."""
    next_less, next_rope, next_greater = draws.mean(axis=0).tolist()
    return HierarchicalPosterior(
        procedure=HIERARCHICAL_TITLE,
        n=len(means),
        assumptions=HIERARCHICAL_ASSUMPTIONS,
        rope=float(rope),
        estimate=estimate,
        low=estimate,
        high=estimate,
        level=level,
        n_of="data sets",
        draws=draws,
        next_less=next_less,
        next_rope=next_rope,
        next_greater=next_greater,
        spread=0.0,
        observed=tuple(means.tolist()),
        shrunken=tuple(means.tolist()),
        **HierarchicalPosterior.probabilities(region_shares(draws)),
    )


def _limit(means: Floats, rope: float, level: float) -> HierarchicalPosterior:
    """Return the outcome where no score varies: all mass at the one difference there is."""
    value = float(means.mean())
    masses = np.array([[value <= -rope, abs(value) < rope, value >= rope]], dtype=float)
    masses /= masses.sum()  # without a region, no difference counts half on each side
    return replace(
        _posterior(means, masses, rope, level, value),
        flags=("zero_variance",),
        warnings=_warnings(np.ones(len(means), dtype=bool), 1.0),
    )


def _reduction(chains: Floats) -> float:
    """Return by how much the spread would shrink if the chains ran on: 1 where they agree [2]_.

    References
    ----------
    .. [2] Gelman & Rubin (1992), Inference from iterative simulation using multiple
       sequences, Statistical Science 7(4).
    """
    within = chains.var(axis=1, ddof=1).mean()
    between = chains.mean(axis=1).var(ddof=1)
    return float(np.sqrt(1 - 1 / chains.shape[1] + between / within))


def _warnings(is_flat: Bools, reduction: float) -> tuple[str, ...]:
    n, n_flat = len(is_flat), int(is_flat.sum())
    few = f"Only {n} data sets: how much data sets differ is hardly known."
    flat = "The differences do not vary on any data set: noise is unknown."
    if n_flat < n:
        flat = (
            f"The differences of {n_flat} of {n} data sets do not vary; the median noise of the "
            "others was used instead."
        )
    apart = (
        f"The chains disagree (potential scale reduction {reduction:.2f}): treat the probabilities "
        "as rough."
    )
    return (
        *caution_if(n < LEAST_DATA_SETS, "few-scores", few),
        *caution_if(n_flat > 0, "degenerate", flat),
        *((apart,) if reduction > _MIXED else ()),
    )


HIERARCHICAL = Procedure(
    name="hierarchical-bayes",
    title=HIERARCHICAL_TITLE,
    question="How do two learners differ on the next data set, by the splits of all?",
    takes="splits-of-data-sets",
    run=hierarchical_bayes,
    aliases=("hierarchical",),
)
