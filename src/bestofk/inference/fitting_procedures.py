"""Procedures that fit the scores of a source, and what there is to doubt about each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestofk.errors import BestofkError
from bestofk.inference.catalogue import PROCEDURES
from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.results import Result
from bestofk.inference.score_source import ScoreSource, apply_to_source

if TYPE_CHECKING:
    import pandas as pd

# What a procedure takes -> on what its answer rests.
_RESTS_ON = {
    "on-splits": "scores of the splits that learners share",
    "losses-on-rows": "test rows of all repeats",
    "on-rows": "test rows of the first repeat",
    "two-rankings": "test rows of the first repeat",
    "posteriors": "test rows of the first repeat",
    "on-data-sets": "mean scores on the data sets",
    "splits-of-data-sets": "scores of all splits of the data sets",
}
# Says how to read an answer, and nothing about whether the procedure fits.
_ABOUT_ANSWERS = ("not-equal",)


def fitting_procedures(source: ScoreSource) -> pd.DataFrame:
    """Return the procedures that can be applied to scores, each tried on the first learners.

    Parameters
    ----------
    source : ScoreSource
        The scores.

    Returns
    -------
    DataFrame
        Columns name, as `test` takes it; title; asks, the question that it answers; compares,
        "two learners" or "all learners"; fits, on what its answer rests; doubts, what the
        result would warn of, empty where there is nothing.
    """
    import pandas as pd

    columns = ["name", "title", "asks", "compares", "fits", "doubts"]
    rows = []
    for entry in PROCEDURES.values():
        learners = list(source.contenders)[: 2 if entry.takes_two else None]
        result = _applied(source, entry, learners)
        if result is not None:
            compares = "two learners" if entry.takes_two else "all learners"
            fits = next(text for kind, text in _RESTS_ON.items() if entry.takes.endswith(kind))
            rows.append([entry.name, entry.title, entry.question, compares, fits, _doubts(result)])
    return pd.DataFrame(rows, columns=columns)


def _applied(source: ScoreSource, entry: Procedure, learners: list[str]) -> Result | None:
    """Return the result of a procedure; None where it does not fit."""
    if source.refusal(entry):
        return None
    try:
        return apply_to_source(source, entry.name, learners, {})
    except BestofkError:
        return None


def _doubts(result: Result) -> str:
    doubts = [text for text in result.warnings if getattr(text, "code", "") not in _ABOUT_ANSWERS]
    return " ".join(str(text) for text in doubts)
