"""Table of the 88 features of the five sources, each with lines that show it.

    python -m tests.published.rows

The list is figures/rows.csv. A line is what is typed in a shell, or the name of a line of the list
of sources, which is a line of Python or a table that was run again. The command runs all but those
tables, whose numbers are kept, and ends with 1 if something does not come out. On the site
docs/papers/rows-of-the-sources.md holds the table.
"""

import io
import runpy
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout

import matplotlib.pyplot as plt
import pandas as pd
from replications.cells import NOT_EXPLAINED
from tests.given import FIGURES, ROOT
from tests.printed_output import folder_of_shell_lines
from tests.published.source_lines import LINES
from tests.published.sources import (
    REPLICATED,
    SHOWN,
    agrees,
    cells_of,
    expected,
    read_lines,
    shown,
    source_of,
    tokens,
)

from bestofk.cli import main as bestofk
from bestofk.errors import BestofkWarning

SOURCES = {
    "A": "Yildiz & Alpaydin (2006)",
    "B": "Lecture slides on trees and evaluation",
    "C": "Course notes on trees and evaluation",
    "D": "Raeder, Hoens & Chawla (2010)",
    "E": "Abdulrahman, Brazdil, van Rijn & Vanschoren (2018)",
}
LIST = read_lines()


def read_rows() -> pd.DataFrame:
    """Return the list: a record per line, those of one feature below each other."""
    rows = pd.read_csv(FIGURES / "rows.csv", dtype=str, keep_default_na=False)
    rows["id"] = rows["id"].replace("", None).ffill()
    return rows


def output_of(line: str) -> str:
    """Run a line of a shell in this process, and return all that it prints."""
    program, *arguments = shlex.split(line)
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output), warnings.catch_warnings():
        warnings.simplefilter("always", BestofkWarning)
        if program == "bestofk":
            bestofk(arguments)
        elif arguments[0] == "-c":
            exec(compile(arguments[1], line, "exec"), {})
        else:
            _run_script(arguments[0])
    return output.getvalue()


def _run_script(path: str) -> None:
    """Run a script of this repository as if it were typed here."""
    words = sys.argv
    sys.argv = [path]
    try:
        runpy.run_path(str(ROOT / path), run_name="__main__")
    finally:
        sys.argv = words
        plt.close("all")


def missing_of(record: pd.Series) -> list[str]:
    """Run the line of a record, and return what should come out and does not."""
    line = record["line"]
    if line in LINES:
        source = LIST.loc[line]
        pairs = zip(expected(source), tokens(LINES[line]()), strict=True)
        return [printed for printed, here in pairs if not agrees(printed, here, source["text"])]
    if line in REPLICATED or line in SHOWN:
        return []
    output = " ".join(output_of(line).split())
    return [text for text in record["holds"].split(" | ") if text not in output]


def answer_of(record: pd.Series) -> tuple[str, str]:
    """Return what is typed for a record, and what comes out, as the page has them."""
    line = record["line"]
    if line in LINES:
        source = LIST.loc[line]
        values = zip(expected(source), tokens(LINES[line]()), strict=True)
        answer = " ".join(shown(printed, here, source["text"]) for printed, here in values)
        return source_of(line), f"{source['what']}: {answer}"
    if line in REPLICATED:
        cells, page = cells_of(line), f"{REPLICATED[line][1].replace('_', '-')}.md"
        result = f"{cells['is_inside'].sum()} of {len(cells)} within tolerance"
        return REPLICATED[line][0], f"{LIST.loc[line, 'place']}: [{result}]({page})"
    if line in SHOWN:
        command, path = SHOWN[line]
        name = path.rpartition("/")[2]
        return command, f"{LIST.loc[line, 'place']}: [{name}](../../{path})"
    return line, record["holds"].replace(" | ", "; ")


def reason_of(row: pd.DataFrame) -> str:
    """Return why a feature is shown in part; empty where it is whole."""
    reasons = [reason for reason in row["reason"] if reason]
    for line in row["line"]:
        if line in REPLICATED:
            cells = cells_of(line)
            outside = cells[~cells["is_inside"]]
            unexplained = (outside["cause"] == NOT_EXPLAINED).sum()
            reasons.append(
                f"{LIST.loc[line, 'place']}: {len(outside)} of {len(cells)} numbers are outside "
                f"their tolerance, {unexplained} of them not explained."
            )
    return " ".join(reasons)


def _section(rows: pd.DataFrame) -> Iterator[str]:
    yield "| row | feature | type | comes out | whole, or why not |"
    yield "|---|---|---|---|---|"
    for name, row in rows.groupby("id", sort=False):
        head, state = f"{name} | {row['feature'].iloc[0]}", reason_of(row) or "whole"
        for _, record in row.iterrows():
            typed, answer = (text.replace("|", r"\|") for text in answer_of(record))
            yield f"| {head} | `{typed}` | {answer} | {state} |"
            head, state = " | ", ""


def written() -> str:
    """Return the table as Markdown, with links from a page of docs/papers."""
    rows = read_rows()
    reasons = rows.groupby("id", sort=False).apply(reason_of, include_groups=False)
    parts = [f"Of {len(reasons)} features {(reasons == '').sum()} are whole.", ""]
    for letter, title in SOURCES.items():
        parts += [f"## {title}", "", *_section(rows[rows["id"].str[0] == letter]), ""]
    return "\n".join(parts)


def main() -> int:
    """Run every line, and say which features are whole."""
    rows = read_rows()
    n_whole = n_failed = 0
    with folder_of_shell_lines():
        for name, row in rows.groupby("id", sort=False):
            missing = [text for _, record in row.iterrows() for text in missing_of(record)]
            reason = reason_of(row)
            n_failed += bool(missing)
            n_whole += not missing and not reason
            state = f"does not come out: {', '.join(missing)}" if missing else reason
            sys.stdout.write(f"{name:4}{state or 'whole'}\n")
    sys.stdout.write(f"{n_whole} of {rows['id'].nunique()} whole, {n_failed} fail.\n")
    return int(n_failed > 0)


if __name__ == "__main__":
    sys.exit(main())
