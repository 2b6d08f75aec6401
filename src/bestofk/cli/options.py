"""Options that several commands take: said once, the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

Target = Annotated[str | None, typer.Option(help="Column to predict.")]
Task = Annotated[str, typer.Option(help="auto, classification or regression.")]
Learners = Annotated[
    list[str] | None,
    typer.Option(help="Names of 'bestofk learners' and FILE.py:NAME, with commas."),
]
Stratify = Annotated[bool, typer.Option(help="Spread classes evenly over folds.")]
Groups = Annotated[str | None, typer.Option(help="Column whose equal values are never split.")]
Weights = Annotated[str | None, typer.Option(help="Column of weights for fitting.")]
Drop = Annotated[list[str] | None, typer.Option(help="Columns to leave out.")]
Role = Annotated[
    list[str] | None,
    typer.Option(metavar="COL=ROLE", help="numeric, nominal, ordinal, boolean, date or drop."),
]
Decimal = Annotated[
    str | None, typer.Option(help="Decimal mark of a text file: point or comma (. or ,).")
]
Thousands = Annotated[
    str | None, typer.Option(help="What separates thousands in a text file: , . ' or a blank.")
]
DropMissingTarget = Annotated[
    bool, typer.Option("--drop-missing-target", help="Leave out rows without a target.")
]
Scoring = Annotated[list[str] | None, typer.Option(help="Measures; the first decides.")]
PosLabel = Annotated[str | None, typer.Option(help="The positive class.")]
CostMatrix = Annotated[str | None, typer.Option(help='Costs, one row per true class: "0,1;5,0".')]
Prefer = Annotated[
    str | None,
    typer.Option(help="given, fit-time, predict-time, size, parameters, or all learners."),
]
Alpha = Annotated[float, typer.Option(help="Level of a family of tests.")]
Timeout = Annotated[float | None, typer.Option(help="Seconds that a run may take.")]
NJobs = Annotated[int, typer.Option(help="Processes; -1: all cores. No number depends on it.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Batched = Annotated[
    str, typer.Option(help="Train learners on all parts at once: auto, always, never.")
]
