"""Linear and quadratic discriminant analysis."""

from bestofk.learners.entry import LearnerEntry, Traits, linear_count
from bestofk.learners.operations import decomposition, decompositions_by_class


def _quadratic_count(n_rows: int, n_features: int, n_classes: int) -> float:
    return n_classes * (n_features * (n_features + 1) / 2 + n_features + 1)


LDA = LearnerEntry(
    name="lda",
    task="classification",
    title="linear discriminant analysis",
    description="Normal classes with one covariance matrix, by singular value decomposition. "
    "Numeric columns standardized, nominal 1-of-n.",
    estimator="sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    columns="standardized",
    traits=Traits(
        ("sklearn.discriminant_analysis.LinearDiscriminantAnalysis",), n_parameters=linear_count
    ),
    space=[
        {"solver": ["svd"], "shrinkage": [None]},
        {
            "solver": ["lsqr"],
            "shrinkage": [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0],
        },
    ],
    tuned_level=0.028,
    takes_weights=False,
    n_operations=decomposition,
)
QDA = LearnerEntry(
    name="qda",
    task="classification",
    title="quadratic discriminant analysis",
    description="Normal classes with a covariance matrix each, 0.9 of it and 0.1 of the identity. "
    "Numeric columns standardized, nominal 1-of-n. Fails if a class has fewer training rows than "
    "such columns.",
    estimator="sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",
    # Columns of levels make every covariance matrix singular. Among 0.001, 0.01 and 0.1, this value
    # had the fewest errors on most data sets tried.
    settings={"reg_param": 0.1},
    columns="standardized",
    traits=Traits(
        ("sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",),
        n_parameters=_quadratic_count,
    ),
    space={"reg_param": [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0]},
    tuned_level=0.036,
    takes_weights=False,
    n_operations=decompositions_by_class,
)
