"""Scores and seconds of the rows of a long table, with a check of every cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.data.file_errors import broken
from bestofk.recommendation.a3r import SHORTEST_SECONDS
from bestofk.recommendation.fold_scores import FoldScores
from bestofk.recommendation.history import MISSING, OK, History


def refuse_values(
    path: Path,
    is_wrong: NDArray[np.bool_],
    values: NDArray[np.float64],
    cells: Sequence[str],
    *,
    rule: str,
    way_out: str = "",
) -> None:
    """Raise if a value is wrong; `cells` says what each is about."""
    if is_wrong.any():
        index = int(is_wrong.argmax())
        raise broken(path, rule, f"{values[index]:g} for {cells[index]}", way_out)


def scores_in_range(
    path: Path, values: NDArray[np.float64], cells: Sequence[str], *, is_error: bool
) -> NDArray[np.float64]:
    """Return scores of values from 0 to 1: they themselves, or 1 minus each where they are errors.

    `cells` says what each value is about.
    """
    refuse_values(
        path, (values < 0) | (values > 1), values, cells,
        rule=f"have {'errors' if is_error else 'scores'} from 0 to 1",
        way_out="Divide percentages by 100; leave out measures of another range.",
    )  # fmt: skip
    return 1 - values if is_error else values


def check_not_negative(path: Path, values: NDArray[np.float64], cells: Sequence[str]) -> None:
    """Raise if a time is below 0; `cells` says what each is about."""
    refuse_values(
        path, values < 0, values, cells,
        rule="have seconds of at least 0", way_out="Leave a cell empty where a time is not known.",
    )  # fmt: skip


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
    data_set: NDArray[np.intp]
    learner: NDArray[np.intp]

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

    def summed(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum over the rows of each data set and learner."""
        total = np.zeros((len(self.data_sets), len(self.learners)))
        np.add.at(total, (self.data_set, self.learner), values)
        return total

    def means(
        self, values: NDArray[Any], n_rows: NDArray[np.float64], where: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the mean over `n_rows` rows of some cells; nan for the others."""
        total = self.summed(values)
        return np.asarray(np.divide(total, n_rows, out=np.full(total.shape, np.nan), where=where))

    def states(self, is_ok: NDArray[np.bool_], statuses: Iterable[str | None]) -> NDArray[np.str_]:
        """Return the first other status of each cell, else ok or missing."""
        states = np.where(is_ok, OK, MISSING).astype(object)
        for i, j, status in zip(self.data_set, self.learner, statuses, strict=True):
            is_other = status is not None and status.casefold() not in (OK, MISSING)
            if is_other and states[i, j] in (OK, MISSING):
                states[i, j] = status
        return states.astype(str)


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures in the form of a history, and where they come from."""

    path: Path
    data_sets: tuple[str, ...]
    learners: tuple[str, ...]
    scores: NDArray[np.float64]
    seconds: NDArray[np.float64] | None
    fold_scores: FoldScores | None = None


def history_of_figures(
    figures: Figures, measure: str, notes: Sequence[str], states: NDArray[np.str_] | None = None
) -> History:
    """Check that scores have their times, and make the history."""
    seconds, all_notes = figures.seconds, list(notes)
    if seconds is not None and np.isnan(seconds).all():
        seconds = None
    if seconds is None:
        all_notes.append("There are no times.")
    else:
        gaps = np.argwhere(np.isnan(seconds) & ~np.isnan(figures.scores))
        if len(gaps):
            i, j = gaps[0]
            raise broken(
                figures.path, "have the seconds of every score",
                f"none for {figures.learners[j]} on {figures.data_sets[i]}",
                "Fill them in, or leave out the score as well.",
            )  # fmt: skip
        if (seconds == 0).any():
            n_zero = int((seconds == 0).sum())
            all_notes.append(f"{n_zero} of {seconds.size} times are 0; where it matters they count "
                             f"as {SHORTEST_SECONDS:g} s.")  # fmt: skip
    return History.from_arrays(
        figures.scores,
        seconds,
        data_sets=figures.data_sets,
        learners=figures.learners,
        measure=measure,
        states=states,
        notes=all_notes,
        fold_scores=figures.fold_scores,
    )
