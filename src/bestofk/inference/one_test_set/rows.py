"""Checks of and cautions about the rows of one test set."""

from typing import Any

import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import check_number
from bestofk.errors import DesignError
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import as_numbers, check_finite
from bestofk.inference.two_learners.paired_test import USUAL_LEVEL, not_equal
from bestofk.randomness import derive_rng

FIXED_MODELS = (
    "Two fitted models are compared, not two ways of learning: how much they would change with "
    "other training rows is not part of the test."
)
OWN_ROWS = "The test rows are independent, and no model has seen one of them."
POOLED = Caution(
    "pooled-folds",
    "The rows were predicted by the models of several folds, which share training rows, so they "
    "are not one test set and their number overstates the evidence.",
)


def row_values(values: Any, what: str, *, n_least: int = 1) -> Floats:
    """Return one number per row as floats, or raise and say which row is bad.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        One number per row.
    what : str
        Its name in the error message.
    n_least : int
        Fewest rows that the procedure can use.

    Returns
    -------
    ndarray of shape (n_rows,), float
        The same numbers.

    Raises
    ------
    DesignError
        If they are no numbers, not one per row, not finite or too few.

    Examples
    --------
    >>> row_values([0, 1, 1], "losses").tolist()
    [0.0, 1.0, 1.0]
    """
    rule = f"{what} must be one number per test row"
    numbers = as_numbers(values, rule, "Give one number per row.")
    if numbers.ndim != 1:
        raise DesignError(
            f"{rule}; got shape {numbers.shape}. "
            "Compare one pair of learners on the rows of one test set."
        )
    check_finite(numbers, what, "row", "Drop the row from both learners or from none.")
    if numbers.size < n_least:
        raise DesignError(
            f"{what} must be at least {n_least}; got {numbers.size}. Test on more rows."
        )
    return numbers


def paired_rows(a: Any, b: Any, what: str) -> tuple[Floats, Floats]:
    """Return the values of two learners on the same rows, or raise.

    Parameters
    ----------
    a, b : array-like of shape (n_rows,)
        One number per row and learner.
    what : str
        Their name in the error message.

    Returns
    -------
    a, b : ndarray of shape (n_rows,), float
        The same numbers.

    Raises
    ------
    DesignError
        If they do not pair, are not finite or fewer than two.
    """
    first, second = row_values(a, what, n_least=2), row_values(b, what, n_least=2)
    if first.size != second.size:
        raise DesignError(
            f"{what} must pair, one of each learner per test row; got {first.size} and "
            f"{second.size}. Let both learners predict the same rows."
        )
    return first, second


def check_zero_one(values: Floats, what: str, *, meaning: str) -> Floats:
    """Return values as they are, or raise if one is neither 0 nor 1.

    Parameters
    ----------
    values : ndarray of float
        Any shape.
    what : str
        Their name in the error message.
    meaning : str
        What 0 and 1 stand for.

    Returns
    -------
    ndarray of float
        The same array.

    Raises
    ------
    DesignError
        If there is another value.
    """
    other = values[(values != 0) & (values != 1)]
    if other.size:
        raise DesignError(
            f"{what} must be 0 or 1 ({meaning}); got {other[0]:g}. "
            "Use permutation_test for losses of other sizes."
        )
    return values


def check_draws(n_draws: Any, random_state: Any, name: str) -> np.random.Generator:
    """Return the generator of random draws, or raise if it cannot be made.

    Parameters
    ----------
    n_draws : int, at least 1
        How many draws will be made.
    random_state : int
        The same number gives the same draws.
    name : str
        Of the procedure; other procedures draw otherwise.

    Returns
    -------
    numpy.random.Generator
        At its beginning.

    Raises
    ------
    InvalidArgumentError
        If `n_draws` is no positive whole number or `random_state` no whole number.
    """
    check_number(n_draws, f"n_draws of {name}", low=1, whole=True, way_out="9999 is usual.")
    check_number(random_state, f"random_state of {name}", whole=True, way_out="0 is usual.")
    return derive_rng(int(random_state), name)


def few_rows(n_telling: int, least_p: float) -> tuple[Caution, ...]:
    """Return the caution about too few rows, where it applies.

    Parameters
    ----------
    n_telling : int
        Rows on which the learners differ.
    least_p : float
        Smallest p value that so many rows can give.

    Returns
    -------
    tuple of Caution
        One where there are rows and their smallest p value is above 0.05, else none.
    """
    text = (
        f"Only {n_telling} rows tell the learners apart: the p value cannot fall below "
        f"{least_p:.3g}, whichever of them is better."
    )
    return caution_if(n_telling > 0 and least_p > USUAL_LEVEL, "few-scores", text)


def row_fields(p_value: float, side: str, doubts: tuple[Caution, ...]) -> dict[str, Any]:
    """Return the fields that results of tests of two fitted learners on shared rows have."""
    return {
        "p_value": p_value,
        "alternative": side,
        "n_of": "rows",
        "assumptions": (FIXED_MODELS, OWN_ROWS),
        "warnings": doubts + not_equal(p_value, side),
    }
