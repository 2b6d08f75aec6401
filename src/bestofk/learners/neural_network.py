"""Small neural networks."""

from dataclasses import replace

from bestofk.learners.entry import LearnerEntry
from bestofk.learners.operations import epochs

MLP = LearnerEntry(
    name="mlp",
    task="classification",
    title="neural network",
    description="One hidden layer of 100 rectified linear units, trained by Adam until the loss "
    "converges. Numeric columns standardized, nominal 1-of-n.",
    estimator="sklearn.neural_network.MLPClassifier",
    # Training stops when the loss converges, after some hundred passes over small data and fewer
    # over large; this limit only allows for that.
    settings={"max_iter": 5_000},
    columns="standardized",
    space={"alpha": [0.00001, 0.0001, 0.001, 0.01, 0.1, 1.0, 10.0]},
    n_operations=epochs,
)
MLP_REGRESSOR = replace(
    MLP,
    name="mlp-regressor",
    task="regression",
    description="One hidden layer of 100 rectified linear units, trained by Adam until the loss "
    "converges. Target and numeric columns standardized, nominal 1-of-n.",
    estimator="bestofk.learners.adapted_regressors.StandardizedMLPRegressor",
)
