"""The command `curve validation`: errors by the value of one parameter, and the cost of tuning."""

from __future__ import annotations

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
    prints_to_messages,
    words,
    write_json,
    write_result,
)
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.curves.validation_curves import ValidationCurve

_WORDS = {"true": True, "false": False, "none": None}


def draw_validation_curve(
    data: Data,
    learner: Annotated[str, typer.Option(help="One name of 'bestofk learners', or FILE.py:NAME.")],
    parameter: Annotated[str, typer.Option(help="Its parameter: min_samples_leaf, learner__C ...")],
    values: Annotated[str, typer.Option(help="With commas: numbers, true, false, none, or names.")],
    target: Target = None,
    task: Task = "auto",
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
    """Give one parameter several values: training, validation and test error of each."""
    check_picture(picture, force=force, apart_from=(data, store))
    wanted = _values(values)
    from bestofk.curves.validation import validation_curve

    with prints_to_messages():
        loaded = loaded_data(
            data, target=target, task=task, role=role, drop=drop, groups=groups, weights=weights,
            decimal=decimal, thousands=thousands, drop_missing_target=drop_missing_target,
        )  # fmt: skip
        curve = validation_curve(
            given_learners([learner]), loaded, parameter=parameter, values=wanted, cv=cv,
            stratify=stratify, scoring=words(scoring) or None, pos_label=pos_label,
            cost_matrix=given_costs(cost_matrix), alpha=alpha,
            store=store, timeout=timeout, n_jobs=n_jobs, batched=batched, random_state=seed,
            progress=shown_progress(),
        )  # fmt: skip
    if json:
        write_json(as_json(curve))
    else:
        write_result(curve.text())
    if picture is not None and is_drawn(picture, is_interrupted=curve.is_interrupted):
        from bestofk.report.plots import ValidationCurveDisplay

        write_picture(ValidationCurveDisplay.from_curve(curve), picture)
    raise typer.Exit(1 if curve.is_interrupted or curve.frame()["n_failed"].any() else 0)


def as_json(found: ValidationCurve) -> dict[str, Any]:
    """Return all numbers of the curve as plain values; null where there is none."""
    tables = {
        "scores": found.frame(), "estimates": found.estimates(),
        "tests": found.against_chosen(), "sides": found.sides(),
    }  # fmt: skip
    chosen = found.chosen
    return {
        "data": found.data_name, "learner": found.learner, "parameter": found.parameter,
        "measure": found.measure.name, "alpha": found.alpha, "n_splits": found.n_splits,
        "chosen": None if chosen is None else found.values[chosen], **plain_tables(tables),
        "notes": list(found.notes),
    }  # fmt: skip


def _values(text: str) -> list[Any]:
    """Return the values that a text names."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise InvalidArgumentError(
            f"--values must be values with commas between them; got {text!r}. Write 1,2,5, or "
            "gini,entropy."
        )
    return [_value(part) for part in parts]


def _value(text: str) -> Any:
    """Return a whole number, a number, True, False or None; else the text."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
