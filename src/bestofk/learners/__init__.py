"""Catalogue of learners: names that give scikit-learn pipelines, and support for custom ones.

entry, catalogue         what there is, by name; one file per family
preparation, columns     how a table becomes numbers, as part of each learner
pipeline                 preparation and learner as one estimator
resolve, from_file       learners from what was handed in
parameter_counts         how many parameters a learner has by formula
model_complexity         how large a fitted model is
traits                   facts about a family of learners, whatever the data

Nothing of scikit-learn is imported before a learner is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestofk.learners.catalogue import learner_catalogue, register_learner, traits_of
from bestofk.learners.entry import LearnerEntry
from bestofk.learners.feature_costs import feature_cost, features_used
from bestofk.learners.from_file import learner_from_file
from bestofk.learners.model_complexity import Complexity, model_complexity
from bestofk.learners.parameter_counts import n_parameters
from bestofk.learners.resolve import Learner, resolve_learners
from bestofk.learners.stability import has_inner_search, is_baseline, is_unstable

if TYPE_CHECKING:
    from bestofk.learners.pipeline import LearnerPipeline, learner_pipeline
    from bestofk.learners.preparation import TablePreparer

__all__ = [
    "Complexity",
    "Learner",
    "LearnerEntry",
    "LearnerPipeline",
    "TablePreparer",
    "feature_cost",
    "features_used",
    "has_inner_search",
    "is_baseline",
    "is_unstable",
    "learner_catalogue",
    "learner_from_file",
    "learner_pipeline",
    "model_complexity",
    "n_parameters",
    "register_learner",
    "resolve_learners",
    "traits_of",
]

_WITH_SCIKIT_LEARN = ("LearnerPipeline", "TablePreparer", "learner_pipeline")


def __getattr__(name: str) -> Any:
    """Import what needs scikit-learn at its first use, so that the command line starts fast."""
    if name not in _WITH_SCIKIT_LEARN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bestofk.learners import pipeline

    return getattr(pipeline, name)
