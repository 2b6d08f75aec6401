"""Spaces for tuning: those of the catalogue, and the settings of a space."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Final

import numpy as np
from sklearn.base import clone

from bestofk.batched.preparation import split_pipeline
from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.learners.catalogue import learner_catalogue, traits_of
from bestofk.learners.entry import NO_TRAITS, LearnerEntry
from bestofk.randomness import derive_seed
from bestofk.scikit_internals import class_in_memory, takes_real_not_int
from bestofk.tuning.paths.catalogue import SETTING_PATHS

# Settings drawn from a space with distributions.
N_DRAWN: Final = 50
_FORMS: Final = (
    "Give a dict of parameters to lists of values or scipy distributions, or a list of such dicts."
)


def read_settings(learner: Any, space: Any) -> list[dict[str, Any]]:
    """Return the settings of a space, including the learner's default.

    Parameters
    ----------
    learner : estimator
        The learner; parameters may be named without the prefix of a pipeline's last step.
    space : mapping or sequence of mapping
        Parameters with lists of values, in every combination. If there are scipy distributions,
        `N_DRAWN` settings are drawn, seeded by the names of the parameters.

    Returns
    -------
    list of dict
        Settings with full names of parameters, in the order of scikit-learn's `ParameterGrid`,
        without repetition. The default comes first if no grid contains it.

    Raises
    ------
    InvalidArgumentError
        If a parameter is unknown, a list is empty, or the space has another form.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> read_settings(KNeighborsClassifier(), {"n_neighbors": [1, 3]})
    [{'n_neighbors': 5}, {'n_neighbors': 1}, {'n_neighbors': 3}]
    """
    grids = [space] if isinstance(space, Mapping) else space
    is_list = isinstance(grids, Sequence) and not isinstance(grids, str)
    if not is_list or not grids or not all(isinstance(g, Mapping) and g for g in grids):
        raise InvalidArgumentError(
            f"space must hold parameters and their values; got {space!r}. {_FORMS}"
        )
    known = learner.get_params()
    prefix = _prefix_of(learner)
    settings: list[dict[str, Any]] = []
    for grid in grids:
        _check_values(grid)
        named = {_full_name(name, known, prefix): values for name, values in grid.items()}
        settings += _settings_of(named)
    usual = {name: known[name] for setting in settings for name in setting}
    keys = _Keys(known, learner)
    of_usual = keys.key(usual)
    kept = {keys.key(setting): setting for setting in reversed([{**usual, **s} for s in settings])}
    ordered = list(kept.values())[::-1]
    return ordered if of_usual in kept else [usual, *ordered]


def index_of_default(learner: Any, settings: Sequence[Mapping[str, Any]]) -> int:
    """Return the position of the learner's default setting."""
    known = learner.get_params()
    keys = _Keys(known, learner)
    usual = keys.key({name: known[name] for name in settings[0]})
    return [keys.key(setting) for setting in settings].index(usual)


def fresh_setting(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a setting with estimators cloned, so that no fit has changed them."""
    return {name: clone(value, safe=False) for name, value in setting.items()}


def short_names(learner: Any, setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting without the prefix of a pipeline's last step."""
    return {name.removeprefix(_prefix_of(learner)): value for name, value in setting.items()}


def _settings_of(grid: Mapping[str, Any]) -> list[dict[str, Any]]:
    from sklearn.model_selection import ParameterGrid, ParameterSampler

    if any(hasattr(values, "rvs") for values in grid.values()):
        seed = derive_seed("settings", *sorted(grid))
        return list(ParameterSampler(grid, N_DRAWN, random_state=seed))
    return list(ParameterGrid(dict(grid)))


def _check_values(grid: Mapping[str, Any]) -> None:
    for name, values in grid.items():
        is_values = isinstance(values, Sequence) and not isinstance(values, str)
        if hasattr(values, "tolist"):  # an array
            is_values = np.ndim(values) == 1
        if not hasattr(values, "rvs") and not (is_values and len(values)):
            raise InvalidArgumentError(
                f"values of {name!r} must be a list that is not empty, or a scipy distribution; "
                f"got {values!r}. {_FORMS}"
            )


class _Keys:
    """Keys of settings: 1 and 1.0 are equal, unless the learner distinguishes them.

    For scikit-learn's learners, ``max_features=1`` is one column and 1.0 is all.
    """

    def __init__(self, known: Mapping[str, Any], learner: Any) -> None:
        self._known, self._learner = known, learner
        self._tells_kinds: dict[str, bool] = {}

    def key(self, setting: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the key of a setting."""
        return tuple((name, self._of_value(name, setting[name])) for name in sorted(setting))

    def _of_value(self, name: str, value: Any) -> tuple[Any, ...]:
        value = value.item() if isinstance(value, np.generic) else value
        if isinstance(value, Real) and value == value:
            return (value, type(value) if self._tells(name) else Real)
        if isinstance(value, np.ndarray):
            return (repr(value.tolist()), np.ndarray)
        return (repr(value), type(value))

    def _tells(self, name: str) -> bool:
        if name not in self._tells_kinds:
            owner, _, own = name.rpartition("__")
            part = self._known.get(owner) if owner else self._learner
            self._tells_kinds[name] = takes_real_not_int(part, own)
        return self._tells_kinds[name]


def _prefix_of(learner: Any) -> str:
    """Return the prefix of the parameters of a pipeline's last step; empty for other learners."""
    steps = getattr(learner, "steps", None)
    return f"{steps[-1][0]}__" if isinstance(steps, list) and steps else ""


def _full_name(name: str, known: Mapping[str, Any], prefix: str) -> str:
    for full in (name, f"{prefix}{name}"):
        if full in known:
            return full
    is_full = "__" in str(name)
    own = [key.removeprefix(prefix) for key in known if key.startswith(prefix)]
    raise InvalidArgumentError(
        f"parameters of a space must be those of the learner; got {name!r}. "
        f"{nearest_name(str(name), known if is_full else own)}"
    )


# Range of false rejection rates that count as holding a level of 5%.
HELD_LEVELS: Final = (0.03, 0.07)
Space = Mapping[str, Any] | Sequence[Mapping[str, Any]]


def space_of(learner: Any, space: Any = None) -> Any:
    """Return the space to tune over: the given one, or that of the catalogue.

    Parameters
    ----------
    learner : estimator
        Any learner; for a pipeline, the last step counts.
    space : dict, list of dict or None, default=None
        As for `bestofk.tuning.Tuned`.

    Raises
    ------
    InvalidArgumentError
        If no space is given and the catalogue has none for the class.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> space_of(Ridge())["alpha"][:3]
    [0.001, 0.01, 0.1]
    """
    if space is not None:
        return space
    own = catalogue_space(learner)
    if not own:
        cls = type(split_pipeline(learner)[1]).__name__
        raise InvalidArgumentError(
            f"space of Tuned must be given for a learner without one in the catalogue; got None "
            f"for {cls}. Write Tuned(learner, {{'parameter': [values]}})."
        )
    return own


def catalogue_space(learner: Any) -> Space | None:
    """Return the catalogue's space for a learner; None if it has none."""
    entry = tuned_entry(learner)
    return None if entry is None else entry.space


def tuned_entry(learner: Any) -> LearnerEntry | None:
    """Return the entry of the catalogue whose space is used for a learner.

    Parameters
    ----------
    learner : estimator
        Any learner; the class and settings (else the family) of a pipeline's last step decide.

    Returns
    -------
    LearnerEntry or None
        Among entries with equal spaces, the one with a `tuned_name`, else the first. None if there
        is nothing to tune.

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> tuned_entry(learner_catalogue()["1nn"].make()).tuned_name
    'knn'
    """
    last = split_pipeline(learner)[1]
    entries = list(learner_catalogue(optional=True).values())
    same = [entry for entry in entries if class_in_memory(entry.estimator) is type(last)]
    if not same:
        traits = traits_of(last)
        family = [entry for entry in entries if entry.traits == traits != NO_TRAITS and entry.space]
        return next((entry for entry in family if _fits(entry.space, last)), None)
    known = last.get_params(deep=False)
    # several entries may share a class, such as support vectors with two kernels
    nearest = min(
        same,
        key=lambda entry: (
            sum(known[name] != value for name, value in entry.settings.items()),
            -len(entry.settings),
        ),
    )
    equal = [entry for entry in same if entry.space and entry.space == nearest.space]
    return max(equal, key=lambda entry: bool(entry.tuned_name), default=None)


def _fits(space: Space, learner: Any) -> bool:
    grids = [space] if isinstance(space, Mapping) else space
    return all(name in learner.get_params() for grid in grids for name in grid)


def is_tuned_by_default(entry: LearnerEntry) -> bool:
    """Return whether ``tune=True`` tunes it; with shared work, only if tests kept their level."""
    low, high = HELD_LEVELS
    return entry.estimator not in SETTING_PATHS or low <= (entry.tuned_level or 0.0) <= high
