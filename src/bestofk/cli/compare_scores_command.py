"""The command `compare-scores`: a verdict, or one procedure, on scores computed elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from bestofk.cli.arguments import (
    check_choice,
    learner_names,
    plain_value,
    preference,
)
from bestofk.cli.findings_output import FORMATS, check_length, write_findings
from bestofk.cli.options import MANY, REQUIRED, Given, Option, takes, warn_renamed
from bestofk.cli.terminal import write_result
from bestofk.errors import InvalidArgumentError

# Options of the verdict alone, and those that a procedure may have as well.
_OF_THE_VERDICT = ("test", "prefer", "format")
_OF_BOTH = ("alternative", "alpha", "rope", "correction", "control")


@takes(
    "scores map missing measure direction cv n_train n_test dataset test correction alpha rope "
    "prefer procedure learners alternative option control json quiet verbose format",
    scores=Option(
        REQUIRED,
        "Scores: CSV, Parquet, or results of WEKA or AMLB.",
        str,
        "SCORES",
        is_positional=True,
    ),
    missing=Option(
        "refuse",
        "Where a learner lacks a score: refuse, drop-split, drop-data.",
        mapping="reading",
    ),
    cv=Option(None, "RxK: R repeats of K folds, such as 10x10.", mapping="reading"),
    n_train=Option(None, "Rows trained on, on average.", float | None, mapping="reading"),
    n_test=Option(None, "Rows tested on, on average.", float | None, mapping="reading"),
    dataset=Option(None, "The data set, of several."),
    rope=Option(None, "Differences up to this size do not matter.", float | None),
    prefer=Option(None, "given, or all learners from most to least wanted.", convert=preference),
    procedure=Option(None, "One procedure in place of the verdict; list: procedures."),
    learners=Option(None, "The learners of the procedure, with commas between."),
    alternative=Option(None, "Side of the procedure: two-sided, greater or less."),
    option=Option(None, "Another option of the procedure: method=normal.", MANY, "NAME=VALUE"),
    control=Option(None, "Many data sets: the learner others are held against."),
    format=Option("text", "text, markdown, latex; methods, bibtex (for a paper)."),
)
def compare_score_table(
    context: typer.Context,
    scores: str,
    given: Given,
    dataset: str | None,
    procedure: str | None,
    learners: str | None,
    alternative: str | None,
    option: list[str] | None,
    control: str | None,
    json: bool,
    quiet: bool,
    verbose: bool,
    format: str,
) -> None:
    """Find the best learner by a table of scores, or apply one statistical procedure to it."""
    if context.info_name == "test":
        warn_renamed("the command test", "compare-scores")
    from bestofk.data.score_formats.read_score_table import read_score_table

    columns = given.reading.pop("columns")
    table = read_score_table(scores, columns=columns, measure=given.reading["measure"])
    if procedure is not None:
        from bestofk.report import result_json
        from bestofk.score_tables.procedures import apply_procedure

        options = given.reading | _procedure_options(context, procedure, option or [])
        names = learner_names([learners]) if learners else []
        result = apply_procedure(table, procedure, *names, dataset=dataset, **options)
        write_result(result_json(result) if json else f"{result}\n")
        return
    of_procedure = {"--learners": learners, "--alternative": alternative, "--option": option}
    for name, value in of_procedure.items():
        if value:
            raise InvalidArgumentError(
                f"{name} must come with --procedure; got it without. The verdict takes all "
                "learners and both sides."
            )
    check_choice("--format", format, FORMATS)
    check_length(quiet=quiet, verbose=verbose)
    kind, settings = "json" if json else format, given.reading | given.arguments
    if dataset is None and len(table.rows_of) > 1:
        from bestofk.score_tables.across import compare_scores_across

        across = compare_scores_across(table, control=control, **settings)
        write_findings(across, kind, within=given.arguments["test"], quiet=quiet, verbose=verbose)
        return
    if control is not None:
        raise InvalidArgumentError(
            f"--control must come with many data sets; got {control!r} with one. Leave it out."
        )
    from bestofk.score_tables.score_table import compare_scores

    write_findings(
        compare_scores(table, dataset=dataset, **settings), kind, quiet=quiet, verbose=verbose
    )


def _procedure_options(context: typer.Context, name: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return the options of a procedure from the command line; refuse those it cannot take."""
    from bestofk.inference import procedure

    given = [param for param in context.params if _is_given(context, param)]
    for item in given:
        if item in _OF_THE_VERDICT:
            raise InvalidArgumentError(
                f"--{item} must come without --procedure, which knows no such thing; got both. "
                "Leave one out."
            )
    options = dict(_procedure_option(text) for text in texts)
    options |= {item: context.params[item] for item in given if item in _OF_BOTH}
    return procedure(name).check_options(options)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _procedure_option(text: str) -> tuple[str, Any]:
    """Return an option of a procedure: numbers and truth values as such, the rest as text."""
    name, sign, value = text.partition("=")
    if not sign:
        raise InvalidArgumentError(
            f"--option must be NAME=VALUE; got {text!r}. Write for example method=normal."
        )
    return name, plain_value(value)
