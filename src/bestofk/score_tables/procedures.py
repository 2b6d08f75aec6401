"""Statistical procedures applied to a table of scores computed elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.evaluation.store import Store, export_scores
from bestofk.inference import Procedure, Result, procedure
from bestofk.inference.catalogue import (
    ON_ROWS,
    DataSetScores,
    ProcedureInput,
    ScoreSource,
    apply_to_source,
    scores_as_taken,
)
from bestofk.measures.equivalence import usual_rope
from bestofk.score_tables.paired_scores import PairedScores, data_sets_of, read_scores
from bestofk.score_tables.predictions import read_predictions
from bestofk.score_tables.score_formats.missing_scores import with_scores_of_all
from bestofk.score_tables.score_table import given_sampling
from bestofk.score_tables.table_facts import (
    direction_of,
    judged_measure,
    known_measure,
    read_learners,
)

# Procedures over data sets that use nothing but the order of the learners on each of them.
_OF_RANKS = (
    "friedman", "iman-davenport", "nemenyi", "pairwise-ranks", "shaffer", "bergmann-hommel",
    "control-ranks", "bonferroni-dunn", "sign-test",
)  # fmt: skip
# Those whose test is the same whether high scores or low ones get the first rank.
_OF_ANY_DIRECTION = ("friedman", "iman-davenport", "quade", "aligned-ranks")
_NO_DIRECTION = (
    "No direction was given, so rank 1 is the lowest score; the test is the same for the other."
)


def apply_procedure(
    table: Any,
    name: str,
    *learners: str,
    columns: Mapping[str, str] | None = None,
    measure: str | None = None,
    greater_is_better: bool | None = None,
    cv: str | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    dataset: str | None = None,
    missing: str = "refuse",
    task: str = "auto",
    pos_label: Any = None,
    **options: Any,
) -> Result:
    """Apply a procedure of `bestofk.inference` to a score table.

    Parameters
    ----------
    table : str, Path, DataFrame of pandas or polars, or Store
        Long or wide scores, as for `bestofk.compare_scores`; for a procedure of test rows, such as
        mcnemar, one row per learner and test row: columns row, learner, truth, and prediction or
        one column of probabilities (0-1) per class, named as the class; repeat and fold where
        there are several test sets.  Without a prediction the most probable class is taken.
    name : str
        Name of a procedure; see `bestofk.inference.PROCEDURES`.
    *learners : str
        Two for a procedure of two, any number for one of many; all of the table if none is named.
        Missing scores of other learners do not matter.
        The difference is the first minus the second, in the unit of the table.
    columns, measure, greater_is_better, cv, n_train, n_test, dataset, missing
        As for `bestofk.compare_scores`; of a store, data set and plan where it has several.
    task, pos_label
        As for `bestofk.compare`: the task of predictions, and the positive class of two.
    **options
        Options of the procedure.

    Returns
    -------
    Result
        Statistic, p value, estimate and warnings, as far as the procedure has them, and
        `to_frame()`.

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, a name or an option is unknown, or the direction of the
        measure is needed but unknown.
    DesignError
        If the scores do not pair, or do not suit the procedure.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"tree": [0.16, 0.18, 0.20, 0.18], "lda": [0.20, 0.21, 0.25, 0.18]})
    >>> result = apply_procedure(table, "paired-t", measure="error", cv="1x4")
    >>> round(result.p_value, 4)
    0.0691
    """
    sizes, is_guessed = (n_train, n_test), False
    chosen = procedure(name)
    if chosen.takes in ON_ROWS:
        predictions = read_predictions(
            table, columns=columns, task=task, pos_label=pos_label, dataset=dataset, cv=cv
        )
        result = apply_to_source(predictions, name, learners, options)
        return replace(result, warnings=(*result.warnings, *predictions.notes))
    if isinstance(table, Store):
        table = export_scores(table, None if measure is None else [measure])
    table = read_learners(table, measure, columns, learners)
    table = with_scores_of_all(table, measure=measure, dataset=dataset, missing=missing)
    if chosen.takes.endswith("data-sets"):
        named = data_sets_of(table) if dataset is None else [dataset]
        if len(named) < 2:
            raise DesignError(
                f"data sets of {chosen.name} must be many; got {len(named)}. Give a table with a "
                "column dataset."
            )
        parts = [read_scores(table, measure=measure, dataset=item, cv=cv) for item in named]
        if len({part.measure for part in parts}) > 1:
            parts = _losses_of_ranks(parts, chosen, greater_is_better)
            greater_is_better = False
        elif greater_is_better is None and chosen.name in _OF_ANY_DIRECTION:
            is_guessed = direction_of(parts[0]) is None
            greater_is_better = False if is_guessed else None
        source: ScoreSource = _data_set_scores(parts, greater_is_better, cv, sizes)
    else:
        scores = read_scores(table, measure=measure, dataset=dataset, cv=cv)
        source = _TableScores(scores, greater_is_better, cv, sizes)
    result = apply_to_source(source, name, learners, options)
    said = (*table.cautions, *((_NO_DIRECTION,) if is_guessed else ()))
    return replace(result, warnings=(*result.warnings, *said))


@dataclass(frozen=True, eq=False)
class _TableScores:
    """Source of the scores of one data set from a table."""

    scores: PairedScores
    greater_is_better: bool | None
    cv: str | None
    sizes: tuple[float | None, float | None]

    @property
    def learners(self) -> list[str]:
        return self.scores.names

    contenders = learners

    def refusal(self, chosen: Procedure) -> str:
        return ""

    def input_of(self, chosen: Procedure, learners: Sequence[str]) -> ProcedureInput:
        values = self.scores.values[[self.learners.index(name) for name in learners]]
        keywords = _facts(chosen, self.scores, self.greater_is_better) | {
            "names": list(learners),
            "sampling": given_sampling(self.scores, self.cv, self.sizes, chosen.name),
        }
        return ProcedureInput(scores_as_taken(chosen, values), keywords)


def _losses_of_ranks(
    parts: Sequence[PairedScores], chosen: Procedure, greater_is_better: bool | None
) -> list[PairedScores]:
    """Return scores of several measures as losses, for a procedure that takes their ranks."""
    if chosen.name not in _OF_RANKS:
        measures = dict.fromkeys(part.measure for part in parts)
        raise DesignError(
            f"measure must be the same on all data sets for {chosen.name}; got "
            f"{', '.join(measures)}. Name one as the measure, or compare ranks: "
            f"{', '.join(_OF_RANKS)}."
        )
    return [
        replace(
            part,
            values=judged_measure(part, greater_is_better).loss(part.values),
            measure="loss of each data set",
            direction=False,
        )
        for part in parts
    ]


def _data_set_scores(
    parts: Sequence[PairedScores],
    greater_is_better: bool | None,
    cv: str | None,
    sizes: tuple[float | None, float | None],
) -> DataSetScores:
    """Return the source of the scores of several data sets; their learners must be the same."""
    names = parts[0].names
    for part in parts[1:]:
        missing = [name for name in names if name not in part.names]
        added = [name for name in part.names if name not in names]
        if missing or added:
            lacking, owner = (part, parts[0]) if missing else (parts[0], part)
            raise DesignError(
                f"learners must be the same on every data set; got none called "
                f"{(missing or added)[0]!r} on {lacking.title}, which {owner.title} has. Add its "
                "scores, or leave it out of all data sets."
            )

    def values(part: PairedScores, learners: Sequence[str]) -> Floats:
        return part.values[[part.names.index(name) for name in learners]]

    return DataSetScores(
        learners=names,
        contenders=names,
        means=np.array([values(part, names).mean(axis=1) for part in parts]),
        splits=lambda learners: [
            (values(part, learners), given_sampling(part, cv, sizes, "corrected-t"))
            for part in parts
        ],
        keywords=lambda chosen: _facts(chosen, parts[0], greater_is_better),
    )


def _facts(
    chosen: Procedure, scores: PairedScores, greater_is_better: bool | None
) -> dict[str, Any]:
    """Return the direction and the region of the measure, if a procedure needs them."""
    facts: dict[str, Any] = {}
    if "greater_is_better" in chosen.keywords:
        facts["greater_is_better"] = judged_measure(scores, greater_is_better).greater_is_better
    measure = known_measure(scores.measure)
    if "rope" in chosen.keywords and measure is not None:
        facts["rope"] = usual_rope(measure, measure.loss(scores.values))
    return facts
