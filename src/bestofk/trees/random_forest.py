"""Random forests and extremely randomized trees, grown from columns that are sorted once."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bestofk.array_types import Floats, Ints, Values
from bestofk.checks import check_flag, check_number
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_seeds
from bestofk.trees._forest import ENTROPY, GINI, VARIANCE, Grower, SortedTable, add_answers
from bestofk.trees.parameters import check_fields, choice, depth_limit, documented, flag, number
from bestofk.trees.reading import checked_weights

_ANY_DEPTH: Final = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Forest:
    """The trees of a forest as arrays.

    Attributes
    ----------
    nodes : ndarray of shape (n_nodes,)
        Fields "threshold", "test" and "child"; see `_forest.pyx`.
    answers : ndarray of shape (n_leaves, n_outputs), float64
        Mean, or shares of the classes, in each leaf.
    starts : ndarray of shape (n_trees, 2), int64
        Start of the nodes and of the leaves of each tree.
    importances : ndarray of shape (n_trees, n_features), float64
        Share of each column in the decrease of impurity.
    """

    nodes: Values
    answers: Floats
    starts: Ints
    importances: Floats

    def mean_answers(self, X: Floats, n_jobs: int = 1) -> Floats:
        """Return the mean prediction of the trees for each row, shape (n_samples, n_outputs)."""
        out = np.zeros((len(X), self.answers.shape[1]))
        parts = np.array_split(np.arange(len(X)), n_jobs)
        _in_threads(lambda rows: self.add_answers(X, rows, out), parts)
        return out / len(self.starts)

    def add_answers(self, X: Floats, rows: Ints, out: Floats, tree: int | None = None) -> None:
        """Add the predictions of all trees, or of one, for some rows to their lines."""
        starts = self.starts if tree is None else self.starts[tree : tree + 1]
        add_answers(self.nodes, self.answers, starts, X, rows, out)


def grow_trees(
    table: SortedTable,
    part: Values,
    y: Floats,
    weight: Floats | None,
    settings: Mapping[str, Any],
    seeds: Ints,
    n_jobs: int = 1,
) -> Forest:
    """Grow a tree for each seed; all arguments but the last two are those of `Grower`.

    Parameters
    ----------
    seeds : ndarray of shape (n_trees,), int64
        Seed of each tree.
    n_jobs : int
        Number of threads, which does not affect the trees.

    Returns
    -------
    Forest
    """
    parts = [seeds[:1], *np.array_split(seeds[1:], n_jobs)] if n_jobs > 1 else [seeds]
    grown = _in_threads(lambda own: Grower(table, part, y, weight, settings).grow(own), parts)
    nodes, sizes, answers, importances = map(np.concatenate, zip(*grown, strict=True))
    total = importances.sum(axis=1, keepdims=True)
    importances = np.divide(importances, total, out=np.zeros_like(importances), where=total > 0)
    return Forest(nodes, answers, np.cumsum(sizes, axis=0) - sizes, importances)


def _in_threads(work: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    if len(parts) == 1:
        return [work(parts[0])]
    with ThreadPoolExecutor(len(parts)) as threads:
        return list(threads.map(work, parts))


def _check_max_features(value: Any, what: str) -> None:
    if value is None or (isinstance(value, str) and value == "sqrt"):
        return
    is_whole = isinstance(value, int | np.integer)
    way_out = "It is a number of columns, a share such as 0.5, 'sqrt', or None for all columns."
    high = np.inf if is_whole else 1.0
    check_number(value, what, low=0, high=high, is_open="low", way_out=way_out)


@dataclass(kw_only=True, eq=False, repr=False)
class ForestParameters(BaseEstimator):  # type: ignore[misc]
    """Parameters and growth of both kinds of forests.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    cuts : {"best", "random"}, default="best"
        Threshold of each column that is tried at a node: the best, or one drawn between the
        smallest and the largest value there, as in extremely randomized trees.
    bootstrap : bool, default=True
        Whether each tree grows on a bootstrap sample of the rows, instead of all rows.
    max_depth : int or None, default=None
        Most tests above a leaf; None for any number.
    min_samples_split : int, default=2
        Minimum number of different rows of a node to split.
    min_samples_leaf : int, default=1
        Minimum number of different rows of a branch.
    min_impurity_decrease : float, default=0.0
        Minimum decrease of impurity, times the node's share of all rows.
    oob_score : bool, default=False
        Whether to predict rows by the trees that were not grown on them.
    n_jobs : int or None, default=None
        Number of threads, as in scikit-learn; results do not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the rows, columns and thresholds that are drawn.

    Attributes
    ----------
    forest_ : Forest
        The trees, as arrays.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of impurity, the mean over the trees.
    """

    code_version = 1

    n_estimators: int = number(100, low=1, whole=True, way_out="It is the number of trees.")
    criterion: str
    cuts: str = choice("best", ("best", "random"))
    max_features: Any = field(default="sqrt", metadata={"check": _check_max_features})
    bootstrap: bool = flag(True)
    max_depth: int | None = depth_limit()
    min_samples_split: int = number(2, low=2, whole=True, way_out="It is a number of rows.")
    min_samples_leaf: int = number(1, low=1, whole=True, way_out="It is a number of rows.")
    min_impurity_decrease: float = number(0.0, low=0, way_out="Use 0 for no limit.")
    oob_score: bool = field(default=False, metadata={"check": check_flag})
    n_jobs: int | None = None
    random_state: Any = None

    forest_: Any = field(init=False)
    n_features_in_: Any = field(init=False)

    @abstractmethod
    def _target(self, y: Any) -> Floats:
        """Return numbers or codes of classes."""

    @abstractmethod
    def _criterion(self) -> tuple[int, int]:
        """Return the criterion of the loops, and the number of classes that it counts."""

    @abstractmethod
    def _set_out_of_bag(self, answers: Floats, is_known: Any, y: Any) -> None:
        """Store the out-of-bag predictions and their score."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows: numbers; values may be missing (nan).
        y : array-like of shape (n_samples,)
            Target of the training rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows; with `bootstrap`, the probability to be drawn is proportional to
            them.

        Returns
        -------
        estimator
            Itself.

        Raises
        ------
        ValueError
            If a parameter, the table, the weights or y are not valid.
        """
        check_fields(self)
        if self.oob_score and not self.bootstrap:
            raise InvalidArgumentError(
                "oob_score must be False without bootstrap; got True. Every tree uses all rows: "
                "use bootstrap=True, or cross-validation."
            )
        is_number = is_regressor(self)
        X, y = validate_data(
            self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", y_numeric=is_number
        )
        weight = None if sample_weight is None else checked_weights(sample_weight, X)
        target, part = self._target(y), np.arange(len(X), dtype=np.int32)
        seeds, n_jobs = self._seeds(), effective_n_jobs(self.n_jobs)
        table, settings = SortedTable(X), self._settings(len(X))
        self.forest_ = grow_trees(table, part, target, weight, settings, seeds, n_jobs)
        if self.oob_score:
            answers, n_trees = np.zeros((len(X), self.forest_.answers.shape[1])), np.zeros(len(X))
            grower = Grower(table, part, target, weight, settings)
            for tree, seed in enumerate(seeds.tolist()):
                rows = grower.rows_left_out(seed)
                n_trees[rows] += 1
                self.forest_.add_answers(np.ascontiguousarray(X), rows, answers, tree)
            known = n_trees > 0
            answers[known] /= n_trees[known, None]
            self._set_out_of_bag(answers, known, y)
        return self

    def _seeds(self) -> Ints:
        drawn = check_random_state(self.random_state).randint(2**31)
        return np.asarray(derive_seeds(int(drawn), "trees", shape=(1, self.n_estimators))[0])

    def _settings(self, n_rows: int) -> dict[str, Any]:
        """Return the settings of `Grower` for a number of training rows."""
        d, tried = self.n_features_in_, self.max_features
        if isinstance(tried, str):
            tried = np.sqrt(d)
        elif tried is None or not isinstance(tried, int | np.integer):
            tried = d * (1.0 if tried is None else tried)
        criterion, n_classes = self._criterion()
        return {
            "criterion": criterion,
            "n_classes": n_classes,
            "n_tried": min(max(int(tried), 1), d),
            "max_depth": _ANY_DEPTH if self.max_depth is None else self.max_depth,
            "least_rows": self.min_samples_leaf,
            "least_split": self.min_samples_split,
            "least_decrease": self.min_impurity_decrease,
            "n_drawn": n_rows if self.bootstrap else 0,
            "is_random_cut": self.cuts == "random",
        }

    def _mean_answers(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(
            self, X, dtype=np.float64, order="C", ensure_all_finite="allow-nan", reset=False
        )
        return np.asarray(self.forest_.mean_answers(X, effective_n_jobs(self.n_jobs)))

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the decrease of impurity, shape (n_features,)."""
        check_is_fitted(self)
        mean = self.forest_.importances.mean(axis=0)
        return np.asarray(mean / max(mean.sum(), np.finfo(float).tiny))

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether trees have grown."""
        return "forest_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Return the tags of scikit-learn: values may be missing."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ForestClassifier(ClassifierMixin, ForestParameters):  # type: ignore[misc]
    """Random forest for classes (Breiman 2001), or extremely randomized trees.

    The class shares in the leaves of many trees are averaged. A tree grows on rows drawn with
    replacement, and tries some columns, drawn anew, at each node.

    Parameters
    ----------
    criterion : {"gini", "entropy"}, default="gini"
        Impurity whose decrease chooses the test of a node.
    max_features : {"sqrt"}, int, float or None, default="sqrt"
        Columns tried at a node: the square root of their number, a number, a share; None for all.

    Attributes
    ----------
    oob_score_ : float
        Accuracy of the out-of-bag predictions, with `oob_score`.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag probabilities; nan for rows that every tree was grown on.

    Notes
    -----
    If necessary, a node tries further columns until one has different values. Rows with a missing
    value go to the side that makes the test better; without missing values in training, to the side
    with most rows. Extremely randomized trees are ``cuts="random", bootstrap=False``.

    References
    ----------
    .. [1] Breiman (2001), Random forests, Machine Learning 45.
    .. [2] Geurts, Ernst and Wehenkel (2006), Extremely randomized trees, Machine Learning 63.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bestofk.trees import ForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> round(forest.oob_score_, 3), forest.predict(X[:1]).tolist()
    (0.953, [0])
    """

    criterion: str = choice("gini", ("gini", "entropy"))

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            Columns as in `classes_`.
        """
        return self._probabilities(self._mean_answers(X))

    def predict(self, X: Any) -> Values:
        """Return the most probable class of each row, the first on ties.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _target(self, y: Any) -> Floats:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return codes.astype(np.float64)

    def _criterion(self) -> tuple[int, int]:
        if self.criterion == "gini" and len(self.classes_) == 2:
            return VARIANCE, 0
        return (GINI if self.criterion == "gini" else ENTROPY), len(self.classes_)

    def _probabilities(self, answers: Floats) -> Floats:
        """Return probabilities by class; trees store only that of the second of two classes."""
        if len(self.classes_) == 2 and answers.shape[1] == 1:
            return np.hstack([1 - answers, answers])
        return answers

    def _set_out_of_bag(self, answers: Floats, is_known: Any, y: Any) -> None:
        shares = self._probabilities(answers)
        self.oob_score_ = float((self.classes_[shares.argmax(axis=1)] == y)[is_known].mean())
        shares[~is_known] = np.nan
        self.oob_decision_function_ = shares


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ForestRegressor(RegressorMixin, ForestParameters):  # type: ignore[misc]
    """Random forest for numbers (Breiman 2001), or extremely randomized trees.

    The means in the leaves of many trees are averaged. A tree grows on rows drawn with
    replacement, and uses the test at each node that reduces the squared error most.

    Parameters
    ----------
    criterion : {"squared_error"}, default="squared_error"
        Impurity whose decrease chooses the test of a node.
    max_features : {"sqrt"}, int, float or None, default=None
        Columns tried at a node: the square root of their number, a number, a share; None for all.

    Attributes
    ----------
    oob_score_ : float
        R2 of the out-of-bag predictions, with `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,)
        Out-of-bag predictions; nan for rows that every tree was grown on.

    Notes
    -----
    As in `ForestClassifier`.

    References
    ----------
    .. [1] Breiman (2001), Random forests, Machine Learning 45.
    .. [2] Geurts, Ernst and Wehenkel (2006), Extremely randomized trees, Machine Learning 63.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from bestofk.trees import ForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor(oob_score=True, random_state=0).fit(X, y)
    >>> round(forest.oob_score_, 2)
    0.41
    """

    criterion: str = choice("squared_error", ("squared_error",))
    max_features: Any = field(default=None, metadata={"check": _check_max_features})

    def predict(self, X: Any) -> Floats:
        """Return the mean prediction of the trees for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples,), float64
        """
        return self._values(self._mean_answers(X))

    def _target(self, y: Any) -> Floats:
        numbers = np.asarray(y, dtype=np.float64)
        # Squares of numbers far from 0 would lose their differences.
        self._center = 0.5 * float(numbers.min()) + 0.5 * float(numbers.max())
        return numbers - self._center

    def _values(self, answers: Floats) -> Floats:
        return np.asarray(answers[:, 0] + self._center)

    def _criterion(self) -> tuple[int, int]:
        return VARIANCE, 0

    def _set_out_of_bag(self, answers: Floats, is_known: Any, y: Any) -> None:
        predicted = self._values(answers)
        residual = ((y - predicted)[is_known] ** 2).sum()
        self.oob_score_ = float(1 - residual / ((y - y[is_known].mean())[is_known] ** 2).sum())
        predicted[~is_known] = np.nan
        self.oob_prediction_ = predicted
