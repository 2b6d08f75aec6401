"""The commands `curve ...`: verdicts under changing conditions."""

from __future__ import annotations

import json as json_format
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from bestofk.cli.arguments import given_learners, numbers, plain_value, words
from bestofk.cli.options import REQUIRED, Option, takes
from bestofk.cli.pictures import check_picture, write_picture
from bestofk.cli.terminal import message_console, prints_to_messages, write_json, write_result
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison
    from bestofk.curves.learning_curves import LearningCurves
    from bestofk.evaluation import Observer

app = typer.Typer(
    help="How the verdict changes with rows, noise, few rows of a class, costs, settings.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_SETTINGS: Final = (
    "cv stratify groups weights drop role decimal thousands drop_missing_target scoring pos_label "
    "cost_matrix alpha store timeout seed n_jobs"
)


@app.callback()
def curves() -> None:
    """Say how the verdict changes with the conditions."""


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
            f"--values must be values with commas between them; got {text!r}. Write 1,2,5, or "
            "gini,entropy."
        )
    return [None if part.lower() == "none" else plain_value(part) for part in parts]


@app.command("learning")
@takes(
    f"data target task learners sizes schedule rows {_SETTINGS} batched picture force json",
    sizes=Option(
        "8", "How many sizes, or the sizes: 20,40,80 rows or shares 0.1,0.5,1.",
        argument="train_sizes", convert=_sizes,
    ),
    schedule=Option("geometric", "geometric or arithmetic."),
    rows=Option(None, "Training rows to look ahead to, up to twice the largest size.", int | None),
)  # fmt: skip
def draw_learning_curve(
    data: str,
    reading: dict[str, Any],
    arguments: dict[str, Any],
    rows: int | None,
    picture: Path | None,
    force: bool,
    json: bool,
) -> None:
    """Train learners on growing parts of the training rows, and test every pair at every size."""
    check_picture(picture, force=force, apart_from=(data, arguments["store"]))
    from bestofk.curves.learning import learning_curve
    from bestofk.data import load_data

    with prints_to_messages():
        result = learning_curve(X=load_data(data, **reading), **arguments, progress=_progress())
    try:
        _show(result, rows, json)
    except InvalidArgumentError:  # of rows: what was trained is shown all the same
        _show(result, None, json)
        raise
    if picture is not None:
        from bestofk.report.plots import LearningCurveDisplay

        display = LearningCurveDisplay.from_curves(result, n_train=rows)
        write_picture(display, picture, is_interrupted=result.is_interrupted)
    raise typer.Exit(1 if result.is_interrupted or result.frame()["n_failed"].any() else 0)


@app.command("noise")
@takes(
    f"data target task learners kind noisy fractions {_SETTINGS} picture force json",
    kind=Option("class", "class, feature or missing."),
    noisy=Option("train", "train, or both: rows that test are noisy too."),
    fractions=Option("0,0.1,0.2,0.3,0.4", "Shares of noise, with commas.", convert=_fractions),
)
def draw_noise_curve(
    data: str,
    reading: dict[str, Any],
    arguments: dict[str, Any],
    picture: Path | None,
    force: bool,
    json: bool,
) -> None:
    """Train learners on rows with growing noise, test them on clean ones."""
    check_picture(picture, force=force, apart_from=(data, arguments["store"]))
    from bestofk.curves.noise import noise_curve
    from bestofk.data import load_data

    with prints_to_messages():
        result = noise_curve(X=load_data(data, **reading), **arguments, progress=_progress())
    if json:
        tables = {"scores": result.frame(), "tests": result.pairs()}
        if result.fractions[0] == 0 and len(result.fractions) > 1:
            tables["resistance"] = result.resistance()
        write_json({
            "data": result.data_name, "kind": result.kind, "noisy": result.noisy,
            "measure": result.measure.name, "alpha": result.alpha, **_plain_tables(tables),
            "notes": list(result.notes),
        })  # fmt: skip
    else:
        write_result(str(result))
    if picture is not None:
        from bestofk.report.plots import NoiseCurveDisplay

        display = NoiseCurveDisplay.from_curves(result)
        write_picture(display, picture, is_interrupted=result.is_interrupted)
    raise typer.Exit(1 if result.is_interrupted or result.frame()["n_failed"].any() else 0)


@app.command("imbalance")
@takes(
    "data target learners methods cv groups drop role decimal thousands drop_missing_target store "
    "seed n_jobs picture force json",
    methods=Option(
        "none,over,under,weights", "Of none, over, under, weights, smote, with commas.",
        convert=lambda text: words([text]),
    ),
    cv=Option("5x5", "10x3, 10x10, 30xholdout ...; not adaptive."),
)  # fmt: skip
def show_imbalance(
    data: str,
    reading: dict[str, Any],
    arguments: dict[str, Any],
    picture: Path | None,
    force: bool,
    json: bool,
) -> None:
    """Bring classes to one size inside the training rows: what that does to ranks and shares."""
    check_picture(picture, force=force, apart_from=(data, arguments["store"]))
    from bestofk.curves.imbalance import imbalance_effect
    from bestofk.data import load_data

    with prints_to_messages():
        loaded = load_data(data, task="classification", **reading)
        effect = imbalance_effect(X=loaded, **arguments, progress=_progress())
    if json:
        write_json({**_plain_tables({"scores": effect.frame()}), "notes": list(effect.notes)})
    else:
        write_result(str(effect))
    if picture is not None:
        from bestofk.report.plots import ImbalanceDisplay

        display = ImbalanceDisplay.from_effect(effect)
        is_interrupted = effect.comparison.evaluation.is_interrupted
        write_picture(display, picture, is_interrupted=is_interrupted)
    _end(effect.comparison)


@app.command("cost")
@takes(
    "data target learners cost_matrix prior cv groups drop role decimal thousands "
    "drop_missing_target pos_label store seed n_jobs picture force json",
    prior=Option(None, "Share of the positive class where it will be used.", float | None),
)
def draw_cost_curve(
    data: str,
    reading: dict[str, Any],
    arguments: dict[str, Any],
    prior: float | None,
    picture: Path | None,
    force: bool,
    json: bool,
) -> None:
    """Say which learner and threshold is cheapest for which costs and shares of two classes."""
    check_picture(picture, force=force, apart_from=(data, arguments["store"]))
    costs = arguments.pop("cost_matrix")
    if (costs is None) != (prior is None):
        raise InvalidArgumentError(
            "--cost-matrix and --prior must be given together; got one of them. Without both the "
            "whole curve is shown."
        )
    from bestofk.comparison.entry_point import compare
    from bestofk.curves.cost import check_costs, check_two_classes, cost_curve
    from bestofk.curves.points import check_fixed
    from bestofk.data import check_comparable, load_data
    from bestofk.inference.student import check_share

    check_fixed(arguments["cv"])
    with prints_to_messages():
        loaded = load_data(data, task="classification", **reading)
        check_comparable(loaded)
        check_two_classes(loaded)
        if costs is not None and prior is not None:  # before anything is trained
            check_share(prior, "prior")
            check_costs(costs, loaded.classes.tolist())
        comparison = compare(X=loaded, **arguments, progress=_progress())
        result = cost_curve(comparison)
    point = None if costs is None or prior is None else result.operating_point(prior, costs)
    if json:
        import pandas as pd

        points = pd.DataFrame([] if point is None else [vars(point)])
        chosen = next(iter(_plain_tables({"points": points})["points"]), None)
        about = {"data": result.data_name, "operating_point": chosen}
        write_json(
            {**about, **_plain_tables({"curves": result.frame()}), "warnings": [*result.warnings]}
        )
    else:
        said = [] if point is None else [textwrap.fill(point.text(), 80, break_on_hyphens=False)]
        write_result("\n\n".join([result.text(), *said]))
    if picture is not None:
        from bestofk.report.plots import CostCurveDisplay

        display = CostCurveDisplay.from_curves(result)
        write_picture(display, picture, is_interrupted=comparison.evaluation.is_interrupted)
    _end(comparison)


@app.command("validation")
@takes(
    f"data learner parameter values target task {_SETTINGS} batched picture force json",
    learner=Option(
        REQUIRED,
        "One name of 'bestofk learners', or FILE.py:NAME.",
        str,
        convert=lambda text: given_learners([text]),
    ),
    parameter=Option(REQUIRED, "Its parameter: min_samples_leaf, learner__C ...", str),
    values=Option(
        REQUIRED, "With commas: numbers, true, false, none, or names.", str, convert=_values
    ),
)
def draw_validation_curve(
    data: str,
    reading: dict[str, Any],
    arguments: dict[str, Any],
    picture: Path | None,
    force: bool,
    json: bool,
) -> None:
    """Give one parameter several values: training, validation and test error of each."""
    check_picture(picture, force=force, apart_from=(data, arguments["store"]))
    from bestofk.curves.validation import validation_curve
    from bestofk.data import load_data

    with prints_to_messages():
        curve = validation_curve(X=load_data(data, **reading), **arguments, progress=_progress())
    if json:
        tables = {
            "scores": curve.frame(), "estimates": curve.estimates(),
            "tests": curve.against_chosen(), "sides": curve.sides(),
        }  # fmt: skip
        chosen = curve.chosen
        write_json({
            "data": curve.data_name, "learner": curve.learner, "parameter": curve.parameter,
            "measure": curve.measure.name, "alpha": curve.alpha, "n_splits": curve.n_splits,
            "chosen": None if chosen is None else curve.values[chosen], **_plain_tables(tables),
            "notes": list(curve.notes),
        })  # fmt: skip
    else:
        write_result(curve.text())
    if picture is not None:
        from bestofk.report.plots import ValidationCurveDisplay

        display = ValidationCurveDisplay.from_curve(curve)
        write_picture(display, picture, is_interrupted=curve.is_interrupted)
    raise typer.Exit(1 if curve.is_interrupted or curve.frame()["n_failed"].any() else 0)


def _progress() -> Observer:
    """Return what shows runs done and time left on standard error."""
    from bestofk.report.progress import TerminalProgress

    return TerminalProgress(message_console())


def _plain_tables(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of tables as plain values; null where there is none."""
    return {
        name: json_format.loads(table.to_json(orient="records", double_precision=15))
        for name, table in tables.items()
    }


def _end(comparison: Comparison) -> None:
    """Say how to go on after an interruption, and leave with 1 where runs are missing or failed."""
    evaluation = comparison.evaluation
    if evaluation.is_interrupted:
        message_console().print(comparison.resume, markup=False, soft_wrap=True)
    raise typer.Exit(0 if bool((evaluation.status == "ok").all()) else 1)


def _show(found: LearningCurves, rows: int | None, json: bool) -> None:
    if json:
        tables = {
            "scores": found.frame(), "tests": found.pairs(), "changes": found.crossings(),
            "extrapolation": found.extrapolate(rows),
        }  # fmt: skip
        write_json({
            "data": found.data_name, "measure": found.measure.name, "alpha": found.alpha,
            "n_splits": found.n_splits, **_plain_tables(tables), "notes": list(found.notes),
        })  # fmt: skip
    else:
        write_result(found.text(rows))
