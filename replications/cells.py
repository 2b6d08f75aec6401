"""Comparison of printed and measured values, and the list of those too far apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

NOT_EXPLAINED: Final = "not explained"
COLUMNS: Final = (
    "table", "values", "cell", "printed", "here", "tolerance", "is_inside", "cause",
)  # fmt: skip
BEGIN: Final = "<!-- cells: begin -->"
END: Final = "<!-- cells: end -->"


@dataclass(frozen=True)
class Tolerance:
    """Largest accepted distance of a value from the printed one.

    Parameters
    ----------
    table : str
        Of the paper.
    values : str
        Which values of the table.
    limit : float
        Largest difference, or largest ratio of the larger value to the smaller.
    why : str
        Reason for the limit.
    is_ratio : bool, default=False
        Whether the limit is a ratio.
    """

    table: str
    values: str
    limit: float
    why: str
    is_ratio: bool = False

    def accepts(self, printed: float, here: float) -> bool:
        """Return whether a value is near enough to the printed one."""
        if self.is_ratio:
            return max(printed, here) <= self.limit * min(printed, here)
        return abs(printed - here) <= self.limit + 1e-9

    def __str__(self) -> str:
        return f"factor {self.limit:g}" if self.is_ratio else f"{self.limit:g}"

    def cell(
        self, name: str, printed: float, here: float, cause: str, unit: float = 1.0
    ) -> dict[str, Any]:
        """Return one row of the table of cells; the cause is kept where the value is outside.

        `unit` is what the limit counts in, for example a standard deviation.
        """
        is_inside = self.accepts(printed / unit, here / unit)
        kept = "" if is_inside else cause
        row = (self.table, self.values, name, printed, here, str(self), is_inside, kept)
        return dict(zip(COLUMNS, row, strict=True))


def section(cells: pd.DataFrame, tolerances: Sequence[Tolerance]) -> str:
    """Return Markdown: the tolerances with their reasons, and every cell outside its own."""
    lines = [
        "| table | values | tolerance | cells outside | why |",
        "|---|---|---|---|---|",
    ]
    for tolerance in tolerances:
        own = cells[(cells["table"] == tolerance.table) & (cells["values"] == tolerance.values)]
        outside = int((~own["is_inside"]).sum())
        lines.append(
            f"| {tolerance.table} | {tolerance.values} | {tolerance} | {outside} of "
            f"{len(own)} | {tolerance.why} |"
        )
    for table, own in cells[~cells["is_inside"]].groupby("table", sort=False):
        lines += [
            "",
            f"Table {table}:",
            "",
            "| cell | printed | here | cause |",
            "|---|---|---|---|",
        ]
        lines += [
            f"| {row.cell}, {row.values} | {row.printed:g} | {row.here:g} | {row.cause} |"
            for row in own.itertuples()
        ]
    return "\n".join(lines)


def read_cells(file: Path) -> pd.DataFrame:
    """Read a table of cells that was kept."""
    return pd.read_csv(file, dtype={"table": str, "tolerance": str}, keep_default_na=False)


def write_section(page: Path, text: str, mark: str = BEGIN, end_mark: str = END) -> None:
    """Put Markdown between two marks of a page.

    Raises
    ------
    ValueError
        If a mark is missing.
    """
    whole = page.read_text(encoding="utf-8")
    before, begin, rest = whole.partition(mark)
    _, end, after = rest.partition(end_mark)
    if not begin or not end:
        raise ValueError(
            f"{page.name} must hold {mark} and, below it, {end_mark}; got neither or one."
        )
    page.write_text(f"{before}{mark}\n\n{text}\n\n{end_mark}{after}", encoding="utf-8")
