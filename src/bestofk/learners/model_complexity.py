"""Complexity of models: by formula before fitting, and counted in fitted ones."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from bestofk.checks import check_number
from bestofk.learners.catalogue import traits_of
from bestofk.learners.resolve import named_learner

NODES: Final = "nodes"
PARAMETERS: Final = "parameters"
ROWS: Final = "rows kept"


@dataclass(frozen=True)
class Complexity:
    """Size of a fitted model, in the unit used for its kind.

    Parameters
    ----------
    count : int
        The number.
    unit : {"nodes", "parameters", "rows kept"}
        What is counted. Counts of different units cannot be compared.
    """

    count: int
    unit: str


def _size(numbers: Any) -> int:
    """Return the number of values of an array, dense or sparse, or of a single number."""
    return math.prod(getattr(numbers, "shape", ()))


def _sizes(arrays: Any) -> int:
    """Return the number of values in a list of arrays, or in a single array."""
    return sum(map(_size, arrays)) if isinstance(arrays, list | tuple) else _size(arrays)


def _linear(model: Any) -> int:
    has_intercept = getattr(model, "fit_intercept", True) and hasattr(model, "intercept_")
    return _size(model.coef_) + (_size(model.intercept_) if has_intercept else 0)


def _gaussians(model: Any) -> int:
    return _size(model.theta_) + _size(model.var_) + _size(model.class_prior_)


def _frequencies(model: Any) -> int:
    return _sizes(model.feature_log_prob_) + _size(model.class_log_prior_)


def _quadratic(model: Any) -> int:
    n_classes, n_features = model.means_.shape
    return int(n_classes * (n_features * (n_features + 1) // 2 + n_features + 1))


def _tree(model: Any) -> int:
    tree = model.tree_
    return int(tree.n_nodes if hasattr(tree, "n_nodes") else tree.node_count)


def _rules(model: Any) -> int:
    """Count every condition, the class of every rule, and the default."""
    return sum(len(rule.conditions) + 1 for rule in model.rule_set_) + 1


def _histogram_trees(model: Any) -> int:
    return sum(len(tree.nodes) for of_round in model._predictors for tree in of_round)


def _kernels(model: Any) -> int:
    """Return the number of training rows: each column has one value per row, class by class."""
    return int(sum(counts.sum() for _, counts in model._kernels[0]))


# Attributes of fitted models, of this and other packages -> unit and count; the first one present
# decides.
_BY_ATTRIBUTE: dict[str, tuple[str, Callable[[Any], int]]] = {
    "rule_set_": (NODES, _rules),
    "_predictors": (NODES, _histogram_trees),
    "n_support_": (ROWS, lambda model: len(model.support_)),
    "_kernels": (ROWS, _kernels),
    "theta_": (PARAMETERS, _gaussians),
    "feature_log_prob_": (PARAMETERS, _frequencies),
    "centroids_": (PARAMETERS, lambda model: _size(model.centroids_)),
    "rotations_": (PARAMETERS, _quadratic),
    "n_samples_fit_": (ROWS, lambda model: model.n_samples_fit_),
    "tree_": (NODES, _tree),
    "forest_": (NODES, lambda model: len(model.forest_.nodes)),
    "coefs_": (PARAMETERS, lambda model: _sizes(model.coefs_) + _sizes(model.intercepts_)),
    "coef_": (PARAMETERS, _linear),
    "means_": (PARAMETERS, lambda model: _size(model.means_)),
    "constant_": (PARAMETERS, lambda model: _size(model.constant_)),
    "class_prior_": (PARAMETERS, lambda model: model.n_classes_),
}


def model_complexity(fitted: Any) -> Complexity | None:
    """Return the size of a fitted model, as far as it can be counted.

    Parameters
    ----------
    fitted : estimator
        A fitted model; for a pipeline, the last step counts; for a wrapper of another model (noise,
        resampling, thresholds, searches), the model inside.

    Returns
    -------
    Complexity or None
        None if the kind of model is unknown, its parts have different units, or it is not fitted.

        =====================  ============  ==================================================
        model                  unit          count
        =====================  ============  ==================================================
        tree                   nodes         all nodes, leaves included
        forest, boosting       nodes         summed over all trees
        rules of a tree        nodes         conditions, classes named by rules, the default
        linear (logistic,      parameters    coefficients and intercepts, zeros included
        discriminant, ridge)
        quadratic              parameters    priors, means, covariances: c (d (d + 1) / 2 +
        discriminant                         d + 1)
        Gaussian naive Bayes   parameters    priors, means, variances: c (2 d + 1)
        nearest mean           parameters    means: c d
        neural network         parameters    weights and biases of all layers
        majority, mean         parameters    shares of the c classes; 1
        nearest neighbors      rows kept     training rows
        kernel naive Bayes     rows kept     training rows
        support vectors        rows kept     rows that are support vectors, whatever the kernel
        =====================  ============  ==================================================

        Here d is the number of columns that the model receives, after nominal ones became several,
        and c the number of classes in the training rows. The preparation of the table (means and
        deviations for scaling, levels) is not counted.

    See Also
    --------
    n_parameters : The number by formula, before fitting.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model_complexity(LogisticRegression(max_iter=1000).fit(X, y))
    Complexity(count=15, unit='parameters')
    """
    try:
        return _complexity(fitted)
    except AttributeError:  # an attribute of fitted models is missing
        return None


def _complexity(model: Any) -> Complexity | None:
    steps = getattr(model, "steps", None)
    inside = steps[-1][1] if steps else getattr(model, "best_estimator_", None)
    if inside is not None:
        return _complexity(inside)
    if hasattr(model, "final_estimator_"):  # its parts are of different kinds
        return None
    members = getattr(model, "estimators_", None)
    if members is not None:
        return _together(members.ravel() if hasattr(members, "ravel") else members)
    wrapped = getattr(model, "estimator_", None)
    if wrapped is not None:
        return _complexity(wrapped)
    for name, (unit, count) in _BY_ATTRIBUTE.items():
        if getattr(model, name, None) is not None:
            return Complexity(int(count(model)), unit)
    return None


def _together(members: Iterable[Any]) -> Complexity | None:
    results = [_complexity(member) for member in members]
    units = {None if item is None else item.unit for item in results}
    if len(units) != 1 or None in units:
        return None
    return Complexity(sum(item.count for item in results if item is not None), str(units.pop()))


def n_parameters(learner: Any, n_rows: int, n_features: int, n_classes: int) -> float:
    """Return the number of parameters of a learner by formula, for preferences by simplicity.

    Parameters
    ----------
    learner : str or object
        A name of the catalogue, or an estimator; for a pipeline, the last step counts.
    n_rows : int, at least 1
        Training rows (N).
    n_features : int, at least 1
        Inputs (d).
    n_classes : int, at least 1
        Classes (c); 1 for regression.

    Returns
    -------
    float
        Priors c, nearest mean c d, linear c (d + 1) (logistic, discriminant, ridge), nearest
        neighbors N d, all as counted in [1]_; quadratic discriminant c (d (d + 1) / 2 + d + 1),
        Gaussian naive Bayes c (2 d + 1), with kernel densities N d; support vectors at most
        N d. A single tree has no formula: it is placed between linear and nearest neighbor, as
        in [1]_, at their geometric mean. Nan if there is no formula (forests, boosting, networks,
        other estimators).

    Raises
    ------
    InvalidArgumentError
        If a count is below 1, or the name is unknown.

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> [n_parameters(name, 75, 4, 3) for name in ("majority", "nearest-mean", "logistic", "1nn")]
    [3.0, 12.0, 15.0, 300.0]
    """
    for what, count in (("n_rows", n_rows), ("n_features", n_features), ("n_classes", n_classes)):
        check_number(
            count,
            f"{what} of n_parameters",
            low=1,
            way_out="Count the training rows, the inputs, and the classes (1 for regression).",
        )
    estimator = named_learner(learner) if isinstance(learner, str) else learner
    formula = traits_of(estimator).n_parameters
    return math.nan if formula is None else float(formula(n_rows, n_features, n_classes))
