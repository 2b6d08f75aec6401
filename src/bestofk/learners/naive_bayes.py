"""Naive Bayes with normal or kernel densities."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _naive_bayes() -> Any:
    from sklearn.naive_bayes import GaussianNB

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(GaussianNB())


def _kernel_naive_bayes() -> Any:
    from bestofk.learners.kernel_naive_bayes_classifier import KernelNaiveBayesClassifier
    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(KernelNaiveBayesClassifier())


NAIVE_BAYES = LearnerEntry(
    name="naive-bayes",
    task="classification",
    title="Gaussian naive Bayes",
    description="One normal distribution per class and column, columns taken as independent. "
    "Numeric columns as they are, nominal 1-of-n.",
    make=_naive_bayes,
    is_default=True,
)

KERNEL_NAIVE_BAYES = LearnerEntry(
    name="kernel-naive-bayes",
    task="classification",
    title="naive Bayes with kernel densities",
    description="One normal kernel per training value, its width the range of the class over the "
    "square root of its rows; columns taken as independent. Numeric columns as they are, nominal "
    "1-of-n.",
    make=_kernel_naive_bayes,
)
