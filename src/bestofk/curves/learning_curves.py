"""Result of learning curves: scores by size, tests at every size, and changes of the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bestofk.curves.extrapolation import (
    PredictedLead,
    extrapolation_frame,
    extrapolations,
    leaders,
    predicted_lead,
)
from bestofk.curves.points import error_of_mean, mean_of_known, tests_at_points
from bestofk.inference import Sampling
from bestofk.measures import Measure
from bestofk.randomness import derive_rng

if TYPE_CHECKING:
    import pandas as pd

_N_RESAMPLES = 1000
_CENTRAL = 0.9  # of the resampled sizes, between `low` and `high`


@dataclass(frozen=True, eq=False)
class LearningCurves:
    """Scores of K learners trained on nested parts of the training rows.

    Attributes
    ----------
    data_name : str
        The data set.
    learners : tuple of str
        Names.
    is_baseline : tuple of bool
        Which of them are no candidates.
    sizes : ndarray of shape (n_sizes,), int64
        Training rows, ascending.
    measure : Measure
        What was measured.
    test_values, train_values : ndarray of shape (n_sizes, n_learners, n_splits)
        On the rows left out, and on the rows that trained; nan where a run failed.
    train_seconds, predict_seconds : ndarray of shape (n_sizes, n_learners, n_splits)
        For fitting, and for predicting the rows of both.
    model_bytes : ndarray of shape (n_sizes, n_learners)
        Size of the pickled model of the first split; nan if it cannot be pickled.
    complexity : ndarray of shape (n_sizes, n_learners)
        How large that model is, as `bestofk.learners.model_complexity` counts it; nan where it
        does not, or where its run failed.
    complexity_unit : ndarray of shape (n_sizes, n_learners), str
        Of what: nodes, parameters or rows kept; empty where there is no count.
    sampling : Sampling
        How the splits were made, with the rows of whole training parts and of test parts.
    alpha : float
        Level of the family of tests.
    random_state : int
        What resampling is derived from.
    notes : tuple of str
        What to know about the runs.
    is_interrupted : bool, default=False
        Whether Ctrl-C ended the runs. A size that was not finished is left out, but for the
        first.
    """

    data_name: str
    learners: tuple[str, ...]
    is_baseline: tuple[bool, ...]
    sizes: NDArray[np.int64]
    measure: Measure
    test_values: NDArray[np.float64]
    train_values: NDArray[np.float64]
    train_seconds: NDArray[np.float64]
    predict_seconds: NDArray[np.float64]
    model_bytes: NDArray[np.float64]
    complexity: NDArray[np.float64]
    complexity_unit: NDArray[np.str_]
    sampling: Sampling
    alpha: float
    random_state: int
    notes: tuple[str, ...]
    is_interrupted: bool = False

    @property
    def n_splits(self) -> int:
        """Splits of every size."""
        return int(self.test_values.shape[2])

    def __str__(self) -> str:
        return self.text()

    def text(self, n_train: int | None = None) -> str:
        """Return a table and a few sentences; the last looks ahead to `n_train` rows."""
        from bestofk.curves.learning_text import learning_text

        return learning_text(self, n_train)

    def frame(self) -> pd.DataFrame:
        """Return one row per learner and size.

        Columns: learner, n_train, test and train (means of the measure), test_error (standard
        error of the mean over repeats; nan with one repeat), train_seconds, predict_seconds
        (means), model_bytes, complexity and complexity_unit (of the model of the first split),
        n_failed.
        """
        import pandas as pd

        n_sizes, n_learners, _ = self.test_values.shape
        rows = [
            {
                "learner": self.learners[k],
                "n_train": int(self.sizes[s]),
                "test": mean_of_known(self.test_values[s, k]),
                "test_error": error_of_mean(self.test_values[s, k], self.sampling.n_repeats),
                "train": mean_of_known(self.train_values[s, k]),
                "train_seconds": mean_of_known(self.train_seconds[s, k]),
                "predict_seconds": mean_of_known(self.predict_seconds[s, k]),
                "model_bytes": self.model_bytes[s, k],
                "complexity": self.complexity[s, k],
                "complexity_unit": str(self.complexity_unit[s, k]) or None,
                "n_failed": int(np.isnan(self.test_values[s, k]).sum()),
            }
            for k in range(n_learners)
            for s in range(n_sizes)
        ]
        return pd.DataFrame(rows)

    def candidate_losses(self) -> NDArray[np.float64]:
        """Return the mean losses on rows left out, (n_sizes, n_learners); nan for baselines."""
        losses = self.measure.loss(self.means())
        losses[:, np.array(self.is_baseline)] = np.nan
        return np.asarray(losses)

    def means(self) -> NDArray[np.float64]:
        """Return the mean test value, shape (n_sizes, n_learners); nan where a run failed."""
        return np.asarray(self.test_values.mean(axis=2))

    def pairs(self) -> pd.DataFrame:
        """Return the corrected resampled t test of every pair at every size.

        All pairs at all sizes are one family (Holm). Columns: n_train, first, second,
        difference (of losses: negative where the first is better), p_value, p_adjusted,
        shown (whether the difference is shown at the level). A learner with a failed run at a
        size is not compared there.

        The correction is that of the whole training parts at every size. Smaller parts of
        different splits share fewer rows, so there it asks for more than it must.

        References
        ----------
        Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52,
        239-281.
        """
        return tests_at_points(
            "n_train", self.sizes.tolist(), self.measure.loss(self.test_values), self.learners,
            self.sampling, self.alpha,
        )  # fmt: skip

    def crossings(self) -> pd.DataFrame:
        """Return the pairs whose order at the largest size is not that of all sizes.

        Columns: better_before, better_after, n_train (where the mean difference changes its
        sign for the last time, interpolated between sizes on a logarithmic axis), low and
        high (the middle 90 % of that in 1,000 resamples of the repeats), share (of resamples
        in which the order changes to this one at all).

        The interval is about other divisions of these rows, not about other rows; it is nan
        with one repeat. Baselines are left out.
        """
        import pandas as pd

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
        interval at level 0.8), reason (why nothing is said; then the numbers are nan).

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
        return extrapolation_frame(self, n_train)

    def predicted_lead(self, n_train: int | None = None) -> PredictedLead | None:
        """Say which of the two best candidates leads with more rows; None if there are no two.

        Parameters
        ----------
        n_train : int or None, default=None
            Rows, as for `extrapolate`.
        """
        best = leaders(self)
        if len(best) < 2:
            return None
        first, second = extrapolations(self, n_train, best)
        return predicted_lead(first, second)

    def _differences(self, first: int, second: int) -> NDArray[np.float64]:
        """Return the mean difference of losses of each repeat, shape (n_sizes, n_repeats)."""
        losses = self.measure.loss(self.test_values)
        differences = losses[:, first] - losses[:, second]
        return np.asarray(
            differences.reshape(len(self.sizes), self.sampling.n_repeats, -1).mean(axis=2)
        )

    def _resampled_change(
        self, of_repeats: NDArray[np.float64], pair: tuple[int, int]
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


def last_change(
    differences: Sequence[float] | NDArray[np.float64], sizes: NDArray[np.int64]
) -> float:
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
