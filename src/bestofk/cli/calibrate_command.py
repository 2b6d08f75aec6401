"""The command `calibrate`: rejection rates of tests when all learners are equally good."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer

from bestofk.cli.compare_command import loaded_data
from bestofk.cli.options import Decimal, DropMissingTarget, NJobs, Target, Thousands
from bestofk.cli.terminal import prints_to_messages, words, write_result
from bestofk.errors import InvalidArgumentError, nearest_name

FORMATS = ("text", "markdown", "csv")
# A comma inside the brackets of options separates options, not tests.
_BETWEEN_TESTS = re.compile(r",(?![^(]*\))")


def calibrate_tests(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]",
            help="A file or a name of 'bestofk datasets'; none for artificial data.",
        ),
    ] = None,
    target: Target = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    drop_missing_target: DropMissingTarget = False,
    learners: Annotated[
        list[str] | None,
        typer.Option(help="Names of 'bestofk learners' and FILE.py:NAME, with commas."),
    ] = None,
    tests: Annotated[
        list[str] | None,
        typer.Option(help='Tests, with options and plan: "corrected-t,paired-t@10".'),
    ] = None,
    cv: Annotated[str, typer.Option(help="Plan of tests that name none.")] = "10x10",
    null: Annotated[
        str | None, typer.Option(help="symmetric, permuted or design (without data).")
    ] = None,
    n_rows: Annotated[int | None, typer.Option(help="Rows of each null data set.")] = None,
    n_data_sets: Annotated[int, typer.Option(help="Null data sets.")] = 200,
    alpha: Annotated[float, typer.Option(help="Nominal level.")] = 0.05,
    delta: Annotated[float, typer.Option(help="Above 0: power of the design, not level.")] = 0.0,
    n_blocks: Annotated[int, typer.Option(help="Above 2: MultiTest of equal learners.")] = 2,
    seed: Annotated[int, typer.Option(help="What all draws come from.")] = 0,
    n_jobs: NJobs = -1,
    format: Annotated[str, typer.Option(help="text, markdown or csv.")] = "text",
) -> None:
    """Measure how often tests reject although the learners are equally good."""
    if format not in FORMATS:
        raise InvalidArgumentError(
            f"--format must be one of {', '.join(FORMATS)}; got {format!r}. "
            + nearest_name(format, FORMATS)
        )
    chosen = words(learners)
    if not chosen:
        raise InvalidArgumentError(
            "--learners must name at least one; got none. Write --learners nearest-mean,cart."
        )
    from bestofk.calibration.simulation import calibrate

    with prints_to_messages():
        loaded = data and loaded_data(
            data, target=target, decimal=decimal, thousands=thousands,
            drop_missing_target=drop_missing_target,
        )  # fmt: skip
        result = calibrate(
            [_learner(item) for item in chosen],
            loaded or None,
            tests=_tests(tests),
            cv=cv,
            null=null,
            n_rows=n_rows,
            n_data_sets=n_data_sets,
            alpha=alpha,
            delta=delta,
            n_blocks=n_blocks,
            n_jobs=n_jobs,
            random_state=seed,
        )
    if format == "csv":
        write_result(result.to_frame().to_csv(index=False))
    else:
        write_result(result.to_markdown() if format == "markdown" else str(result))


def _learner(text: str) -> Any:
    from bestofk.learners import learner_from_file

    return learner_from_file(text) if ".py:" in text or text.endswith(".py") else text


def _tests(texts: list[str] | None) -> list[str]:
    parts = [part.strip() for text in texts or () for part in _BETWEEN_TESTS.split(text)]
    return [part for part in parts if part] or ["corrected-t"]
