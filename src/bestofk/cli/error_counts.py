"""Procedures of summary numbers: errors and rows of one or two test sets, without a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.inference import procedure, proportion_interval, two_proportion_z_test
from bestofk.inference.results import Result

_OF_TWO, _OF_ONE = "two-proportion-z", "proportion-interval"
_OPTIONS_OF_ONE = ("method", "level")


def result_of_counts(name: str, texts: Sequence[str], options: dict[str, Any]) -> Result:
    """Return the result of a procedure of error counts.

    Parameters
    ----------
    name : {"two-proportion-z", "proportion-interval"}
        Underscores do for hyphens.
    texts : sequence of str
        ERRORS/ROWS of each test set: two for the first procedure, one for the second.
    options : dict of str to object
        Options of the procedure.

    Returns
    -------
    Result
        Of error rates.

    Raises
    ------
    InvalidArgumentError
        If the name, a text, the number of texts or an option is not allowed.

    Examples
    --------
    >>> result = result_of_counts("two-proportion-z", ["4.5/30", "1250/5000"], {})
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (-1.527, 0.127)
    """
    key = name.lower().replace("_", "-")
    if key not in (_OF_TWO, _OF_ONE):
        raise InvalidArgumentError(
            f"--procedure must be one of counts where --errors is given ({_OF_TWO}, {_OF_ONE}); "
            f"got {name!r}. Others need a table of scores."
        )
    counts = [_count(text) for text in texts]
    wanted = 2 if key == _OF_TWO else 1
    if len(counts) != wanted:
        raise InvalidArgumentError(
            f"--errors of {key} must be {wanted} times ERRORS/ROWS; got {len(counts)} "
            f"({' '.join(texts)}). Write for example --errors "
            f"{'15/30 5/5000' if wanted == 2 else '20/100'}."
        )
    if key == _OF_ONE:
        _check_options(options)
        return proportion_interval(*counts[0], **options)  # type: ignore[arg-type]
    checked = procedure(key).check_options(options)
    (first, n_first), (second, n_second) = counts
    return two_proportion_z_test(
        first / n_first, int(n_first), second / n_second, int(n_second), **checked
    )


def _count(text: str) -> tuple[float, float]:
    """Return errors and rows; half an error is possible, half a row is not."""
    errors, _, rows = text.partition("/")
    try:
        n_errors, n_rows = float(errors), float(rows)
    except ValueError:
        n_errors, n_rows = -1.0, 0.0
    if not 0 <= n_errors <= n_rows or n_rows < 1 or n_rows % 1:
        raise InvalidArgumentError(
            f"--errors must be ERRORS/ROWS, at most as many errors as rows; got {text!r}. Write "
            "for example 15/30; a file of scores comes without --errors."
        )
    return n_errors, n_rows


def _check_options(options: dict[str, Any]) -> None:
    for option in options:
        if option not in _OPTIONS_OF_ONE:
            raise InvalidArgumentError(
                f"options of {_OF_ONE} must be {', '.join(_OPTIONS_OF_ONE)}; got {option!r}. "
                + nearest_name(option, _OPTIONS_OF_ONE)
            )
