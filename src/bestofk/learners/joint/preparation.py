"""What stands in front of a learner, if it is something that can be shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bestofk.learners.columns import NOMINAL, NUMERIC, column_role, table_columns


@dataclass(frozen=True)
class ColumnSteps:
    """What is done to some columns of a table, learned from every training part by itself.

    Parameters
    ----------
    columns : tuple of int
        Positions in the table.
    is_nominal : bool, default=False
        Whether each level becomes a column of 0 and 1; levels that the training part does
        not have get no column.
    fill : {"mean", "most_frequent"} or None, default=None
        What missing values become: the mean, or the most frequent level (ties: the first of
        the alphabet) of the training part.
    scale : {"standard", "range"} or None, default=None
        Mean 0 and standard deviation 1 (divisor n), or from 0 to 1, over the training part;
        a column that is constant there is only moved.
    """

    columns: tuple[int, ...]
    is_nominal: bool = False
    fill: Literal["mean", "most_frequent"] | None = None
    scale: Literal["standard", "range"] | None = None


Preparation = tuple[ColumnSteps, ...]


def split_pipeline(estimator: Any) -> tuple[list[Any], Any]:
    """Return the steps in front of a learner, and the learner itself."""
    from sklearn.pipeline import Pipeline

    from bestofk.learners.pipeline import LearnerPipeline

    if type(estimator) not in (Pipeline, LearnerPipeline):
        return [], estimator
    steps = [step for _, step in estimator.steps]
    front = [step for step in steps[:-1] if step is not None and step != "passthrough"]
    return front, steps[-1]


def read_preparation(front: list[Any], features: Any) -> Preparation | None:
    """Return what some steps do to a table; None where it is nothing that can be shared."""
    from sklearn.preprocessing import StandardScaler

    from bestofk.learners.preparation import TablePreparer

    if len(front) != 1:
        return None
    step = front[0]
    n_columns = features.shape[1]
    if type(step) is TablePreparer:
        roles = [column_role(column) for column in table_columns(features)]
        numeric = tuple(i for i, role in enumerate(roles) if role == NUMERIC)
        nominal = tuple(i for i, role in enumerate(roles) if role == NOMINAL)
        scale: Literal["standard"] | None = "standard" if step.standardize else None
        steps = [ColumnSteps(numeric, fill="mean", scale=scale)] if numeric else []
        if nominal:
            steps.append(ColumnSteps(nominal, is_nominal=True, fill="most_frequent"))
        return tuple(steps)
    if type(step) is StandardScaler and step.with_mean and step.with_std:
        return (ColumnSteps(tuple(range(n_columns)), scale="standard"),)
    return None
