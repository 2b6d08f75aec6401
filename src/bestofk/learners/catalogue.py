"""Catalogue of learners; every family is registered here."""

from typing import Any, Final

from bestofk.checks import check_known
from bestofk.learners.entry import NO_TRAITS, TASKS, LearnerEntry, Traits
from bestofk.learners.nearest_mean import NEAREST_CENTROID_TRAITS
from bestofk.registry import Registry

# From simple to complex; the default set keeps this order.
LEARNERS: Registry[LearnerEntry] = Registry(
    "learner",
    {
        "majority": "bestofk.learners.baseline.MAJORITY",
        "nearest-mean": "bestofk.learners.nearest_mean.NEAREST_MEAN",
        "naive-bayes": "bestofk.learners.naive_bayes.NAIVE_BAYES",
        "bernoulli-naive-bayes": "bestofk.learners.naive_bayes.BERNOULLI_NAIVE_BAYES",
        "kernel-naive-bayes": "bestofk.learners.naive_bayes.KERNEL_NAIVE_BAYES",
        "lda": "bestofk.learners.discriminant.LDA",
        "qda": "bestofk.learners.discriminant.QDA",
        "logistic": "bestofk.learners.linear.LOGISTIC",
        "ridge-classifier": "bestofk.learners.linear.RIDGE_CLASSIFIER",
        "cart": "bestofk.learners.tree.CART",
        "c45": "bestofk.learners.tree.C45",
        "c45-unpruned": "bestofk.learners.tree.C45_UNPRUNED",
        "c45rules": "bestofk.learners.tree.C45_RULES",
        "id3": "bestofk.learners.tree.ID3",
        "hddt": "bestofk.learners.tree.HDDT",
        "sklearn-cart": "bestofk.learners.tree.SKLEARN_CART",
        "1nn": "bestofk.learners.nearest_neighbors.ONE_NEIGHBOR",
        "5nn": "bestofk.learners.nearest_neighbors.FIVE_NEIGHBORS",
        "svm": "bestofk.learners.support_vectors.SVM",
        "linear-svm": "bestofk.learners.support_vectors.LINEAR_SVM",
        "mlp": "bestofk.learners.neural_network.MLP",
        "random-forest": "bestofk.learners.forest.RANDOM_FOREST",
        "forest": "bestofk.learners.forest.FOREST",
        "extra-forest": "bestofk.learners.forest.EXTRA_FOREST",
        "shallow-boosting": "bestofk.learners.boosting.SHALLOW_BOOSTING",
        "gradient-boosting": "bestofk.learners.boosting.GRADIENT_BOOSTING",
        "mean": "bestofk.learners.baseline.MEAN",
        "median": "bestofk.learners.baseline.MEDIAN",
        "least-squares": "bestofk.learners.linear.LEAST_SQUARES",
        "ridge": "bestofk.learners.linear.RIDGE",
        "ridge-cv": "bestofk.learners.linear.RIDGE_CV",
        "elastic-net": "bestofk.learners.linear.ELASTIC_NET",
        "knn-regressor": "bestofk.learners.nearest_neighbors.KNN_REGRESSOR",
        "1nn-regressor": "bestofk.learners.nearest_neighbors.ONE_NEIGHBOR_REGRESSOR",
        "cart-regressor": "bestofk.learners.tree.CART_REGRESSOR",
        "svr": "bestofk.learners.support_vectors.SVR",
        "mlp-regressor": "bestofk.learners.neural_network.MLP_REGRESSOR",
        "random-forest-regressor": "bestofk.learners.forest.RANDOM_FOREST_REGRESSOR",
        "forest-regressor": "bestofk.learners.forest.FOREST_REGRESSOR",
        "extra-forest-regressor": "bestofk.learners.forest.EXTRA_FOREST_REGRESSOR",
        "shallow-boosting-regressor": "bestofk.learners.boosting.SHALLOW_BOOSTING_REGRESSOR",
        "gradient-boosting-regressor": "bestofk.learners.boosting.GRADIENT_BOOSTING_REGRESSOR",
        "xgboost": "bestofk.learners.boosting.XGBOOST",
        "lightgbm": "bestofk.learners.boosting.LIGHTGBM",
        "catboost": "bestofk.learners.boosting.CATBOOST",
        "xgboost-regressor": "bestofk.learners.boosting.XGBOOST_REGRESSOR",
        "lightgbm-regressor": "bestofk.learners.boosting.LIGHTGBM_REGRESSOR",
        "catboost-regressor": "bestofk.learners.boosting.CATBOOST_REGRESSOR",
    },
)
# Classes of cost, each with the maximum seconds for a fit with predictions on 1,000 rows and 20
# columns on one thread (`benchmarks/catalogue.py`).
COSTS: Final = {"fast": 0.1, "medium": 1.0, "slow": float("inf")}
_MEMBERS = {
    # default learners, chosen by `benchmarks/default_choice.py`
    "default": "majority naive-bayes logistic cart 5nn svm forest extra-forest gradient-boosting "
    "mean ridge-cv cart-regressor svr forest-regressor extra-forest-regressor "
    "gradient-boosting-regressor",
    "linear": "lda logistic ridge-classifier linear-svm least-squares ridge ridge-cv elastic-net",
    "trees": "cart c45 c45-unpruned c45rules id3 hddt sklearn-cart random-forest forest "
    "extra-forest shallow-boosting gradient-boosting cart-regressor random-forest-regressor "
    "forest-regressor extra-forest-regressor shallow-boosting-regressor "
    "gradient-boosting-regressor xgboost lightgbm catboost xgboost-regressor lightgbm-regressor "
    "catboost-regressor",
    "fast": "majority nearest-mean naive-bayes bernoulli-naive-bayes lda qda logistic "
    "ridge-classifier cart c45 c45-unpruned c45rules id3 hddt sklearn-cart 1nn 5nn svm linear-svm "
    "forest extra-forest shallow-boosting mean median least-squares ridge ridge-cv elastic-net "
    "knn-regressor 1nn-regressor cart-regressor svr forest-regressor shallow-boosting-regressor",
    "medium": "kernel-naive-bayes random-forest gradient-boosting mlp-regressor "
    "random-forest-regressor extra-forest-regressor gradient-boosting-regressor xgboost lightgbm "
    "xgboost-regressor lightgbm-regressor",
    "slow": "mlp catboost catboost-regressor",
}
# Names that stand for several learners of a task, wherever learners are named.
GROUPS: Final = (*_MEMBERS, "all")
# Traits of classes that have no entry, but that users may pass.
_OTHER_TRAITS = (NEAREST_CENTROID_TRAITS,)


def learner_catalogue(
    task: str | None = None, *, optional: bool = False
) -> dict[str, LearnerEntry]:
    """Return the learners that can be used by name.

    Parameters
    ----------
    task : {"classification", "regression"} or None, default=None
        Only the learners of this task; None for all.
    optional : bool, default=False
        Whether to include learners of packages that may not be installed.

    Returns
    -------
    dict of str to LearnerEntry
        The entries by name, from simple to complex.

    Raises
    ------
    InvalidArgumentError
        If `task` is neither of the two.

    Examples
    --------
    >>> list(learner_catalogue("regression"))[:4]
    ['mean', 'median', 'least-squares', 'ridge']
    """
    if task is not None:
        check_known(task, "task of learner_catalogue", TASKS)
    return {
        name: entry
        for name, entry in LEARNERS.items()
        if task in (None, entry.task) and (optional or not entry.extra)
    }


def groups_of(entry: LearnerEntry) -> tuple[str, ...]:
    """Return the groups that include a learner.

    Examples
    --------
    >>> groups_of(learner_catalogue()["cart"])
    ('default', 'trees', 'fast', 'all')
    """
    named = [group for group, names in _MEMBERS.items() if entry.name in names.split()]
    return (*named, "all")


def register_learner(entry: LearnerEntry) -> None:
    """Register a learner, so that it can be used by name.

    Parameters
    ----------
    entry : LearnerEntry
        Its name must be new.

    Raises
    ------
    InvalidArgumentError
        If the catalogue already has a learner of that name.

    Examples
    --------
    >>> register_learner(learner_catalogue()["cart"])
    Traceback (most recent call last):
        ...
    bestofk.errors.InvalidArgumentError: name of a learner must be new; got 'cart'. Choose another.
    """
    LEARNERS.register(entry.name, entry)


def traits_of(estimator: Any) -> Traits:
    """Return the traits of an estimator, or of the last step of a pipeline.

    Parameters
    ----------
    estimator : object
        Any learner.

    Returns
    -------
    Traits
        Traits of the first family that includes it; empty ones if no family does.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> traits_of(DummyClassifier()).is_baseline, traits_of(object()).is_baseline
    (True, False)
    """
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if steps else estimator
    return next((traits for traits in _families() if traits.includes(last)), NO_TRAITS)


def cost_rank(estimator: Any) -> int:
    """Return a rough rank of the training cost of an estimator, before any run is timed.

    Parameters
    ----------
    estimator : object
        Any learner; for a pipeline, the last step counts.

    Returns
    -------
    int
        0 for baselines, then the position of the family in the catalogue, which goes from simple to
        complex; the largest rank for other classes, such as ensembles and networks.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.svm import SVC
    >>> cost_rank(DummyClassifier()) < cost_rank(SVC()) < cost_rank(RandomForestClassifier())
    True
    """
    traits, families = traits_of(estimator), _families()
    if traits.is_baseline:
        return 0
    return len(families) if traits == NO_TRAITS else 1 + families.index(traits)


def _families() -> list[Traits]:
    return [*(entry.traits for entry in LEARNERS.values()), *_OTHER_TRAITS]
