"""Checks of arguments; messages name the rule, the value and a way out."""

import difflib
import importlib
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from bestofk.errors import InvalidArgumentError

_MOST_NAMES = 40  # that a message lists


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return the way out for an unknown name: the nearest known one, or all of them.

    Parameters
    ----------
    name : str
        What was asked for.
    known : iterable of str
        What there is.

    Returns
    -------
    str
        A sentence to put at the end of an error message.

    Examples
    --------
    >>> nearest_name("logistik", ["cart", "logistic"])
    "Did you mean 'logistic'? Known: cart, logistic."
    """
    names = list(known)
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    close += [longer for longer in names if name and longer.startswith(str(name))]
    hint = f"Did you mean {close[0]!r}? " if close else ""
    return f"{hint}Known: {', '.join(names[:_MOST_NAMES])}{more}."


def check_known(
    value: object,
    what: str,
    known: Collection[str | None],
    *,
    rule: str = "a known one",
    got: object = None,
) -> None:
    """Raise unless a value is one of the known ones.

    Parameters
    ----------
    value : object
        What was asked for.
    what : str
        What it is, for the message.
    known : collection of str or None
        What there is; the message names the nearest of them.
    rule : str, default="a known one"
        What it must be, in words.
    got : object, optional
        What was given, if another text than `value`.

    Raises
    ------
    InvalidArgumentError
        If it is unknown.

    Examples
    --------
    >>> check_known("holm", "correction", ["bonferroni", "holm"])
    """
    if (value is None or isinstance(value, str)) and value in known:
        return
    said = value if got is None else got
    nearest = nearest_name(str(said), [str(name) for name in known])
    raise InvalidArgumentError(f"{what} must be {rule}; got {said!r}. {nearest}")


def check_flag(value: object, what: str) -> None:
    """Raise unless a value is True or False; numbers and texts are neither.

    Parameters
    ----------
    value : object
        What was given.
    what : str
        What it is, for the message.

    Raises
    ------
    InvalidArgumentError
        If it is anything else.

    Examples
    --------
    >>> check_flag(True, "laplace of C45Classifier")
    """
    import numpy as np

    if not isinstance(value, bool | np.bool_):
        raise InvalidArgumentError(
            f"{what} must be True or False; got {value!r}. Texts and numbers are not accepted."
        )


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number, of Python or numpy, and no truth value.

    Examples
    --------
    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Return whether a value is a real number, of Python or numpy, and no truth value.

    Examples
    --------
    >>> is_number(3), is_number(0.5), is_number("3"), is_number(True)
    (True, True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def check_number(
    value: object,
    what: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    is_open: str = "",
    whole: bool = False,
    or_none: bool = False,
    way_out: str,
) -> None:
    """Raise unless a value is a number of a range.

    Parameters
    ----------
    value : object
        What was given.
    what : str
        What it is, for the message.
    low, high : float, optional
        Ends of the range; an infinite one is never in it.
    is_open : {"", "low", "high", "both"}
        Ends that are not in the range.
    whole : bool, default=False
        Whether it must be a whole number; truth values are no numbers.
    or_none : bool, default=False
        Whether None will do.
    way_out : str
        What to do instead, a sentence.

    Raises
    ------
    InvalidArgumentError
        If it is anything else.

    Examples
    --------
    >>> check_number(0.05, "alpha", low=0, high=1, is_open="both", way_out="The usual is 0.05.")
    >>> check_number(0, "n", low=1, whole=True, way_out="Write 10.")
    Traceback (most recent call last):
    bestofk.errors.InvalidArgumentError: n must be a whole number from 1 up; got 0. Write 10.
    """
    if value is None and or_none:
        return
    open_low, open_high = is_open in ("low", "both"), is_open in ("high", "both")
    if (is_whole if whole else is_number)(value):
        number = float(value)  # type: ignore[arg-type]
        is_above = number > low if open_low else number >= low
        is_below = number < high if open_high else number <= high
        if is_above and is_below and math.isfinite(number):
            return
    rule = "a whole number" if whole else "a number"
    if high < math.inf and is_open:
        rule += f" {'above' if open_low else 'of at least'} {low} and "
        rule += f"{'below' if open_high else 'at most'} {high}"
    elif high < math.inf:
        rule += f" from {low} to {high}"
    elif low > -math.inf:
        rule += f" above {low}" if open_low else f" from {low} up"
    rule += " or None" * or_none
    raise InvalidArgumentError(f"{what} must be {rule}; got {value!r}. {way_out}")


def check_different(names: Sequence[object], what: str, way_out: str) -> None:
    """Raise if a name occurs more than once.

    Parameters
    ----------
    names : sequence
        Of one kind.
    what : str
        What they are, for the message.
    way_out : str
        What to do instead, a sentence.

    Raises
    ------
    InvalidArgumentError
        Names those that occur more than once.

    Examples
    --------
    >>> check_different(["cart", "lda"], "learners", "Name another.")
    """
    if len(set(names)) < len(names):
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        raise InvalidArgumentError(
            f"{what} must be different; got {', '.join(twice)} more than once. {way_out}"
        )


def known_name(name: str, known: Mapping[str, Iterable[str]], what: str) -> str:
    """Return the name that another spelling stands for.

    Parameters
    ----------
    name : str
        A name or an alias; case, marks between words and a final "test" do not matter.
    known : mapping of str to iterable of str
        Aliases of each name.
    what : str
        What is named, for the message.

    Returns
    -------
    str
        A key of `known`.

    Raises
    ------
    InvalidArgumentError
        If there is none; the message has the name of the nearest spelling.

    Examples
    --------
    >>> known_name("Wilcoxon test", {"wilcoxon": ["signed-rank"]}, "procedure")
    'wilcoxon'
    """
    spellings = {text: own for own, aliases in known.items() for text in (*aliases, own)}
    plain = {_plain(text): own for text, own in spellings.items()}
    if _plain(name) in plain:
        return plain[_plain(name)]
    close = difflib.get_close_matches(str(name).lower(), spellings, n=1, cutoff=0.5)
    nearest = nearest_name(spellings[close[0]] if close else name, known)
    raise InvalidArgumentError(f"{what} must be a known name; got {name!r}. {nearest}")


def _plain(name: str) -> str:
    letters = re.sub(r"'s\b|[^a-z0-9+]", "", str(name).lower())
    return re.sub(r"(?<=.)(tests?)+$", "", letters)


def optional_package(module: str, what: str, extra: str) -> Any:
    """Return a module of a package that comes with an extra; `what` says that it must be there."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InvalidArgumentError(f"{what}. Run: pip install 'bestofk[{extra}]'.") from error


def wrong_source(path: Path, what: str) -> str:
    """Return why no file can be read from a path, as a message; empty where nothing is wrong.

    Everything that opens a path of a user asks here first: reading a pipe may wait forever, and
    reading a device may never end.

    Parameters
    ----------
    path : Path
        Where a file is to be.
    what : str
        The file at the beginning of a sentence.
    """
    if path.is_dir():
        return f"{what} must be a file; got the directory {path}. Name a file in it."
    if not path.exists():
        return f"{what} must be an existing file; got {path}. Check the path."
    if not path.is_file():
        return (
            f"{what} must be an ordinary file; got the pipe or device {path}. Save its output to a "
            "file first."
        )
    return ""


def wrong_place(path: Path, what: str, owner: str) -> str:
    """Return why no file can be written to a path, as a message; empty where nothing is wrong.

    Parameters
    ----------
    path : Path
        Where a file is to be, or is.
    what, owner : str
        The file at the beginning of a sentence, and as the owner of its folder.
    """
    if path.is_symlink() and not path.exists():
        return (
            f"{what} must be a file or a new name; got {path}, a link to {path.readlink()}, which "
            "does not exist. Name that file, or delete the link."
        )
    if path.exists() and (problem := wrong_source(path, what)):
        return problem
    if not path.absolute().parent.is_dir():
        return f"folder of {owner} must exist; got {path.parent}. Create it or name another."
    return ""
