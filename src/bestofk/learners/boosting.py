"""Gradient-boosted trees."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry

# scikit-learn's own 20 leaves a training set of less than 40 rows without any split.
_MIN_ROWS_OF_LEAF = 5


def _gradient_boosting() -> Any:
    # Of the two boosters of scikit-learn the one on histograms: as accurate on small data with
    # the leaf size above, quicker there, and many times quicker on large data. On one thread its
    # sums have one order, so its bits repeat.
    from sklearn.ensemble import HistGradientBoostingClassifier

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(HistGradientBoostingClassifier(min_samples_leaf=_MIN_ROWS_OF_LEAF))


GRADIENT_BOOSTING = LearnerEntry(
    name="gradient-boosting",
    task="classification",
    title="gradient-boosted trees",
    description="Up to 100 boosted trees per class on binned columns, at least 5 rows in a leaf; "
    "stops early by itself above 10,000 rows. Numeric columns as they are, nominal 1-of-n.",
    make=_gradient_boosting,
    is_default=True,
)
