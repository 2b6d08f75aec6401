"""Conversion of names, estimators, pairs or a dict to named learners."""

import warnings
from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from bestofk.checks import check_different, check_known, nearest_name
from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.learners.catalogue import GROUPS, groups_of, learner_catalogue, traits_of
from bestofk.learners.entry import CLASSIFICATION, REGRESSION
from bestofk.learners.learner import Learner
from bestofk.learners.written_learners import WrittenLearner, split_at_commas

_FORMS = (
    "Give names of the catalogue, estimators, (name, estimator) pairs, or a dict of name to "
    "estimator."
)
_KIND_OF_TASK = {CLASSIFICATION: "classifier", REGRESSION: "regressor"}


def resolve_learners(learners: Any, task: str) -> list[Learner]:
    """Return named learners for names, estimators, pairs or a dict.

    Parameters
    ----------
    learners : None, str, estimator, sequence or dict
        None for the default set of the task with its baseline. A sequence holds names of
        the catalogue, estimators (anything with `fit` and `predict`) and (name, estimator)
        pairs; a dict maps names to estimators or names of the catalogue; a single estimator
        is a list of one, and a text holds names with commas between. A name may have settings
        in brackets, as ``"5nn(n_neighbors=9)"``, and stand in ``"tuned(5nn)"``. In a sequence or
        text, "default", "linear", "trees", "fast", "medium", "slow" and "all" stand for the
        learners of that group, and a minus removes a learner or a group named before:
        ``"default,-cart,svm"``.
    task : {"classification", "regression"}
        The task of the learners.

    Returns
    -------
    list of Learner
        In the order given. An unnamed estimator gets the name of its class (for a pipeline, of its
        last step), with `-2`, `-3`, ... if that is taken. Only groups have baselines: a baseline
        named explicitly is a learner like any other.

    Raises
    ------
    InvalidArgumentError
        If a name or a parameter is unknown, a name is given twice, a learner is of the other
        task, a class is given instead of an instance, an item is not a learner, there are none, or
        a minus removes a name that is not there.

    Warns
    -----
    BestofkWarning
        If learners of a group are left out, because their packages are not installed.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> chosen = ["logistic", DecisionTreeClassifier(), DecisionTreeClassifier(max_depth=2)]
    >>> [learner.name for learner in resolve_learners(chosen, "classification")]
    ['logistic', 'DecisionTreeClassifier', 'DecisionTreeClassifier-2']
    >>> [learner.name for learner in resolve_learners("cart, svm(C=0.5)", "classification")]
    ['cart', 'svm(C=0.5)']
    >>> [learner.name for learner in resolve_learners("default, -trees, ridge", "regression")]
    ['mean', 'ridge-cv', 'svr', 'ridge']
    """
    given = _items("default" if learners is None else learners)
    items, of_groups = _without_groups(given, task)
    if not items:
        raise InvalidArgumentError(
            f"learners must be at least one; got {learners!r}. {_FORMS} "
            "Leave learners out for the default set."
        )
    pairs = [_named(item, task) for item in items]
    names = _unique_names(pairs)
    for name, (_, estimator) in zip(names, pairs, strict=True):
        _check_learner(name, estimator, task)
    return [
        Learner(
            name,
            estimator,
            is_baseline=name in of_groups and traits_of(estimator).is_baseline,
            is_optional=name in of_groups and name not in given,
        )
        for name, (_, estimator) in zip(names, pairs, strict=True)
    ]


def is_group(item: Any) -> bool:
    """Return whether an item of a list of learners is a group, or removes earlier items.

    Examples
    --------
    >>> is_group("default"), is_group("-cart"), is_group("cart")
    (True, True, False)
    """
    return isinstance(item, str) and (item in GROUPS or item.startswith("-"))


def _without_groups(items: Sequence[Any], task: str) -> tuple[list[Any], set[str]]:
    """Return items with groups replaced by learners, and the names that come from groups."""
    kept: list[Any] = []
    of_groups: set[str] = set()
    for item in items:
        text = item if isinstance(item, str) else ""
        meant = _members(text.removeprefix("-"), task)
        there = [own for own in kept if isinstance(own, str) and own in meant]
        if text.startswith("-") and not there:
            known = [own for own in kept if isinstance(own, str)]
            raise InvalidArgumentError(
                f"a name after a minus must be one named before it; got {item!r}. "
                + (nearest_name(text[1:], known) if known else f"Write default,{item}.")
            )
        if text.startswith("-"):
            kept = [own for own in kept if own not in there]
        elif text in GROUPS:
            kept += [name for name in meant if name not in there]
            of_groups.update(set(meant).difference(there))
        elif not of_groups.intersection(there):  # else it comes from a group
            kept.append(item)
    missing = _not_installed([own for own in kept if isinstance(own, str) and own in of_groups])
    return [own for own in kept if own not in missing], of_groups


def _members(name: str, task: str) -> list[str]:
    """Return the learners of a group; any other name alone."""
    entries = learner_catalogue(task, optional=True).values()
    return [entry.name for entry in entries if name in groups_of(entry)] or [name]


def _not_installed(names: Sequence[str]) -> list[str]:
    """Return the learners whose packages are not installed, after a warning."""
    missing, way_out = [], ""
    for name in names:
        try:
            named_learner(name)
        except InvalidArgumentError as error:
            missing.append(name)
            way_out = str(error).partition("; it is not. ")[2]
    if missing:
        text = f"Left out because their packages are missing: {', '.join(missing)}."
        warnings.warn(f"{text} {way_out}", BestofkWarning, stacklevel=4)
    return missing


def _items(learners: Any) -> Sequence[Any]:
    if isinstance(learners, dict):
        return list(learners.items())
    if isinstance(learners, list | tuple):
        return learners
    return split_at_commas(learners) if isinstance(learners, str) else [learners]


def _named(item: Any, task: str) -> tuple[str | None, Any]:
    """Return the given name, or None, and the estimator of one item."""
    if isinstance(item, str):
        written = WrittenLearner.read(item)
        return str(written), _made(written, task)
    if isinstance(item, tuple) and len(item) == 2:
        name, estimator = item
        if not isinstance(name, str) or not name.strip():
            raise InvalidArgumentError(
                f"name of a learner must be a string that is not empty; got {name!r}. {_FORMS}"
            )
        return name, named_learner(estimator, task) if isinstance(estimator, str) else estimator
    return None, item


def named_learner(text: str, task: str | None = None) -> Any:
    """Return the learner for a name of the catalogue, perhaps with settings in brackets.

    Parameters
    ----------
    text : str
        ``NAME``, ``NAME(parameter=value,...)``, or either in ``tuned(...)``.
    task : {"classification", "regression"} or None, default=None
        The task of the learner; None for either.

    Raises
    ------
    InvalidArgumentError
        If a name or a parameter is unknown, the learner is of the other task, or its package is
        not installed.
    """
    return _made(WrittenLearner.read(text), task)


def _made(written: WrittenLearner, task: str | None) -> Any:
    everything = learner_catalogue(optional=True)
    tuned_names = {e.tuned_name: name for name, e in everything.items() if e.tuned_name}
    name = tuned_names.get(written.base, written.base)
    if name in GROUPS:
        raise InvalidArgumentError(
            f"learner must be a single one; got {name!r}, which is a group. Name groups as items "
            "of a list of learners, as in default,svm."
        )
    if name not in everything:
        known = learner_catalogue(task, optional=True)
        others = [entry.tuned_name for entry in known.values() if entry.tuned_name]
        check_known(name, "learner", [*known, *others, *GROUPS], rule="a name of the catalogue")
    entry = everything[name]
    if task not in (None, entry.task):
        raise InvalidArgumentError(
            f"learner {name!r} must be for {task}; got one for {entry.task}. "
            f"Known for {task}: {', '.join(learner_catalogue(task, optional=True))}. If {task} is "
            f"not the right task, name another target, or the task {entry.task!r}."
        )
    return written.tuned(entry.make(written.settings))


def is_learner_name(text: str) -> bool:
    """Return whether `named_learner` makes a learner of a text.

    Examples
    --------
    >>> is_learner_name("svm(C=2)"), is_learner_name("svm(c=2)"), is_learner_name("my tree")
    (True, False, False)
    """
    try:
        named_learner(text)
    except InvalidArgumentError:
        return False
    return True


def _check_learner(name: str, estimator: Any, task: str) -> None:
    if isinstance(estimator, type):
        raise InvalidArgumentError(
            f"learner {name!r} must be an instance; got the class {estimator.__name__}. "
            f"Write {estimator.__name__}()."
        )
    if not (hasattr(estimator, "fit") and hasattr(type(estimator), "predict")):
        raise InvalidArgumentError(
            f"learner {name!r} must be an estimator with fit and predict; "
            f"got {type(estimator).__name__}. {_FORMS}"
        )
    kind, wanted = _kind_of(estimator), _KIND_OF_TASK[task]
    if kind not in (None, wanted):
        raise InvalidArgumentError(
            f"learner {name!r} must be a {wanted}; got a {kind} ({type(estimator).__name__}). "
            "Use a learner for this task, or name another task."
        )
    _check_copy(name, estimator)


def _check_copy(name: str, estimator: Any) -> None:
    """Refuse a learner that cannot be copied, such as a search with an iterator of splits."""
    try:
        clone(estimator, safe=False)
    except TypeError as error:
        if "pickle" in str(error):
            raise InvalidArgumentError(
                f"learner {name!r} must be copyable for every run; got "
                f"{type(estimator).__name__}: {error}. An iterator is exhausted by the first fit; "
                "use a splitter such as KFold(5), or a list."
            ) from error
    except Exception:  # a learner that scikit-learn cannot clone is copied as a whole
        return


def _kind_of(estimator: Any) -> str | None:
    """Return the kind that an estimator declares; None if it declares none."""
    try:
        kind = estimator.__sklearn_tags__().estimator_type
    except (AttributeError, TypeError):  # no tags, or tags of older versions
        kind = getattr(estimator, "_estimator_type", None)
    return kind if isinstance(kind, str) else None


def _unique_names(pairs: Sequence[tuple[str | None, Any]]) -> list[str]:
    given = [name for name, _ in pairs if name is not None]
    way_out = "Give each its own name in a dict or in (name, estimator) pairs."
    check_different(given, "names of learners", way_out)
    taken = set(given)
    names = []
    for name, estimator in pairs:
        names.append(name if name is not None else _free_name(_class_name(estimator), taken))
        taken.add(names[-1])
    return names


def _free_name(name: str, taken: set[str]) -> str:
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}-{number}", number + 1
    return candidate


def _class_name(estimator: Any) -> str:
    if isinstance(estimator, type):
        return estimator.__name__
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list) and steps and hasattr(steps[-1][1], "predict"):
        return _class_name(steps[-1][1])
    return type(estimator).__name__
