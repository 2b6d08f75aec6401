"""Central limit test of two learners by the losses of the rows of one cross-validation."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import Caution
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.two_learners.paired_test import (
    PairedComparison,
    compare_by_t,
    paired_scores,
    single_result,
)

TITLE = "cross-validation central limit test"
UNSTABLE = Caution(
    "unstable-learner",
    "The normal distribution holds for learners that hardly change with one training row more or "
    "less: with "
    "unstable ones (1-nearest-neighbor, unpruned trees) this test rejects too often.",
)
ASSUMPTIONS = (
    "Rows are independent, and each was predicted once, by models that never saw it.",
    "The difference of both learners is stable: one training row more or less hardly changes it.",
    "What is compared is the mean loss of the models of this cross-validation, not of all training "
    "sets of their size.",
)


def cv_central_limit_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    fold_of_row: ArrayLike | None = None,
    alternative: str = "two-sided",
    is_unstable: bool | None = None,
) -> HypothesisTestResult:
    """Compare two learners on one run of k-fold cross-validation by the losses of its rows.

    Null hypothesis: the k models of both learners have the same expected loss (two-sided), or
    those of the first have no greater ("greater") or no smaller ("less") one. Design: paired,
    one loss of each learner on each row.

    Parameters
    ----------
    a, b : array-like of shape (n_rows,), float
        Loss of the first and of the second learner on every row, 0 or 1 for errors.
    fold_of_row : array-like of shape (n_rows,), optional
        Fold in which each row was tested: numbers or names. Left out: one test set.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.
    is_unstable : bool, optional
        Whether a learner is unstable; if left out, a caution says what that would mean.

    Returns
    -------
    HypothesisTestResult
        With z for the statistic, and no df. If the differences of no fold vary: statistic 0
        and p value 1 if their mean is 0, else statistic inf or -inf and p value 0 (1 on the
        wrong side); flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the losses do not pair, are not finite or not one-dimensional, `fold_of_row` does
        not fit them, or a fold has a single row.
    InvalidArgumentError
        If `alternative` is unknown.

    Notes
    -----
    z = mean(h) / sqrt(s^2 / n), h the differences on n rows, s^2 the mean over folds of the
    variance within the fold [1]_. When not to trust it: unstable learners; learners that are
    stable by themselves may still have an unstable difference; it does not speak of other
    training sets.

    References
    ----------
    .. [1] Bayle, Bayle, Janson & Mackey (2020), Cross-validation confidence intervals for test
       error, NeurIPS 33.

    Examples
    --------
    >>> a, b = [1, 0, 1, 1, 0, 1, 0, 1], [0, 0, 1, 0, 0, 1, 0, 0]
    >>> result = cv_central_limit_test(a, b, fold_of_row=[1, 1, 1, 1, 2, 2, 2, 2])
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (1.964, 0.0495)
    """
    differences, scale = paired_scores(a, b, "cv_central_limit_test")
    if differences.ndim != 1:
        raise DesignError(
            "losses of cv_central_limit_test must be one number per row; got shape "
            f"{differences.shape}. Test one run of cross-validation at a time."
        )
    n_rows = differences.size
    variances = _variances_of_folds(differences, fold_of_row)
    compared = compare_row_means(differences.mean(), variances.mean(), n_rows, scale)
    result = single_result(
        compared,
        differences,
        scale,
        procedure=TITLE,
        alternative=alternative,
        warnings=(UNSTABLE,) if is_unstable is not False else (),
        assumptions=ASSUMPTIONS,
    )
    return replace(
        result,
        df=math.nan,
        symbol="z",
        distribution="standard normal",
        estimate_of="mean difference of losses",
        n_of="rows",
    )


def compare_row_means(
    means: Floats, variances: Floats, n_rows: int, scale: ArrayLike
) -> PairedComparison:
    """Compare pairs of learners by the means and variances of their differences on rows.

    Parameters
    ----------
    means, variances : ndarray of shape (...)
        Of the differences of row losses of every pair, first minus second.
    n_rows : int
        Number of rows.
    scale : array-like that broadcasts to (...)
        Largest absolute loss behind the differences of a pair.

    Returns
    -------
    PairedComparison
        By the normal distribution, fields of shape (...).
    """
    return compare_by_t(means, np.sqrt(variances / n_rows), n_rows, scale=scale, df=math.inf)


def _variances_of_folds(differences: Floats, fold_of_row: ArrayLike | None) -> Floats:
    folds = np.asarray(np.zeros(differences.size) if fold_of_row is None else fold_of_row)
    if folds.shape != differences.shape:
        raise DesignError(
            f"fold_of_row must hold the fold of each of the {differences.size} rows; got shape "
            f"{folds.shape}. Leave it out for one test set."
        )
    names, index, sizes = np.unique(folds, return_inverse=True, return_counts=True)
    if sizes.min() < 2:
        raise DesignError(
            "folds of cv_central_limit_test must test at least 2 rows each; got 1 in fold "
            f"{names[sizes.argmin()]}. Leave-one-out has no variance within its folds: use fewer "
            "folds."
        )
    centered = differences - (np.bincount(index, differences) / sizes)[index]
    return np.asarray(np.bincount(index, centered**2) / (sizes - 1))


PROCEDURE = Procedure(
    name="cv-central-limit",
    title=TITLE,
    question="Do the models of two learners differ on the rows of one cross-validation?",
    takes="two-on-rows",
    run=cv_central_limit_test,
    aliases=("cv-clt", "clt", "central-limit"),
)
