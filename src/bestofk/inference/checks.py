"""Checks of the input of procedures: tables of numbers, names of learners."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Floats
from bestofk.checks import check_different, check_known, is_number
from bestofk.errors import DesignError, InvalidArgumentError

Names = Sequence[str] | None  # of learners

ALTERNATIVES = ("two-sided", "greater", "less")


def as_number(value: Any) -> float:
    """Return a value as a float, nan if it is no number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def check_alternative(alternative: str) -> str:
    """Return the side of a test, or raise if there is no such side.

    Parameters
    ----------
    alternative : {"two-sided", "greater", "less"}
        What the test is to show about the first minus the second.

    Returns
    -------
    str
        The same word.

    Raises
    ------
    InvalidArgumentError
        If it is none of the three.
    """
    check_known(alternative, "alternative", ALTERNATIVES, rule="one of three words")
    return alternative


def check_share(value: float, what: str, *, least: float = 1e-15) -> float:
    """Return a level (`alpha`, confidence) as a float, or raise if it is not inside (0, 1).

    Parameters
    ----------
    value : float
        A probability.
    what : str
        Its name in the error message.
    least : float
        How far it must be from 0 and from 1; more where it is divided among pairs.

    Returns
    -------
    float
        The value.

    Raises
    ------
    InvalidArgumentError
        If it is no number above 0 and below 1, or nearer to one of them.
    """
    number = as_number(value)
    if not 0 < number < 1:
        raise InvalidArgumentError(
            f"{what} must be a number above 0 and below 1; got {value!r}. "
            "Write 5 percent as 0.05 and 95 percent as 0.95."
        )
    if min(number, 1 - number) < least:
        raise InvalidArgumentError(
            f"{what} must be from {least:g} to 1 - {least:g}; got {value!r}. "
            "Write 5 percent as 0.05 and 95 percent as 0.95."
        )
    return number


def as_numbers(values: Any, rule: str, way_out: str) -> Floats:
    """Return an array of numbers, or raise what is ruled, what was given and the way out."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise DesignError(
            f"{rule}; got {type(values).__name__} that is not ({error}). {way_out}"
        ) from error


def check_finite(values: Floats, what: str, item: str, way_out: str) -> None:
    """Raise if one of several numbers in a row is nan or infinite; `item` is what each is of."""
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise DesignError(
            f"{what} must be finite; got {values[bad[0]]} at {item} {bad[0] + 1}. {way_out}"
        )


def finite_table(
    values: Any, what: str, *, row: str, min_rows: int = 1, min_columns: int = 1
) -> Floats:
    """Return a table of numbers of learners as floats, or raise and say which cell is bad.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_columns)
        One number per cell.
    what : str
        Its name in the error message, such as "scores of friedman_test".
    row : str
        What rows are: "data set", "split", "row".
    min_rows, min_columns : int
        The least that the procedure needs.

    Returns
    -------
    ndarray of shape (n_rows, n_columns), float
        The same numbers.

    Raises
    ------
    DesignError
        If it is no regular table of numbers, a cell is nan or infinite, or it is too small.

    Examples
    --------
    >>> finite_table([[1, 2], [3, 4]], "scores", row="data set").shape
    (2, 2)
    """
    way_out = f"Give one number per {row} and learner."
    table = as_numbers(values, f"{what} must be numbers in a regular table", way_out)
    if table.ndim != 2:
        raise DesignError(
            f"{what} must be a table of one row per {row} and one column per learner; got shape "
            f"{table.shape}. {way_out}"
        )
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        i, j = bad[0]
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        raise DesignError(
            f"{what} must be finite; got {table[i, j]} at {row} {i + 1}, learner {j + 1}{more}. "
            f"Fill the cell, or leave the {row} or the learner out."
        )
    for least, n, of in zip((min_rows, min_columns), table.shape, (row, "learner"), strict=True):
        if n < least:
            raise DesignError(
                f"{what} must have at least {least} {of}s; got {n}. "
                "Take a procedure for fewer, or give more."
            )
    return table


def learner_table(
    values: Any, what: str, *, row: str, names: Names, min_rows: int = 2, min_columns: int = 2
) -> tuple[Floats, tuple[str, ...]]:
    """Return a table with a column per learner, and the names of the learners, or raise.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_learners)
        A DataFrame whose columns are texts names the learners.
    what : str
        Its name in the error message, such as "scores of anova_test".
    row : str
        What rows are: "split", "row".
    names : sequence of str or None
        Learners. Without any, a table of more learners than rows is taken to be transposed, and
        refused.
    min_rows, min_columns : int, default=2
        Fewest rows and learners.

    Returns
    -------
    table : ndarray of shape (n_rows, n_learners), float
        The same numbers.
    names : tuple of str
        One per learner.

    Raises
    ------
    DesignError
        If it is no such table, or is transposed.
    InvalidArgumentError
        If names do not fit.

    Examples
    --------
    >>> table, names = learner_table([[1, 2], [3, 4]], "scores", row="split", names=["a", "b"])
    >>> table[:, names.index("b")].tolist()
    [2.0, 4.0]
    """
    table = finite_table(values, what, row=row, min_rows=min_rows, min_columns=min_columns)
    return table, names_of_columns(values, what, row=row, names=names)


def names_of_columns(values: Any, what: str, *, row: str, names: Names) -> tuple[str, ...]:
    """Return the names of the learners of a table, or raise if it is transposed.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_learners)
        Any numbers. A DataFrame whose columns are texts names the learners.
    what : str
        Its name in the error message.
    row : str
        What rows are: "split", "data set", "repeat".
    names : sequence of str or None
        Learners. Without any, a table of more learners than rows is refused.

    Returns
    -------
    tuple of str
        One per learner.

    Raises
    ------
    DesignError
        If it is transposed.
    InvalidArgumentError
        If names do not fit.

    Examples
    --------
    >>> names_of_columns([[1, 2], [3, 4]], "scores", row="split", names=None)
    ('learner 1', 'learner 2')
    """
    table = np.asarray(values)
    columns = list(getattr(values, "columns", ()))
    if names is None and columns and all(isinstance(name, str) for name in columns):
        names = columns
    if names is None:
        check_orientation(table, what, row=row, way_out="If it is not, name the learners: names=.")
    return learner_names(names, table.shape[1])


def check_orientation(table: NDArray[Any], what: str, *, row: str, way_out: str) -> None:
    """Raise if a table has more learners than rows, as a transposed one has.

    Parameters
    ----------
    table : ndarray of shape (n_rows, n_learners)
        Any numbers.
    what : str
        Its name in the error message.
    row : str
        What rows are: "split", "test row", "repeat".
    way_out : str
        What to do if there are so many learners, a sentence.

    Raises
    ------
    DesignError
        The message has both readings.
    """
    n_rows, n_learners = table.shape
    if n_learners > n_rows:
        plural = "" if n_rows == 1 else "s"
        raise DesignError(
            f"{what} must have learners in columns; got {n_rows} x {n_learners}, which reads as "
            f"{n_learners} learners on {n_rows} {row}{plural}. Transpose it if it is {n_rows} "
            f"learner{plural} on {n_learners} {row}s. {way_out}"
        )


def learner_names(names: Names, n_learners: int) -> tuple[str, ...]:
    """Return the names of the learners, "learner 1" and so on where none are given.

    Parameters
    ----------
    names : sequence of str or None
        One name per learner, all different.
    n_learners : int
        How many there are.

    Returns
    -------
    tuple of str
        One name per learner.

    Raises
    ------
    InvalidArgumentError
        If the number does not fit or a name is there twice.

    Examples
    --------
    >>> learner_names(None, 2)
    ('learner 1', 'learner 2')
    """
    if names is None:
        return tuple(f"learner {i + 1}" for i in range(n_learners))
    given = tuple(str(name) for name in names)
    if len(given) != n_learners:
        raise InvalidArgumentError(
            f"names must be one per learner ({n_learners}); got {len(given)}. "
            "Name the learners in the order of the scores."
        )
    check_different(given, "names", "Rename one of them.")
    return given


def check_rope(rope: float) -> float:
    """Return half the width of the region of practical equivalence, or raise.

    Parameters
    ----------
    rope : float
        In the unit of the scores.

    Returns
    -------
    float
        The value.

    Raises
    ------
    InvalidArgumentError
        If it is no finite number from 0.
    """
    if not is_number(rope) or not 0 <= rope < np.inf:
        raise InvalidArgumentError(
            f"rope must be a number of at least 0, in the unit of the scores; got {rope!r}. "
            "0.01 is usual for error rates; 0 asks for differences of any size."
        )
    return float(rope)
