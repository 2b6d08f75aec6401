"""Scores of random folds on rows in time, next to those on later test periods."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import (
    adaptive_folds,
    prepare_comparison,
    run_comparison,
)
from bestofk.data import DataSet
from bestofk.data.table_columns import CALENDAR, DATE
from bestofk.learners import resolve_learners
from bestofk.measures.words import score_in_words, value_in_unit

_LEARNERS = {"classification": ["logistic", "cart"], "regression": ["ridge-cv", "cart-regressor"]}
_MOST_ROWS = 20_000  # the last ones
_PERIODS = 5


class PromisedScore(NamedTuple):
    """Score of a learner in random folds, and on test periods after training.

    Attributes
    ----------
    learner, measure : str
        Their names.
    random, forward : float
        In the unit of the measure.
    text : str
        Both in words.
    """

    learner: str
    measure: str
    random: float
    forward: float
    text: str


def promised_scores(data: DataSet) -> list[PromisedScore]:
    """Return scores of two cheap learners in 5 random folds and on 5 periods in order of time.

    Parameters
    ----------
    data : DataSet
        With a time; of large ones the last 20,000 rows count.

    Returns
    -------
    list of PromisedScore
        Without learners that failed.
    """
    time = data.time
    assert time is not None
    last = np.argsort(time.values, kind="stable")[-_MOST_ROWS:]
    data = data.subset(np.sort(last)) if len(last) < data.n_samples else data
    learners = resolve_learners(_LEARNERS[data.task], data.task)
    findings = []
    groups = data.groups if data.has_new_groups else None
    whole = {time.name: DATE} if data.roles.get(time.name) == CALENDAR else {}
    mixed = replace(data, time=None, groups=groups, roles={**data.roles, **whole})
    for part, cv in ((mixed, f"1x{adaptive_folds(mixed)}"), (data, f"forward:{_PERIODS}")):
        prepared = prepare_comparison(learners, part, ComparisonSettings(cv=cv))
        findings.append(run_comparison(prepared, None).findings)
    measure = findings[0].measure
    scores = []
    for learner in learners:
        both = [item.learner(learner.name).mean for item in findings]
        if not np.isnan(both).any():
            text = (
                f"{learner.name}: {score_in_words(measure, both[0])} in random folds, "
                f"{value_in_unit(measure, both[1])} in order of time"
            )
            scores.append(PromisedScore(learner.name, measure.name, both[0], both[1], text))
    return scores
