"""Cross-validated estimates of several numbers of folds against scores on true test sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.stats import rankdata

from bestofk.array_types import Floats, Ints
from bestofk.calibration.printed import PrintedCalibration, table_of
from bestofk.errors import DesignError
from bestofk.measures import Measure
from bestofk.measures.ties import is_noise, tied_values
from bestofk.measures.words import is_share, value_title
from bestofk.words import times

if TYPE_CHECKING:
    import pandas as pd

    from bestofk.report.parts import Table


_TITLES: Final = (
    "folds", "learner", "optimism", "optimistic in", "mean absolute error", "mean rank",
)  # fmt: skip
_ALL: Final = "all"


@dataclass(frozen=True, eq=False, repr=False)
class EstimateBias(PrintedCalibration):
    """Cross-validated estimates, and the scores on test sets that they stand for.

    Parameters
    ----------
    learners : tuple of str
        Names.
    n_folds : tuple of int
        Numbers of folds, ascending.
    test_sets : tuple of str
        What the test sets are called.
    estimates : ndarray of shape (n_test_sets, len(n_folds), n_learners), float
        Mean of the measure over all folds and repeats, from the training rows alone.
    true_scores : ndarray of shape (n_test_sets, n_learners), float
        The measure on the test set, after training on all training rows.
    measure : Measure
        What was measured.
    notes : tuple of str
        What to know about the runs.
    is_interrupted : bool, default=False
        Whether test sets are missing.

    Raises
    ------
    DesignError
        If the shapes do not fit.

    Notes
    -----
    A learner that lacks an estimate or a score (nan) on a test set is left out there, for all
    numbers of folds alike. Raeder, Hoens & Chawla (2010) print the mean absolute error under the
    name "MSE" [1]_.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, tables I, IV and V.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.measures import get_measure
    >>> auroc = get_measure("auroc", task="classification", classes=[0, 1])
    >>> estimates = np.array([[[0.80], [0.84]], [[0.70], [0.76]]])
    >>> result = EstimateBias(
    ...     ("lda",), (2, 10), ("a", "b"), estimates, np.array([[0.85], [0.75]]), auroc
    ... )
    >>> result.optimism().round(3).tolist(), result.mean_absolute_error().round(3).tolist()
    ([[-0.05], [0.0]], [[0.05], [0.01]])
    """

    title = "Estimates of numbers of folds against test sets"
    learners: tuple[str, ...]
    n_folds: tuple[int, ...]
    test_sets: tuple[str, ...]
    estimates: Floats
    true_scores: Floats
    measure: Measure
    notes: tuple[str, ...] = ()
    is_interrupted: bool = False

    def __post_init__(self) -> None:
        shape = (len(self.test_sets), len(self.n_folds), len(self.learners))
        if self.estimates.shape != shape or self.true_scores.shape != (shape[0], shape[2]):
            raise DesignError(
                f"estimates must be of shape {shape} and true_scores of {(shape[0], shape[2])}; "
                f"got {self.estimates.shape} and {self.true_scores.shape}. Give one estimate per "
                "test set, number of folds and learner."
            )

    @cached_property
    def away(self) -> Floats:
        """By how much each estimate looks better than the test set, shaped as `estimates`.

        In the unit of the measure, above 0 where it is optimistic; nan where a learner is left
        out.
        """
        differences = self.estimates - self.true_scores[:, None, :]
        sign = 1 if self.measure.greater_is_better else -1
        signed = np.where(is_noise(differences, self._scale), 0.0, sign * differences)
        is_missing = np.isnan(signed).any(axis=1, keepdims=True)
        return np.where(is_missing, np.nan, signed)

    @property
    def _scale(self) -> Floats:
        return np.maximum(np.abs(self.estimates), np.abs(self.true_scores[:, None, :]))

    def optimism(self) -> Floats:
        """Return the mean of `away` over test sets, shape (len(n_folds), n_learners)."""
        return self._over_test_sets(self.away)

    def mean_absolute_error(self) -> Floats:
        """Return how far estimates are from the test set, (len(n_folds), n_learners)."""
        return self._over_test_sets(np.abs(self.away))

    def mean_ranks(self) -> Floats:
        """Return mean ranks of the numbers of folds, shape (len(n_folds), n_learners).

        1 is the most optimistic of them on a test set; ties share a rank.
        """
        digits = tied_values(-self.away, self._scale, axis=1)
        return self._over_test_sets(rankdata(digits, axis=1, nan_policy="propagate"))

    @property
    def nearest(self) -> int | None:
        """Number of folds with the lowest mean absolute error over all learners; None if none.

        The smaller number where they tie.
        """
        errors = self._over_learners(self.mean_absolute_error())
        return None if np.isnan(errors).any() else self.n_folds[int(np.argmin(tied_values(errors)))]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of folds and learner, and one of all learners together.

        Returns
        -------
        DataFrame
            n_folds, learner ("all" for all), optimism, n_optimistic (estimates that look better
            than the test set), n (estimates), mean_absolute_error, mean_rank.
        """
        import pandas as pd

        tables = {
            "optimism": self.optimism(),
            "n_optimistic": (self.away > 0).sum(axis=0),
            "n": (~np.isnan(self.away)).sum(axis=0),
            "mean_absolute_error": self.mean_absolute_error(),
            "mean_rank": self.mean_ranks(),
        }
        if len(self.learners) > 1:
            for name, table in tables.items():
                is_count = name.startswith("n")
                together = table.sum(axis=1) if is_count else self._over_learners(table)
                tables[name] = np.column_stack([table, together])
        names = [*self.learners, _ALL][: tables["n"].shape[1]]
        folds = np.repeat(self.n_folds, len(names))
        values = {name: table.ravel() for name, table in tables.items()}
        return pd.DataFrame({"n_folds": folds, "learner": names * len(self.n_folds), **values})

    def cells(self) -> pd.DataFrame:
        """Return one row per test set, number of folds and learner: estimate and true score."""
        import pandas as pd

        sets, folds, learners = np.indices(self.estimates.shape).reshape(3, -1)
        return pd.DataFrame({
            "test_set": np.array(self.test_sets)[sets],
            "n_folds": np.array(self.n_folds)[folds],
            "learner": np.array(self.learners)[learners],
            "estimate": self.estimates.ravel(),
            "true_score": self.true_scores[sets, learners],
            "optimism": self.away.ravel(),
        })  # fmt: skip

    def headline(self) -> str:
        """Return in one or two sentences which number of folds is nearest to the test sets."""
        if self.nearest is None:
            return "No estimate has a test set to be held against."
        errors = self._over_learners(self.mean_absolute_error())
        best = self.n_folds.index(self.nearest)
        others = [
            f"{folds} folds: {self._size(errors[index])}"
            for index, folds in enumerate(self.n_folds)
            if index != best
        ]
        apart = f" ({', '.join(others)})" if others else ""
        optimism = self._over_learners(self.optimism())[best]
        side = "optimistic" if optimism > 0 else "pessimistic"
        n_cells = int((~np.isnan(self.away[:, 0])).sum())
        return (
            f"Estimates of {self.nearest} folds are nearest to the test "
            f"set{'s' * (len(self.test_sets) > 1)}: "
            f"{self._size(errors[best])} away on average{apart}. They are "
            f"{self._size(abs(optimism))} {side} on average, and optimistic in "
            f"{int((self.away[:, best] > 0).sum())} of {n_cells} cases."
        )

    def _over_test_sets(self, values: Floats) -> Floats:
        """Return the mean of what is not nan; nan where nothing is left."""
        known = ~np.isnan(values)
        return _ratio(np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0))

    def _over_learners(self, values: Floats) -> Floats:
        """Return the mean over learners, each weighing as many test sets as it has."""
        counts = (~np.isnan(self.away)).sum(axis=0)
        total = np.where(counts > 0, values * counts, 0).sum(axis=1)
        return _ratio(total, counts.sum(axis=1))

    def _size(self, value: float) -> str:
        """Return a distance in points, or in the unit of the measure."""
        return f"{self._number(value).lstrip('+')}{' points' * is_share(self.measure)}"

    def _number(self, value: float) -> str:
        """Return a difference with its sign, as a table shows it."""
        if is_share(self.measure):
            return f"{round(100 * value, 1) + 0.0:+.1f}"  # + 0.0 leaves no -0.0
        is_bounded = np.isfinite([self.measure.minimum, self.measure.maximum]).all()
        return f"{round(value, 3) + 0.0:+.3f}" if is_bounded else f"{value:+.3g}"

    def _tables(self) -> list[Table]:
        rows = [
            [
                str(row.n_folds),
                str(row.learner),
                self._number(row.optimism),
                f"{row.n_optimistic} of {row.n}",
                self._number(row.mean_absolute_error).lstrip("+"),
                f"{row.mean_rank:.2f}",
            ]
            for row in self.to_frame().itertuples()
        ]
        return [table_of(_TITLES, rows, left=(1,))]

    def _remarks(self) -> list[str]:
        unit = ", in points" if is_share(self.measure) else ""
        return [
            f"{value_title(self.measure)}{unit}; {times(len(self.test_sets), 'test set')}. "
            "Optimism: by how much estimates look better than the test set, on average. "
            "Rank 1: the most optimistic number of folds.",
            "The learner on the test set was trained on all training rows, those of the folds on "
            "fewer.",
            *self.notes,
        ]


def _ratio(total: Floats, count: Ints) -> Floats:
    """Return means from sums; nan of nothing."""
    means: Floats = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return means
