"""Claims about new data from observed losses, and what would make them surer."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats, Ints
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.checks import check_orientation
from bestofk.inference.one_test_set.proportions import wilson_limits
from bestofk.inference.student import normal_quantile
from bestofk.measures.ties import tied_values
from bestofk.randomness import derive_rng

N_DRAWS = 2000
_FEWEST = 8  # splits, or rows, that must be there
LEVEL = 0.9  # of the interval of a loss


@dataclass(frozen=True)
class ShipClaim:
    """Expectation of a learner on new data, after training on all rows.

    With a single test set it is about the model that was tested.

    Parameters
    ----------
    learner : str or None
        Which learner would be used.
    within : float
        How far behind the best learner counts as good enough, in the unit of the measure.
    probability : float or None
        That its loss is at most `within` above that of the best of the learners compared; None
        where no claim is made.
    expected_regret : float or None
        Mean of its loss minus that of the best, in the unit of the measure.
    loss_low, loss_high : float or None
        Interval of its own loss on new data: for an accuracy or an AUROC, 1 minus it.
    level : float
        Of that interval.
    n_shared_splits : int
        Splits that all learners share, from which covariances were estimated; test rows for a
        single test set.
    reason : str
        Why no claim is made; empty where one is.
    """

    learner: str | None
    within: float
    probability: float | None = None
    expected_regret: float | None = None
    loss_low: float | None = None
    loss_high: float | None = None
    level: float = LEVEL
    n_shared_splits: int = 0
    reason: str = ""


@dataclass(frozen=True, eq=False)
class NewDataLosses:
    """Joint distribution of the losses of K learners on new data like these.

    Made by `losses_on_new_data` or `losses_on_test_rows`.  A multivariate t distribution around the
    observed means.  The prior is flat. Among many equally good learners noise alone puts one ahead,
    and the probability of the pick is then too low.  Shrinking the means towards each other mends
    that, but claims too much of learners that were not picked.

    Parameters
    ----------
    means : ndarray of shape (n_learners,)
        Observed mean losses.
    covariance : ndarray of shape (n_learners, n_learners)
        Scale, positive definite.
    df : float
        Degrees of freedom.
    n_samples : int
        Rows that the losses rest on.
    n_shared : int
        Splits that all learners share; test rows for a single test set.
    seed_names : tuple
        Names that the draws are derived from.
    order : ndarray of shape (n_learners,), int
        Order in which learners are drawn, which depends on their losses alone.
    split_part : ndarray of shape (n_learners, n_learners) or 0
        The part of the scale that more repeats on the same rows would lower.
    most : float
        The largest loss of a row, the least being 0; inf where there is no bound.
    """

    means: Floats
    covariance: Floats
    df: float
    n_samples: int
    n_shared: int
    seed_names: tuple[object, ...]
    order: Ints
    split_part: Floats | float = 0.0
    most: float = 1.0

    @cached_property
    def draws(self) -> Floats:
        """Draws of the losses, shape (2000, n_learners)."""
        rng, order = derive_rng(*self.seed_names), self.order
        root = np.linalg.cholesky(self.covariance[np.ix_(order, order)])
        half = rng.standard_normal((N_DRAWS // 2, len(order))) @ root.T
        spread = np.sqrt(self.df / rng.chisquare(self.df, (N_DRAWS, 1)))
        drawn = np.empty((N_DRAWS, len(order)))
        # mirrored pairs make the figures steadier
        drawn[:, order] = self.means[order] + np.vstack([half, -half]) * spread
        return drawn

    @cached_property
    def regrets(self) -> Floats:
        """Loss of each learner minus the lowest, shape (2000, n_learners)."""
        least: Floats = self.draws.min(axis=1, keepdims=True)
        return self.draws - least

    def probability(self, within: float) -> Floats:
        """Return for each learner the probability of being within a distance of the best.

        Parameters
        ----------
        within : float, at least 0
            The distance, in the unit of the loss.

        Returns
        -------
        ndarray of shape (n_learners,)
        """
        return np.asarray((self.regrets <= within).mean(axis=0))

    @property
    def expected_regret(self) -> Floats:
        """Mean regret of each learner, shape (n_learners,)."""
        return np.asarray(self.regrets.mean(axis=0))

    def with_more(self, *, repeats: float = 1, rows: float = 1) -> NewDataLosses:
        """Return what more repeats, or more rows, would leave uncertain, the means as they are.

        Parameters
        ----------
        repeats : float, at least 1
            How many times as many repeats on the same rows; inf for endless ones, which leave
            what other rows would change.
        rows : float, at least 1
            How many times as many rows, which lower the whole scale.

        Returns
        -------
        NewDataLosses
            Its probabilities assume that mean losses would stay as they are.

        Raises
        ------
        InvalidArgumentError
            If one of them is below 1, or `rows` is infinite.
        """
        for name, factor in (("repeats", repeats), ("rows", rows)):
            if not factor >= 1 or (name == "rows" and np.isinf(factor)):
                raise InvalidArgumentError(
                    f"{name} must be a factor of at least 1; got {factor!r}. Take 2 for twice "
                    "as many."
                )
        covariance = (self.covariance - self.split_part * (1 - 1 / repeats)) / rows
        df = max(self.df, min((self.df + 1) * repeats, self.n_samples) - 1)
        return replace(self, covariance=covariance, df=df, split_part=self.split_part / repeats)

    def loss_interval(self, learner_index: int, level: float = LEVEL) -> tuple[float, float]:
        """Return the interval of the mean loss of a learner on new data.

        Wilson's interval of a proportion [1]_, here the loss as a share of the largest, for as many
        rows as give the variance of the corrected t test.

        Parameters
        ----------
        learner_index : int
            Its position.
        level : float in (0, 1), default=0.9
            Of the interval.

        Returns
        -------
        tuple of two floats
            From 0 to the largest loss.

        Raises
        ------
        InvalidArgumentError
            If the mean loss is negative or above the largest, losses have no bound, or the level
            is not inside (0, 1).

        References
        ----------
        .. [1] Wilson (1927), Probable inference, the law of succession, and statistical
           inference, Journal of the American Statistical Association 22.
        """
        mean, n = float(self.means[learner_index]), self.n_samples
        if not 0 <= mean <= self.most < np.inf:
            raise InvalidArgumentError(
                f"mean loss must lie between 0 and {self.most:g}; got {mean:.4g}. Use losses that "
                "are 0 for a perfect prediction."
            )
        z = normal_quantile(level)
        variance = float(self.covariance[learner_index, learner_index])
        share = mean / self.most
        # no loss observed does not mean that there can be none
        of_rows = max(share * (1 - share), (1 / n) * (1 - 1 / n))
        low, high = wilson_limits(share, min(n, of_rows * self.most**2 / variance), z)
        return max(float(low), 0.0) * self.most, min(float(high), 1.0) * self.most

    def claim(self, learner: str, learner_index: int, within: float) -> ShipClaim:
        """Return what to expect of a learner.

        Parameters
        ----------
        learner : str
            Its name.
        learner_index : int
            Its position.
        within : float above 0
            How far behind the best counts as good enough.

        Returns
        -------
        ShipClaim
            With its interval where losses have a bound; no interval of others held when it was
            checked.  A single learner has no rival, so it has no probability.
        """
        claim = ShipClaim(learner, within, n_shared_splits=self.n_shared)
        if self.most < np.inf:
            low, high = self.loss_interval(learner_index)
            claim = replace(claim, loss_low=low, loss_high=high)
        if len(self.means) == 1:
            return replace(claim, reason="only one learner was compared")
        return replace(
            claim,
            probability=float(self.probability(within)[learner_index]),
            expected_regret=float(self.expected_regret[learner_index]),
        )


def losses_on_new_data(
    losses: ArrayLike,
    *,
    n_samples: int,
    n_train: float,
    n_test: float,
    one_row: ArrayLike | None = None,
    most: float = 1.0,
) -> NewDataLosses:
    """Return the joint distribution of the losses of learners on new data.

    The claim is about models trained on as many rows as these, and tested on endlessly many
    rows like these.  Its scale is C = (1/J + n_test/n_train) S + diag(r^2), with S the covariance
    of the losses over J splits [1]_ and r how much one row moves a mean, 1/n for error rates.  The
    last term is one pseudo row on which each learner alone is as wrong as can be: without it two
    learners that differ on no row would be claimed to be equal for certain.

    Parameters
    ----------
    losses : array-like of shape (n_splits, n_learners)
        Losses on shared splits, lower is better; nan from the split on at which a learner was
        eliminated.
    n_samples : int
        Rows of the data set.
    n_train, n_test : float
        Mean rows that train and that test in a split.
    one_row : float or array-like of shape (n_learners,), optional
        How much a single row can move the mean loss of each learner; 1/n if left out.
    most : float, default=1
        The largest loss of a row, the least being 0; inf where there is no bound.

    Returns
    -------
    NewDataLosses

    Raises
    ------
    DesignError
        If the losses are no table, a score lies behind a gap, or learners share fewer than 8
        splits.

    Notes
    -----
    A learner is eliminated because of the losses observed so far, so what is missing is missing
    at random [2]_: its mean is that of a learner that stayed plus their mean difference on the
    splits that both have, and covariances come from the splits that all share.  Eliminated
    learners still count as rivals.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52.
    .. [2] Anderson (1957), Maximum likelihood estimates for a multivariate normal distribution
       when some observations are missing, Journal of the American Statistical Association 52.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> losses = rng.binomial(20, [[0.1], [0.1], [0.3]], (3, 25)).T / 20
    >>> expected = losses_on_new_data(losses, n_samples=100, n_train=80, n_test=20)
    >>> expected.probability(0.01).round(1).tolist()
    [0.7, 0.4, 0.0]
    """
    table = _row_per_learner(losses, "split")
    lengths = _n_splits_of_each(table)
    n_shared, n_learners = int(lengths.min()), len(table)
    if n_shared < _FEWEST:
        raise DesignError(
            f"shared splits must be at least {_FEWEST}; got {n_shared}. Repeat more often."
        )
    order = _order_by_losses(table, lengths)
    means, covariance, split_part = _joint_moments(table[order], lengths[order], n_test / n_train)
    back = np.argsort(order)
    given = np.ix_(back, back)
    moved = np.broadcast_to(1 / n_samples if one_row is None else one_row, n_learners)
    covariance = covariance[given] + np.diag(np.square(moved))
    df = min(n_shared, n_samples) - 1
    names = (0, "new data", n_learners, *lengths[order].tolist())
    return NewDataLosses(
        means[back], covariance, df, n_samples, n_shared, names, order, split_part[given], most
    )


def losses_on_test_rows(
    losses: ArrayLike, *, one_row: ArrayLike | None = None, most: float = 1.0
) -> NewDataLosses:
    """Return the joint distribution of the losses of fitted models, from one test set.

    The claim is about these models, trained on the training rows alone, on endlessly many rows like
    the test rows.  Models that are trained again on all rows are usually a little better, so for
    them its error interval lies a little too high.  Its scale is C = S/m + I/m^2, with S the
    covariance of the losses over the m test rows [1]_; the last term is that of
    `losses_on_new_data`.

    Parameters
    ----------
    losses : array-like of shape (n_rows, n_learners)
        Loss of every model on every test row, lower is better; their mean is the loss claimed.
    one_row : float or array-like of shape (n_learners,), optional
        How much a single row can move the mean loss of each model; 1/m if left out.
    most : float, default=1
        The largest loss of a row, the least being 0; inf where there is no bound.

    Returns
    -------
    NewDataLosses
        With m - 1 degrees of freedom.

    Raises
    ------
    DesignError
        If the losses are no table of finite numbers, or there are fewer than 8 rows.

    References
    ----------
    .. [1] Bayle, Bayle, Janson & Mackey (2020), Cross-validation confidence intervals for test
       error, NeurIPS 33.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> losses = rng.binomial(1, [[0.1], [0.12], [0.3]], (3, 400)).T
    >>> expected = losses_on_test_rows(losses)
    >>> expected.probability(0.01).round(1).tolist()
    [0.4, 0.9, 0.0]
    """
    table = _row_per_learner(losses, "test row")
    n_learners, n_rows = len(table), int(_n_splits_of_each(table).min())
    if n_rows < table.shape[1]:
        raise DesignError(
            f"losses on test rows must be finite; got {table.shape[1] - n_rows} rows with others. "
            "Leave out learners that lack a row."
        )
    if n_rows < _FEWEST:
        raise DesignError(f"test rows must be at least {_FEWEST}; got {n_rows}. Test on more rows.")
    order = _order_by_losses(table, np.full(n_learners, n_rows))
    back = np.argsort(order)
    scale = np.atleast_2d(np.cov(table[order]))[np.ix_(back, back)] / n_rows
    moved = np.broadcast_to(1 / n_rows if one_row is None else one_row, n_learners)
    covariance = scale + np.diag(np.square(moved))
    names = (0, "test rows", n_learners, n_rows)
    means, df = table.mean(axis=1), n_rows - 1
    return NewDataLosses(means, covariance, df, n_rows, n_rows, names, order, most=most)


def _row_per_learner(losses: ArrayLike, row: str) -> Floats:
    """Return losses turned to a row per learner, which lie so that sums have one order."""
    table = np.asarray(losses, dtype=float)
    if table.ndim != 2 or 0 in table.shape:
        raise DesignError(
            f"losses must be a table of a row per {row} and a column per learner; got shape "
            f"{table.shape}. Give one column per learner."
        )
    check_orientation(table, "losses", row=row, way_out=f"If it is not, give more {row}s.")
    return np.ascontiguousarray(table.T)


def _n_splits_of_each(table: Floats) -> Ints:
    """Return how many splits each learner has, or raise if they are not its first ones."""
    known = np.isfinite(table)
    lengths = known.sum(axis=1)
    if (known != (np.arange(table.shape[1]) < lengths[:, None])).any():
        raise DesignError(
            "losses of a learner must have no gap; got one. Leave out splits that a learner lacks."
        )
    return np.asarray(lengths)


def _order_by_losses(table: Floats, lengths: Ints) -> Ints:
    """Return learners by number of splits, then by their losses, so that names do not matter.

    Rounding noise, as of an accuracy that became an error rate, changes no order.
    """
    shifted, scale = np.nan_to_num(table - np.nanmin(table)), np.nanmax(np.abs(table))
    means = tied_values(shifted.sum(axis=1) / lengths, scale)
    keys: list[Any] = list(zip((-lengths).tolist(), means.tolist(), strict=True))
    if len(set(keys)) < len(keys):  # else single losses decide nothing
        losses = np.hstack([tied_values(shifted, scale, axis=0), shifted]).tolist()
        keys = [(*key, *row) for key, row in zip(keys, losses, strict=True)]
    return np.array(sorted(range(len(table)), key=keys.__getitem__), dtype=np.int64)


def _joint_moments(table: Floats, lengths: Ints, overlap: float) -> tuple[Floats, Floats, Floats]:
    """Return means, their scale and its part of the splits.

    The first learner has all splits and the lowest mean.

    Mean differences from the first learner rest on the splits that both have.  Two means over
    the first a and the first b splits have covariance S / max(a, b).
    """
    n_shared, first = int(lengths.min()), table[0]
    parts = np.vstack([first, table[1:] - first])
    centers = [row[:length].mean() for row, length in zip(parts, lengths, strict=True)]
    repeats = 1 / np.maximum.outer(lengths, lengths)
    spread = np.atleast_2d(np.cov(parts[:, :n_shared]))
    back = np.eye(len(table))
    back[1:, 0] = 1  # a difference plus the first learner is the learner again
    scale, of_splits = ((repeats + overlap) * spread, repeats * spread)
    return back @ np.array(centers), back @ scale @ back.T, back @ of_splits @ back.T


LIKELY = 0.95
ROW_FACTORS = (2, 3, 5, 10, 20)


@dataclass(frozen=True)
class MoreNeeded:
    """Repeats or rows needed to make a learner 95% likely to be near the best on new data.

    Parameters
    ----------
    is_behind : bool
        Whether its mean is already further behind the lowest than asked for, so that neither
        would.
    n_repeats : int or None
        Repeats in all that would; None where the most allowed would not.
    endless_repeats_would : bool
        Whether any number of repeats on the same rows would.
    row_factor : int or None
        How many times as many rows would; None where 20 times would not, or repeats would.
    """

    is_behind: bool = False
    n_repeats: int | None = None
    endless_repeats_would: bool = False
    row_factor: int | None = None


def more_needed(
    losses: NewDataLosses,
    learner_index: int,
    within: float,
    *,
    n_splits: int,
    n_folds: int,
    most_splits: int = 100,
) -> MoreNeeded | None:
    """Return what would make a learner 95% likely to be within a distance of the best.

    Mean losses are taken to stay as they are, so that only their uncertainty shrinks.  Repeats
    lower one part of it, and rows all of it.

    Parameters
    ----------
    losses : NewDataLosses
        Joint distribution of the losses.
    learner_index : int
        Its position.
    within : float, at least 0
        The distance, in the unit of the loss.
    n_splits, n_folds : int
        Splits that the losses rest on, and how many of them are one repeat.
    most_splits : int, default=100
        Splits in all beyond which more repeats are not worth their cost.

    Returns
    -------
    MoreNeeded or None
        None where it is that likely already.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.inference.new_data import losses_on_new_data
    >>> losses = np.random.default_rng(0).binomial(20, [[0.1], [0.13]], (2, 25)).T / 20
    >>> expected = losses_on_new_data(losses, n_samples=100, n_train=80, n_test=20)
    >>> more_needed(expected, 0, 0.01, n_splits=25, n_folds=5).row_factor
    3
    """
    if losses.probability(within)[learner_index] >= LIKELY:
        return None
    if losses.means[learner_index] - losses.means.min() > within:
        return MoreNeeded(is_behind=True)

    def is_enough(*, splits: float = n_splits, rows: float = 1) -> bool:
        more = losses.with_more(repeats=splits / n_splits, rows=rows)
        return bool(more.probability(within)[learner_index] >= LIKELY)

    endless = is_enough(splits=float("inf"))
    counts = range(n_splits // n_folds + 1, most_splits // n_folds + 1)
    if endless and counts and is_enough(splits=counts[-1] * n_folds):
        index = bisect_left(counts, True, key=lambda count: is_enough(splits=count * n_folds))
        return MoreNeeded(n_repeats=counts[index], endless_repeats_would=True)
    factors = (factor for factor in ROW_FACTORS if is_enough(rows=factor))
    return MoreNeeded(endless_repeats_would=endless, row_factor=next(factors, None))
