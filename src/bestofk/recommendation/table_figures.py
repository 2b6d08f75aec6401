"""Scores and seconds of the rows of a long table, with a check of every cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Floats, Positions, Values
from bestofk.data.file_errors import broken
from bestofk.evaluation.status import MISSING, OK, Meaning


def refuse_values(
    path: Path,
    is_wrong: Bools,
    values: Floats,
    cells: Sequence[str],
    *,
    rule: str,
    way_out: str = "",
) -> None:
    """Raise if a value is wrong; `cells` says what each is about."""
    if is_wrong.any():
        index = int(is_wrong.argmax())
        raise broken(path, rule, f"{values[index]:g} for {cells[index]}", way_out)


@dataclass(frozen=True, eq=False)
class LongRows:
    """Data set and learner of each row of a long table.

    Parameters
    ----------
    data_sets, learners : tuple of str
        Rows and columns of the wide table that the rows make.
    data_set, learner : ndarray of shape (n_rows,)
        Their positions, row by row.
    """

    data_sets: tuple[str, ...]
    learners: tuple[str, ...]
    data_set: Positions
    learner: Positions

    @classmethod
    def of(
        cls, data_set: Sequence[str], learner: Sequence[str], learners: Iterable[str] = ()
    ) -> LongRows:
        """Return the rows of these names; `learners` gives the order of columns, if known."""
        rows = {name: index for index, name in enumerate(dict.fromkeys(data_set))}
        columns = {name: index for index, name in enumerate(dict.fromkeys(learners or learner))}
        return cls(
            tuple(rows), tuple(columns),
            np.array([rows[name] for name in data_set]),
            np.array([columns[name] for name in learner]),
        )  # fmt: skip

    @property
    def cells(self) -> list[str]:
        """Return what each row is about, for an error."""
        return [f"{self.learners[j]} on {self.data_sets[i]}"
                for i, j in zip(self.data_set, self.learner, strict=True)]  # fmt: skip

    def summed(self, values: Values) -> Floats:
        """Return the sum over the rows of each data set and learner."""
        total = np.zeros((len(self.data_sets), len(self.learners)))
        np.add.at(total, (self.data_set, self.learner), values)
        return total

    def means(self, values: Values, n_rows: Floats, where: Bools) -> Floats:
        """Return the mean over `n_rows` rows of some cells; nan for the others."""
        total = self.summed(values)
        return np.asarray(np.divide(total, n_rows, out=np.full(total.shape, np.nan), where=where))

    def states(self, is_ok: Bools, statuses: Iterable[str | None]) -> NDArray[np.str_]:
        """Return the first other status of each cell, else ok or missing."""
        says_no_more = Meaning(OK, MISSING)  # than whether there is a score
        states = np.where(is_ok, OK, MISSING).astype(object)
        for i, j, status in zip(self.data_set, self.learner, statuses, strict=True):
            is_other = status is not None and not says_no_more(status.casefold())
            if is_other and says_no_more(states[i, j]):
                states[i, j] = status
        return states.astype(str)
