"""The command `compare-scores`: a verdict, or one procedure, on scores computed elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bestofk.cli.arguments import check_choice, learner_names, plain_value, preference
from bestofk.cli.findings_output import FORMATS, write_verdict
from bestofk.cli.options import MANY, OPTIONS, Given, Option, takes
from bestofk.cli.terminal import write_json, write_result
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.score_tables.score_formats.score_format import ScoreTable

# Options of procedures only: those on test rows, and those with a picture.
_PREDICTION_OPTIONS = ("task", "pos_label", "picture", "force")
# Options of the verdict only, and those that a procedure may have as well.
_VERDICT_OPTIONS = ("test", "prefer", "center", "format")
_SHARED_OPTIONS = ("alternative", "alpha", "rope", "correction", "control")
# Options that an ordering does not use.
_UNUSED_BY_ORDERINGS = ("rope", "center", "control", "quiet", "verbose", "format", "procedure")


@takes(
    "scores store map missing measure direction cv n_train n_test dataset test correction alpha "
    "rope prefer center ordering all_orderings procedure errors learners alternative option task "
    "pos_label control picture force json quiet verbose format",
    scores=Option(
        None,
        "Scores, or predictions for a procedure of test rows: CSV, Parquet, WEKA, AMLB; or "
        "example-5x2, example-predictions ...",
        str,
        "[SCORES]",
        is_positional=True,
    ),
    map=replace(
        OPTIONS["map"],
        help="Column of each role: learner=COLUMN; also dataset, repeat, fold, value; with "
        "predictions row, truth, prediction.",
    ),
    store=Option(None, "A store written by compare, instead of SCORES.", Path, group="Data"),
    missing=Option(
        "refuse", "If a score is missing: refuse, drop-split, drop-data.", mapping="reading"
    ),
    cv=Option(
        None,
        "RxK: R repeats of K folds, such as 10x10; forward: periods in order of time.",
        mapping="reading",
    ),
    n_train=Option(None, "Average number of training rows.", float, mapping="reading"),
    n_test=Option(None, "Average number of test rows.", float, mapping="reading"),
    dataset=Option(None, "Data set to use, if there are several."),
    rope=Option(None, "Differences up to this size do not matter.", float),
    prefer=Option(None, "given, or all learners from most to least preferred.", convert=preference),
    ordering=Option(
        None,
        "Best by one rule: testfirst, anova-selector, newman-keuls, multitest-holm, "
        "multitest-bonferroni, candidates ...",
    ),
    all_orderings=Option(False, "Show the best learner by every rule.", bool),
    procedure=Option(None, "Apply one procedure of 'bestofk procedures' instead."),
    errors=Option(
        None, "ERRORS/ROWS of test sets for two-proportion-z, proportion-interval.", MANY
    ),
    learners=Option(
        None,
        "Learners to compare, separated by commas; default: all.",
        MANY,
        convert=learner_names,
        mapping="reading",
    ),
    alternative=Option(None, "Side of the procedure: two-sided, greater or less."),
    option=Option(None, "Other option of the procedure: method=normal.", MANY, "NAME=VALUE"),
    control=Option(None, "Many data sets: the learner to compare all others with."),
    format=Option(
        "text", "text, markdown, latex; methods, bibtex (for a paper).", mapping="output"
    ),
)
def compare_score_table(
    context: click.Context,
    scores: str | None,
    store: Path | None,
    given: Given,
    dataset: str | None,
    ordering: str | None,
    all_orderings: bool,
    procedure: str | None,
    errors: list[str] | None,
    alternative: str | None,
    option: list[str] | None,
    task: str,
    pos_label: str | None,
    control: str | None,
) -> None:
    """Find the best learner from a table of scores, or apply one statistical procedure to it."""
    json = given.output.json
    if errors:
        _write_counts(context, procedure, [*errors, *([scores] if scores else [])], json=json)
        return
    is_ordering = ordering is not None or all_orderings
    if is_ordering:
        _check_ordering(context, ordering, all_orderings=all_orderings)
    with _source(scores, store) as source:
        if procedure is not None:
            facts = {"dataset": dataset, "task": task, "pos_label": pos_label}
            _write_procedure(context, source, procedure, given, facts)
            return
        table = _score_table(context, source, given)
    settings = given.reading | given.arguments
    if is_ordering:
        only = None if ordering is None else [ordering]
        _write_orderings(table, only, {"dataset": dataset, **settings}, json=json)
        return
    for name, value in (("--alternative", alternative), ("--option", option)):
        if value:
            raise InvalidArgumentError(
                f"{name} must come with --procedure; got it without. The verdict takes both sides."
            )
    check_choice("--format", given.output.format, FORMATS)
    if dataset is None and len(table.rows_of) > 1:
        from bestofk.score_tables.across import compare_scores_across

        if (center := settings.pop("center")) != "mean":
            raise InvalidArgumentError(
                f"--center must be mean with many data sets; got {center!r}. Name one by --dataset."
            )
        across = compare_scores_across(table, control=control, **settings)
        write_verdict(across, given.output)
        return
    if control is not None:
        raise InvalidArgumentError(
            f"--control must come with many data sets; got {control!r} with one. Leave it out."
        )
    from bestofk.score_tables.score_table import compare_scores

    write_verdict(compare_scores(table, dataset=dataset, **settings), given.output)


def _source(scores: str | None, path: Path | None) -> AbstractContextManager[Any]:
    """Return the file of scores or predictions, or the store, which is closed afterwards."""
    if (scores is None) == (path is None):
        raise InvalidArgumentError(
            "SCORES must be a file of scores or predictions, or --store must be given; "
            f"got {'none' if path is None else 'both'}. Only --errors needs neither."
        )
    from bestofk.cli.store_commands import opened

    return nullcontext(scores) if path is None else opened(path)


def _score_table(context: click.Context, source: Any, given: Given) -> ScoreTable:
    """Return the scores of a file or a store."""
    from bestofk.evaluation.store import export_scores
    from bestofk.score_tables.score_formats.read_score_table import read_score_table

    for item in _given_names(context):
        if item in _PREDICTION_OPTIONS:
            raise InvalidArgumentError(
                f"--{item.replace('_', '-')} must come with --procedure; got it without. Leave it "
                "out."
            )
    columns, measure = given.reading.pop("columns"), given.reading["measure"]
    table = source if isinstance(source, str) else export_scores(source, measure and [measure])
    learners = given.reading["learners"]
    return read_score_table(table, columns=columns, measure=measure, learners=learners)


def _write_procedure(
    context: click.Context, source: Any, name: str, given: Given, facts: dict[str, Any]
) -> None:
    """Write the result of a procedure, and its picture if requested."""
    from bestofk.cli.picture import check_picture, draw_picture
    from bestofk.report import result_json
    from bestofk.score_tables.procedures import apply_procedure

    check_picture(given.output, apart_from=(source,) if isinstance(source, str) else ())
    name = _of_a_table(name)
    options = given.reading | facts | _procedure_options(context, name)
    names = options.pop("learners")
    result = apply_procedure(source, name, *names, **options)
    if given.output.picture is not None:
        if not result.pictures:
            raise InvalidArgumentError(
                "--picture must come with a procedure that has a picture, such as roc-hull; got "
                f"{name}. Leave it out."
            )
        draw_picture(result, given.output.picture)
    write_result(result_json(result) if given.output.json else f"{result}\n")


def _write_counts(
    context: click.Context, procedure: str | None, texts: Sequence[str], *, json: bool
) -> None:
    """Write the result of a procedure of error counts."""
    from bestofk.cli.error_counts import result_of_counts
    from bestofk.report import result_json

    if procedure is None:
        raise InvalidArgumentError(
            f"--errors must come with --procedure; got {' '.join(texts)} without. Add --procedure "
            "two-proportion-z (two test sets) or proportion-interval (one)."
        )
    allowed = ("procedure", "errors", "scores", "json", "option", *_SHARED_OPTIONS)
    for item in _given_names(context):
        if item not in allowed:
            _refuse_together(item, "--errors")
    result = result_of_counts(procedure, texts, _typed_options(context))
    write_result(result_json(result) if json else f"{result}\n")


def _check_ordering(context: click.Context, ordering: str | None, *, all_orderings: bool) -> None:
    """Refuse options that an ordering does not use."""
    what = "--all-orderings" if all_orderings else "--ordering"
    if ordering is not None and all_orderings:
        _refuse_together("ordering", what)
    unused = [*_UNUSED_BY_ORDERINGS, "alternative", "option"]
    if ordering is None or not ordering.lower().startswith("multitest"):
        unused.append("correction")
    for item in _given_names(context):
        if item in unused:
            _refuse_together(item, what)


def _write_orderings(
    table: ScoreTable, only: list[str] | None, settings: dict[str, Any], *, json: bool
) -> None:
    """Write the best learner by one ordering or by all."""
    from bestofk.score_tables.score_table import compare_scores

    result = compare_scores(table, **settings).orderings(only=only)
    if json:
        write_json(asdict(result) | {"disagreement": result.disagreement})
        return
    write_result(f"{result}\n")
    if only is not None and result.rows[0].name.startswith("multitest"):
        write_result("Corrections: --ordering multitest-holm or multitest-bonferroni.\n")


def _refuse_together(item: str, what: str) -> None:
    raise InvalidArgumentError(
        f"--{item.replace('_', '-')} must come without {what}, which does not use it; got both. "
        "Leave one out."
    )


def _given_names(context: click.Context) -> list[str]:
    sources = {param: context.get_parameter_source(param) for param in context.params}
    return [param for param, source in sources.items() if source and source.name == "COMMANDLINE"]


def _typed_options(context: click.Context) -> dict[str, Any]:
    """Return the options of a procedure as they were typed."""
    options = dict(_procedure_option(text) for text in context.params["option"] or [])
    return options | {
        item: context.params[item] for item in _given_names(context) if item in _SHARED_OPTIONS
    }


def _of_a_table(name: str) -> str:
    """Return the name of a procedure of tables; refuse those that need another option."""
    from bestofk.cli.entries import procedure_name
    from bestofk.inference import PROCEDURES
    from bestofk.verdict import ORDERINGS

    key = procedure_name(name)
    if key not in PROCEDURES:
        way_out = f"--ordering {key}" if key in ORDERINGS else f"--procedure {key} --errors 20/100"
        raise InvalidArgumentError(
            f"--procedure must be one that takes a table of scores; got {name!r}. Type: {way_out}"
        )
    return key


def _procedure_options(context: click.Context, name: str) -> dict[str, Any]:
    """Return the options of a procedure from the command line; refuse those it cannot take."""
    from bestofk.inference import procedure

    for item in _given_names(context):
        if item in _VERDICT_OPTIONS:
            _refuse_together(item, "--procedure")
    return procedure(name).check_options(_typed_options(context))


def _procedure_option(text: str) -> tuple[str, Any]:
    """Return an option of a procedure: numbers and truth values as such, the rest as text."""
    name, sign, value = text.partition("=")
    if not sign:
        raise InvalidArgumentError(
            f"--option must be NAME=VALUE; got {text!r}. Write for example method=normal."
        )
    return name, plain_value(value)
