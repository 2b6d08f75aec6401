"""Comparison of printed and measured values: how many agree, and which do not."""

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


def summary(cells: pd.DataFrame, tolerances: Sequence[Tolerance]) -> str:
    """Return Markdown: each tolerance, and how many values are outside."""
    lines = [
        "| table | values | tolerance | outside | not explained |",
        "|---|---|---|---|---|",
    ]
    for tolerance in tolerances:
        own = cells[(cells["table"] == tolerance.table) & (cells["values"] == tolerance.values)]
        outside = int((~own["is_inside"]).sum())
        unexplained = int((own["cause"] == NOT_EXPLAINED).sum())
        lines.append(
            f"| {tolerance.table} | {tolerance.values} | {tolerance} | {outside} of "
            f"{len(own)} | {unexplained} |"
        )
    return "\n".join(lines)


def listing(cells: pd.DataFrame, tolerances: Sequence[Tolerance]) -> str:
    """Return a line for each tolerance, with its reason, and for each cell outside, with its cause.

    The last line counts them.
    """
    outside = cells[~cells["is_inside"]]
    lines = [
        f"Table {tolerance.table}: {tolerance.values}, tolerance {tolerance}: {tolerance.why}"
        for tolerance in tolerances
    ]
    lines += [
        f"Table {row.table}: {row.cell}, {row.values}: printed {row.printed:g}, here "
        f"{row.here:g}; {row.cause}"
        for row in outside.itertuples()
    ]
    return "\n".join([*lines, f"{len(outside)} of {len(cells)} values are outside."])


def read_cells(file: Path) -> pd.DataFrame:
    """Read a table of cells that was kept."""
    return pd.read_csv(file, dtype={"table": str, "tolerance": str}, keep_default_na=False)


def write_section(page: Path, text: str) -> None:
    """Put Markdown between the two marks of a page.

    Raises
    ------
    ValueError
        If a mark is missing.
    """
    whole = page.read_text(encoding="utf-8")
    before, begin, rest = whole.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name} must hold {BEGIN} and, below it, {END}; got neither or one.")
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
