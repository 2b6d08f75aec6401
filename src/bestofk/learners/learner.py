"""Learners of a comparison: their record, the arguments of their `fit`, and their inner choices."""

import copy
import json
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final

import numpy as np
from sklearn.base import clone

from bestofk.learners.catalogue import cost_rank, traits_of
from bestofk.randomness import derive_seed
from bestofk.scikit_internals import is_search

# The estimator of scikit-learn whose inner folds choose nothing.
_CALIBRATION: Final = "CalibratedClassifierCV"
# Message stored with a run.
UNWEIGHTED = "the learner takes no sample_weight; fitted without weights"
# Digits kept of an inner loss, enough for a plot.
_DIGITS = 6


@dataclass(frozen=True)
class Learner:
    """A named estimator in a comparison, with facts about it that need no fit.

    Parameters
    ----------
    name : str
        Unique within the comparison.
    estimator : object
        Has `fit` and `predict`; cloned before it is fitted.
    is_baseline : bool, default=False
        Whether others are compared with it although it is not a candidate.
    members : tuple of str, default=()
        Names of the learners that it averages; empty for a trained learner.
    is_optional : bool, default=False
        Whether only a group named it; it is then left out if a fit would fail or take too long.
    """

    name: str
    estimator: Any
    is_baseline: bool = False
    members: tuple[str, ...] = ()
    is_optional: bool = False

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for other processes, without cached facts."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def clone(self, seed: int) -> Any:
        """Return an unfitted copy whose open ``random_state`` parameters come from a seed."""
        template, owners = self._template
        for name, owner in owners:
            owner.random_state = derive_seed(seed, name)
        return _copy(template)

    @cached_property
    def _template(self) -> tuple[Any, list[tuple[str, Any]]]:
        """A private copy, with the owners of each open ``random_state`` in it.

        Setting an attribute there and cloning is equivalent to `set_params` on a clone, at a tenth
        of the cost.
        """
        template = _copy(self.estimator)
        if not self.unseeded:
            return template, []
        parts = template.get_params(deep=True)
        owners = [(name, name.rpartition("__")[0]) for name in self.unseeded]
        return template, [(name, parts[path] if path else template) for name, path in owners]

    @cached_property
    def unseeded(self) -> tuple[str, ...]:
        """Parameters named ``random_state``, nested ones too, that are None; a run fills them."""
        return tuple(
            name
            for name, value in parameters_of(self.estimator).items()
            if name.split("__")[-1] == "random_state" and value is None
        )

    @cached_property
    def is_unstable(self) -> bool:
        """Whether it is known to change much with its training rows; see `is_unstable`."""
        return is_unstable(self.estimator)

    @cached_property
    def ignores_inputs(self) -> bool:
        """Whether its predictions do not depend on the inputs; see `is_baseline`."""
        return is_baseline(self.estimator) or self.reads_times

    @property
    def reads_times(self) -> bool:
        """Whether it receives time and group of rows instead of the inputs."""
        return bool(getattr(self.estimator, "reads_times", False))

    @cached_property
    def cost_rank(self) -> int:
        """Rough rank of its training cost; see `bestofk.learners.cost_rank`."""
        return cost_rank(self.estimator)

    @cached_property
    def class_path(self) -> str:
        """Path of the class that is trained; see `trained_class`."""
        cls = trained_class(self.estimator)
        return f"{cls.__module__}.{cls.__qualname__}"

    @cached_property
    def parts(self) -> list[Any]:
        """The estimator and the values of its parameters, nested ones too."""
        return parts_of(self.estimator)

    @cached_property
    def inner_searches(self) -> list[Any]:
        """The parts that choose settings, perhaps the estimator itself."""
        return list(filter(_searches, self.parts))

    @cached_property
    def is_tuned(self) -> bool:
        """Whether it chooses settings at the user's request, unlike entries such as `ridge-cv`."""
        from bestofk.learners.pipeline import LearnerPipeline

        return bool(self.inner_searches) and not isinstance(self.estimator, LearnerPipeline)

    @cached_property
    def splitters_by_groups(self) -> list[Any]:
        """The parts that split rows by groups, such as `GroupKFold`."""
        return list(filter(_splits_by_groups, self.parts))

    @cached_property
    def shared_by_copies(self) -> list[str]:
        """Names of parameters, nested ones too, whose objects copies share and may change.

        These objects define their own copying and stay the same, so fits of copies may affect each
        other.
        """
        try:
            copied = clone(self.estimator, safe=False)
            own, others = self.estimator.get_params(), copied.get_params()
        except Exception:  # not copied by parameters
            return []
        return [
            name
            for name, value in own.items()
            if value is others.get(name)
            and hasattr(type(value), "__deepcopy__")
            and not isinstance(value, np.generic)
        ]


def is_unstable(estimator: Any) -> bool:
    """Return whether a learner is known to change much with its training rows.

    These are one nearest neighbor and unpruned single trees: with them, measured error rates of
    paired tests exceed the nominal level.

    Parameters
    ----------
    estimator : object
        An estimator; for a pipeline, the last step counts.

    Returns
    -------
    bool

    References
    ----------
    .. [1] Breiman (1996), Heuristics of instability and stabilization in model selection,
       Annals of Statistics 24(6).

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> is_unstable(KNeighborsClassifier(1)), is_unstable(KNeighborsClassifier(5))
    (True, False)
    """
    is_unstable = traits_of(estimator).is_unstable
    steps = getattr(estimator, "steps", None)
    return is_unstable is not None and is_unstable(steps[-1][1] if steps else estimator)


def is_baseline(estimator: Any) -> bool:
    """Return whether a learner is a baseline that ignores the inputs, like scikit-learn's dummies.

    Parameters
    ----------
    estimator : object
        An estimator; for a pipeline, the last step counts.

    Returns
    -------
    bool

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> [is_baseline(learner_catalogue()[name].make()) for name in ("majority", "cart")]
    [True, False]
    """
    return traits_of(estimator).is_baseline


def trained_class(estimator: Any) -> type:
    """Return the class that is trained: the last step of a pipeline, the estimator of a search.

    Parameters
    ----------
    estimator : object
        Any learner.

    Returns
    -------
    type

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> trained_class(learner_catalogue()["logistic"].make()).__name__
    'LogisticRegression'
    """
    steps = getattr(estimator, "steps", None)
    inner = steps[-1][1] if isinstance(steps, list) and steps else None
    if inner is None and _searches(estimator):
        inner = getattr(estimator, "learner", None) or getattr(estimator, "estimator", None)
    return type(estimator) if inner is None else trained_class(inner)


def has_inner_search(estimator: Any) -> bool:
    """Return whether a learner chooses settings within every training set.

    Parameters
    ----------
    estimator : object
        An estimator; `bestofk.tuning.Tuned`, a search of scikit-learn, one of its estimators
        whose names end in CV, or a pipeline or ensemble that contains one of these.

    Returns
    -------
    bool

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> has_inner_search(GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}))
    True
    """
    return any(map(_searches, parts_of(estimator)))


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator by name, including nested ones; may be empty."""
    try:
        parameters = estimator.get_params(deep=True)
    except Exception:  # no parameters, or one that is not stored as an attribute
        return {}
    return {name: parameters[name] for name in sorted(parameters)}


def _copy(estimator: Any) -> Any:
    copied = clone(estimator, safe=False)
    if copied is estimator and not hasattr(estimator, "__sklearn_clone__"):
        return copy.deepcopy(estimator)
    return copied


def parts_of(estimator: Any) -> list[Any]:
    """Return an estimator and the values of its parameters, including nested ones."""
    nested = estimator.get_params() if hasattr(estimator, "get_params") else {}
    return [estimator, *nested.values()]


def _splits_by_groups(part: Any) -> bool:
    routing = None if isinstance(part, type) else getattr(part, "get_metadata_routing", None)
    if routing is None or not hasattr(part, "get_n_splits"):
        return False
    split = getattr(routing(), "split", None)
    return split is not None and split.requests.get("groups") is True


def _searches(part: Any) -> bool:
    """Return whether an estimator itself, apart from nested ones, chooses settings."""
    name, is_scikit = type(part).__name__, type(part).__module__.startswith("sklearn.")
    return (
        getattr(type(part), "chooses_settings", False)
        or is_search(part)
        or (is_scikit and name.endswith("CV") and name != _CALIBRATION and hasattr(part, "fit"))
    )


def weight_parameter(estimator: Any) -> str | None:
    """Return the name under which `fit` of an estimator takes weights of rows, or None.

    Parameters
    ----------
    estimator : object
        An estimator; for a pipeline, the last step counts.

    Returns
    -------
    str or None
        "sample_weight", or "STEP__sample_weight" for a pipeline.

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> weight_parameter(learner_catalogue()["naive-bayes"].make())
    'learner__sample_weight'
    >>> weight_parameter(learner_catalogue()["lda"].make()) is None
    True
    """
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    prefix, last = "", estimator
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        prefix = f"{name}__"
    takes_weights = hasattr(last, "fit") and has_fit_parameter(last, "sample_weight")
    return f"{prefix}sample_weight" if takes_weights else None


def consumes_in_fit(estimator: Any, name: str) -> bool:
    """Return whether scikit-learn's metadata routing passes an argument of `fit` to a consumer.

    Parameters
    ----------
    estimator : object
        An object with `get_metadata_routing`; others consume nothing.
    name : str
        Name of the argument, such as "groups" for a search with splits by groups.

    Returns
    -------
    bool

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=GroupKFold())
    >>> consumes_in_fit(search, "groups")
    True
    """
    from sklearn.utils.metadata_routing import get_routing_for_object

    try:
        return name in get_routing_for_object(estimator).consumes("fit", [name])
    # estimators without routing, and those whose default scorer requests routing again
    except (NotImplementedError, RecursionError):
        return False


def choice_text(estimator: Any) -> str:
    """Return the choice of a fitted learner as JSON; empty if it chose nothing.

    Parameters
    ----------
    estimator : object
        Fitted, with an attribute ``choice_`` like `bestofk.tuning.Tuned`, or a fitted search of
        scikit-learn.

    Returns
    -------
    str
        "setting": the chosen parameters; "index": their position; "default": the position of the
        default, or null; "losses": the mean inner loss of every setting, smaller is better. Values
        that JSON does not support are written as Python's repr.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> choice = {"setting": {"k": 3}, "index": 1, "default": 0, "losses": [[0.5, 0.7], [0.1, 0.2]]}
    >>> choice_text(SimpleNamespace(choice_=choice))
    '{"default":0,"index":1,"losses":[0.6,0.15],"setting":{"k":3}}'
    """
    choice = getattr(estimator, "choice_", None)
    if isinstance(choice, dict):
        return text_of_choice(choice)
    results = getattr(estimator, "cv_results_", None)
    has_choice = hasattr(estimator, "best_params_")  # RFECV chooses columns
    if has_choice and isinstance(results, dict) and "mean_test_score" in results:
        losses = -np.asarray(results["mean_test_score"], dtype=np.float64)
        return _text(estimator.best_params_, estimator.best_index_, None, losses)
    return ""


def text_of_choice(choice: dict[str, Any]) -> str:
    """Return the text stored with a run for the attribute ``choice_``; see `choice_text`."""
    losses = np.array(choice["losses"], dtype=np.float64)
    is_known = np.isfinite(losses).any(axis=1)
    means = np.full(len(losses), np.nan)
    means[is_known] = np.nanmean(losses[is_known], axis=1)
    return _text(choice["setting"], choice["index"], choice["default"], means)


def _text(setting: dict[str, Any], index: int, default: int | None, losses: Any) -> str:
    known = [float(f"{loss:.{_DIGITS}g}") if np.isfinite(loss) else None for loss in losses]
    content = {"setting": setting, "index": int(index), "default": default, "losses": known}
    return json.dumps(content, sort_keys=True, separators=(",", ":"), default=_shown)


def _shown(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else repr(_without_seeds(value))


def _without_seeds(value: Any) -> Any:
    """Return a copy of an estimator without its seeds, which differ between runs."""
    if not hasattr(value, "get_params") or isinstance(value, type):
        return value

    names = [name for name in value.get_params() if name.split("__")[-1] == "random_state"]
    return clone(value, safe=False).set_params(**dict.fromkeys(names)) if names else value
