"""Commands on studies: init, run, status, retry, add and report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bestofk.cli import terminal
from bestofk.cli.command_help import CommandGroup
from bestofk.cli.compare_command import across_exit_code, end_shard
from bestofk.cli.findings_output import write_verdict
from bestofk.cli.options import REQUIRED, Given, Option, Output, takes

if TYPE_CHECKING:
    from bestofk.comparison.comparison_across import ComparisonAcross
    from bestofk.studies.study_status import StudyStatus

# Learners that a status lists: a table of one screen.
_MOST_LEARNERS = 16

app = CommandGroup("study", help="Compare many learners on many data sets, as described in a file.")
_STUDY = Option(REQUIRED, "A study file.", Path, "STUDY.toml", is_positional=True)
_CALL = {
    "engine": Option(None, "Where to run, instead of what the file says."),
    "n_jobs": Option(None, "Number of processes, instead of what the file says.", int),
}


@app.add("init")
@takes(
    "study data",
    study=Option(REQUIRED, "The file to write.", Path, "NAME.toml", is_positional=True),
    data=Option(
        None, "Files, patterns in quotes, or names from 'bestofk datasets'.", list[str],
        "[DATA...]", is_positional=True,
    ),
)  # fmt: skip
def write_study(study: Path, data: list[str] | None) -> None:
    """Write a commented study file that can be run as it is."""
    terminal.check_new_file(study, "the study", force=None)
    from bestofk.studies.new_study_file import new_study_file, relative_sources

    text = new_study_file(study.name, relative_sources(data or [], study.parent))
    study.write_text(text, encoding="utf-8")
    terminal.write_lines(
        f"{study} is written. Edit it if you like, then run: bestofk study run {study}"
    )


@app.add("run")
@takes("study engine n_jobs shard budget json quiet verbose", study=_STUDY, **_CALL)
def run_study(study: Path, shard: str | None, given: Given) -> None:
    """Do the missing runs, and print the verdict over all data sets."""
    from bestofk.studies import Study

    with terminal.prints_to_messages():
        read = Study.read(study)
        result = read.run(shard, progress=terminal.progress(given.output.quiet), **given.arguments)
    if shard is not None and not given.output.json:
        evaluations = [part.evaluation for part in result.comparisons.values()]
        part, whole = read.store_of(shard), read.settings.store
        stores = part.with_name(f"{whole.stem}.shard-*{whole.suffix}")
        after = (
            "Once all shards are finished, merge their stores: bestofk store merge "
            f"{stores} -o {whole}",
            f"The verdict on all of them: bestofk study run {study}",
        )
        raise click.exceptions.Exit(end_shard(evaluations, shard, part, after))
    _end(result, study, given.output)


@app.add("retry")
@takes("study engine n_jobs budget json quiet verbose", study=_STUDY, **_CALL)
def retry_study(study: Path, given: Given) -> None:
    """Repeat failed runs, and do the missing ones."""
    from bestofk.studies import Study

    with terminal.prints_to_messages():
        result = Study.read(study).retry(
            progress=terminal.progress(given.output.quiet), **given.arguments
        )
    _end(result, study, given.output)


@app.add("add")
@takes(
    "study scores",
    study=_STUDY,
    scores=Option(
        REQUIRED, "Scores with data sets, as for compare-scores.", Path, "FILE", is_positional=True
    ),
)
def add_results(study: Path, scores: Path) -> None:
    """Add results from elsewhere to the verdict, as means per data set."""
    from bestofk.studies import Study
    from bestofk.studies.new_study_file import relative_sources, with_result

    with terminal.prints_to_messages():
        Study.read(study).add(scores)
    (name,) = relative_sources([str(scores)], study.parent)
    text = with_result(study.read_text(encoding="utf-8"), name)
    terminal.write_new_file(study, lambda draft: draft.write_text(text, encoding="utf-8"))
    terminal.write_lines(f"{scores} is in {study}. The verdict with it: bestofk study run {study}")


@app.add("status")
@takes(
    "study json verbose",
    study=_STUDY,
    verbose=Option(False, "Show a row per data set and learner.", bool, flags=("--verbose", "-v")),
)
def show_status(study: Path, json: bool, verbose: bool) -> None:
    """Count the runs that are done, failed and missing, and estimate the time left."""
    from bestofk.studies import Study

    status = Study.read(study).status()
    if json:
        terminal.write_json(_status_json(status))
        return
    _write_counts(status, verbose=verbose)
    terminal.write_lines(*_status_lines(status, study))


@app.add("report")
@takes(
    "study output force",
    study=_STUDY,
    output=Option(None, "The page; STUDY.html if left out.", Path, flags=("--output", "-o")),
    force=Option(False, "Replace an existing page.", bool),
)
def report_study(study: Path, output: Path | None, force: bool) -> None:
    """Write the HTML report on the runs done so far; nothing is trained."""
    from bestofk.studies import Study

    read = Study.read(study)
    path = study.with_suffix(".html") if output is None else output
    terminal.check_new_file(path, "--output", force=force, apart_from=(study, read.settings.store))
    with terminal.prints_to_messages():
        read.report(path, overwrite=force)
    terminal.write_lines(f"Report written to {path}.")


def _end(result: ComparisonAcross, study: Path, output: Output) -> None:
    """Write the verdict, and end with the exit code of `compare`."""
    if result.findings.resume:
        resume = f"Not all runs are done. To go on: bestofk study run {study}"
        result = replace(result, resume=resume)
        terminal.write_message(resume)
    write_verdict(result, output)
    raise click.exceptions.Exit(across_exit_code(result))


def _status_json(status: StudyStatus) -> dict[str, Any]:
    from bestofk.studies.study_status import STATES

    left = status.seconds_left
    return {
        "runs": {name: status.count(name) for name in ("planned", *STATES)},
        "seconds_left": None if left != left else left,
        "not_begun": list(status.not_begun),
        "cells": status.to_frame().to_dict("records"),
    }


def _write_counts(status: StudyStatus, *, verbose: bool) -> None:
    from bestofk.studies.study_status import STATES

    if verbose:
        rows = [
            (cell.data_set, cell.learner, *(getattr(cell, state) for state in STATES))
            for cell in status.cells
        ]
        terminal.write_table(("data set", "learner", *STATES), rows)
        return
    counts = {
        name: [status.count(state, learner=name) for state in STATES] for name in status.learners
    }
    # learners with failed or missing runs first, if not all fit on a screen
    names = sorted(counts, key=lambda name: not any(counts[name][1:]))
    shown = status.learners if len(names) <= _MOST_LEARNERS else names[:_MOST_LEARNERS]
    rows = [(name, *counts[name]) for name in shown]
    if len(names) > len(shown):
        rest = [sum(of) for of in zip(*(counts[name] for name in names[len(shown) :]), strict=True)]
        rows.append((f"{len(names) - len(shown)} more", *rest))
    rows.append(("all", *(status.count(state) for state in STATES)))
    terminal.write_table(("learner", *STATES), rows)


def _status_lines(status: StudyStatus, study: Path) -> list[str]:
    """Return how far the data sets are, and what is left to be done."""
    from bestofk.evaluation.status import FAILURES, MISSING
    from bestofk.words import seconds, times

    missing = [status.count("missing", data_set=name) for name in status.data_sets]
    n_whole = missing.count(0)
    n_done, planned = status.count("done"), times(status.count("planned"), "run")
    parts = [] if status.not_begun else [f"{n_done:,} of {planned} done"]
    parts += [f"{n_whole} of {times(len(missing) + len(status.not_begun), 'data set')} finished"]
    if status.not_begun:
        parts.append(f"{len(status.not_begun)} not begun")
    lines = ["; ".join(parts) + "."]
    left = status.seconds_left
    if status.not_begun or status.count(MISSING):
        lines.append(f"Go on: bestofk study run {study}")
        if left == left:
            lines[0] += f" About {seconds(left)} of training left, shared by all processes."
    if any(status.count(state) for state in FAILURES):
        lines.append(f"Try failed runs again: bestofk study retry {study}")
    return lines
