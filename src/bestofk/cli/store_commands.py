"""Commands on stores: status, check, merge and export of scores."""

from __future__ import annotations

import functools
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from bestofk.checks import optional_package
from bestofk.cli import terminal
from bestofk.cli.arguments import check_choice, words_or_none
from bestofk.cli.command_help import CommandGroup
from bestofk.cli.options import MANY, REQUIRED, Given, Option, takes
from bestofk.errors import InvalidArgumentError
from bestofk.words import printable

if TYPE_CHECKING:
    from bestofk.evaluation import Store

# Up to this size `status` checks a store for damage, which takes about a second; `check` reads
# larger ones.
_READ_BYTES = 50_000_000
_TEXT_SIZE = 1 << 20  # characters that are written at once

app = CommandGroup("store", help="Inspect, check, merge or export stores.")
_STORE = Option(REQUIRED, "A store written by compare.", Path, "STORE", is_positional=True)
_STORES = Option(REQUIRED, "Stores written by compare.", list[Path], "STORE...", is_positional=True)


@app.add("status")
@takes("store json", store=_STORE)
def show_status(store: Path, json: bool) -> None:
    """Show the comparisons of a store: planned, finished and failed runs."""
    with opened(store) as source:
        rows = source.overview()
        facts: dict[str, Any] = {
            "store": str(store),
            "size_bytes": source.size_bytes(),
            "runs": source.n_runs(),
            "machines": list(source.environments().values()),
            "damaged": source.check() if source.size_bytes() <= _READ_BYTES else None,
        }
    if json:
        terminal.write_json(facts | {"comparisons": rows})
        return
    titles = ("comparison", "data", "cv", "random_state", "learner", "planned", "finished",
              "errors", "timeouts", "memory", "state")  # fmt: skip
    for row in rows:
        row["comparison"] = str(row["comparison"])
    terminal.write_table(titles, [[row[title] or 0 for title in titles] for row in rows])
    machines = ", ".join(
        f"{fact['machine']} ({fact['processor']}, Python {fact['python']})"
        for fact in facts["machines"]
    )
    size = f"{facts['runs']:,} runs in {facts['size_bytes'] / 1e6:.1f} MB"
    terminal.write_lines("", f"{size}, measured on: {machines or 'nothing yet'}")
    if facts["damaged"] is None:
        terminal.write_lines(f"Too large to check for damage here: bestofk store check {store}")
    elif facts["damaged"]:
        terminal.write_lines(
            f"{_damage_sentence(facts['damaged'])} Details: bestofk store check {store}"
        )


@app.add("check")
@takes("stores json", stores=_STORES)
def check_stores(stores: list[Path], json: bool) -> None:
    """Read stores in full, and list what is damaged or differs; exit code 1 if anything is."""
    from bestofk.evaluation.store.store_copy import contradictions

    checked: list[dict[str, Any]] = []
    for store in stores:
        with opened(store) as source:
            checked.append(
                {"store": str(store), "runs": source.n_runs(), "damaged": source.check()}
            )
    differing = contradictions(stores) if len(stores) > 1 else []
    if json:
        several = {"stores": checked, "differing": differing}
        terminal.write_json(several if len(stores) > 1 else checked[0])
    else:
        for facts in checked:
            name = f"{facts['store']}: " if len(stores) > 1 else ""
            summary = _damage_sentence(facts["damaged"]) or f"{facts['runs']:,} runs, all whole"
            terminal.write_lines(*facts["damaged"], name + summary)
        if differing:
            terminal.write_lines(*differing, f"{len(differing):,} differ in status or predictions.")
    if differing or any(facts["damaged"] for facts in checked):
        raise click.exceptions.Exit(1)


@app.add("merge")
@takes(
    "stores output keep json",
    stores=_STORES,
    output=Option(
        REQUIRED, "The merged store; one of the sources if it exists.", Path,
        flags=("--output", "-o"),
    ),
    keep=Option(
        None, "The store to keep where runs differ in status or predictions.",
        Path, "STORE", group="Output",
    ),
)  # fmt: skip
def merge_into_one(stores: list[Path], output: Path, keep: Path | None, json: bool) -> None:
    """Merge stores into one; exit code 1 if rows are damaged, or runs differ without --keep."""
    from bestofk.evaluation.store import merge_stores

    counts = merge_stores(stores, output, keep)
    if json:
        terminal.write_json(asdict(counts) | {"output": str(output)})
    else:
        terminal.write_result(str(counts))
    if counts.damaged:
        raise click.exceptions.Exit(1)


def _damage_sentence(damaged: list[str]) -> str:
    """Return how much is damaged and the way out; empty if nothing is."""
    if not damaged:
        return ""
    return (
        f"{len(damaged):,} damaged. Compare the same learners with this store again: damaged runs "
        "are fitted again, all others are kept."
    )


@app.add("export")
@takes(
    "store to shape measure output force",
    store=_STORE,
    to=Option("csv", "csv, parquet, weka (ARFF) or amlb (CSV)."),
    shape=Option("long", "long: one row per score; wide: one column per learner."),
    measure=Option(
        None,
        "Measures, separated by commas.",
        MANY,
        argument="measures",
        convert=words_or_none,
    ),
    output=Option(None, "File to write; standard output if left out.", Path),
    force=Option(False, "Replace an existing file.", bool),
)
def export_store(store: Path, to: str, given: Given, output: Path | None, force: bool) -> None:
    """Write the scores of a store as a table."""
    check_choice("--to", to, ("csv", "parquet", "weka", "amlb"))
    if to == "parquet" and output is None:
        raise InvalidArgumentError(
            "--output must name a file for parquet; got none. Add --output scores.parquet."
        )
    terminal.check_new_file(output, "--output", force=force, apart_from=(store,))
    with opened(store) as source:
        from bestofk.evaluation.store import score_tables

        tables = score_tables(source, **given.arguments)
        if to in ("weka", "amlb"):
            _write_foreign(tables, to, output, given.arguments["shape"])
            return
        if output is None:
            with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as draft:
                _write_csv(tables, draft)  # print nothing before all of it was read
                draft.seek(0)
                while text := draft.read(_TEXT_SIZE):
                    sys.stdout.write(printable(text, "\n\t"))
        elif to == "csv":
            terminal.write_new_file(output, functools.partial(_write_csv_file, tables))
        else:
            terminal.write_new_file(output, functools.partial(_write_parquet, tables))


def _write_csv_file(tables: Iterable[Any], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        _write_csv(tables, file)


def _write_csv(tables: Iterable[Any], file: TextIO) -> None:
    from bestofk.data.spreadsheet_cells import csv_text

    for index, table in enumerate(tables):
        file.write(csv_text(table, header=index == 0))


def _write_foreign(tables: Iterable[Any], to: str, output: Path | None, shape: str) -> None:
    """Write a result file of another tool."""
    import pandas as pd

    from bestofk.score_tables.score_formats.write_score_table import score_table_text
    from bestofk.score_tables.table_facts import known_measure

    if shape != "long":
        raise InvalidArgumentError(
            f"--shape must be long for {to}; got {shape}. Leave it out, or export csv."
        )
    frame = pd.concat(tables, ignore_index=True)
    measures = {name: known_measure(name) for name in frame["measure"].unique()}
    better = {name: measure.greater_is_better for name, measure in measures.items() if measure}
    text = score_table_text(frame.assign(greater_is_better=frame["measure"].map(better)), to)
    if output is None:
        sys.stdout.write(printable(text, "\n\t"))
    else:
        terminal.write_new_file(output, lambda path: path.write_text(text, encoding="utf-8"))


def _write_parquet(tables: Iterable[Any], path: Path) -> None:
    what = "pyarrow must be installed for parquet; it is not"
    optional_package("pyarrow", what, extra="parquet")  # pandas needs it
    import pandas as pd

    pd.concat(tables, ignore_index=True).to_parquet(path, index=False)


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    """Open an existing store; a file that is not a store is neither changed nor created."""
    from bestofk.evaluation.store import Store, check_exists

    check_exists(path)
    with Store(path) as store:
        yield store
