"""Columns of score tables under the names that others give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bestofk.data.number_forms import are_numbers

_OTHER_NAMES = {
    "learner": ("model", "algorithm", "classifier", "method", "framework", "estimator"),
    "dataset": ("data", "data set", "data_set", "task", "problem"),
    "repeat": ("rep", "repetition", "iteration", "run"),
    "fold": ("split", "cv_fold"),
}
_TEXTS = ("learner", "dataset")


def with_known_names(
    columns: Mapping[str, list[Any]], about: Sequence[str]
) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the columns of a score table under the names of this package, and what was guessed.

    A long table with a column for each measure gets the columns measure and value.

    Parameters
    ----------
    columns : mapping of str to list
        Texts or numbers by name.
    about : sequence of str
        Names of this package.

    Returns
    -------
    columns : dict of str to list
        As they are where the names of this package are there.
    notes : list of str
        A sentence for each column that was renamed.

    Examples
    --------
    >>> with_known_names({"model": ["a", "b"], "acc": [0.5, 0.7]}, ["learner", "value", "measure"])
    ({'learner': ['a', 'b'], 'value': [0.5, 0.7], 'measure': ['acc', 'acc']}, \
["Column 'model' is read as learner."])
    """
    named, notes = dict(columns), []
    for wanted, others in _OTHER_NAMES.items():
        fitting = [
            name
            for name, values in named.items()
            if name.casefold() in others and _are_numbers(values) == (wanted not in _TEXTS)
        ]
        if wanted not in named and len(fitting) == 1:
            named = {wanted if name == fitting[0] else name: v for name, v in named.items()}
            notes.append(f"Column {fitting[0]!r} is read as {wanted}.")
    if "learner" not in named or "value" in named or "measure" in named:
        return named, notes
    measures = [name for name, v in named.items() if name not in about and _are_numbers(v)]
    if not measures:
        return named, notes
    kept = {name: values * len(measures) for name, values in named.items() if name not in measures}
    kept["value"] = [value for name in measures for value in named[name]]
    kept["measure"] = [name for name in measures for _ in named[name]]
    return kept, notes


def _are_numbers(values: Sequence[Any]) -> bool:
    """Tell whether all values that are there are numbers, at least one of them."""
    texts = [str(value) for value in values if value is not None]
    return bool(texts) and are_numbers(texts)
