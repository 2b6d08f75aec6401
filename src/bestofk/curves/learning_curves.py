"""Result of learning curves: scores by size, tests at every size, and changes of the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bestofk.array_types import Floats, Ints
from bestofk.curves.curve import LearnersCurve, mean_of_known, n_unknown, plain_tables
from bestofk.curves.extrapolation import (
    Extrapolation,
    PredictedLead,
    check_rows,
    extrapolate_losses,
    predicted_lead,
)
from bestofk.curves.texts.learning import learning_sections
from bestofk.measures.ties import tied_values
from bestofk.randomness import derive_rng
from bestofk.report.formats.text import to_text
from bestofk.report.parts import Sections
from bestofk.words import listing

if TYPE_CHECKING:
    from bestofk.report.plots import Display

_N_RESAMPLES: Final = 1000
_CENTRAL: Final = 0.9  # of the resampled sizes, between `low` and `high`


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurves(LearnersCurve):
    """Scores of K learners trained on nested parts of the training rows.

    Attributes
    ----------
    train_values : ndarray of shape (n_sizes, n_learners, n_splits)
        On the rows that trained, as `test_values` on the rows left out; nan where a run failed.
    train_seconds, predict_seconds : ndarray of shape (n_sizes, n_learners, n_splits)
        For fitting, and for predicting the rows of both.
    test_seconds : ndarray of shape (n_sizes, n_learners)
        For predicting the test rows of the first split alone; nan where that was not asked for.
    model_bytes : ndarray of shape (n_sizes, n_learners)
        Size of the pickled model of the first split; nan if it cannot be pickled.
    complexity : ndarray of shape (n_sizes, n_learners)
        How large that model is, as `bestofk.learners.model_complexity` counts it; nan where it
        does not, or where its run failed.
    complexity_unit : ndarray of shape (n_sizes, n_learners), str
        Of what: nodes, parameters or rows kept; empty where there is no count.
    random_state : int
        What resampling is derived from.
    """

    condition: ClassVar[str] = "training rows"
    level_name: ClassVar[str] = "n_train"
    train_values: Floats
    train_seconds: Floats
    predict_seconds: Floats
    test_seconds: Floats
    model_bytes: Floats
    complexity: Floats
    complexity_unit: NDArray[np.str_]
    random_state: int

    @property
    def sizes(self) -> Ints:
        """Training rows, ascending, shape (n_sizes,)."""
        return np.array(self.levels)

    @property
    def n_splits(self) -> int:
        """Splits of every size."""
        return int(self.test_values.shape[2])

    @property
    def title(self) -> str:
        """Kind of the curve in words."""
        return f"learning curves of {listing(self.learners)}"

    def sections(self, n_train: int | None = None) -> Sections:
        """Return the report, looking ahead to `n_train` rows."""
        return learning_sections(self, n_train)

    def text(self, n_train: int | None = None) -> str:
        """Return the whole report; its third line looks ahead to `n_train` rows."""
        return to_text(self.sections(n_train))

    def display(self, n_train: int | None = None) -> Display:
        """Return the picture, not yet drawn; with what is expected with `n_train` rows."""
        from bestofk.report.plots import LearningCurveDisplay

        return LearningCurveDisplay.from_curves(self, n_train=n_train)

    def to_dict(self, n_train: int | None = None) -> dict[str, Any]:
        """Return all numbers as plain values, with what is expected with `n_train` rows."""
        tables = plain_tables(
            scores=self.to_frame(), tests=self.pairs(), changes=self.crossings(),
            extrapolation=self.extrapolate(n_train),
        )  # fmt: skip
        return {
            "answer": list(self.sections(n_train).answer),
            "data": self.data_name, "measure": self.measure.name,
            "test": self.test, "alpha": self.alpha,
            "n_splits": self.n_splits, **tables, "notes": list(self.notes),
        }  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner and size.

        Columns: learner, n_train, test and train (means of the measure), test_error (standard
        error of the mean, as `error` gives it), train_seconds, predict_seconds (means),
        test_seconds (of the first split; nan unless asked for), model_bytes, complexity and
        complexity_unit (of the model of the first split), n_failed.
        """
        n_sizes, n_learners, _ = self.test_values.shape
        units = [str(unit) or None for unit in self.complexity_unit.T.ravel()]
        return pd.DataFrame(
            {
                "learner": np.repeat(self.learners, n_sizes).tolist(),
                "n_train": np.tile(self.sizes, n_learners),
                "test": self.by_learner(self.test_values, mean_of_known),
                "test_error": self.by_learner(self.test_values, self.error),
                "train": self.by_learner(self.train_values, mean_of_known),
                "train_seconds": self.by_learner(self.train_seconds, mean_of_known),
                "predict_seconds": self.by_learner(self.predict_seconds, mean_of_known),
                "test_seconds": self.test_seconds.T.ravel(),
                "model_bytes": self.model_bytes.T.ravel(),
                "complexity": self.complexity.T.ravel(),
                "complexity_unit": pd.Series(units, dtype=object),
                "n_failed": self.by_learner(self.test_values, n_unknown),
            }
        )

    def crossings(self) -> pd.DataFrame:
        """Return the pairs whose order at the largest size is not that of all sizes.

        Columns: better_before, better_after, n_train (where the mean difference changes its
        sign for the last time, interpolated between sizes on a logarithmic axis), low and
        high (the middle 90 % of that in 1,000 resamples of the repeats), share (of resamples
        in which the order changes to this one at all).

        The interval is about other divisions of these rows, not about other rows; it is nan
        with one repeat. Baselines are left out.
        """
        columns = ["better_before", "better_after", "n_train", "low", "high", "share"]
        rows = []
        candidates = [k for k, out in enumerate(self.is_baseline) if not out]
        for i, j in combinations(candidates, 2):
            of_repeats = self._differences(i, j)
            size = last_change(of_repeats.mean(axis=1), self.sizes)
            if np.isnan(size):
                continue
            ends_better = of_repeats[-1].mean() < 0  # the first of the two
            after, before = (i, j) if ends_better else (j, i)
            low, high, share = self._resampled_change(of_repeats, (i, j))
            rows.append((self.learners[before], self.learners[after], size, low, high, share))
        return pd.DataFrame(rows, columns=columns)

    def extrapolate(self, n_train: int | None = None) -> pd.DataFrame:
        """Return what is expected of every learner with more rows than were measured.

        Columns: learner, n_train, test (in the units of the measure), low and high (its
        interval at level 0.8), reason (why there is no prediction; then the numbers are nan).

        Parameters
        ----------
        n_train : int or None, default=None
            Rows, up to twice the largest size, which is the default.

        Raises
        ------
        InvalidArgumentError
            If it is no whole number above the largest size, at most twice as large.

        See Also
        --------
        bestofk.curves.extrapolation.extrapolate_losses : How, and when it is refused.
        """
        rows = [
            (ahead.learner, ahead.n_train, *self.in_units(ahead), ahead.reason)
            for ahead in self.extrapolations(n_train, range(len(self.learners)))
        ]
        columns = ["learner", "n_train", "test", "low", "high", "reason"]
        return pd.DataFrame(rows, columns=columns)

    def in_units(self, ahead: Extrapolation) -> tuple[float, float, float]:
        """Return an expected loss and its interval in the units of the measure."""
        expected, *ends = self.measure.loss(np.array([ahead.loss, ahead.low, ahead.high])).tolist()
        return expected, min(ends), max(ends)

    def leaders(self) -> list[int]:
        """Return the indices of the two best candidates at the largest size, best first."""
        losses = self.candidate_losses()[-1]
        order = np.argsort(tied_values(losses), kind="stable")
        return [int(k) for k in order[:2] if not np.isnan(losses[k])]

    def extrapolations(
        self, n_train: int | None = None, indices: Sequence[int] | None = None
    ) -> list[Extrapolation]:
        """Return the expected losses with more rows: of some learners, or of the `leaders`."""
        rows = check_rows(n_train, int(self.sizes[-1]))
        measure = self.measure
        best, worst = sorted(measure.loss(np.array([measure.minimum, measure.maximum])).tolist())
        losses = measure.loss(self.test_values)
        return [
            extrapolate_losses(
                self.learners[k], self.sizes, losses[:, k], rows, best=best, worst=worst,
                random_state=self.random_state,
            )
            for k in (self.leaders() if indices is None else indices)
        ]  # fmt: skip

    def predicted_lead(self, n_train: int | None = None) -> PredictedLead | None:
        """Return which of the two best candidates leads with more rows; None without two.

        Parameters
        ----------
        n_train : int or None, default=None
            Rows, as for `extrapolate`.
        """
        expected = self.extrapolations(n_train)
        return predicted_lead(*expected) if len(expected) == 2 else None

    def _differences(self, first: int, second: int) -> Floats:
        """Return the mean difference of losses of each repeat, shape (n_sizes, n_repeats)."""
        losses = self.measure.loss(self.test_values)
        differences = losses[:, first] - losses[:, second]
        return np.asarray(differences.reshape(len(self.levels), self.n_repeats, -1).mean(axis=2))

    def _resampled_change(
        self, of_repeats: Floats, pair: tuple[int, int]
    ) -> tuple[float, float, float]:
        n_repeats = of_repeats.shape[1]
        if n_repeats < 2:
            return float("nan"), float("nan"), float("nan")
        names = (self.learners[item] for item in pair)
        rng = derive_rng(self.random_state, "crossing", *names)
        drawn = rng.integers(n_repeats, size=(_N_RESAMPLES, n_repeats))
        means = of_repeats[:, drawn].mean(axis=2).T
        ends_alike = (means[:, -1] < 0) == (of_repeats[-1].mean() < 0)
        changes = np.array([last_change(mean, self.sizes) for mean in means])
        result = changes[ends_alike & ~np.isnan(changes)]
        if not len(result):
            return float("nan"), float("nan"), 0.0
        tail = (1 - _CENTRAL) / 2
        low, high = np.quantile(result, [tail, 1 - tail])
        return float(low), float(high), len(result) / _N_RESAMPLES


def last_change(differences: Sequence[float] | Floats, sizes: Ints) -> float:
    """Return the size at which a difference changes its sign for the last time; nan if never.

    Interpolated on the logarithm of size. A difference of 0 has the sign of the next that has
    one.

    Examples
    --------
    >>> round(last_change([-1.0, -1.0, 1.0], np.array([10, 100, 10_000])))
    1000
    """
    values = np.asarray(differences, dtype=float)
    known = np.flatnonzero(~np.isnan(values) & (values != 0))
    changes = np.flatnonzero(np.diff(np.sign(values[known])) != 0)
    if not len(changes):
        return float("nan")
    before, after = known[changes[-1]], known[changes[-1] + 1]
    share = values[before] / (values[before] - values[after])
    logs = np.log(sizes[[before, after]].astype(float))
    return float(np.exp(logs[0] + share * (logs[1] - logs[0])))
