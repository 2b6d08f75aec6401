"""Procedures that need only the errors and rows of one or two test sets, not a table."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from bestofk.checks import check_known
from bestofk.cli.entries import procedure_name
from bestofk.errors import InvalidArgumentError
from bestofk.inference import PROCEDURES, proportion_interval, two_proportion_z_test
from bestofk.inference.results import Result

_COUNTS: Final = re.compile(
    r"\s*(?:(?P<count>\d{1,15})|(?P<share>\d{1,3}(?=%)|\d{0,3}\.\d{1,15})(?P<percent>%)?)"
    r"\s*/\s*(?P<rows>\d{1,15})\s*"
)
_OF_TWO, _OF_ONE = "two-proportion-z", "proportion-interval"
_OPTIONS_OF_ONE = ("method", "level")


def result_of_counts(name: str, texts: Sequence[str], options: dict[str, Any]) -> Result:
    """Return the result of a procedure of error counts.

    Parameters
    ----------
    name : {"two-proportion-z", "proportion-interval"}
        Underscores are read as hyphens.
    texts : sequence of str
        ERRORS/ROWS of each test set, whole numbers: two for the first procedure, one for the
        second.
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
    >>> result = result_of_counts("two-proportion-z", ["6/40", "1250/5000"], {})
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (-1.761, 0.078)
    """
    key = procedure_name(name)
    if key not in (_OF_TWO, _OF_ONE):
        raise InvalidArgumentError(
            f"--procedure must be one of error counts if --errors is given ({_OF_TWO}, {_OF_ONE}); "
            f"got {name!r}. Others need a table of scores."
        )
    counts = _counts(key, texts)
    wanted = 2 if key == _OF_TWO else 1
    if len(counts) != wanted:
        raise InvalidArgumentError(
            f"--errors of {key} must be {wanted} times ERRORS/ROWS; got {len(counts)} "
            f"({' '.join(texts)}). Write for example --errors "
            f"{'15/30 5/5000' if wanted == 2 else '20/100'}."
        )
    if key == _OF_ONE:
        _check_options(options)
        return proportion_interval(*counts[0], **options)
    checked = PROCEDURES[key].check_options(options)
    (first, n_first), (second, n_second) = counts
    return two_proportion_z_test(first / n_first, n_first, second / n_second, n_second, **checked)


def _counts(name: str, texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return errors and rows of each test set; raise on shares, with the line to type instead."""
    counts: list[tuple[int, int]] = []
    typed, shares, remarks = [], [], []
    for text in texts:
        parts = _COUNTS.fullmatch(text)
        n_rows = int(parts["rows"]) if parts else 0
        n_errors: int | None = int(parts["count"] or 0) if parts else 0
        if parts and parts["share"]:
            share = Decimal(parts["share"]) / (100 if parts["percent"] else 1)
            product = (share * n_rows).normalize()
            n_errors = _errors_of(share, n_rows)
            shares.append(text)
            if n_errors is None:
                remarks.append(f" {share} of {n_rows} rows is {product:f}, no whole number.")
        if not n_rows or (n_errors or 0) > n_rows:
            raise InvalidArgumentError(
                "--errors must be ERRORS/ROWS in whole numbers, at most as many errors as rows; "
                f"got {text!r}. Write for example 15/30; a file of scores comes without --errors."
            )
        counts.append((n_errors or 0, n_rows))
        typed.append(f"{'ERRORS' if n_errors is None else n_errors}/{n_rows}")
    if shares:
        raise InvalidArgumentError(
            f"--errors must count errors in whole numbers; got shares ({', '.join(shares)})."
            f"{''.join(remarks)} Type: bestofk compare-scores --procedure {name} --errors "
            f"{' '.join(typed)}"
        )
    return counts


def _errors_of(share: Decimal, n_rows: int) -> int | None:
    """Return the only number of errors that rounds to a share of the rows; None if ambiguous."""
    product = share * n_rows
    if product == int(product) or share > 1:  # refused: more than all rows
        return math.ceil(product)
    near = (int(product), int(product) + 1)
    fitting = [n for n in near if (Decimal(n) / n_rows).quantize(share) == share]
    return fitting[0] if len(fitting) == 1 else None


def _check_options(options: dict[str, Any]) -> None:
    rule = ", ".join(_OPTIONS_OF_ONE)
    for option in options:
        check_known(option, f"options of {_OF_ONE}", _OPTIONS_OF_ONE, rule=rule)
