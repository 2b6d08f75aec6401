"""The command `recommend`: data in, learners tried in the order of earlier results, a pick out."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bestofk.cli.arguments import parse_budget, parse_learners, parse_power
from bestofk.cli.compare_command import NOT_KEPT, resume_line
from bestofk.cli.data_commands import read_data
from bestofk.cli.findings_output import write_text
from bestofk.cli.options import MANY, OF_FILE, Given, Option, takes
from bestofk.cli.terminal import (
    check_new_file,
    message_console,
    prints_to_messages,
    write_message,
    write_result,
)
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from rich.console import Console

    from bestofk.recommendation.history import History
    from bestofk.recommendation.report import Recommendation, TriedLearner


# Options of how earlier results are read, with their names in `read_history`.
_HISTORY_OPTIONS = {"--map": "columns", "--measure": "measure", "--direction": "greater_is_better"}


@takes(
    "data target task learners budget history map measure direction method p window_start "
    f"window_end groups weights drop role {OF_FILE} drop_missing_target scoring pos_label "
    "prefer store memory engine seed n_jobs dry_run report force json quiet verbose",
    learners=Option(
        None,
        "Names from 'bestofk learners' or FILE.py:NAME, separated by commas; default: all.",
        MANY,
        flags=("--learners", "--learner"),
        convert=parse_learners,
    ),
    budget=Option(None, "Time after which a run is cut off: 90s, 10m, 2h.", convert=parse_budget),
    history=Option(
        None,
        "Earlier results: stores, score tables, an ASlib folder; 'shipped' adds the built-in one.",
        MANY,
        "FILE",
    ),
    measure=Option(
        None, "Measure of the history, if it has several or does not name it.", mapping="reading"
    ),
    method=Option(
        "blended-gain",
        "How to order: a3r, ar-star, average-ranking, active-testing, significant-wins.",
    ),
    p=Option(None, "Weight of time in a3r and active-testing: 0, 1/64.", convert=parse_power),
    window_start=Option(None, "Waiting up to this time does not count: 10s."),
    window_end=Option(None, "Gains after this time do not count: 3h."),
    store=Option(None, "File that keeps every run; it can be a --history later.", Path),
    seed=Option(
        0,
        "Seed of the plan and of all random numbers.",
        int,
        flags=("--seed", "--random-state"),
        argument="random_state",
    ),
    dry_run=Option(False, "Only print the order and what to expect.", bool),
)
def recommend_learners(
    context: click.Context,
    data: str,
    given: Given,
    history: list[str] | None,
    store: Path | None,
    dry_run: bool,
) -> None:
    """Try learners in the order that earlier data sets suggest, and compare those tried."""
    start = time.monotonic()  # from here on the budget counts
    output, report = given.output, given.output.report
    check_new_file(report, "--report", force=output.force, apart_from=(data, store))
    from bestofk.recommendation.session import recommend
    from bestofk.report.progress.shown import guesses

    messages = message_console()
    options = {name: given.reading.pop(name) for name in _HISTORY_OPTIONS.values()}
    options["columns"] = options["columns"] or None
    given.arguments["history"] = _history(history, store, options)
    with prints_to_messages():
        loaded = read_data(data, given)
        recommendation = recommend(loaded, start=start, dry_run=True, **given.arguments)
        if not dry_run:
            for line in () if output.quiet else guesses(loaded):
                write_message(line)
            with _progress(recommendation, messages, quiet=output.quiet) as observe:
                recommendation = recommend(
                    loaded, start=start, store=store, observe=observe, **given.arguments
                )
    if output.json:
        write_result(recommendation.to_json())
    else:
        write_text(recommendation.sections(), output)
    if report is not None:
        recommendation.to_html(report, overwrite=output.force)
    if recommendation.is_interrupted:
        write_message(resume_line(context.obj, store))
    elif store is None and not dry_run and not output.quiet:
        write_message(NOT_KEPT)
    raise click.exceptions.Exit(exit_code(recommendation))


def exit_code(recommendation: Recommendation) -> int:
    """Return 0 for a pick or a dry run, 1 where a learner failed or none was tested in full."""
    if recommendation.is_dry_run:
        return 0
    has_failed = any(attempt.state == "failed" for attempt in recommendation.tried)
    return 1 if recommendation.best is None or has_failed else 0


def _history(
    paths: Sequence[str] | None, store: Path | None, options: dict[str, Any]
) -> History | None:
    """Return the history of the files that were named; None where none was."""
    from bestofk.recommendation.read_history import SHIPPED, read_sources

    for name, option in _HISTORY_OPTIONS.items():
        if options[option] is not None and not paths:
            raise InvalidArgumentError(
                f"{name} must come with --history; got it without. It says what the columns of "
                "earlier results hold."
            )
    for path in paths or ():
        if path != SHIPPED and Path(path) != store and not Path(path).exists():
            raise InvalidArgumentError(
                f"--history must be an existing file or folder; got {path}. Check the path."
            )
    return read_sources(list(paths), store, **options) if paths else None


def _line(planned: Recommendation, number_tried: int, tried: TriedLearner) -> str:
    """Return a line about the test of a learner."""
    from bestofk.measures.words import short_title
    from bestofk.words import number
    from bestofk.words import seconds as duration

    state = "" if tried.state == "done" else f"{tried.state}, "
    best = f"; best so far: {tried.best_so_far}" if tried.best_so_far else ""
    score = f"{short_title(planned.measure)} {number(planned.value(tried))}"
    return (
        f"{number_tried:>3}/{len(planned.planned)} {tried.learner}: {state}{score} in "
        f"{duration(tried.seconds)}{best}"
    )


@contextlib.contextmanager
def _progress(planned: Recommendation, console: Console, *, quiet: bool) -> Iterator[Any]:
    """Yield the callback for every tried learner; show time and leader on a terminal."""
    if quiet:
        yield None
        return
    positions = itertools.count(1)

    def print_line(tried: TriedLearner) -> None:
        console.print(_line(planned, next(positions), tried), markup=False, soft_wrap=True)

    if not console.is_terminal:
        yield print_line
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False)
    )  # fmt: skip
    limit = planned.budget_seconds
    within = "" if limit is None else f" of {limit:g} s"
    with Progress(*columns, console=console, transient=True) as spinner:
        task = spinner.add_task(f"{within} trying the first learner", total=None)

        def observe(tried: TriedLearner) -> None:
            print_line(tried)
            best = tried.best_so_far or "none"
            spinner.update(task, description=f"{within} best so far: {best}")

        yield observe
