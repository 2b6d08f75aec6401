"""Entry of one learner in the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Literal

from bestofk.learners.traits import NO_TRAITS, Traits

Task = Literal["classification", "regression"]

CLASSIFICATION: Final = "classification"
REGRESSION: Final = "regression"
TASKS: Final = (CLASSIFICATION, REGRESSION)


@dataclass(frozen=True)
class LearnerEntry:
    """One learner of the catalogue.

    Parameters
    ----------
    name : str
        What users type.
    task : {"classification", "regression"}
        What it predicts.
    title : str
        What it is, in a few words.
    description : str
        How it predicts, its settings and what it does to the columns first.
    estimator : str
        Path of the class, which is imported when the learner is made.
    settings : mapping of str to value
        Parameters that differ from the defaults of the class.
    columns : {"one-hot", "standardized", "as-is"}
        What the step `prepare` does: nominal columns 1-of-n; the same, and numeric columns
        standardized; or columns without any value dropped, for learners that read tables.
    traits : Traits
        Facts about the family.
    is_default : bool
        Whether it runs when no learners are named.

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> entry = learner_catalogue()["cart"]
    >>> entry.task, entry.title, entry.is_baseline
    ('classification', 'CART tree', False)
    """

    name: str
    task: Task
    title: str
    description: str
    estimator: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    columns: Literal["one-hot", "standardized", "as-is"] = "one-hot"
    traits: Traits = NO_TRAITS
    is_default: bool = False

    @property
    def is_baseline(self) -> bool:
        """Whether the default set compares the other learners with it."""
        return self.traits.is_baseline

    def make(self) -> Any:
        """Return a new unfitted pipeline of the steps `prepare` and `learner`."""
        module, _, name = self.estimator.rpartition(".")
        estimator = getattr(import_module(module), name)(**self.settings)
        from bestofk.learners.pipeline import LearnerPipeline, learner_pipeline

        if self.columns != "as-is":
            return learner_pipeline(estimator, standardize=self.columns == "standardized")
        from bestofk.trees.known_columns import KnownColumns

        return LearnerPipeline([("prepare", KnownColumns()), ("learner", estimator)])
