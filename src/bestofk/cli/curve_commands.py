"""The commands `curve ...`: verdicts under changing conditions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from bestofk.cli.arguments import numbers, parse_learners, plain_value, words
from bestofk.cli.command_help import CommandGroup
from bestofk.cli.data_commands import read_data
from bestofk.cli.findings_output import write_text
from bestofk.cli.options import OF_FILE, REQUIRED, Given, Option, takes
from bestofk.cli.picture import check_picture, draw_picture
from bestofk.cli.terminal import (
    check_new_file,
    prints_to_messages,
    progress,
    write_json,
    write_message,
)
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison
    from bestofk.report.parts import Sections

app = CommandGroup(
    "curve",
    help="Show how the verdict changes with rows, noise, class imbalance, costs or settings.",
)
_SETTINGS: Final = (
    "cv stratify groups time window gap new_groups weights drop role "
    f"{OF_FILE} drop_missing_target scoring pos_label "
    "cost_matrix alpha store timeout memory engine seed n_jobs"
)
_CV: Final = Option("10x3", "10x3, 10x10, 30xholdout, 100xbootstrap:full ...; not adaptive.")
_OUTPUT: Final = "picture report force json quiet verbose"


def _sizes(text: str) -> int | list[float] | list[int]:
    """Return the number of sizes, or the sizes, that a text names."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 1 and parts[0].isdigit():
        return int(parts[0])
    if all(part.isdigit() for part in parts):
        return [int(part) for part in parts]
    return numbers(text, "--sizes", "8, or 20,40,80, or 0.1,0.5,1")


def _fractions(text: str) -> list[float]:
    return numbers(text, "--fractions", "0,0.1,0.2")


def _values(text: str) -> list[Any]:
    """Return the values that a text names."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise InvalidArgumentError(
            f"--values must be values separated by commas; got {text!r}. Write 1,2,5, or "
            "gini,entropy."
        )
    return [None if part.lower() == "none" else plain_value(part) for part in parts]


@app.add("learning")
@takes(
    f"data target task learners sizes schedule rows test_seconds test {_SETTINGS} log_target "
    f"batched {_OUTPUT}",
    sizes=Option(
        "8", "Number of sizes, or the sizes: 20,40,80 (rows) or 0.1,0.5,1 (shares).",
        argument="train_sizes", convert=_sizes
    ),
    schedule=Option("geometric", "geometric or arithmetic."),
    test_seconds=Option(
        False, "Time the test rows alone: one more fit per size.", bool
    ),
    cv=_CV,
    rows=Option(None, "Training rows to extrapolate to, up to twice the largest size.", int),
)  # fmt: skip
def draw_learning_curve(data: str, given: Given, rows: int | None) -> None:
    """Train learners on growing parts of the training rows, and test every pair at every size."""
    curve = _computed("learning_curve", data, given)
    try:
        _write(curve, given, n_train=rows)
    except InvalidArgumentError:  # of rows: what was trained is shown all the same
        _write(curve, given)
        raise
    _end(curve, given, n_train=rows)


@app.add("noise")
@takes(
    f"data target task learners kind noisy fractions test {_SETTINGS} {_OUTPUT}",
    cv=_CV,
    kind=Option("class", "class, random-class, feature or missing."),
    noisy=Option("train", "train, or both: test rows are noisy too."),
    fractions=Option("0,0.1,0.2,0.3,0.4", "Shares of noise, with commas.", convert=_fractions),
)
def draw_noise_curve(data: str, given: Given) -> None:
    """Train learners on rows with growing noise, and test them on clean ones."""
    curve = _computed("noise_curve", data, given)
    _write(curve, given)
    _end(curve, given)


@app.add("imbalance")
@takes(
    f"data target learners methods cv groups drop role {OF_FILE} drop_missing_target store "
    f"seed engine n_jobs {_OUTPUT}",
    methods=Option(
        "none,over,under,weights", "none, over, under, weights or smote, separated by commas.",
        convert=lambda text: words([text])
    ),
    cv=replace(_CV, default="5x5"),
)  # fmt: skip
def show_imbalance(data: str, given: Given) -> None:
    """Bring classes to one size inside the training rows: what that does to ranks and shares."""
    given.reading["task"] = "classification"
    effect = _computed("imbalance_effect", data, given)
    _write(effect, given)
    _end(effect, given, effect.comparison)


@app.add("cost")
@takes(
    f"data target learners cost_matrix prior cv groups drop role {OF_FILE} "
    f"drop_missing_target pos_label store seed engine n_jobs {_OUTPUT}",
    cv=_CV,
    prior=Option(None, "Share of the positive class where the learner will be used.", float),
)
def draw_cost_curve(data: str, given: Given, prior: float | None) -> None:
    """Find the cheapest learner and threshold for given costs and shares of two classes."""
    _check_output(data, given)
    costs = given.arguments.pop("cost_matrix")
    if (costs is None) != (prior is None):
        raise InvalidArgumentError(
            "--cost-matrix and --prior must be given together; got one of them. Without both the "
            "whole curve is shown."
        )
    from bestofk.comparison.entry_point import compare
    from bestofk.curves.cost import check_costs, check_two_classes, cost_curve
    from bestofk.curves.curve import check_fixed
    from bestofk.data import check_comparable
    from bestofk.inference.checks import check_share

    check_fixed(given.arguments["cv"])
    with prints_to_messages():
        loaded = read_data(data, given, task="classification")
        check_comparable(loaded)
        check_two_classes(loaded)
        if costs is not None and prior is not None:  # before anything is trained
            check_share(prior, "prior")
            check_costs(costs, loaded.classes.tolist())
        comparison = compare(loaded, **given.arguments, progress=progress(given.output.quiet))
        result = cost_curve(comparison)
    point = None if costs is None or prior is None else result.operating_point(prior, costs)
    _write(result, given, point=point)
    _end(result, given, comparison, result.sections(point))


@app.add("validation")
@takes(
    f"data learner parameter values target task {_SETTINGS} batched {_OUTPUT}",
    cv=_CV,
    learner=Option(
        REQUIRED,
        "One name from 'bestofk learners', or FILE.py:NAME.",
        str,
        convert=lambda text: parse_learners([text]),
    ),
    parameter=Option(REQUIRED, "Parameter to vary: min_samples_leaf, learner__C ...", str),
    values=Option(
        REQUIRED, "Values with commas: numbers, true, false, none or names.", str, convert=_values
    ),
)
def draw_validation_curve(data: str, given: Given) -> None:
    """Vary one parameter, and show training, validation and test error of each value."""
    curve = _computed("validation_curve", data, given)
    _write(curve, given)
    _end(curve, given)


def _computed(function: str, data: str, given: Given) -> Any:
    """Return the curve of a function of `bestofk.curves`."""
    _check_output(data, given)
    from bestofk import curves

    with prints_to_messages():
        return getattr(curves, function)(
            X=read_data(data, given), **given.arguments, progress=progress(given.output.quiet)
        )


def _check_output(data: str, given: Given) -> None:
    """Refuse output that cannot be written, before anything is trained."""
    others = (data, given.arguments["store"])
    check_picture(given.output, apart_from=others)
    output = given.output
    check_new_file(
        output.report, "--report", force=output.force, apart_from=(*others, output.picture)
    )


def _write(curve: Any, given: Given, **options: Any) -> None:
    """Write a curve to standard output; options are those of its text."""
    if given.output.json:
        write_json(curve.to_dict(**options))
    else:
        write_text(curve.sections(**options), given.output)


def _end(
    curve: Any,
    given: Given,
    comparison: Comparison | None = None,
    sections: Sections | None = None,
    **options: Any,
) -> None:
    """Write picture and page of a curve, say how to resume, and exit with 1 if runs are missing.

    After an interruption neither is written: an existing file would make the same command fail
    when it is run again.
    """
    picture, report = given.output.picture, given.output.report
    for file in (picture, report):
        if file is not None and curve.is_interrupted:
            write_message(f"{file} will be written once all runs are done.")
    if picture is not None and not curve.is_interrupted:
        draw_picture(curve.display(**options), picture)
    if report is not None and not curve.is_interrupted:
        from bestofk.report import write_sections

        page = sections or curve.sections(**options)
        display = curve.display(**options)
        write_sections(page, report, overwrite=given.output.force, display=display)
    if comparison is None:
        has_gaps = curve.is_interrupted or curve.to_frame()["n_failed"].any()
    else:
        from bestofk.evaluation.status import is_ok

        has_gaps = not is_ok(comparison.evaluation.status).all()
        if curve.is_interrupted:
            write_message(comparison.resume)
    raise click.exceptions.Exit(1 if has_gaps else 0)
