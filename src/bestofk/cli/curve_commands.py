"""The commands `curve ...`: verdicts under changing conditions."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestofk.cli.compare_command import given_costs, given_learners, loaded_data
from bestofk.cli.curve_parts import (
    Cv,
    Data,
    Force,
    Picture,
    Seed,
    StoreFile,
    check_picture,
    is_drawn,
    plain_tables,
    shown_progress,
    write_picture,
)
from bestofk.cli.options import (
    Alpha,
    Batched,
    CostMatrix,
    Decimal,
    Drop,
    DropMissingTarget,
    Groups,
    Json,
    Learners,
    NJobs,
    PosLabel,
    Role,
    Scoring,
    Stratify,
    Target,
    Task,
    Thousands,
    Timeout,
    Weights,
)
from bestofk.cli.terminal import (
    message_console,
    prints_to_messages,
    words,
    write_json,
    write_result,
)
from bestofk.cli.validation_command import draw_validation_curve
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison
    from bestofk.curves.learning_curves import LearningCurves

app = typer.Typer(
    help="How the verdict changes with rows, noise, few rows of a class, costs, settings.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def curves() -> None:
    """Say how the verdict changes with the conditions."""


@app.command("learning")
def draw_learning_curve(
    data: Data,
    target: Target = None,
    task: Task = "auto",
    learners: Learners = None,
    sizes: Annotated[
        str, typer.Option(help="How many sizes, or the sizes: 20,40,80 rows or shares 0.1,0.5,1.")
    ] = "8",
    schedule: Annotated[str, typer.Option(help="geometric or arithmetic.")] = "geometric",
    rows: Annotated[
        int | None,
        typer.Option(help="Training rows to look ahead to, up to twice the largest size."),
    ] = None,
    cv: Cv = "10x3",
    stratify: Stratify = True,
    groups: Groups = None,
    weights: Weights = None,
    drop: Drop = None,
    role: Role = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    drop_missing_target: DropMissingTarget = False,
    scoring: Scoring = None,
    pos_label: PosLabel = None,
    cost_matrix: CostMatrix = None,
    alpha: Alpha = 0.05,
    store: StoreFile = None,
    timeout: Timeout = None,
    seed: Seed = 0,
    n_jobs: NJobs = -1,
    batched: Batched = "auto",
    picture: Picture = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Train learners on growing parts of the training rows, and test every pair at every size."""
    check_picture(picture, force=force, apart_from=(data, store))
    wanted = _sizes(sizes)
    from bestofk.curves.learning import learning_curve

    with prints_to_messages():
        loaded = loaded_data(
            data, target=target, task=task, role=role, drop=drop, groups=groups, weights=weights,
            decimal=decimal, thousands=thousands, drop_missing_target=drop_missing_target,
        )  # fmt: skip
        result = learning_curve(
            given_learners(learners), loaded, train_sizes=wanted, schedule=schedule, cv=cv,
            stratify=stratify, scoring=words(scoring) or None, pos_label=pos_label,
            cost_matrix=given_costs(cost_matrix), alpha=alpha,
            store=store, timeout=timeout, n_jobs=n_jobs, batched=batched, random_state=seed,
            progress=shown_progress(),
        )  # fmt: skip
    try:
        _show(result, rows, json)
    except InvalidArgumentError:  # of rows: what was trained is shown all the same
        _show(result, None, json)
        raise
    if picture is not None and is_drawn(picture, is_interrupted=result.is_interrupted):
        from bestofk.report.plots import LearningCurveDisplay

        write_picture(LearningCurveDisplay.from_curves(result, n_train=rows), picture)
    raise typer.Exit(1 if result.is_interrupted or result.frame()["n_failed"].any() else 0)


@app.command("noise")
def draw_noise_curve(
    data: Data,
    target: Target = None,
    task: Task = "auto",
    learners: Learners = None,
    kind: Annotated[str, typer.Option(help="class, feature or missing.")] = "class",
    noisy: Annotated[
        str, typer.Option(help="train, or both: rows that test are noisy too.")
    ] = "train",
    fractions: Annotated[
        str, typer.Option(help="Shares of noise, with commas.")
    ] = "0,0.1,0.2,0.3,0.4",
    cv: Cv = "10x3",
    stratify: Stratify = True,
    groups: Groups = None,
    weights: Weights = None,
    drop: Drop = None,
    role: Role = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    drop_missing_target: DropMissingTarget = False,
    scoring: Scoring = None,
    pos_label: PosLabel = None,
    cost_matrix: CostMatrix = None,
    alpha: Alpha = 0.05,
    store: StoreFile = None,
    timeout: Timeout = None,
    seed: Seed = 0,
    n_jobs: NJobs = -1,
    picture: Picture = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Train learners on rows with growing noise, test them on clean ones."""
    check_picture(picture, force=force, apart_from=(data, store))
    wanted = _numbers(fractions, "--fractions", "0,0.1,0.2")
    from bestofk.curves.noise import noise_curve

    with prints_to_messages():
        loaded = loaded_data(
            data, target=target, task=task, role=role, drop=drop, groups=groups, weights=weights,
            decimal=decimal, thousands=thousands, drop_missing_target=drop_missing_target,
        )  # fmt: skip
        result = noise_curve(
            given_learners(learners), loaded, kind=kind, noisy=noisy, fractions=wanted,
            cv=cv, stratify=stratify, scoring=words(scoring) or None, pos_label=pos_label,
            cost_matrix=given_costs(cost_matrix), alpha=alpha, store=store, timeout=timeout,
            n_jobs=n_jobs, random_state=seed, progress=shown_progress(),
        )  # fmt: skip
    if json:
        tables = {"scores": result.frame(), "tests": result.pairs()}
        if result.fractions[0] == 0 and len(result.fractions) > 1:
            tables["resistance"] = result.resistance()
        write_json({
            "data": result.data_name, "kind": result.kind, "noisy": result.noisy,
            "measure": result.measure.name, "alpha": result.alpha, **plain_tables(tables),
            "notes": list(result.notes),
        })  # fmt: skip
    else:
        write_result(str(result))
    if picture is not None and is_drawn(picture, is_interrupted=result.is_interrupted):
        from bestofk.report.plots import NoiseCurveDisplay

        write_picture(NoiseCurveDisplay.from_curves(result), picture)
    raise typer.Exit(1 if result.is_interrupted or result.frame()["n_failed"].any() else 0)


@app.command("imbalance")
def show_imbalance(
    data: Data,
    target: Target = None,
    learners: Learners = None,
    methods: Annotated[
        str, typer.Option(help="Of none, over, under, weights, smote, with commas.")
    ] = "none,over,under,weights",
    cv: Cv = "5x5",
    groups: Groups = None,
    drop: Drop = None,
    role: Role = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    drop_missing_target: DropMissingTarget = False,
    store: StoreFile = None,
    seed: Seed = 0,
    n_jobs: NJobs = -1,
    picture: Picture = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Bring classes to one size inside the training rows: what that does to ranks and shares."""
    check_picture(picture, force=force, apart_from=(data, store))
    from bestofk.curves.imbalance import imbalance_effect

    with prints_to_messages():
        loaded = loaded_data(
            data, target=target, task="classification", role=role, drop=drop, groups=groups,
            decimal=decimal, thousands=thousands, drop_missing_target=drop_missing_target,
        )  # fmt: skip
        effect = imbalance_effect(
            given_learners(learners), loaded, methods=words([methods]), cv=cv, store=store,
            n_jobs=n_jobs, random_state=seed, progress=shown_progress(),
        )  # fmt: skip
    evaluation = effect.comparison.evaluation
    if json:
        write_json({**plain_tables({"scores": effect.frame()}), "notes": list(effect.notes)})
    else:
        write_result(str(effect))
    if picture is not None and is_drawn(picture, is_interrupted=evaluation.is_interrupted):
        from bestofk.report.plots import ImbalanceDisplay

        write_picture(ImbalanceDisplay.from_effect(effect), picture)
    _end(effect.comparison)


@app.command("cost")
def draw_cost_curve(
    data: Data,
    target: Target = None,
    learners: Learners = None,
    cost_matrix: CostMatrix = None,
    prior: Annotated[
        float | None, typer.Option(help="Share of the positive class where it will be used.")
    ] = None,
    cv: Cv = "10x3",
    groups: Groups = None,
    drop: Drop = None,
    role: Role = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    drop_missing_target: DropMissingTarget = False,
    pos_label: PosLabel = None,
    store: StoreFile = None,
    seed: Seed = 0,
    n_jobs: NJobs = -1,
    picture: Picture = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Say which learner and threshold is cheapest for which costs and shares of two classes."""
    check_picture(picture, force=force, apart_from=(data, store))
    costs = given_costs(cost_matrix)
    if (costs is None) != (prior is None):
        raise InvalidArgumentError(
            "--cost-matrix and --prior must be given together; got one of them. Without both the "
            "whole curve is shown."
        )
    from bestofk.comparison.comparing import compare
    from bestofk.curves.cost import check_costs, check_two_classes, cost_curve
    from bestofk.curves.points import check_fixed
    from bestofk.data import check_comparable
    from bestofk.inference.student import check_share

    check_fixed(cv)
    with prints_to_messages():
        loaded = loaded_data(
            data, target=target, task="classification", role=role, drop=drop, groups=groups,
            decimal=decimal, thousands=thousands, drop_missing_target=drop_missing_target,
        )  # fmt: skip
        check_comparable(loaded)
        check_two_classes(loaded)
        if costs is not None and prior is not None:  # before anything is trained
            check_share(prior, "prior")
            check_costs(costs, loaded.classes.tolist())
        comparison = compare(
            given_learners(learners), loaded, cv=cv, pos_label=pos_label, store=store,
            n_jobs=n_jobs, random_state=seed, progress=shown_progress(),
        )  # fmt: skip
        result = cost_curve(comparison)
    evaluation = comparison.evaluation
    point = None if costs is None or prior is None else result.operating_point(prior, costs)
    if json:
        import pandas as pd

        points = pd.DataFrame([] if point is None else [vars(point)])
        chosen = next(iter(plain_tables({"points": points})["points"]), None)
        about = {"data": result.data_name, "operating_point": chosen}
        write_json(
            {**about, **plain_tables({"curves": result.frame()}), "warnings": [*result.warnings]}
        )
    else:
        said = [] if point is None else [textwrap.fill(point.text(), 80, break_on_hyphens=False)]
        write_result("\n\n".join([result.text(), *said]))
    if picture is not None and is_drawn(picture, is_interrupted=evaluation.is_interrupted):
        from bestofk.report.plots import CostCurveDisplay

        write_picture(CostCurveDisplay.from_curves(result), picture)
    _end(comparison)


def _end(comparison: Comparison) -> None:
    """Say how to go on after an interruption, and leave with 1 where runs are missing or failed."""
    evaluation = comparison.evaluation
    if evaluation.is_interrupted:
        message_console().print(comparison.resume, markup=False, soft_wrap=True)
    raise typer.Exit(0 if bool((evaluation.status == "ok").all()) else 1)


app.command("validation")(draw_validation_curve)


def _show(found: LearningCurves, rows: int | None, json: bool) -> None:
    if json:
        write_json(as_json(found, rows))
    else:
        write_result(found.text(rows))


def as_json(found: LearningCurves, rows: int | None = None) -> dict[str, Any]:
    """Return all numbers of the curves as plain values; null where there is none."""
    tables = {
        "scores": found.frame(), "tests": found.pairs(), "changes": found.crossings(),
        "extrapolation": found.extrapolate(rows),
    }  # fmt: skip
    return {
        "data": found.data_name, "measure": found.measure.name, "alpha": found.alpha,
        "n_splits": found.n_splits, **plain_tables(tables), "notes": list(found.notes),
    }  # fmt: skip


def _numbers(text: str, option: str, example: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InvalidArgumentError(
            f"{option} must be numbers with commas; got {text!r}. Write {example}."
        ) from error


def _sizes(text: str) -> int | list[float] | list[int]:
    """Return the number of sizes, or the sizes, that a text names."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 1 and parts[0].isdigit():
        return int(parts[0])
    if all(part.isdigit() for part in parts):
        return [int(part) for part in parts]
    return _numbers(text, "--sizes", "8, or 20,40,80, or 0.1,0.5,1")
