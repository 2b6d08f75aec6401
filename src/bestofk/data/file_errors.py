"""Errors about files of results: broken rules, and names that differ between files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bestofk.data.notes import named
from bestofk.errors import InvalidArgumentError

_SHOWN = 3  # names in an error


def broken(where: Path | str, rule: str, value: str, way_out: str = "") -> InvalidArgumentError:
    """Return the error for a file that breaks a rule."""
    return InvalidArgumentError(f"{where} must {rule}; got {value}. {way_out}".rstrip())


def check_same(
    what: str, path: Path, names: Iterable[str], other: Path, other_names: Iterable[str]
) -> None:
    """Raise, showing the difference, if two files do not have the same names."""
    here, there = set(names), set(other_names)
    if here != there:
        first, second = (
            named(sorted(own), _SHOWN) or "nothing" for own in (here - there, there - here)
        )
        raise InvalidArgumentError(
            f"{what} of {path} must be those of {other}; got {first} only in the first, {second} "
            "only in the second. Keep those that are in both."
        )
