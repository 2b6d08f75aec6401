"""Tests of K fitted classifiers on one test set: Cochran Q, Looney F, multinomial selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc

from bestofk.array_types import Floats, Ints
from bestofk.checks import check_known
from bestofk.errors import DesignError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import (
    Names,
    check_share,
    finite_table,
    learner_table,
    names_of_columns,
)
from bestofk.inference.many_learners.omnibus_tests import greenhouse_geisser
from bestofk.inference.one_test_set.proportions import wilson_limits
from bestofk.inference.one_test_set.rows import FIXED_MODELS, OWN_ROWS, check_zero_one
from bestofk.inference.results import OmnibusResult, Result, number
from bestofk.inference.student import normal_quantile
from bestofk.inference.two_learners.paired_test import USUAL_LEVEL
from bestofk.measures.ties import at_most, tied_values
from bestofk.words import printable

if TYPE_CHECKING:
    import pandas as pd


ALL_TIES = Caution(
    "degenerate",
    "Every row is right for all learners or wrong for all of them, so the p value is 1 by "
    "convention.",
)


def correct_table(correct: Any, names: Names, what: str) -> tuple[Ints, tuple[str, ...]]:
    """Return the table of right and wrong as whole numbers, with the names, or raise.

    Parameters
    ----------
    correct : array-like of shape (n_rows, n_learners), 0 and 1 or bool
        1 where the learner got the row right.
    names : sequence of str or None
        Names of the learners.
    what : str
        Its name in the error message.

    Returns
    -------
    correct : ndarray of shape (n_rows, n_learners), int
        The same; sums of it are exact.
    names : tuple of str
        One per learner.

    Raises
    ------
    DesignError
        If it is no table of 0 and 1 with at least two rows and two learners.
    InvalidArgumentError
        If the names do not fit.
    """
    table, labels = learner_table(correct, what, row="row", names=names)
    check_zero_one(table, what, meaning="wrong, right")
    return table.astype(np.int64), labels


def none_shown(p_value: float) -> tuple[Caution, ...]:
    """Return the caution that a high p value does not say "equal", if it is high.

    Parameters
    ----------
    p_value : float in [0, 1]
        Of a test of K learners.

    Returns
    -------
    tuple of Caution
        Empty or one.
    """
    text = (
        f"No difference between the learners is significant at {USUAL_LEVEL:g}, which does not "
        "mean equal."
    )
    return caution_if(p_value > USUAL_LEVEL, "not-equal", text)


# Below so many cells in rows that tell learners apart, the chi2 distribution is rough [2].
_LEAST_CELLS = 24


def cochran_q_test(correct: ArrayLike, *, names: Names = None) -> OmnibusResult:
    """Test whether K fitted classifiers have the same accuracy on one test set.

    Null hypothesis: the probability of a right answer is the same for all. Design: blocked,
    all models predict the same rows.

    Parameters
    ----------
    correct : array-like of shape (n_rows, n_learners), 0 and 1 or bool
        1 where the learner got the row right.
    names : sequence of str, optional
        Names of the learners; required with more learners than rows. Learner 1, learner 2, ... if
        left out.

    Returns
    -------
    OmnibusResult
        Q with n_learners - 1 degrees of freedom; `effect_size` is Q / (n (n_learners - 1)),
        from 0 to 1. If every row is right for all or wrong for all: Q 0, p value 1, flagged
        ``"all_ties"``.

    Raises
    ------
    DesignError
        If it is no table of 0 and 1 with at least two rows and two learners.
    InvalidArgumentError
        If the names do not fit.

    See Also
    --------
    mcnemar_test : For two learners; "chi2" is the same statistic.
    looney_f_test : The same sums of squares under the F distribution.

    Notes
    -----
    Q = (K-1) (K sum G_j^2 - T^2) / (K T - sum R_i^2), with G_j right answers of learner j, R_i
    of row i and T of all [1]_. When not to trust it: few rows on which the learners differ
    (fewer than 24 cells in such rows [2]_).

    References
    ----------
    .. [1] Cochran (1950), The comparison of percentages in matched samples, Biometrika 37.
    .. [2] Tate & Brown (1970), Note on the Cochran Q test, Journal of the American
       Statistical Association 65.

    Examples
    --------
    >>> correct = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    >>> result = cochran_q_test(correct)
    >>> result.statistic, result.df, round(result.p_value, 4)
    (5.2, 2.0, 0.0743)
    """
    table, labels = correct_table(correct, names, "correct of cochran_q_test")
    n_rows, k = table.shape
    by_learner, by_row = table.sum(axis=0), table.sum(axis=1)
    total = int(table.sum())
    between = (k - 1) * (k * int(by_learner @ by_learner) - total**2)
    within = k * total - int(by_row @ by_row)
    statistic = between / within if within else 0.0
    p_value = float(chdtrc(k - 1, statistic)) if within else 1.0
    return OmnibusResult(
        procedure="Cochran Q test",
        statistic=statistic,
        symbol="Q",
        df=float(k - 1),
        p_value=p_value,
        effect_size=statistic / (n_rows * (k - 1)),
        effect_size_of="Q / (n (K - 1))",
        n=n_rows,
        n_of="rows",
        names=labels,
        levels=tuple(float(share) for share in by_learner / n_rows),
        level_of="accuracy",
        distribution="chi2",
        assumptions=(FIXED_MODELS, OWN_ROWS),
        flags=() if within else ("all_ties",),
        warnings=(
            *(() if within else (ALL_TIES,)),
            *_few_cells(int(((by_row > 0) & (by_row < k)).sum()), k),
            *none_shown(p_value),
        ),
    )


COCHRAN_Q = Procedure(
    name="cochran-q",
    title="Cochran Q test",
    question="Do K fitted classifiers err equally often on one test set?",
    takes="many-on-rows",
    run=cochran_q_test,
    aliases=("cochran", "cochrans-q"),
)


def _few_cells(n_telling: int, k: int) -> tuple[Caution, ...]:
    text = (
        f"Only {n_telling} rows tell the {k} learners apart: with fewer than {_LEAST_CELLS} cells "
        "in such rows the p value is rough."
    )
    return caution_if(0 < n_telling * k < _LEAST_CELLS, "few-scores", text)


EPSILONS = ("greenhouse-geisser", "huynh-feldt")
_SPHERICITY = "The differences of any two learners vary equally from row to row."
_NO_ERROR_VARIANCE = Caution(
    "degenerate",
    "The learners differ in the same way on every row, so statistic and p value are limits.",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LooneyResult(OmnibusResult):
    """The outcome of Looney's F or F+ test.

    Parameters
    ----------
    ss_learners, ss_rows, ss_error, ss_total : float
        Sums of squares between learners, between rows, of what is left, and of all.
    epsilon : float
        Factor of the degrees of freedom, from 1/(n_learners - 1) to 1; 1 for F.
    """

    ss_learners: float
    ss_rows: float
    ss_error: float
    ss_total: float
    epsilon: float

    @property
    def partial_eta_squared(self) -> float:
        """Share of the learners in what rows do not explain; 0 if nothing is left."""
        left = self.ss_learners + self.ss_error
        return self.ss_learners / left if left > 0 else 0.0


def looney_f_test(correct: ArrayLike, *, names: Names = None) -> LooneyResult:
    """Test whether K fitted classifiers have the same accuracy, by analysis of variance.

    Null hypothesis: the probability of a right answer is the same for all. Design: blocked,
    all models predict the same rows.

    Parameters
    ----------
    correct : array-like of shape (n_rows, n_learners), 0 and 1 or bool
        1 where the learner got the row right.
    names : sequence of str, optional
        Names of the learners; required with more learners than rows. Learner 1, learner 2, ... if
        left out.

    Returns
    -------
    LooneyResult
        F with K-1 and (K-1)(n-1) degrees of freedom; `effect_size` is eta squared, the share
        of the learners in all variation. If every row is right for all or wrong for all: F
        0, p value 1, flagged ``"all_ties"``. If the learners differ by the same on every row: F
        inf, p value 0, flagged ``"zero_variance"``.

    Raises
    ------
    DesignError
        If it is no table of 0 and 1 with at least two rows and two learners.
    InvalidArgumentError
        If the names do not fit.

    See Also
    --------
    looney_f_plus_test : Without the assumption that all pairs vary alike.
    cochran_q_test : The same sums of squares under the chi2 distribution.

    Notes
    -----
    F = (SSA/(K-1)) / (SSAB/((K-1)(n-1))) [1]_, SSA between learners, SSAB what neither learners
    nor rows explain. When not to trust it: pairs of learners that agree to different degrees,
    as a learner and its variant next to another learner.

    References
    ----------
    .. [1] Looney (1988), A statistical technique for comparing the accuracies of several
       classifiers, Pattern Recognition Letters 8(1).

    Examples
    --------
    >>> correct = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    >>> result = looney_f_test(correct)
    >>> print(round(result.statistic, 4), result.df, round(result.p_value, 4))
    3.8235 (2.0, 10.0) 0.0584
    """
    table, labels = correct_table(correct, names, "correct of looney_f_test")
    return _result(table, labels, "Looney F test", 1.0, (_SPHERICITY,))


def looney_f_plus_test(
    correct: ArrayLike, *, names: Names = None, epsilon: str = "greenhouse-geisser"
) -> LooneyResult:
    """Test whether K fitted classifiers are equally accurate, with corrected degrees of freedom.

    As `looney_f_test`, with both degrees of freedom multiplied by epsilon, an estimate of how
    far pairs of learners are from varying alike. Null hypothesis: all learners are right with the
    same probability.

    Parameters
    ----------
    correct : array-like of shape (n_rows, n_learners), 0 and 1 or bool
        1 where the learner got the row right.
    names : sequence of str, optional
        Of the learners.
    epsilon : {"greenhouse-geisser", "huynh-feldt"}, default="greenhouse-geisser"
        The estimate [2]_, [3]_; Huynh-Feldt's is larger and is cut at 1.

    Returns
    -------
    LooneyResult
        As from `looney_f_test`, with `epsilon`; all ties and no error variance have the same
        limits and flags.

    Raises
    ------
    DesignError
        If it is no table of 0 and 1 with at least two rows and two learners.
    InvalidArgumentError
        If `epsilon` is unknown or the names do not fit.

    Notes
    -----
    Greenhouse-Geisser: (tr S)^2 / ((K-1) tr(S^2)) of the double-centered covariance S of the
    learners. Huynh-Feldt: (n (K-1) e - 2) / ((K-1) (n - 1 - (K-1) e)) with that e. Looney [1]_
    leaves the estimate open.

    References
    ----------
    .. [1] Looney (1988), A statistical technique for comparing the accuracies of several
       classifiers, Pattern Recognition Letters 8(1).
    .. [2] Greenhouse & Geisser (1959), On methods in the analysis of profile data,
       Psychometrika 24.
    .. [3] Huynh & Feldt (1976), Estimation of the Box correction for degrees of freedom from
       sample data in randomized block and split-plot designs, Journal of Educational
       Statistics 1.

    Examples
    --------
    >>> correct = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    >>> result = looney_f_plus_test(correct)
    >>> print(round(result.epsilon, 4), round(result.p_value, 4))
    0.7983 0.0747
    """
    check_known(epsilon, "epsilon of looney_f_plus_test", EPSILONS)
    table, labels = correct_table(correct, names, "correct of looney_f_plus_test")
    factor = greenhouse_geisser(table)
    if epsilon == "huynh-feldt":
        factor = _huynh_feldt(factor, *table.shape)
    return _result(table, labels, f"Looney F+ test ({epsilon})", factor, ())


F_PROCEDURE = Procedure(
    name="looney-f",
    title="Looney F test",
    question="Do K fitted classifiers err equally often on one test set, by analysis of variance?",
    takes="many-on-rows",
    run=looney_f_test,
    aliases=("looney",),
)
F_PLUS_PROCEDURE = Procedure(
    name="looney-f-plus",
    title="Looney F+ test",
    question="Do K fitted classifiers err equally often on one test set, if some agree more than "
    "others?",
    takes="many-on-rows",
    run=looney_f_plus_test,
    aliases=("looney-f+",),
)


def _result(
    table: Ints, names: tuple[str, ...], title: str, epsilon: float, assumptions: tuple[str, ...]
) -> LooneyResult:
    n, k = table.shape
    ss_learners, ss_rows, ss_error, ss_total = _sums_of_squares(table)
    is_tied = ss_error == 0 and ss_learners == 0
    df = (epsilon * (k - 1), epsilon * (k - 1) * (n - 1))
    statistic, p_value = 0.0, 1.0
    if ss_error > 0:
        statistic = (n - 1) * ss_learners / ss_error
        p_value = float(fdtrc(*df, statistic))
    elif not is_tied:
        statistic, p_value = np.inf, 0.0
    degenerate = (ALL_TIES if is_tied else _NO_ERROR_VARIANCE,) if ss_error == 0 else ()
    return LooneyResult(
        procedure=title,
        statistic=statistic,
        df=df,
        p_value=p_value,
        effect_size=ss_learners / ss_total if ss_total > 0 else 0.0,
        effect_size_of="eta squared",
        n=n,
        n_of="rows",
        names=names,
        levels=tuple(float(share) for share in table.mean(axis=0)),
        level_of="accuracy",
        assumptions=(FIXED_MODELS, OWN_ROWS, *assumptions),
        flags=("all_ties" if is_tied else "zero_variance",) if ss_error == 0 else (),
        warnings=degenerate + none_shown(p_value),
        ss_learners=ss_learners,
        ss_rows=ss_rows,
        ss_error=ss_error,
        ss_total=ss_total,
        epsilon=epsilon,
    )


def _sums_of_squares(table: Ints) -> tuple[float, float, float, float]:
    """Return SSA, SSB, SSAB and SST; n K times each is a whole number, so 0 is exactly 0."""
    n, k = table.shape
    by_learner, by_row = table.sum(axis=0), table.sum(axis=1)
    total = int(table.sum())
    learners = k * int(by_learner @ by_learner) - total**2
    rows = n * int(by_row @ by_row) - total**2
    all_cells = n * k * total - total**2
    cells = n * k
    return learners / cells, rows / cells, (all_cells - learners - rows) / cells, all_cells / cells


def _huynh_feldt(greenhouse_geisser: float, n: int, k: int) -> float:
    """Return Huynh and Feldt's estimate, at most 1; of two rows it does not exist."""
    if n == 2:
        return greenhouse_geisser
    effective = (k - 1) * greenhouse_geisser
    left = (k - 1) * (n - 1 - effective)
    numerator = n * effective - 2
    return 1.0 if at_most(left, 0, n * k) else min(1.0, numerator / left)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MultinomialSelection(Result):
    """Number of rows that each learner wins.

    Parameters
    ----------
    names : tuple of str
        Learners.
    wins : tuple of float
        Rows won; a row won by several is split between them.
    low, high : tuple of float
        Limits of the probability to win a row.
    level : float in (0, 1)
        With which all limits hold together.
    """

    names: tuple[str, ...]
    wins: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    level: float

    @property
    def shares(self) -> tuple[float, ...]:
        """Estimated probability of each learner to win a row."""
        return tuple(wins / self.n for wins in self.wins)

    @property
    def best(self) -> str:
        """Learner with the most wins; of several, the first of them."""
        return self.names[int(np.argmax(self.wins))]

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        listed = zip(self.names, self.wins, self.shares, self.low, self.high, strict=True)
        return [
            *(
                (f"wins of {name}", f"{wins:g}, share {number(share)}, {number(a)} to {number(b)}")
                for name, wins, share, a, b in listed
            ),
            ("best", self.best),
            ("n", f"{self.n} rows"),
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner.

        Returns
        -------
        DataFrame
            Columns learner, wins, share, low, high.
        """
        import pandas as pd

        columns = {"learner": self.names, "wins": self.wins, "share": self.shares}
        return pd.DataFrame(columns | {"low": self.low, "high": self.high})

    def __repr__(self) -> str:
        return printable(
            f"MultinomialSelection({self.best} wins {max(self.wins):g} of {self.n} rows, "
            f"{len(self.names)} learners)"
        )


def multinomial_selection(
    posterior_true: ArrayLike, *, names: Names = None, level: float = 0.95
) -> MultinomialSelection:
    """Estimate how probably each of K fitted classifiers is the surest of the true class.

    Parameters
    ----------
    posterior_true : array-like of shape (n_rows, n_learners), float in [0, 1]
        Probability that each learner gives to the true class of each row.
    names : sequence of str, optional
        Names of the learners; required with more learners than rows. Learner 1, learner 2, ... if
        left out.
    level : float in (0, 1), default=0.95
        With which the intervals of all learners hold together (Bonferroni).

    Returns
    -------
    MultinomialSelection
        Wins, their shares, and Wilson's limits of each share. If all learners tie on every
        row: flagged ``"all_ties"``.

    Raises
    ------
    DesignError
        If it is no table of probabilities with at least one row and two learners, or has more
        learners than rows and no names.
    InvalidArgumentError
        If `level` or the names do not fit.

    Notes
    -----
    The learner with the largest probability of the true class wins the row; a tie is split
    [1]_. When not to trust it: probabilities of different make. A nearest neighbor or a pure
    leaf says 1 where it is right and wins the row against any careful learner. A warning names
    learners with at least 3 rows per different probability, such as 5-NN and trees.

    References
    ----------
    .. [1] Alsing, Bauer & Miller (2002), A multinomial selection procedure for evaluating
       pattern recognition algorithms, Pattern Recognition 35(11).

    Examples
    --------
    >>> result = multinomial_selection([[0.9, 0.8, 0.7], [0.6, 0.7, 0.65], [0.5, 0.5, 0.4]])
    >>> result.wins, result.best
    ((1.5, 1.5, 0.0), 'learner 1')
    """
    what = "posterior_true of multinomial_selection"
    table = finite_table(posterior_true, what, row="row", min_columns=2)
    outside = table[(table < 0) | (table > 1)]
    if outside.size:
        raise DesignError(
            f"{what} must be probabilities from 0 to 1; got {outside[0]:g}. "
            "Take predict_proba, at the column of the true class."
        )
    labels = names_of_columns(posterior_true, what, row="row", names=names)
    n, k = table.shape
    is_top = table == table.max(axis=1, keepdims=True)
    wins = (is_top / is_top.sum(axis=1, keepdims=True)).sum(axis=0)
    each = 1 - (1 - check_share(level, "level")) / k
    low, high = wilson_limits(np.clip(wins / n, 0, 1), n, normal_quantile(each))
    all_tied = bool(is_top.all())
    return MultinomialSelection(
        procedure="multinomial selection",
        n=n,
        names=labels,
        wins=tuple(map(float, wins)),
        low=tuple(map(float, low)),
        high=tuple(map(float, high)),
        level=float(level),
        assumptions=(FIXED_MODELS, OWN_ROWS, "The probabilities of all learners are comparable."),
        flags=("all_ties",) if all_tied else (),
        warnings=(
            *((_ALL_TOP,) if all_tied else _coarse(table, labels)),
            Caution(
                "multiplicity",
                f"Family: the {k} win probabilities, m = {k}; Bonferroni: each interval has level "
                f"{each:.4g}, so that all hold together at {level:g}.",
            ),
        ),
    )


_ALL_TOP = Caution(
    "degenerate", "All learners give the true class the same probability on every row."
)
_CRISP = (
    "{} gives no probabilities between 0 and 1, and so wins or loses whole rows against learners "
    "that do."
)
_FEW_VALUES = (
    "Probabilities of few values: {}. They are shares of neighbors or of the rows of a leaf, which "
    "say 1 or tie where others say 0.98, so such wins and losses mean little."
)
_FEW_ROWS_PER_VALUE = 3  # rows per value from which probabilities are coarse
MULTINOMIAL = Procedure(
    name="multinomial-selection",
    title="multinomial selection",
    question="Which of K fitted classifiers is most often the surest of the true class?",
    takes="posteriors",
    run=multinomial_selection,
    aliases=("msp", "multinomial"),
)


def _coarse(table: Floats, labels: Sequence[str]) -> tuple[Caution, ...]:
    """Return cautions about learners without probabilities, and with few different ones."""
    n = len(table)
    n_values = [len(np.unique(column)) for column in tied_values(table, axis=0).T]
    is_crisp = [bool(np.isin(column, (0, 1)).all()) for column in table.T]
    crisp = [label for label, alone in zip(labels, is_crisp, strict=True) if alone]
    few = [
        f"{label} ({count} on {n} rows)"
        for label, count, alone in zip(labels, n_values, is_crisp, strict=True)
        if not alone and count * _FEW_ROWS_PER_VALUE <= n
    ]
    return (
        *caution_if(len(crisp) > 0, "degenerate", _CRISP.format(", ".join(crisp))),
        *caution_if(len(few) > 0, "degenerate", _FEW_VALUES.format(", ".join(few))),
    )
