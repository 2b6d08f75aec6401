"""Catalogue of learners; every family is registered here and nowhere else."""

from __future__ import annotations

from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.learners import (
    baseline,
    boosting,
    discriminant,
    forest,
    linear,
    naive_bayes,
    nearest_mean,
    nearest_neighbors,
    neural_network,
    support_vectors,
    tree,
)
from bestofk.learners.entry import TASKS, LearnerEntry

# From simple to involved; the default set keeps this order.
ENTRIES: tuple[LearnerEntry, ...] = (
    baseline.MAJORITY,
    nearest_mean.NEAREST_MEAN,
    naive_bayes.NAIVE_BAYES,
    naive_bayes.KERNEL_NAIVE_BAYES,
    discriminant.LDA,
    discriminant.QDA,
    linear.LOGISTIC,
    tree.CART,
    tree.C45,
    tree.C45_UNPRUNED,
    tree.C45_RULES,
    tree.ID3,
    tree.HDDT,
    tree.SKLEARN_CART,
    nearest_neighbors.ONE_NEIGHBOR,
    nearest_neighbors.FIVE_NEIGHBORS,
    support_vectors.SVM,
    support_vectors.LINEAR_SVM,
    neural_network.MLP,
    forest.RANDOM_FOREST,
    boosting.GRADIENT_BOOSTING,
    baseline.MEAN,
    linear.RIDGE,
    nearest_neighbors.KNN_REGRESSOR,
    tree.CART_REGRESSOR,
    forest.RANDOM_FOREST_REGRESSOR,
)


def learner_catalogue(task: str | None = None) -> dict[str, LearnerEntry]:
    """Return the learners that can be asked for by name.

    Parameters
    ----------
    task : {"classification", "regression"} or None, default=None
        Only the learners of this task; None for all.

    Returns
    -------
    dict of str to LearnerEntry
        The entries by name, from simple to involved.

    Raises
    ------
    InvalidArgumentError
        If `task` is neither of the two.

    Examples
    --------
    >>> list(learner_catalogue("regression"))
    ['mean', 'ridge', 'knn-regressor', 'cart-regressor', 'random-forest-regressor']
    """
    if task is not None and task not in TASKS:
        raise InvalidArgumentError(
            f"task of learner_catalogue must be one of {', '.join(TASKS)}; got {task!r}. "
            + nearest_name(str(task), TASKS)
        )
    return {entry.name: entry for entry in ENTRIES if task in (None, entry.task)}
