"""Statistical procedures applied to a table of scores computed elsewhere."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from bestofk.comparison.procedures import check_learner_count
from bestofk.data.paired_scores import PairedScores, data_sets_of, read_columns, read_scores
from bestofk.errors import DesignError, InvalidArgumentError, nearest_name
from bestofk.inference import Procedure, Result, Sampling, procedure
from bestofk.score_tables.score_table import given_sampling, judged_measure, known_measure
from bestofk.verdict.verdict_settings import usual_rope


def apply_procedure(
    table: Any,
    name: str,
    *learners: str,
    measure: str | None = None,
    greater_is_better: bool | None = None,
    cv: str | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    dataset: str | None = None,
    **options: Any,
) -> Result:
    """Apply a procedure of `bestofk.inference` to a score table.

    Parameters
    ----------
    table : str, Path or DataFrame of pandas or polars
        Long or wide scores, as for `bestofk.compare_scores`.
    name : str
        Name of a procedure of splits or of many data sets; see `bestofk.inference.PROCEDURES`.
    *learners : str
        Two for a procedure of two, any for one of many; all of the table if none is named.
        The difference is the first minus the second, in the unit of the table.
    measure, greater_is_better, cv, n_train, n_test, dataset
        As for `bestofk.compare_scores`.
    **options
        Options of the procedure.

    Returns
    -------
    Result
        Frozen, with statistic, p value, estimate and warnings as far as the procedure has
        them, and `to_frame()`.

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, a name or an option is unknown, or the direction of the
        measure is needed and not known.
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
    chosen = procedure(name)
    checked = chosen.check_options(options)
    if chosen.takes in ("two-on-data-sets", "many-on-data-sets", "splits-of-data-sets"):
        table = read_columns(table)
        named = data_sets_of(table) if dataset is None else [dataset]
        if len(named) < 2:
            raise DesignError(
                f"data sets of {chosen.name} must be many; got {len(named)}. Give a table with a "
                "column dataset."
            )
        parts = [read_scores(table, measure=measure, dataset=item, cv=cv) for item in named]
        return _on_data_sets(
            parts, chosen, learners, checked, greater_is_better, cv, (n_train, n_test)
        )
    if chosen.takes not in ("two-on-splits", "many-on-splits"):
        raise DesignError(
            f"procedure must be one that scores can carry; got {chosen.name!r}, which needs the "
            "predictions of every row. Use Comparison.test after bestofk.compare."
        )
    scores = read_scores(table, measure=measure, dataset=dataset, cv=cv)
    indices = _places(scores, chosen, learners)
    given = _given(
        chosen,
        scores,
        greater_is_better,
        names=[scores.names[i] for i in indices],
        sampling=given_sampling(scores, cv, (n_train, n_test), chosen.name),
    )
    values = scores.values[indices]
    arguments = tuple(values) if chosen.takes == "two-on-splits" else (values,)
    return chosen.run(*arguments, **(given | checked))


def _on_data_sets(
    parts: Sequence[PairedScores],
    chosen: Procedure,
    learners: Sequence[str],
    options: dict[str, Any],
    greater_is_better: bool | None,
    cv: str | None,
    sizes: tuple[float | None, float | None],
) -> Result:
    """Apply a procedure to the mean scores of every data set."""
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
    indices = _places(parts[0], chosen, learners)
    wanted = [names[i] for i in indices]
    tables = [part.values[[part.names.index(name) for name in wanted]] for part in parts]
    given = _given(chosen, parts[0], greater_is_better, names=wanted)
    if chosen.takes == "splits-of-data-sets":
        samplings: list[Sampling] = [
            given_sampling(part, cv, sizes, "corrected-t") for part in parts
        ]
        differences = [table[0] - table[1] for table in tables]
        return chosen.run(differences, samplings=samplings, **(given | options))
    means = np.array([table.mean(axis=1) for table in tables])
    if chosen.takes == "two-on-data-sets":
        return chosen.run(means[:, 0], means[:, 1], **(given | options))
    return chosen.run(means, **(given | options))


def _places(scores: PairedScores, chosen: Procedure, learners: Sequence[str]) -> list[int]:
    for name in learners:
        if name not in scores.names:
            raise InvalidArgumentError(
                f"learner must be one of the table; got {name!r}. "
                + nearest_name(name, scores.names)
            )
    names = list(learners) or scores.names
    check_learner_count(chosen, names)
    return [scores.names.index(name) for name in names]


def _given(
    chosen: Procedure, scores: PairedScores, greater_is_better: bool | None, **values: Any
) -> dict[str, Any]:
    """Return the arguments that the procedure needs in addition to the scores."""
    known = inspect.signature(chosen.run).parameters
    given = {name: value for name, value in values.items() if name in known}
    if "greater_is_better" in known:
        given["greater_is_better"] = judged_measure(scores, greater_is_better).greater_is_better
    measure = known_measure(scores.measure)
    if "rope" in known and measure is not None:
        given["rope"] = usual_rope(measure)
    return given
