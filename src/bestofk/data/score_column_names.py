"""Columns of score tables under the names that others give them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bestofk.data.number_forms import are_numbers
from bestofk.errors import InvalidArgumentError

# Columns of a score table by their names here; the first nine describe a score.
ROLES: Final = (
    "dataset", "learner", "repeat", "fold", "measure", "value", "n_train", "n_test",
    "greater_is_better", "status", "train_seconds", "predict_seconds", "message", "plan",
    "train_cpu_seconds", "predict_cpu_seconds", "is_isolated", "peak_bytes", "is_crowded",
    "fit_mode", "way", "seconds",
)  # fmt: skip
LABELS: Final = (
    "dataset", "plan", "learner", "measure", "status", "fit_mode", "way", "message"
)  # fmt: skip

# Names that tables of others use, as `plain_name` writes them; the first that is there counts.
OTHER_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "learner": (
        "algorithm", "method", "classifier", "model", "framework", "estimator", "configuration",
        "learner_name", "alg_name", "algorithm_name", "method_name", "model_name", "learner_id",
    ),
    "dataset": (
        "data_set", "data_set_name", "dataset_name", "data_name", "data_set_id", "dataset_id",
        "openml_dataset_id", "data", "task", "task_id", "problem", "instance_id",
    ),
    "repeat": ("rep", "repetition", "iteration", "run", "split"),  # of folds only next to repeats
    "fold": ("split", "cv_fold"),
    "status": ("state", "runstatus"),
    "train_seconds": (
        "train_time", "training_time", "time_train", "time_train_s", "fit_seconds", "fit_time",
    ),
    "predict_seconds": (
        "predict_time", "test_time", "time_predict", "time_infer_s", "score_time",
    ),
    "seconds": ("time", "time_s", "total_seconds", "total_time", "runtime", "run_time"),
}  # fmt: skip
_STARTS_LIKE_A_NUMBER: Final = re.compile(r"[-+]?[.,]?\d")
_TEXTS = ("learner", "dataset", "status")
SECONDS: Final = ("train_seconds", "predict_seconds", "seconds")  # of a row; the last one in all


def with_known_names(
    columns: Mapping[str, list[Any]], *, measure: str | None = None
) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the columns of a score table under the names of this package, and what was guessed.

    Parameters
    ----------
    columns : mapping of str to list
        Texts or numbers by name.
    measure : str, optional
        A column that keeps its name, as scores are read from it.

    Returns
    -------
    columns : dict of str to list
        As they are where the names of this package are there.
    notes : list of str
        A sentence for each column that was renamed.

    Raises
    ------
    InvalidArgumentError
        If several columns may name the learners.

    Examples
    --------
    >>> with_known_names({"model": ["a", "b"], "acc": [0.5, 0.7]})
    ({'learner': ['a', 'b'], 'acc': [0.5, 0.7]}, ["Column 'model' is read as learner."])
    """
    named, notes = dict(columns), []
    for wanted, others in OTHER_NAMES.items():
        if wanted in named:
            continue
        plain = {
            plain_name(name): name
            for name in reversed(named)
            if name != measure and _fits(wanted, name, named)
        }
        fitting = [plain[other] for other in others if other in plain]
        if wanted == "learner" and len(fitting) > 1:
            raise InvalidArgumentError(
                f"column of learners must be known; got {' and '.join(fitting)}. Name it by --map "
                f"learner={fitting[0]} (columns={{'learner': {fitting[0]!r}}})."
            )
        if fitting:
            named = {wanted if name == fitting[0] else name: v for name, v in named.items()}
            notes.append(f"Column {fitting[0]!r} is read as {wanted}.")
    return named, notes


def _fits(wanted: str, name: str, columns: Mapping[str, list[Any]]) -> bool:
    """Return whether a column holds names or counts, as its role wants; ids are either.

    Times go by their name alone, so that one that is none is refused where times are needed.
    """
    if wanted in SECONDS:
        return True
    if plain_name(name).endswith("_id"):
        return wanted in _TEXTS
    return hold_numbers(columns[name]) == (wanted not in _TEXTS)


def measure_columns(columns: Mapping[str, list[Any]]) -> list[str]:
    """Return the columns of numbers that have no role.

    Without any those that begin with a digit in some row, else those that are empty, else the
    only one: reading their values says what is wrong with them.

    Examples
    --------
    >>> measure_columns({"learner": ["a"], "fold": [1], "acc": [0.5], "note": ["x"]})
    ['acc']
    >>> measure_columns({"learner": ["a", "b"], "acc": ["85%", "good"], "note": ["x", "y"]})
    ['acc']
    """
    others = {name: values for name, values in columns.items() if name not in ROLES}
    numbers = [name for name, values in others.items() if hold_numbers(values)]
    partly = [
        name
        for name, values in others.items()
        if any(_STARTS_LIKE_A_NUMBER.match(str(value)) for value in values if value is not None)
    ]
    empty = [name for name, values in others.items() if all(value is None for value in values)]
    return numbers or partly or empty or (list(others) if len(others) == 1 else [])


def known_spelling(name: str) -> str:
    """Return the role that a name spells, whatever its letters and blanks; else the name.

    Examples
    --------
    >>> known_spelling("Data set"), known_spelling("n-train"), known_spelling(" My acc ")
    ('dataset', 'n_train', 'My acc')
    """
    joined = plain_name(name).replace("_", "")
    return next((role for role in ROLES if role.replace("_", "") == joined), name.strip())


def plain_name(name: str) -> str:
    """Return a name in small letters, its words divided by one underscore.

    Examples
    --------
    >>> plain_name("Data set"), plain_name("classif.ce")
    ('data_set', 'classif_ce')
    """
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")


def hold_numbers(values: Sequence[Any]) -> bool:
    """Return whether all values that are there are numbers, at least one of them."""
    texts = [str(value) for value in values if value is not None]
    return bool(texts) and are_numbers(texts)
