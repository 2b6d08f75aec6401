"""Data sets of OpenML by their number (needs the network)."""

from __future__ import annotations

from bestofk.data.table import Table
from bestofk.errors import InvalidArgumentError


def read_openml(number: str, name: str | None) -> Table:
    """Fetch a data set of OpenML by its number; its types are trusted.

    Raises
    ------
    InvalidArgumentError
        If the number is none, the package openml is missing, or it cannot fetch the set.
    """
    if not number.isdecimal():
        raise InvalidArgumentError(
            f"an OpenML data set must be written openml:NUMBER; got openml:{number}. "
            "Write openml:61 for iris."
        )
    try:
        import openml
    except ImportError as error:
        raise InvalidArgumentError(
            "openml must be installed to fetch data by number; got none. "
            "Run: pip install 'bestofk[openml]'."
        ) from error
    try:
        source = openml.datasets.get_dataset(int(number))
        frame = source.get_data()[0]
    except Exception as error:  # of the server, the network or the cache, each by its own class
        raise InvalidArgumentError(
            f"openml:{number} must be a data set that can be fetched; got "
            f"{type(error).__name__}. Check the number and the connection to www.openml.org."
        ) from error
    left_out = {*_listed(source.ignore_attribute), *_listed(source.row_id_attribute)}
    return Table.from_frame(
        name or source.name,
        frame[[column for column in frame.columns if column not in left_out]],
        target=source.default_target_attribute,
        note=f"Fetched {source.name} (number {number}) from OpenML; declared types are kept.",
    )


def _listed(value: str | list[str] | None) -> list[str]:
    return value.split(",") if isinstance(value, str) else value or []
