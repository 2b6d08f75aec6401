"""The commands `calibrate`: levels of tests, truth of claims, and bias of estimates."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from bestofk.cli.arguments import check_choice, whole_numbers
from bestofk.cli.command_help import CommandGroup
from bestofk.cli.data_commands import read_data
from bestofk.cli.options import MANY, OF_FILE, OPTIONS, Given, Option, takes
from bestofk.cli.picture import check_picture, draw_picture
from bestofk.cli.terminal import check_new_file, prints_to_messages, write_message, write_result
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.calibration.claim_calibration import ClaimCalibration
    from bestofk.calibration.estimates import EstimateBias
    from bestofk.calibration.rates import CalibrationResult

FORMATS: Final = ("text", "markdown", "csv")
_FORMAT: Final = Option("text", "text, markdown or csv.", mapping="output")
_SEED: Final = replace(OPTIONS["seed"], help="Seed of all random draws.")
# A comma inside the brackets of options separates options, not tests.
_BETWEEN_TESTS: Final = re.compile(r",(?![^(]*\))")


class _TestsUnlessNamed(CommandGroup):
    """Group of commands with `tests` as the default: `calibrate DATA` is `calibrate tests DATA`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Add the name of the command if it is left out."""
        is_named = bool(args) and (args[0] in self.commands or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if is_named else ["tests", *args])


app = _TestsUnlessNamed(
    "calibrate",
    no_args_is_help=False,
    help="Measure how often claims about new data come true, how often tests reject wrongly, and "
    "how far estimates are from a test set. "
    "'calibrate DATA --tests ...' is short for 'calibrate tests DATA --tests ...'.",
)


def _tests(texts: list[str] | None) -> list[str]:
    parts = [part.strip() for text in texts or () for part in _BETWEEN_TESTS.split(text)]
    return [part for part in parts if part] or ["corrected-t"]


def _sizes(text: str) -> list[int]:
    return whole_numbers(text, "--n-rows", "100,300,1000")


@app.add("tests", short_help="Levels of tests where learners are equal (default).")
@takes(
    f"data target {OF_FILE} drop_missing_target learners tests cv null n_rows n_data_sets "
    "alpha delta n_blocks seed engine n_jobs format",
    data=Option(
        None, "A file or a name of 'bestofk datasets'; none for artificial data.",
        metavar="[DATA]", is_positional=True
    ),
    tests=Option(
        None, 'Tests, with options and plan: "corrected-t,paired-t@10".', MANY, convert=_tests
    ),
    cv=Option("10x10", "Plan for tests that do not name one."),
    null=Option(None, "symmetric, permuted or design (without data)."),
    n_rows=Option(None, "Rows of each null data set.", int),
    n_data_sets=Option(200, "Number of null data sets.", int),
    alpha=Option(0.05, "Nominal level.", float),
    delta=Option(0.0, "Above 0: measure the power of the design, not its level.", float),
    n_blocks=Option(2, "Above 2: apply MultiTest to equal learners.", int),
    seed=_SEED,
    format=_FORMAT,
)  # fmt: skip
def calibrate_tests(data: str | None, given: Given) -> None:
    """Measure how often tests reject although the learners are equally good."""
    check_choice("--format", given.output.format, FORMATS)
    if given.arguments["learners"] is None:
        raise InvalidArgumentError(
            "--learners must name at least one; got none. Write --learners nearest-mean,cart."
        )
    from bestofk.calibration.simulation import calibrate

    with prints_to_messages():
        loaded = read_data(data, given) if data else None
        result = calibrate(X=loaded, **given.arguments)
    _write(result, given.output.format)
    raise click.exceptions.Exit(1 if result.is_interrupted else 0)


@app.add("claims", short_help="How often claims about new data come true.")
@takes(
    f"data target task drop role {OF_FILE} drop_missing_target learners scoring pos_label "
    "n_rows n_subsamples output timeout memory seed engine n_jobs picture force format",
    n_rows=Option("100,300,1000", "Rows of subsamples, separated by commas.", convert=_sizes),
    n_subsamples=Option(20, "Number of subsamples of each size.", int),
    output=Option(
        None, "File that keeps every subsample, so that the same command can resume.", Path,
        argument="results"
    ),
    seed=_SEED,
    format=_FORMAT,
)  # fmt: skip
def calibrate_ship_claims(data: str, given: Given) -> None:
    """Measure on a large data set how often claims about new data come true."""
    check_choice("--format", given.output.format, FORMATS)
    output, picture = given.arguments["results"], given.output.picture
    check_new_file(output, "--output", force=True, apart_from=(data,))
    check_picture(given.output, apart_from=(data, output))
    from bestofk.calibration.claims import calibrate_claims
    from bestofk.report.progress.shown import guesses

    with prints_to_messages():
        loaded = read_data(data, given)
        for line in guesses(loaded):
            write_message(line)
        result = calibrate_claims(X=loaded, **given.arguments)
    _write(result, given.output.format)
    is_whole = bool(result.claims) and not result.is_interrupted
    if picture is not None and is_whole:
        draw_picture(result.display(), picture)
    elif picture is not None:
        write_message(f"{picture} will be written once all runs are done.")
    raise click.exceptions.Exit(0 if is_whole else 1)


def _folds(text: str) -> list[int]:
    return whole_numbers(text, "--n-folds and --n-repeats", "2,5,10")


def _repeats(text: str) -> int | list[int]:
    numbers = _folds(text)
    return numbers[0] if len(numbers) == 1 else numbers


@app.add("estimates", short_help="Estimates of 2, 5, 10 folds and a test set.")
@takes(
    f"data target task drop role {OF_FILE} drop_missing_target learners test_set n_folds "
    "n_repeats scoring pos_label store timeout memory seed engine n_jobs format",
    test_set=Option(
        "holdout", "holdout:0.3, 20xholdout, test:0.3 (the last rows), or a file of later rows."
    ),
    n_folds=Option("2,5,10", "Numbers of folds, separated by commas.", convert=_folds),
    n_repeats=Option("10", "Repeats; or one number for each of --n-folds.", convert=_repeats),
    seed=_SEED,
    format=_FORMAT,
)  # fmt: skip
def calibrate_estimates(data: str, given: Given) -> None:
    """Measure how far cross-validated estimates are from the score on a true test set."""
    check_choice("--format", given.output.format, FORMATS)
    from bestofk.calibration.estimates import estimate_bias
    from bestofk.data import load_data

    test_set = given.arguments["test_set"]
    with prints_to_messages():
        loaded = read_data(data, given)
        if Path(test_set).exists():
            given.arguments["test_set"] = load_data(test_set, **given.reading)
        result = estimate_bias(X=loaded, **given.arguments)
    _write(result, given.output.format)
    raise click.exceptions.Exit(1 if result.is_interrupted else 0)


def _write(result: CalibrationResult | ClaimCalibration | EstimateBias, format: str) -> None:
    """Write the result of a calibration to standard output."""
    if format == "csv":
        from bestofk.data.spreadsheet_cells import csv_text

        write_result(csv_text(result.to_frame()))
    else:
        write_result(result.to_markdown() if format == "markdown" else str(result))
