"""The commands `curve ...`: how a verdict changes with the conditions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestofk.cli.compare_command import given_learners, given_roles
from bestofk.cli.options import (
    Alpha,
    Drop,
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
    Timeout,
    Weights,
)
from bestofk.cli.terminal import (
    check_new_file,
    message_console,
    prints_to_messages,
    words,
    write_json,
    write_result,
)
from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from bestofk.curves.learning_curves import LearningCurves

app = typer.Typer(
    help="How the verdict changes with the number of rows.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def curves() -> None:
    """Say how the verdict changes with the conditions."""


@app.command("learning")
def draw_learning_curve(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A file, or a name of 'bestofk datasets'.")
    ],
    target: Target = None,
    task: Task = "auto",
    learners: Learners = None,
    sizes: Annotated[
        str, typer.Option(help="How many sizes, or the sizes: 20,40,80 rows or shares 0.1,0.5,1.")
    ] = "8",
    schedule: Annotated[str, typer.Option(help="geometric or arithmetic.")] = "geometric",
    cv: Annotated[str, typer.Option(help="10x3, 10x10, 30xholdout ...; not adaptive.")] = "10x3",
    stratify: Stratify = True,
    groups: Groups = None,
    weights: Weights = None,
    drop: Drop = None,
    role: Role = None,
    scoring: Scoring = None,
    pos_label: PosLabel = None,
    alpha: Alpha = 0.05,
    store: Annotated[Path | None, typer.Option(help="File that keeps every run.")] = None,
    timeout: Timeout = None,
    seed: Annotated[int, typer.Option(help="What plan and random streams come from.")] = 0,
    n_jobs: NJobs = -1,
    picture: Annotated[
        Path | None, typer.Option(help="Picture to write: .png, .pdf or .svg.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing picture.")] = False,
    json: Json = False,
) -> None:
    """Train learners on growing parts of the training rows, and test every pair at every size."""
    check_new_file(picture, "--picture", force=force)
    wanted = _sizes(sizes)
    from bestofk.cli.progress import TerminalProgress
    from bestofk.curves.learning import learning_curve
    from bestofk.data import load_data

    with prints_to_messages():
        loaded = load_data(
            data, target=target, task=task, roles=given_roles(role), drop=words(drop),
            groups=groups, weights=weights,
        )  # fmt: skip
        found = learning_curve(
            given_learners(learners), loaded, train_sizes=wanted, schedule=schedule, cv=cv,
            stratify=stratify, scoring=words(scoring) or None, pos_label=pos_label, alpha=alpha,
            store=store, timeout=timeout, n_jobs=n_jobs, random_state=seed,
            progress=TerminalProgress(message_console()),
        )  # fmt: skip
    if json:
        write_json(as_json(found))
    else:
        write_result(found.text())
    if picture is not None:
        _write_picture(found, picture)
    raise typer.Exit(1 if found.frame()["n_failed"].any() else 0)


def as_json(found: LearningCurves) -> dict[str, Any]:
    """Return all numbers of the curves as plain values; null where there is none."""
    import json

    tables = {"scores": found.frame(), "tests": found.pairs(), "changes": found.crossings()}
    rows = {
        name: json.loads(table.to_json(orient="records", double_precision=15))
        for name, table in tables.items()
    }
    return {
        "data": found.data_name, "measure": found.measure.name, "alpha": found.alpha,
        "n_splits": found.n_splits, **rows, "notes": list(found.notes),
    }  # fmt: skip


def _sizes(text: str) -> int | list[float] | list[int]:
    """Return the number of sizes, or the sizes, that a text names."""
    parts = [part.strip() for part in text.split(",")]
    try:
        if len(parts) == 1 and parts[0].isdigit():
            return int(parts[0])
        if all(part.isdigit() for part in parts):
            return [int(part) for part in parts]
        return [float(part) for part in parts]
    except ValueError as error:
        raise InvalidArgumentError(
            f"--sizes must be a number of sizes, or sizes with commas; got {text!r}. Write 8, or "
            "20,40,80, or 0.1,0.5,1."
        ) from error


def _write_picture(found: LearningCurves, file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from bestofk.report.displays import LearningCurveDisplay

    figure = LearningCurveDisplay.from_curves(found).plot().figure_
    try:
        figure.savefig(file, dpi=150)
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(
            f"--picture must be a file that can be written, .png, .pdf or .svg; got {file}: "
            f"{error}. Name another."
        ) from error
