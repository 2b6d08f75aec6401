"""Ways through the package: which functions receive what was handed in, in order.

    python -m tests.walk

A step is the first call of a function of another file of the package with the thing, or what was
made of it, among its arguments. A return is a step into a file that was entered and left before.
Names are those of the parameters in which it arrives; a method of the thing itself is no step.
"""

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pandas as pd
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import bestofk
from bestofk.data import DataSet, load_data
from bestofk.data.plain_block import PlainBlock
from bestofk.data.table import Table
from bestofk.data.text_layout import Layout
from bestofk.data.written_columns import NumberColumn, TextColumn
from bestofk.learners import Learner
from bestofk.learners.written_learners import WrittenLearner

SOURCE = str(Path(bestofk.__file__).parent) + "/"
# How the first function of all gives others their options.
ENTRANCE = "options.py"


@dataclass(frozen=True)
class Step:
    """Function that receives the thing, and the parameters in which it does."""

    file: str
    function: str
    names: tuple[str, ...]


def n_files(steps: list[Step]) -> int:
    return len({step.file for step in steps})


def n_returns(steps: list[Step]) -> int:
    entered: set[str] = set()
    count, before = 0, ""
    for step in steps:
        count += step.file in entered and step.file != before
        entered.add(step.file)
        before = step.file
    return count


def n_names(steps: list[Step]) -> int:
    return len({name for step in steps for name in step.names})


def followed(call: Callable[[], Any], is_thing: Callable[[Any], bool]) -> list[Step]:
    """Return the steps of a thing through the package while something is called."""
    found: dict[tuple[str, str], set[str]] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(SOURCE) or code.co_name[0] == "<":
            return
        file = code.co_filename.removeprefix(SOURCE)
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        arrives = {n for n in names if n not in ("self", "cls") and is_thing(frame.f_locals[n])}
        if not arrives or file == ENTRANCE or _caller(frame) == code.co_filename:
            return
        found.setdefault((file, code.co_qualname), set()).update(arrives)

    # runs are done in a thread of their own, so that Ctrl-C is answered at once
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return [Step(*where, tuple(sorted(names))) for where, names in found.items()]


def _caller(frame: FrameType) -> str:
    """Return the file of the package from which a function was called."""
    caller = frame.f_back
    while caller is not None and not caller.f_code.co_filename.startswith(SOURCE):
        caller = caller.f_back
    return "" if caller is None else caller.f_code.co_filename


def way_of_learners(**options: Any) -> list[Step]:
    """Return the way of learners: as typed, as read, as records, and as estimators of records."""
    given = [
        "majority",
        "naive-bayes(var_smoothing=1e-8)",
        "tuned(5nn)",
        ("mine", DecisionTreeClassifier()),
    ]
    estimators = [given[3][1]]

    def is_thing(item: Any) -> bool:
        if isinstance(item, list | tuple):
            return item is given or any(map(is_thing, item))
        if isinstance(item, Learner):
            estimators.append(item.estimator)
            return True
        if isinstance(item, str):  # once there are records, it is a name
            return item in given and len(estimators) == 1
        is_read = isinstance(item, WrittenLearner)
        return is_read or any(item is known for known in estimators)

    rows = load_iris(as_frame=True).frame[::5]
    return followed(lambda: _compared(given, rows, options), is_thing)


def way_of_data(**options: Any) -> list[Step]:
    """Return the way of data: as handed in, as data sets, and as tables of some of their rows."""
    frame = load_iris(as_frame=True).frame

    def is_thing(item: Any) -> bool:
        return isinstance(item, DataSet) or (
            isinstance(item, pd.DataFrame) and frame.columns[0] in item.columns
        )

    return followed(lambda: _compared(["majority", "5nn"], frame, options), is_thing)


def way_of_file(path: Path) -> list[Step]:
    """Return the way of a file: as a path, as bytes and text, as columns, tables and data sets."""

    def is_thing(item: Any) -> bool:
        if isinstance(item, bytes | str):
            return item == str(path) or len(item) > path.stat().st_size / 2
        kinds = (Path, Layout, PlainBlock, TextColumn, NumberColumn, pd.Series, pd.DataFrame)
        return isinstance(item, (*kinds, Table, DataSet))

    return followed(lambda: load_data(path), is_thing)


def _compared(learners: Any, X: Any, options: dict[str, Any]) -> str:
    result: str = bestofk.compare(learners, X, **{"cv": "2x2", "progress": False} | options).text()
    return result


if __name__ == "__main__":
    patients = Path(__file__).parents[1] / "docs" / "patients.csv"
    for steps in (way_of_learners(), way_of_data(), way_of_file(patients)):
        for step in steps:
            sys.stdout.write(f"{step.file:43} {step.function:45} {', '.join(step.names)}\n")
        counts = len(steps), n_files(steps), n_returns(steps), n_names(steps)
        sys.stdout.write("{} steps, {} files, {} returns, {} names\n\n".format(*counts))
