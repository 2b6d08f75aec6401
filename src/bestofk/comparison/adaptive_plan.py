"""Adaptive plan of a comparison: folds, most repeats, and the rules that end them."""

from collections.abc import Sequence

import numpy as np

from bestofk.comparison.options import ComparisonSettings
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.learners import Learner
from bestofk.measures import Measure
from bestofk.stopping import SameVerdict, SettledPick, stopping_rule
from bestofk.stopping.adaptive_repeats import FOLDS, MAX_REPEATS, AdaptiveRepeats


def adaptive_folds(data: DataSet) -> int:
    """Return the folds of a repeat that adaptive comparisons take: 5, or as many as groups."""
    n_units = data.n_samples if data.groups is None else len(np.unique(data.groups))
    return min(FOLDS, max(n_units, 2))


def adaptive_repeats(
    learners: Sequence[Learner], measure: Measure, settings: ComparisonSettings
) -> AdaptiveRepeats:
    """Return the interim analysis that decides which learners are repeated further, or raise."""
    stopping = settings.stopping
    if stopping is None:
        # MultiTest weighs evidence, of which a race would leave less for eliminated learners
        stopping = SettledPick() if settings.prefer is None else SameVerdict()
    is_single = isinstance(stopping, str) or not hasattr(stopping, "__iter__")
    rules = [stopping] if is_single else list(stopping)
    if not rules:
        raise InvalidArgumentError(
            "stopping must name at least one rule; got none. Leave it out for 'settled-pick'."
        )
    return AdaptiveRepeats(
        [learner.name for learner in learners],
        [learner.is_baseline for learner in learners],
        measure,
        max_repeats=MAX_REPEATS if settings.max_repeats is None else int(settings.max_repeats),
        alpha=settings.alpha,
        rope=settings.rope,
        rules=[stopping_rule(rule) for rule in rules],
    )
