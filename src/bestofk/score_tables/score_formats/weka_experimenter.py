"""Results of WEKA's Experimenter, as ARFF or CSV.

One row per data set, run, fold and scheme; random splits have runs alone.  A scheme is called
by its class, with its options where one class comes with several.
"""

import re
from collections.abc import Sequence
from typing import Final

from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import ROLES, same_name
from bestofk.score_tables.score_formats.score_format import (
    ScoreFormat,
    ScoreTable,
    SourceTable,
    by_column,
    check_filled,
)

# Columns of WEKA by their roles here; without folds the runs are random splits.
_NEEDED: Final = {"dataset": "Key_Dataset", "repeat": "Key_Run", "learner": "Key_Scheme"}
KEYS: Final = _NEEDED | {"fold": "Key_Fold"}
NUMBERS: Final = {
    "n_train": "Number_of_training_instances",
    "n_test": "Number_of_testing_instances",
    "train_seconds": "Elapsed_Time_training",
    "predict_seconds": "Elapsed_Time_testing",
}
_ROLES: Final = KEYS | NUMBERS
_OPTIONS = "Key_Scheme_options"
_NO_MEASURES = re.compile(r"Key_.*|Date_time|Number_of_.*|Summary|measure.*|SF_.*prior_entropy")
_LOWER = re.compile(r".*(incorrect|unclassified|error|false|scheme_entropy|time|size)", re.I)
_HIGHER = re.compile(
    r".*(correct|kappa|kb_|gain|true|ir_|f_measure|matthews|area|correlation|coverage)", re.I
)
_JAVA_PACKAGE = re.compile(r"(\w+\.)+(?=[A-Z]\w*$)")
_USUAL: Final = ("Percent_incorrect", "Percent_correct", "Root_mean_squared_error")


def _recognizes(source: SourceTable) -> bool:
    return any(name.startswith("Key_") for name in (*source.columns, *source.roles.values()))


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    given = source.columns
    lacking = [n for role, n in _NEEDED.items() if role not in given and n not in given]
    if lacking:
        averages = any(name.startswith("Avg_") for name in given)
        raise InvalidArgumentError(
            f"results of WEKA's Experimenter must have the columns "
            f"{', '.join(_NEEDED.values())}; got no {', '.join(lacking)}. "
            + (
                "They are averages: save the results of single runs (no AveragingResultProducer)."
                if averages
                else "Save them again with all keys, or name columns by --map."
            )
        )
    columns = {role: given[name] for role, name in _ROLES.items() if name in given}
    columns |= {role: given[role] for role in (*_ROLES, "seconds") if role in given}
    check_filled({_ROLES[role]: columns[role] for role in KEYS if role in columns})
    notes = [f"Format: WEKA Experimenter, {'folds' if 'fold' in columns else 'random splits'}."]
    if "learner" not in given:
        columns["learner"], named = _learner_names(given["Key_Scheme"], given.get(_OPTIONS))
        notes += named
    known = [name for name in given if name not in ROLES and not _NO_MEASURES.fullmatch(name)]
    chosen = _chosen(known, measure)
    if measure is None and len(known) > 1:
        notes.append(f"Measure: {chosen}, the usual one; --measure names another of {len(known)}.")
    if (better := _is_greater_better(chosen)) is not None:
        columns["greater_is_better"] = [better] * len(given[chosen])
    long, rows = by_column(columns | {chosen: given[chosen]}, [chosen])
    return source.scores(long, notes, rows=rows)


def _chosen(known: Sequence[str], wanted: str | None) -> str:
    """Return the measure that is wanted, or the usual one."""
    names = _USUAL if wanted is None else (same_name(wanted, known) or wanted,)
    fitting = [name for name in names if name in known]
    scored = [name for name in known if name not in _ROLES.values()]
    if wanted is None and len(scored) == 1:
        return scored[0]
    if not fitting:
        raise InvalidArgumentError(
            f"measure must be one of the results; got {wanted or 'none'}. "
            f"{nearest_name(wanted or _USUAL[0], known)}"
        )
    return fitting[0]


def _is_greater_better(measure: str) -> bool | None:
    """Return the direction of a measure of WEKA; None where it has none.

    Examples
    --------
    >>> [_is_greater_better(name) for name in ("Percent_incorrect", "Area_under_ROC", "rules")]
    [False, True, None]
    """
    if _LOWER.match(measure):
        return False
    return True if _HIGHER.match(measure) else None


def _learner_names(
    schemes: Sequence[str], options: Sequence[str | None] | None
) -> tuple[list[str], list[str]]:
    """Return a name for each row, short where no other scheme has it, and what the names mean."""
    rows = [
        (str(scheme), (option or "").strip())
        for scheme, option in zip(schemes, options or [""] * len(schemes), strict=True)
    ]
    full = {key: " ".join(key).strip() for key in dict.fromkeys(rows)}
    classes = {key: _JAVA_PACKAGE.sub("", key[0]) for key in full}
    with_options = {key: f"{classes[key]} {key[1]}".strip() for key in full}
    names = {}
    for key in full:
        choices = (classes, with_options, full)
        names[key] = next(
            (choice[key] for choice in choices if [*choice.values()].count(choice[key]) == 1),
            full[key],
        )
    said = [f"{name} is {full[key]}" for key, name in names.items() if name != full[key]]
    return [names[key] for key in rows], [f"Learners: {'; '.join(said)}."] if said else []


FORMAT = ScoreFormat(_recognizes, _read)
