"""Data of a command, with a question about the target, and the command `inspect`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from bestofk.cli.options import OF_FILE, Given, takes
from bestofk.cli.terminal import write_json, write_lines, write_message, write_table

if TYPE_CHECKING:
    from bestofk.data import DataSet

_MOST_ASKED = 8  # columns that are offered as the target
_LONGEST_SAMPLE = 24  # characters
_IF_COMPARED = "; compare does so with --drop-missing-target"


def read_data(source: str, given: Given, *, answer_says: bool = False, **others: Any) -> DataSet:
    """Read the data of a command; if no target is named, ask for it or say which was taken.

    Parameters
    ----------
    source : str
        A file, or a name of a data set.
    given : Given
        Options that say how.
    answer_says : bool, default=False
        Whether the verdict itself says which target was taken.
    **others
        Further arguments of `load_data`.
    """
    from bestofk.data import load_data

    data = load_data(source, **given.reading, **others)
    if not data.target_guess or given.output.quiet or given.output.json:
        return data
    target = _asked_target(data) if sys.stdin.isatty() and sys.stderr.isatty() else ""
    if target:
        return load_data(source, **given.reading | {"target": target}, **others)
    if not answer_says:
        write_message(data.target_guess)
    return data


def _asked_target(data: DataSet) -> str:
    """Return the target that the user chooses; empty if it is the one taken."""
    from bestofk.data.summaries import target_candidates

    taken = next(item.name for item in data.columns if item.role == "target")
    names = [taken, *target_candidates(data.columns)]
    write_message(
        f"No target given. Likely columns of {data.name}: {', '.join(names[:_MOST_ASKED])}."
    )
    known = {item.name for item in data.columns}
    while True:
        try:
            answer = str(click.prompt("Column to predict", default=taken, err=True)).strip()
        except click.Abort:  # Ctrl-C or Ctrl-D at the question
            raise KeyboardInterrupt from None
        if answer in known:
            return "" if answer == taken else answer
        write_message(f"The column must be in the file; got {answer!r}.")


@takes(
    f"data target task groups time new_groups weights drop role {OF_FILE} drop_missing_target json"
)
def inspect_data(data: str, given: Given) -> None:
    """Show how a file is read, column by column; with --time, how optimistic random folds are."""
    from bestofk.data import load_data

    read = load_data(data, **given.reading | {"drop_missing_target": True})
    promised = []
    if read.time is not None:
        from bestofk.comparison.order_of_time import promised_scores

        promised = promised_scores(read)
    notes = tuple(note.replace(", as asked for", _IF_COMPARED) for note in read.notes)
    if given.output.json:
        write_json(
            {
                "name": read.name,
                "n_rows": read.n_samples,
                "task": read.task,
                "columns": [asdict(item) for item in read.columns],
                "notes": notes,
                "warnings": read.warnings,
                "target_guess": read.target_guess,
                "order_of_time": [item._asdict() for item in promised],
            }
        )
        return
    write_lines(
        f"{read.name}: {read.n_samples:,} rows, {len(read.columns)} columns, {read.task}",
        *([read.target_guess] if read.target_guess else []),
    )
    write_table(
        ("column", "role", "missing", "values", "why"),
        [
            (
                item.name,
                item.role,
                item.n_missing,
                ", ".join(map(_short, item.samples))
                + ", ..." * (item.n_distinct > len(item.samples)),
                item.reason,
            )
            for item in read.columns
        ],
    )
    # the table of columns says the other notes
    of_file = [note for note in notes if not note.startswith(("Column", "Task"))]
    for title, sentences in (
        ("In order of time", [item.text for item in promised]),
        ("Warnings", read.warnings),
        ("Guessed", of_file),
    ):
        if sentences:
            write_lines("", title, *(f"  - {sentence}" for sentence in sentences))


def _short(sample: str) -> str:
    return sample if len(sample) <= _LONGEST_SAMPLE else f"{sample[: _LONGEST_SAMPLE - 3]}..."
