"""Naive Bayes with normal or kernel densities."""

from bestofk.learners.entry import LearnerEntry, Traits, linear_count, stored_rows_count
from bestofk.learners.operations import pairs_of_rows


def _count(n_rows: int, n_features: int, n_classes: int) -> float:
    return n_classes * (2 * n_features + 1)


NAIVE_BAYES = LearnerEntry(
    name="naive-bayes",
    task="classification",
    title="Gaussian naive Bayes",
    description="One normal distribution per class and column, assuming independent columns. "
    "Numeric columns as they are, nominal 1-of-n.",
    estimator="sklearn.naive_bayes.GaussianNB",
    traits=Traits(("sklearn.naive_bayes.GaussianNB",), n_parameters=_count),
    space={"var_smoothing": [10.0**power for power in range(-9, 2)]},
    tuned_level=0.038,
)
BERNOULLI_NAIVE_BAYES = LearnerEntry(
    name="bernoulli-naive-bayes",
    task="classification",
    title="Bernoulli naive Bayes",
    description="One probability per class and column that a value is above 0; in free texts, "
    "that a word occurs. Numeric columns standardized, so above their mean; nominal 1-of-n.",
    estimator="sklearn.naive_bayes.BernoulliNB",
    columns="standardized",
    traits=Traits(("sklearn.naive_bayes.BernoulliNB",), linear_count),
    space={"alpha": [0.01, 0.1, 1.0, 10.0]},
)
KERNEL_NAIVE_BAYES = LearnerEntry(
    name="kernel-naive-bayes",
    task="classification",
    title="naive Bayes with kernel densities",
    description="One normal kernel per training value, with the range of the class over the "
    "square root of its rows as width; assumes independent columns. Numeric columns as they are, "
    "nominal "
    "1-of-n.",
    estimator="bestofk.learners.kernel_naive_bayes_classifier.KernelNaiveBayesClassifier",
    traits=Traits(
        ("bestofk.learners.kernel_naive_bayes_classifier.KernelNaiveBayesClassifier",),
        n_parameters=stored_rows_count,
    ),
    takes_weights=False,
    n_operations=pairs_of_rows,
)
