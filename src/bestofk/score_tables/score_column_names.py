"""Columns of score tables under the names that other tools use."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
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
        "classifier_name", "regressor", "pipeline",
    ),
    "dataset": (
        "data_set", "data_set_name", "dataset_name", "data_name", "data_set_id", "dataset_id",
        "openml_dataset_id", "data", "task", "task_id", "task_name", "problem", "instance_id",
    ),
    "measure": (
        "metric", "scorer", "scoring", "metric_name", "measure_name", "score_name", "eval_metric",
        "measures", "metrics",
    ),
    "value": (  # only next to measures
        "score", "metric_value", "measure_value", "score_value", "result", "performance",
        "estimate", "values", "scores",
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
    "seconds": ("time", "time_s", "total_seconds", "total_time", "runtime", "run_time",
        "time_taken", "tt_sec", "elapsed", "elapsed_time",
    ),
}  # fmt: skip
_NO_SCORE: Final = re.compile(
    r"(n|nr|num|number_of)_\w+|(\w+_)?(id|seed|random_state|timestamp|std|sd|std_err|se|sem)|"
    r"index|rank|n|rows|instances|samples|features|attributes|classes|size"
)
_TEXTS = ("learner", "dataset", "status", "measure")
_SOUGHT: Final = {"learner": "learners", "value": "scores"}  # roles that must not be guessed
# Columns that say the same as that of a role, each within a value of the columns after it.
_SECONDS: Final = {
    "learner": ("learner",),
    "dataset": ("dataset",),
    "measure": ("dataset", "measure"),
}
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
        If several columns may name the learners or hold the scores, or a second column of
        learners, data sets or measures tells apart what the first one does not.

    Examples
    --------
    >>> with_known_names({"model": ["a", "b"], "acc": [0.5, 0.7]})
    ({'learner': ['a', 'b'], 'acc': [0.5, 0.7]}, ["Column 'model' is read as learner."])
    """
    named, notes = _with_caret_splits(columns), []
    for wanted, others in OTHER_NAMES.items():
        if wanted in named or (wanted == "value" and "measure" not in named):
            continue
        plain = {
            plain_name(name): name
            for name in reversed(named)
            if name != measure and _fits(wanted, name, named)
        }
        fitting = [plain[other] for other in others if other in plain]
        if wanted in _SOUGHT and len(fitting) > 1:
            raise InvalidArgumentError(
                f"column of {_SOUGHT[wanted]} must be known; got {' and '.join(fitting)}. Name it "
                f"by --map {wanted}={fitting[0]} (columns={{{wanted!r}: {fitting[0]!r}}})."
            )
        if fitting:
            named = {wanted if name == fitting[0] else name: v for name, v in named.items()}
            notes.append(f"Column {fitting[0]!r} is read as {wanted}.")
    for role, keys in _SECONDS.items():
        for name in [*named] if role in named else []:
            if name != measure and plain_name(name) in OTHER_NAMES[role]:
                _check_says_the_same(named, name, keys)
                del named[name]
                notes.append(f"Column {name!r} says the same as {role}; it is not used.")
    return named, notes


def _with_caret_splits(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Return columns with repeat and fold in place of what R's caret calls resamples."""
    named = dict(columns)
    title = next((name for name in columns if plain_name(name) == "resample"), "")
    parts = [
        re.fullmatch(r"Fold(\d+)(?:\.Rep(\d+))?", str(text)) for text in columns.get(title, [])
    ]
    if parts and all(parts):
        del named[title]
        named["fold"] = [int(part[1]) for part in parts if part]
        named["repeat"] = [int(part[2] or 1) for part in parts if part]
    return named


def is_of_other_role(name: str) -> bool:
    """Return whether the name of a column says that it does not hold data sets."""
    names = {n: OTHER_NAMES[n] for n in OTHER_NAMES if n != "dataset"}
    return plain_name(name) == "resample" or any(plain_name(name) in n for n in names.values())


def _check_says_the_same(columns: Mapping[str, list[Any]], name: str, keys: Sequence[str]) -> None:
    """Refuse a second column of learners, data sets or measures that the first does not imply."""
    cells = list(zip(*(map(str, columns[key]) for key in keys if key in columns), strict=True))
    if len({*zip(cells, map(str, columns[name]), strict=True)}) > len({*cells}):
        role = keys[-1]
        raise InvalidArgumentError(
            f"column {name!r} must have one value within a {role}; got several. Keep the rows of "
            f"one, or name the column of {role}s by --map {role}={name} "
            f"(columns={{{role!r}: {name!r}}})."
        )


def _fits(wanted: str, name: str, columns: Mapping[str, list[Any]]) -> bool:
    """Return whether a column holds names or counts, as its role requires; ids may be either.

    Times go by their name alone, so that one that is none is refused where times are needed.
    """
    if wanted in SECONDS:
        return True
    if name == ".estimator":  # how tidymodels averages over classes
        return False
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
    counts = [name for name, values in others.items() if hold_numbers(values)]
    numbers = [name for name in counts if not is_no_score(name)] or counts
    partly = [
        name
        for name, values in others.items()
        if any(starts_like_a_number(str(value)) for value in values if value is not None)
    ]
    empty = [name for name, values in others.items() if all(value is None for value in values)]
    return numbers or partly or empty or (list(others) if len(others) == 1 else [])


def starts_like_a_number(text: str) -> bool:
    """Return whether a text begins as numbers do, as "85%" and "inf" do.

    Examples
    --------
    >>> [starts_like_a_number(text) for text in ("85%", "-.5", "-inf", "c4.5")]
    [True, True, True, False]
    """
    return re.match(r"[-+]?([.,]?\d|(inf|nan)\b)", text, re.IGNORECASE) is not None


def truth(value: Any) -> bool | None:
    """Return the truth value of a cell; None if it holds something else.

    Examples
    --------
    >>> [truth(value) for value in (True, "FALSE", "1.0", 0, "maybe")]
    [True, False, True, False, None]
    """
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    return words.get(str(value).strip().lower().removesuffix(".0"))


def number_or_nan(value: Any) -> float:
    """Return a finite number; nan where a cell holds none.

    Examples
    --------
    >>> [number_or_nan(value) for value in ("0.5", None, "inf", "much")]
    [0.5, nan, nan, nan]
    """
    try:
        number = float(str(value).strip())
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def is_no_score(name: str) -> bool:
    """Return whether a column counts or numbers something, by its name.

    Examples
    --------
    >>> [is_no_score(name) for name in ("n_rows", "seed", "task_id", "nearest", "accuracy")]
    [True, True, True, False, False]
    """
    return _NO_SCORE.fullmatch(plain_name(name)) is not None


def same_name(wanted: str | None, names: Iterable[str]) -> str | None:
    """Return the matching name, ignoring case, blanks and punctuation; None if there is none.

    Examples
    --------
    >>> same_name("roc auc", ["accuracy", "ROC_AUC"])
    'ROC_AUC'
    """
    known = list(names)
    if wanted is None or wanted in known:
        return wanted
    fitting = [name for name in known if plain_name(name) == plain_name(wanted)]
    return fitting[0] if len(fitting) == 1 else None


def known_spelling(name: str) -> str:
    """Return the role that a name spells, ignoring case and blanks; otherwise the name.

    Examples
    --------
    >>> known_spelling("Data set"), known_spelling("n-train"), known_spelling(" My acc ")
    ('dataset', 'n_train', 'My acc')
    """
    joined = plain_name(name).replace("_", "")
    return next((role for role in ROLES if role.replace("_", "") == joined), name.strip())


def plain_name(name: str) -> str:
    """Return a name in lower case, with one underscore between words.

    Examples
    --------
    >>> plain_name("Data set"), plain_name("classif.ce")
    ('data_set', 'classif_ce')
    """
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_") or name


def hold_numbers(values: Sequence[Any]) -> bool:
    """Return whether all values are numbers or missing, and at least one is a number."""
    texts = [str(value) for value in values if value is not None]
    return bool(texts) and are_numbers(texts)
