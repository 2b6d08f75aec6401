"""Support vector machines."""

from dataclasses import replace

from bestofk.learners.entry import LearnerEntry, Traits, stored_rows_count
from bestofk.learners.operations import pairs_of_rows

SVM_TRAITS = Traits(
    tuple(f"sklearn.svm.{name}" for name in ("SVC", "NuSVC", "SVR", "NuSVR")),
    n_parameters=stored_rows_count,
)
SVM = LearnerEntry(
    name="svm",
    task="classification",
    title="support vector machine",
    description="Support vector machine with radial kernel, C=1, gamma by the variance; gives "
    "decision values, not probabilities. Numeric columns standardized, nominal 1-of-n.",
    estimator="sklearn.svm.SVC",
    columns="standardized",
    traits=SVM_TRAITS,
    space={
        "C": [0.1, 1.0, 10.0, 100.0, 1000.0],
        "gamma": ["scale", 0.0001, 0.001, 0.01, 0.1, 1.0],
    },
    gives_probabilities=False,
    n_operations=pairs_of_rows,
)
SVR = replace(
    SVM,
    name="svr",
    task="regression",
    title="support vector regression",
    description="Support vector regression with radial kernel, C=1, epsilon=0.1 standard "
    "deviations, gamma by the variance. Target and numeric columns standardized, nominal 1-of-n.",
    estimator="bestofk.learners.adapted_regressors.StandardizedSVR",
    space={
        "C": [0.1, 1.0, 10.0, 100.0],
        "gamma": ["scale", 0.001, 0.01, 0.1],
        "epsilon": [0.01, 0.1],
    },
)
# With hinge loss, called SMO in the literature. `LinearSVC` would be faster, but it squares the
# hinge, shrinks the offset and trains one class against the rest; its results are not comparable
# with published ones. This one takes tens of seconds on 20,000 noisy rows.
LINEAR_SVM = LearnerEntry(
    name="linear-svm",
    task="classification",
    title="linear support vector machine",
    description="Support vector machine without kernel, hinge loss, C=1, one class against one; "
    "gives decision values, not probabilities. Numeric columns standardized, nominal 1-of-n.",
    estimator="sklearn.svm.SVC",
    settings={"kernel": "linear"},
    columns="standardized",
    traits=SVM_TRAITS,
    space={"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]},
    gives_probabilities=False,
    n_operations=pairs_of_rows,
)
