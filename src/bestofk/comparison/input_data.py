"""Input data of a comparison: arrays, frames, files and names as checked data sets."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk.checks import check_known
from bestofk.comparison.options import is_default
from bestofk.data import DataSet, check_comparable, from_arrays
from bestofk.data.checks import with_guess
from bestofk.data.containers import checked_table, one_column
from bestofk.data.table_columns import table_columns
from bestofk.errors import InvalidArgumentError

_DEFAULTS = {"task": "auto", "groups": None, "sample_weight": None, "time": None,
             "new_groups": False}  # fmt: skip


def as_data_set(X: Any, y: Any, **options: Any) -> DataSet:
    """Return the data set of `X` and `y` as `compare` takes them, or raise."""
    data = _data_set(X, y, _DEFAULTS | options)
    check_comparable(data)
    return data


def _data_set(X: Any, y: Any, options: dict[str, Any]) -> DataSet:
    if isinstance(X, DataSet):
        given = {"y": y} | options
        usual = (None, "auto", False)
        extra = sorted(name for name, value in given.items() if not is_default(value, *usual))
        if extra:
            raise InvalidArgumentError(
                f"X must be arrays or a file where {' and '.join(extra)} "
                f"{'is' if len(extra) == 1 else 'are'} given; got a DataSet. Set it when the "
                "DataSet is made."
            )
        return X
    if isinstance(X, str | Path):
        from bestofk.data import load_data

        return load_data(X, target=y, weights=options.pop("sample_weight"), **options)
    items = X if isinstance(X, list | tuple) else [X]
    if items and all(map(_is_learner, items)):
        got = f"a list of learners ({X[0]!s} ...)" if items is X else f"a learner ({X})"
        raise InvalidArgumentError(
            f"X must be data; got {got}. Learners come first: compare(learners, data)."
        )
    X = checked_table(X)
    names = [str(name) for name in getattr(X, "columns", ())]
    if not names:
        return from_arrays(X, y, **options)
    return _from_frame(X, y, names, options)


def _is_learner(item: Any) -> bool:
    return isinstance(item, str) or hasattr(item, "fit")


def _from_frame(X: Any, y: Any, names: Sequence[str], options: dict[str, Any]) -> DataSet:
    """Return the data set of a frame; target, groups and weights may be names of its columns."""
    from bestofk.data.assemble import guess_sentence, guessed_target, why_target
    from bestofk.data.column_reader import selected_columns
    from bestofk.data.time_column import TimeColumn

    taken = {}
    for argument in ("groups", "sample_weight"):
        name = options[argument]
        if isinstance(name, str):
            check_known(name, argument, names, rule="a column of X, or one value per row")
            taken[name] = argument
            options = options | {argument: selected_columns(X, [name])}
    if options["time"] is not None and not options["new_groups"]:
        taken = {name: part for name, part in taken.items() if part != "groups"}
    if isinstance(options["time"], str):
        name = options["time"]
        check_known(name, "time", names, rule="a column of X, or one value per row")
        time = TimeColumn.of(name, one_column(selected_columns(X, [name]), "time"))
        options = options | {"time": time}
        if not time.is_date or (isinstance(y, str) and name == y):
            taken[name] = "time"
    why, guess = "as asked for", ""
    if y is None:
        columns = zip(names, table_columns(X), strict=True)
        free = {name: column for name, column in columns if name not in taken}
        y = guessed_target(free, "X")
        other = next((name for name in free if name != y), "COLUMN")
        why = why_target(y)
        guess = guess_sentence(y, why, f"target={other!r}")
    if isinstance(y, int | float | tuple) and str(y) in names:
        y = str(y)
    if isinstance(y, str) and y in taken:
        raise InvalidArgumentError(
            f"column {y!r} must play one part; got target and {taken[y]}. Name another."
        )
    if isinstance(y, int | float):
        check_known(y, "target", names, rule="a name of a column, or one value per row")
    if taken:
        X = selected_columns(X, [name for name in names if name not in taken])
    try:
        data = from_arrays(X, y, **options)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(with_guess(guess, str(error))) from error
    if not isinstance(y, str):
        return data
    what = "labels" if data.is_classification else "numbers"
    note = f"Target: {y!r} ({why}), read as {what}."
    return replace(data, target_guess=guess, notes=(note, *data.notes))
