"""Errors about files of results: what breaks a rule, and names that differ between files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

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
        raise InvalidArgumentError(
            f"{what} of {path} must be those of {other}; got {_listed(here - there)} only in the "
            f"first, {_listed(there - here)} only in the second. Keep what is in both."
        )


def _listed(names: set[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(sorted(names)[:_SHOWN]) + more if names else "nothing"
