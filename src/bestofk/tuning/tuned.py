"""A learner whose hyperparameters are chosen within every training set."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from bestofk.array_types import Folds, Ints, Values
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.shared_table import SharedTable
from bestofk.checks import check_known, check_number
from bestofk.errors import InvalidArgumentError
from bestofk.learners.fitted_predictions import FittedPredictions
from bestofk.learners.learner import UNWEIGHTED, text_of_choice, weight_parameter
from bestofk.learners.resolve import named_learner
from bestofk.randomness import derive_seed
from bestofk.tuning.inner_losses import (
    ANCHORED,
    RULES,
    InnerLosses,
    check_inner,
    choose_setting,
    fitted_with,
    forward_folds,
    inner_folds,
    inner_losses,
    inner_measure,
    read_inner,
    setting_path,
    try_settings,
)
from bestofk.tuning.spaces import index_of_default, read_settings, short_names, space_of
from bestofk.tuning.training_parts import TrainingParts


class Tuned(FittedPredictions, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Learner that chooses its settings by cross-validation within its training rows.

    In a comparison, settings are chosen anew in every training set, so that test rows do not affect
    the choice: nested cross-validation. Settings share work if possible (`docs/tuning.md`).

    Parameters
    ----------
    learner : str or estimator
        A name of the catalogue, perhaps with settings in brackets, or a scikit-learn estimator or
        pipeline. Its settings are the default.
    space : dict, list of dict or None, default=None
        Parameters with lists of values, or with scipy distributions, from which 50 settings are
        drawn, the same for all training sets. None uses the space of the catalogue. The default is
        always included.
    inner : int or str, default="auto"
        Folds of the inner cross-validation, or repeats and folds such as "3x5"; "auto": 5, or 3x5
        below 150 training rows, with at most as many folds as rows or groups.
    rule : {"anchored", "best"}, default="anchored"
        "best" chooses the setting with the lowest mean loss, like `GridSearchCV`; "anchored" does
        so only if it beats the default by more than one standard error.
    measure : str, Measure or None, default=None
        Measure for the choice of settings; None is error or squared error, or the deciding measure
        in `bestofk.compare`.
    random_state : int or None, default=None
        Seed of the inner folds; None is 0, or the seed of the run in `bestofk.compare`.

    Attributes
    ----------
    learner_ : estimator
        The chosen setting, fitted to all training rows.
    choice_ : dict
        "setting": parameters of the chosen setting; "index": its position; "default": the
        position of the default; "settings": all settings; "losses": losses of every setting in
        every inner split, smaller is better.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; only for classifiers.

    Raises
    ------
    InvalidArgumentError
        If a name is unknown. From `fit`, if there is no space, a parameter in it is unknown, a list
        of values is empty, or there are fewer training rows than folds.

    See Also
    --------
    sklearn.model_selection.GridSearchCV : The same choice with ``rule="best"``.

    Notes
    -----
    Inner scores of the chosen setting are too good, because the setting was chosen by them. Only
    scores on the outer test rows show how good the tuned learner is.

    References
    ----------
    .. [1] Cawley and Talbot (2010), On over-fitting in model selection and subsequent selection
       bias in performance evaluation, JMLR 11.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tuned = Tuned("ridge", {"alpha": [0.1, 1.0, 10.0]}).fit(X[:, 1:], X[:, 0])
    >>> tuned.choice_["setting"]
    {'alpha': 1.0}
    """

    code_version = 1

    _inside_name: ClassVar[str] = "learner"
    #: Attribute that `has_inner_search` reads.
    chooses_settings: ClassVar[bool] = True
    #: Whether `fit` takes the groups of rows.
    takes_groups: ClassVar[bool] = True
    #: Whether `fit` takes the time of rows.
    takes_time: ClassVar[bool] = True
    classes_: Values
    learner_: Any
    choice_: dict[str, Any]

    def __init__(
        self,
        learner: Any,
        space: Any = None,
        *,
        inner: int | str = "auto",
        rule: str = ANCHORED,
        measure: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.learner = named_learner(learner) if isinstance(learner, str) else learner
        self.space = space
        self.inner = inner
        self.rule = rule
        self.measure = measure
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, *, groups: Any = None, time: Any = None, sample_weight: Any = None
    ) -> Self:
        """Choose a setting and fit it to all rows.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels or values.
        groups : array-like of shape (n_samples,), optional
            Rows of a group stay in one inner fold.
        time : array-like of shape (n_samples,), optional
            Time of each row. Inner test rows are then later than their training rows, and groups
            are not kept together.
        sample_weight : array-like of shape (n_samples,), optional
            Weights for training; inner losses are not weighted.

        Returns
        -------
        Tuned
            Itself.

        Raises
        ------
        InvalidArgumentError
            See the class.
        ValueError, TypeError
            Errors of the learner.
        """
        groups = None if groups is None else np.asarray(groups)
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        settings = self.settings()
        X, target = _checked(X, y, groups, weight)
        if weight is not None and weight_parameter(self.learner) is None:
            warnings.warn(UNWEIGHTED, stacklevel=2)
            weight = None
        parts = self.parts(X, target)
        if parts.n_classes == 1:
            raise InvalidArgumentError(
                f"y must hold at least 2 classes; got only {target.tolist()[0]!r}. Give rows of "
                "another class too."
            )
        rows = np.arange(len(target))
        if time is None:
            folds = self.inner_folds(parts, rows, groups, self.random_state)
        else:
            plan = read_inner(self.inner, len(rows))
            folds = forward_folds(np.asarray(time, dtype=np.float64), plan.n_folds)
        losses = inner_losses(
            parts, settings, inner_measure(self.measure, parts.classes), [(rows, folds)],
            path=setting_path(parts, settings) if weight is None else None, weight=weight,
        )[0]  # fmt: skip
        message = losses.message(settings)
        if message:
            warnings.warn(message.removeprefix("UserWarning: "), stacklevel=2)
        self.choice_ = self.choice(settings, losses, folds)
        setting = settings[self.choice_["index"]]
        self.learner_ = fitted_with(self.learner, setting, X, target, weight)
        if parts.n_classes:
            self.classes_ = self.learner_.classes_
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return accuracy, or R² for a regressor, like scikit-learn's learners.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their labels or values.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
        """
        from sklearn.metrics import accuracy_score, r2_score

        score = accuracy_score if self._is_classifier() else r2_score
        return float(score(y, self.predict(X), sample_weight=sample_weight))

    def settings(self) -> list[dict[str, Any]]:
        """Return all settings that are tried, including the default, with full parameter names.

        Raises
        ------
        InvalidArgumentError
            If a parameter of this class, or its space, breaks its rule.
        """
        is_estimator = all(hasattr(self.learner, name) for name in ("fit", "get_params"))
        if not is_estimator or isinstance(self.learner, type):
            raise InvalidArgumentError(
                f"learner of Tuned must be an estimator; got {self.learner!r}. Give a name of the "
                "catalogue, or an instance such as SVC()."
            )
        check_inner(self.inner)
        check_known(self.rule, "rule of Tuned", RULES, rule=f"one of {', '.join(RULES)}")
        why = "A generator would draw different inner folds in every fit."
        seed, what = self.random_state, "random_state of Tuned"
        check_number(seed, what, whole=True, or_none=True, way_out=why)
        return read_settings(self.learner, space_of(self.learner, self.space))

    def parts(self, X: Any, target: Values) -> TrainingParts:
        """Return a table in the form for inner training sets."""
        if not self._is_classifier():
            values = target.astype(np.float64)
            return TrainingParts(self.learner, X, target, values, np.empty(0))
        classes, codes = np.unique(target, return_inverse=True)
        return TrainingParts(self.learner, X, target, codes, classes)

    def inner_folds(
        self, parts: TrainingParts, rows: Ints, groups: Values | None, random_state: int | None
    ) -> Folds:
        """Return the inner folds of some training rows, shape (n_repeats, n_rows)."""
        own = None if groups is None else groups[rows]
        plan = read_inner(self.inner, len(rows), own)
        seed = derive_seed(random_state or 0, "inner folds")
        return inner_folds(plan, parts.y[rows], parts.n_classes, own, seed)

    def choice(
        self, settings: list[dict[str, Any]], losses: InnerLosses, folds: Folds
    ) -> dict[str, Any]:
        """Return `choice_` for the losses on one training set with these inner folds."""
        default = index_of_default(self.learner, settings)
        n_folds = max(int(folds.max()) + 1, 2)  # in order of time, there may be a single one
        index = choose_setting(losses.losses, default, n_folds, rule=self.rule)
        return {
            "setting": short_names(self.learner, settings[index]),
            "index": index,
            "default": default,
            "settings": [short_names(self.learner, setting) for setting in settings],
            "losses": losses.losses.tolist(),
        }

    def batched_form(self) -> type[BatchedForm]:
        """Return the form that tunes on many training sets at once."""
        return TunedForm

    def _is_classifier(self) -> bool:
        return bool(get_tags(self.learner).estimator_type == "classifier")

    def __sklearn_tags__(self) -> Any:
        tags, own = super().__sklearn_tags__(), get_tags(self.learner)
        tags.estimator_type = own.estimator_type
        tags.classifier_tags, tags.regressor_tags = own.classifier_tags, own.regressor_tags
        tags.input_tags = own.input_tags
        return tags


def _checked(X: Any, y: Any, *others: Values | None) -> tuple[Any, Values]:
    """Return training rows and their target, checked."""
    from pandas import isna

    if not hasattr(X, "columns"):  # columns of frames may have any type
        X = check_array(X, dtype=None, ensure_all_finite=False)
    target = column_or_1d(np.asarray(y))
    check_consistent_length(X, target, *others)
    n_missing = int(isna(target).sum())
    if n_missing:
        raise InvalidArgumentError(
            f"y must be free of missing values; got {n_missing}. Leave these rows out."
        )
    if np.all(isna(X)):
        raise InvalidArgumentError(
            "X must have at least one value; got only missing values. Check how it was read."
        )
    return X, target


class TunedForm(BatchedForm):
    """`Tuned` with a space whose settings share work, on all folds of some repeats."""

    is_random: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._parts = _parts_of(estimator, table)
        self._settings = estimator.settings()
        self._path = setting_path(self._parts, self._settings)
        self._measure = inner_measure(estimator.measure, table.classes)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether all settings share work on this table, equally in every run."""
        try:
            parts, settings = _parts_of(estimator, table), estimator.settings()
        except InvalidArgumentError:
            return False  # separate training shows the reason
        path = setting_path(parts, settings)
        return parts.table is not None and path is not None and not path.is_random

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Choose a setting in every part and predict with it; see `BatchedForm.predict`."""
        assert random_states is not None
        tuned, parts, settings = self.estimator, self._parts, self._settings
        runs = list(np.ndindex(len(folds), self.n_folds))
        train = [np.flatnonzero(folds[repeat] != fold) for repeat, fold in runs]
        test = [np.flatnonzero(folds[repeat] == fold) for repeat, fold in runs]
        splits = [
            (rows, tuned.inner_folds(parts, rows, None, int(random_states[run])))
            for rows, run in zip(train, runs, strict=True)
        ]
        tried = inner_losses(parts, settings, self._measure, splits, path=self._path)
        chosen = [
            tuned.choice(settings, losses, inner)
            for losses, (_, inner) in zip(tried, splits, strict=True)
        ]
        of_all = try_settings(parts, settings, train, test, path=self._path)
        arrays: list[Any] = [None, None, None]
        # `Tuned.fit` refuses a single class
        trainable = [not parts.n_classes or np.ptp(parts.y[rows]) > 0 for rows in train]
        is_done = np.reshape(trainable, (len(folds), self.n_folds))
        for run, rows, choice, predictions in zip(runs, test, chosen, of_all, strict=True):
            is_done[run] &= choice["index"] not in predictions.failures  # trained separately
            for i, values in enumerate(predictions[:3]):
                if values is None:
                    continue
                own = values[choice["index"]]
                if arrays[i] is None:
                    arrays[i] = np.zeros((*folds.shape, *own.shape[1:]), own.dtype)
                arrays[i][run[0], rows] = own
        messages = {
            run: losses.message(settings)
            for run, losses in zip(runs, tried, strict=True)
            if losses.failures
        }
        choices = {run: text_of_choice(choice) for run, choice in zip(runs, chosen, strict=True)}
        labels, probabilities, decision = arrays
        return BatchedPredictions(labels, probabilities, decision, is_done, messages, choices)


def _parts_of(estimator: Any, table: SharedTable) -> TrainingParts:
    return TrainingParts(estimator.learner, table.features, table.target, table.y, table.classes)
