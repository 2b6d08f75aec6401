"""Entry of one learner in the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

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
    make : callable
        Takes nothing and returns a new unfitted pipeline, its steps called `prepare` and
        `learner`; scikit-learn is imported at this call.
    is_default : bool
        Whether it runs when nobody names learners.
    is_baseline : bool
        Whether the default set holds the others against it.

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> entry = learner_catalogue()["cart"]
    >>> entry.task, entry.title
    ('classification', 'CART tree')
    """

    name: str
    task: Task
    title: str
    description: str
    make: Callable[[], Any]
    is_default: bool = False
    is_baseline: bool = False
