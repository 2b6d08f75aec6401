"""Small neural network."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry

# Training stops by itself once the loss stands still, after some hundred passes over small data
# and fewer over large; this only leaves room for it.
_MAX_PASSES = 5_000


def _mlp() -> Any:
    from sklearn.neural_network import MLPClassifier

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(MLPClassifier(max_iter=_MAX_PASSES), standardize=True)


MLP = LearnerEntry(
    name="mlp",
    task="classification",
    title="neural network",
    description="One hidden layer of 100 rectified linear units, trained by Adam until the loss "
    "stands still. Numeric columns standardized, nominal 1-of-n.",
    make=_mlp,
)
