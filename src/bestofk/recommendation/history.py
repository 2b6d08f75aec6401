"""History: score and seconds of every learner on each earlier data set."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bestofk.array_types import Floats, Positions
from bestofk.checks import check_different
from bestofk.data.spreadsheet_cells import csv_text
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.status import MISSING, OK
from bestofk.inference.many_data_sets.ranks import rank_within_data_sets
from bestofk.recommendation.loss_time import SHORTEST_SECONDS, a3r
from bestofk.report import plots
from bestofk.words import joined_lines, printable


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Scores of learners on the folds of data sets.

    Parameters
    ----------
    values : ndarray of shape (n_data_sets, n_learners, n_folds)
        Higher is better; nan where there is none, and beyond the folds of a data set.
    test_shares : ndarray of shape (n_data_sets,)
        Test rows per training row; nan where unknown.
    """

    values: Floats
    test_shares: Floats

    def part(self, rows: Positions, columns: Positions) -> FoldScores:
        """Return the scores of some data sets and learners; column -1 gives nan."""
        values = self.values[rows][:, columns]
        values[:, columns < 0] = np.nan
        return FoldScores(values, self.test_shares[rows])


def join_fold_scores(
    first: FoldScores | None, second: FoldScores | None, shapes: Sequence[tuple[int, int]]
) -> FoldScores | None:
    """Return the rows of both over the same learners; None if there are none of either.

    `shapes` are data sets and learners of the first and of the second.
    """
    if first is None and second is None:
        return None
    both = [
        FoldScores(np.empty((*shape, 0)), np.full(shape[0], np.nan)) if item is None else item
        for item, shape in zip((first, second), shapes, strict=True)
    ]
    most = max(item.values.shape[2] for item in both)
    padded = [
        np.pad(
            item.values, ((0, 0), (0, 0), (0, most - item.values.shape[2])), constant_values=np.nan
        )
        for item in both
    ]
    return FoldScores(np.concatenate(padded), np.concatenate([item.test_shares for item in both]))


def fold_scores_of(
    scores: Sequence[Mapping[tuple[int, tuple[Hashable, Hashable]], float]], n_learners: int
) -> FoldScores | None:
    """Return a table of scores by learner and split; None if no data set has two splits.

    Parameters
    ----------
    scores : sequence of mapping, one per data set
        The score by position of the learner and (repeat, fold).
    n_learners : int
        How many learners there are.

    Returns
    -------
    FoldScores or None
        With k folds in a repeat there is one test row for k - 1 training rows; without folds the
        share is unknown.
    """
    splits = [list(dict.fromkeys(split for _, split in of_data_set)) for of_data_set in scores]
    most = max(map(len, splits), default=0)
    if most < 2:
        return None
    values = np.full((len(scores), n_learners, most), np.nan)
    shares = np.full(len(scores), np.nan)
    for i, of_data_set in enumerate(scores):
        position = {split: k for k, split in enumerate(splits[i])}
        for (learner, split), score in of_data_set.items():
            values[i, learner, position[split]] = score
        n_folds = len({fold for _, fold in splits[i]})
        if n_folds > 1:
            shares[i] = 1 / (n_folds - 1)
    return FoldScores(values, shares)


@dataclass(frozen=True, eq=False)
class History:
    """Scores and times of learners on data sets, one row per data set.

    Make one by `History.from_arrays`, or read one by `read_history`.

    Attributes
    ----------
    data_sets : tuple of str
        The names of the rows.
    learners : tuple of str
        The names of the columns.
    scores : ndarray of shape (n_data_sets, n_learners)
        Higher is better, from 0 to 1; nan where the learner was not tested, or failed.
    seconds : ndarray of shape (n_data_sets, n_learners)
        The whole test of the learner: all folds, fit and predict.  nan where it is not known.
    default_scores : ndarray of shape (n_data_sets,)
        What one has before any test: the score of always predicting the commonest class.
    measure : str
        What the scores are.
    task : str
        What the learners were asked to do, such as ``classification``.
    shapes : ndarray of shape (n_data_sets, 2)
        Rows and features of each data set; nan where they are not known.
    states : ndarray of shape (n_data_sets, n_learners) of str
        ``ok``, ``missing``, or the way a test failed, such as ``timeout``.
    machines : tuple of str
        What the times were measured on, as far as it is known.
    notes : tuple of str
        What a reader should know about these figures.
    fold_scores : FoldScores or None
        Scores of single folds, where they are known.
    """

    data_sets: tuple[str, ...]
    learners: tuple[str, ...]
    scores: Floats
    seconds: Floats
    default_scores: Floats
    measure: str
    task: str
    shapes: Floats
    states: NDArray[np.str_]
    machines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fold_scores: FoldScores | None = None

    @classmethod
    def from_arrays(
        cls,
        scores: ArrayLike,
        seconds: ArrayLike | None = None,
        *,
        data_sets: Sequence[str] | None = None,
        learners: Sequence[str] | None = None,
        default_scores: ArrayLike | None = None,
        measure: str = "accuracy",
        task: str = "classification",
        shapes: ArrayLike | None = None,
        states: ArrayLike | None = None,
        machines: Sequence[str] = (),
        notes: Sequence[str] = (),
        fold_scores: FoldScores | None = None,
    ) -> History:
        """Return a history of checked arrays.

        Parameters
        ----------
        scores : array-like of shape (n_data_sets, n_learners)
            From 0 to 1, higher is better; nan where there is none.
        seconds : array-like of shape (n_data_sets, n_learners), optional
            At least 0; nan where unknown.  Without times only methods that need none work.
        data_sets, learners : sequence of str, optional
            Names; without them the rows are "data set 1" and so on, the columns "learner 1".
        default_scores : array-like of shape (n_data_sets,), optional
            The score before any test.  Without it, or where it is nan, the lowest score of
            the row is taken.
        measure, task, shapes, states, machines, notes, fold_scores
            See the attributes of the class.

        Returns
        -------
        History
            Frozen; the arrays cannot be written to.

        Raises
        ------
        InvalidArgumentError
            If a table is none of numbers, shapes differ, names repeat, a score is outside
            [0, 1] or a time is negative or infinite.

        Examples
        --------
        >>> history = History.from_arrays([[0.9, 0.7], [0.8, 0.85]], [[2.0, 0.1], [5.0, 0.2]])
        >>> history.n_data_sets, history.n_learners, history.default_scores.tolist()
        (2, 2, [0.7, 0.8])
        """
        table = _matrix("scores", scores)
        n_rows, n_columns = table.shape
        rows = _names("data_sets", data_sets, n_rows, "data set")
        columns = _names("learners", learners, n_columns, "learner")
        _check_range(table, rows, columns)
        times = np.full(table.shape, np.nan) if seconds is None else _matrix("seconds", seconds)
        _check_seconds(times, table.shape, rows, columns)
        sizes = np.full((n_rows, 2), np.nan) if shapes is None else _matrix("shapes", shapes)
        if sizes.shape != (n_rows, 2):
            raise InvalidArgumentError(
                f"shapes of a history must be ({n_rows}, 2), rows and features of each data set; "
                f"got {sizes.shape}. Use nan where they are not known."
            )
        return cls(
            rows, columns, _frozen(table), _frozen(times),
            _frozen(_defaults(default_scores, table)), measure, task, _frozen(sizes),
            _frozen(_states(states, table)), tuple(machines), tuple(notes), fold_scores,
        )  # fmt: skip

    @property
    def n_data_sets(self) -> int:
        """Return the number of rows."""
        return len(self.data_sets)

    @property
    def n_learners(self) -> int:
        """Return the number of columns."""
        return len(self.learners)

    @property
    def has_seconds(self) -> bool:
        """Return whether every score has its time."""
        return not bool((np.isnan(self.seconds) & ~np.isnan(self.scores)).any())

    def floored_seconds(self) -> Floats:
        """Return the times, none below a millisecond; nan stays."""
        return np.maximum(self.seconds, SHORTEST_SECONDS)

    def ranks(self, power: float = 0.0) -> Floats:
        """Return the ranks by A3R within each data set; see `bestofk.recommendation.loss_time`."""
        return rank_within_data_sets(a3r(self.scores, self.seconds, power=power))

    def part(
        self,
        *,
        data_sets: Positions | Sequence[int] | None = None,
        learners: Positions | Sequence[int] | None = None,
    ) -> History:
        """Return the history of some data sets and some learners.

        Parameters
        ----------
        data_sets, learners : sequence of int, optional
            Positions to keep, in this order; None for all.

        Returns
        -------
        History
            A new one; names, states and sizes go along.

        Examples
        --------
        >>> history = History.from_arrays([[0.9, 0.7], [0.8, 0.85]], data_sets=["iris", "wine"])
        >>> history.part(data_sets=[1]).data_sets
        ('wine',)
        """
        rows = np.arange(self.n_data_sets) if data_sets is None else np.asarray(data_sets, int)
        columns = np.arange(self.n_learners) if learners is None else np.asarray(learners, int)
        cells = np.ix_(rows, columns)
        return replace(
            self,
            data_sets=tuple(self.data_sets[i] for i in rows),
            learners=tuple(self.learners[j] for j in columns),
            scores=_frozen(self.scores[cells]),
            seconds=_frozen(self.seconds[cells]),
            default_scores=_frozen(self.default_scores[rows]),
            shapes=_frozen(self.shapes[rows]),
            states=_frozen(self.states[cells]),
            fold_scores=self.fold_scores and self.fold_scores.part(rows, columns),
        )

    def without(self, data_set: int) -> History:
        """Return the history of all data sets but one, given by its position."""
        return self.part(data_sets=np.delete(np.arange(self.n_data_sets), data_set))

    def over(self, learners: Sequence[str]) -> History:
        """Return the history with these learners as columns; those that it lacks are missing.

        Examples
        --------
        >>> history = History.from_arrays([[0.9, 0.7]], learners=["lda", "cart"])
        >>> history.over(["1nn", "lda"]).scores.tolist()
        [[nan, 0.9]]
        """
        index = {name: j for j, name in enumerate(self.learners)}
        columns = np.array([index.get(name, -1) for name in learners], dtype=int)
        unknown = np.full((self.n_data_sets, 1), np.nan)  # the last column, that of -1
        no_state = np.full(unknown.shape, MISSING)
        return replace(
            self,
            learners=tuple(learners),
            scores=_frozen(np.hstack([self.scores, unknown])[:, columns]),
            seconds=_frozen(np.hstack([self.seconds, unknown])[:, columns]),
            states=_frozen(np.hstack([self.states, no_state])[:, columns]),
            fold_scores=self.fold_scores
            and self.fold_scores.part(np.arange(self.n_data_sets), columns),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell: data_set, learner, state, score, seconds."""
        n_rows, n_columns = self.scores.shape
        return pd.DataFrame(
            {
                "data_set": np.repeat(self.data_sets, n_columns),
                "learner": np.tile(self.learners, n_rows),
                "state": self.states.ravel(),
                self.measure: self.scores.ravel(),
                "seconds": self.seconds.ravel(),
            }
        )

    def plot(self, *, power: float = 0.0, n_shown: int = 20, ax: Any = None) -> plots.Display:
        """Draw which learners rank first over the data sets.

        Parameters
        ----------
        power : float, default=0
            P of A3R: how much time counts.
        n_shown : int, default=20
            How many of the best are drawn.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.

        Returns
        -------
        Display
            With `to_frame()`, the numbers that are drawn, `ax_` and `figure_`.
        """
        return plots.MeanRanksDisplay.from_history(self, power=power, n_shown=n_shown).plot(ax)

    def to_csv(self) -> str:
        """Return `to_frame` as CSV that `read_history` reads back, names as they were.

        Text that begins like a formula, or with apostrophes before one, gets one apostrophe more:
        spreadsheets then show it as text, and reading takes the apostrophe away. Control characters
        of names are spelled, and stay so.
        """
        return csv_text(self.to_frame())

    def __repr__(self) -> str:
        return printable(
            f"History({self.n_data_sets} data sets x {self.n_learners} learners, {self.measure})"
        )

    def __str__(self) -> str:
        states, counts = np.unique(self.states, return_counts=True)
        cells = ", ".join(f"{count} {state}" for state, count in zip(states, counts, strict=True))
        return joined_lines([repr(self), f"cells: {cells}", *self.notes])


def join_histories(first: History, second: History) -> History:
    """Return the rows of two histories over the learners of both.

    Parameters
    ----------
    first, second : History
        Of the same measure and task.  A data set of the first that the second has too, by name
        and size, is left out: the second is nearer to home.

    Returns
    -------
    History
        With a note where the times are of several machines.

    Raises
    ------
    InvalidArgumentError
        If measure or task differ.

    Examples
    --------
    >>> first = History.from_arrays([[0.9]], data_sets=["iris"], learners=["lda"])
    >>> second = History.from_arrays([[0.8, 0.7]], data_sets=["wine"], learners=["cart", "lda"])
    >>> both = join_histories(first, second)
    >>> both.learners, both.scores.tolist()
    (('lda', 'cart'), [[0.9, nan], [0.7, 0.8]])
    """
    for what in ("measure", "task"):
        mine, other = getattr(first, what), getattr(second, what)
        if mine != other:
            raise InvalidArgumentError(
                f"{what} of histories that are joined must be the same; got {mine} and {other}. "
                "Use one of them alone."
            )
    kept = [i for i in range(first.n_data_sets) if not _has(second, first, i)]
    learners = list(dict.fromkeys((*first.learners, *second.learners)))
    first, second = first.part(data_sets=kept).over(learners), second.over(learners)
    rows = [_distinct_name(first, i, second.data_sets) for i in range(first.n_data_sets)]
    machines = tuple(dict.fromkeys((*first.machines, *second.machines)))
    notes = [*first.notes, *second.notes]
    if len(machines) > 1:
        notes.append(f"Times come from {len(machines)} machines and may not compare.")
    return History.from_arrays(
        np.concatenate([first.scores, second.scores]),
        np.concatenate([first.seconds, second.seconds]),
        data_sets=(*rows, *second.data_sets),
        learners=learners,
        default_scores=np.concatenate([first.default_scores, second.default_scores]),
        measure=first.measure,
        task=first.task,
        shapes=np.concatenate([first.shapes, second.shapes]),
        states=np.concatenate([first.states, second.states]),
        machines=machines,
        notes=tuple(dict.fromkeys(notes)),
        fold_scores=join_fold_scores(
            first.fold_scores, second.fold_scores, [first.scores.shape, second.scores.shape]
        ),
    )


def _has(history: History, other: History, i: int) -> bool:
    """Return whether a history has a data set of another, by name and size where it is known."""
    return any(
        name == other.data_sets[i]
        and bool((np.isnan(shape) | np.isnan(other.shapes[i]) | (shape == other.shapes[i])).all())
        for name, shape in zip(history.data_sets, history.shapes, strict=True)
    )


def _distinct_name(history: History, i: int, others: Sequence[str]) -> str:
    """Return the name of a data set, with its number of rows where another has the name."""
    name = history.data_sets[i]
    return f"{name} ({history.shapes[i, 0]:g} rows)" if name in others else name


def _matrix(what: str, values: ArrayLike) -> Floats:
    try:
        table = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"{what} of a history must be a table of numbers with rows of one length; got a value "
            f"that is none ({error}). Use nan where there is none."
        ) from None
    if table.ndim != 2:
        raise InvalidArgumentError(
            f"{what} of a history must be a table of two dimensions, data sets by learners; got "
            f"shape {table.shape}. Give one row per data set."
        )
    return table


def _names(what: str, given: Sequence[str] | None, n: int, word: str) -> tuple[str, ...]:
    names = tuple(f"{word} {i + 1}" for i in range(n)) if given is None else tuple(map(str, given))
    if len(names) != n:
        raise InvalidArgumentError(
            f"{what} of a history must be as many names as the table has ({n}); got {len(names)}. "
            "Name every row and every column."
        )
    check_different(names, f"{what} of a history", "Average or drop what is repeated.")
    return names


def _check_range(scores: Floats, rows: Sequence[str], columns: Sequence[str]) -> None:
    wrong = np.argwhere(~np.isnan(scores) & ~((scores >= 0) & (scores <= 1)))
    if len(wrong):
        i, j = wrong[0]
        raise InvalidArgumentError(
            f"scores of a history must be from 0 to 1, higher is better; got {scores[i, j]:g} for "
            f"{columns[j]} on {rows[i]}. Hand over accuracies as proportions, errors as 1 - error."
        )


def _check_seconds(
    seconds: Floats, shape: tuple[int, ...], rows: Sequence[str], columns: Sequence[str]
) -> None:
    if seconds.shape != shape:
        raise InvalidArgumentError(
            f"seconds of a history must have the shape of its scores, {shape}; got "
            f"{seconds.shape}. Use nan where a time is not known."
        )
    wrong = np.argwhere((seconds < 0) | np.isinf(seconds))
    if len(wrong):
        i, j = wrong[0]
        raise InvalidArgumentError(
            f"seconds of a history must be at least 0 and finite; got {seconds[i, j]:g} for "
            f"{columns[j]} on {rows[i]}. Use nan (an empty cell) where a time is not known."
        )


def _defaults(given: ArrayLike | None, scores: Floats) -> Floats:
    """Return the scores before any test; the lowest of a row where none is given."""
    lowest = np.fmin.reduce(scores, axis=1, initial=np.inf)
    lowest = np.where(np.isinf(lowest), 0.0, lowest)  # of a row without any
    if given is None:
        return lowest
    try:
        values = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.full((1, 1), np.nan)  # of no shape that is allowed
    if values.shape != (len(scores),) or bool((values < 0).any() or (values > 1).any()):
        raise InvalidArgumentError(
            f"default_scores of a history must be {len(scores)} scores from 0 to 1, one per data "
            f"set; got {given!r}. Use nan where none is known."
        )
    return np.where(np.isnan(values), lowest, values)


def _states(given: ArrayLike | None, scores: Floats) -> NDArray[np.str_]:
    if given is None:
        return np.where(np.isnan(scores), MISSING, OK)
    states = np.asarray(given, dtype=str)
    if states.shape != scores.shape:
        raise InvalidArgumentError(
            f"states of a history must have the shape of its scores, {scores.shape}; got "
            f"{states.shape}. Leave them out to have '{OK}' and '{MISSING}'."
        )
    return states


def _frozen(values: NDArray) -> NDArray:  # type: ignore[type-arg]
    """Return the array as read-only."""
    values = np.ascontiguousarray(values)
    values.setflags(write=False)
    return values
