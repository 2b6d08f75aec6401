"""Histories from a pair of wide tables: scores or errors, and seconds.

Each table has one row per data set and one column per learner; its first column names the
data sets.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

from bestofk.data.file_errors import broken, check_same
from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.history import History
from bestofk.recommendation.table_figures import (
    Figures,
    check_direction,
    check_not_negative,
    history_of_figures,
    names_in,
    read_numbers,
    read_table,
    scores_in_range,
)

Source = str | os.PathLike[str]


def read_wide_tables(
    *, scores: Source | None = None, errors: Source | None = None, seconds: Source | None = None
) -> History:
    """Read a history from one table of scores or errors and one of seconds.

    Parameters
    ----------
    scores, errors : str or Path
        One of the two, a CSV file, gzipped or not: the first column names the data sets, each
        other column is a learner.  From 0 to 1; the score is 1 - error.  An empty cell was
        not tested.
    seconds : str or Path, optional
        The same data sets and learners in any order: seconds of the whole test.  A time
        without a score is what a failed test took.

    Returns
    -------
    History

    Raises
    ------
    InvalidArgumentError
        If a table cannot be read or names something twice, rows or columns differ, a value is
        no number or out of range, a score has no time, or the name of a file says the
        opposite direction.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     scores, seconds = Path(folder, "scores.csv"), Path(folder, "seconds.csv")
    ...     _ = scores.write_text(chr(10).join(["data,lda,tree", "iris,0.98,0.94"]))
    ...     _ = seconds.write_text(chr(10).join(["data,tree,lda", "iris,1,2"]))
    ...     history = read_wide_tables(scores=scores, seconds=seconds)
    >>> history.learners, history.seconds.tolist()
    (('lda', 'tree'), [[2.0, 1.0]])
    """
    if (scores is None) == (errors is None):
        raise InvalidArgumentError(
            "wide tables must be scores or errors, one of the two; got "
            f"{'neither' if scores is None else 'both'}. Say which, so that the direction is known."
        )
    path = Path(str(errors if scores is None else scores))
    check_direction(path.name, str(path), "errors" if scores is None else "scores")
    wide = _read_wide(path)
    values = scores_in_range(path, wide.to_numpy().ravel(), _cells(wide), is_error=scores is None)
    times = None
    if seconds is not None:
        timed = _read_wide(Path(seconds))
        check_not_negative(Path(seconds), timed.to_numpy().ravel(), _cells(timed))
        check_same("rows", path, wide.index, Path(seconds), timed.index)
        check_same("columns", path, wide.columns, Path(seconds), timed.columns)
        times = timed.loc[wide.index, wide.columns].to_numpy()
    figures = Figures(path, tuple(wide.index), tuple(wide), values.reshape(wide.shape), times)
    return history_of_figures(figures, "1 - error" if scores is None else "score", [])


def _read_wide(path: Path) -> pd.DataFrame:
    """Read a table whose first column names each data set once."""
    table = read_table(path)
    first, *learners = table.columns
    if not learners:
        raise broken(path, "have a column of names and one per learner", "one column")
    names = pd.Index(names_in(path, table, first), dtype=object)
    if not names.is_unique:
        twice = names[names.duplicated(keep=False)][0]
        raise broken(path, "have one row per data set", f"several of {twice}", "Average them.")
    values = [read_numbers(path, table, name, [f"{name} on {row}" for row in names])
              for name in learners]  # fmt: skip
    return pd.DataFrame(np.column_stack(values), names, pd.Index(learners, dtype=object))


def _cells(wide: pd.DataFrame) -> list[str]:
    """Return the data set and learner of each value, row by row."""
    return [f"{learner} on {data_set}" for data_set in wide.index for learner in wide]
