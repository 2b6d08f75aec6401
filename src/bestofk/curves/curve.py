"""Result of a curve: scores of learners at the levels of a condition that varies."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.inference import Sampling
from bestofk.inference.adjust import adjust_p_values
from bestofk.inference.many_learners.pair_evidence import compare_on_splits
from bestofk.measures import Measure
from bestofk.report.findings import mean_of_known as mean_of_known
from bestofk.report.reported import DrawnReport
from bestofk.verdict.complete_scores import first_names
from bestofk.words import joined_lines

TEST: Final = "corrected-t"
CORRECTION: Final = "holm"


@dataclass(frozen=True, eq=False)
class Curve(DrawnReport):
    """Result of learners under a condition that varies; base of the five kinds of curves.

    Attributes
    ----------
    condition : str
        What varies: "training rows", "noise", "parameter", "balancing" or "costs".
    data_name : str
        The data set.
    learners : tuple of str
        Names.
    levels : tuple
        Values of the condition, in order.
    notes : tuple of str
        What to know about the runs, and what to distrust.
    is_interrupted : bool
        Whether Ctrl-C ended the runs. A level that was not finished is left out, but for the
        first.
    guessed : tuple of str, default=()
        How the data were read.
    """

    condition: ClassVar[str]
    data_name: str
    learners: tuple[str, ...]
    levels: tuple[Any, ...]
    notes: tuple[str, ...]
    is_interrupted: bool
    guessed: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    @abstractmethod
    def title(self) -> str:
        """Kind of the curve in words."""

    def __repr__(self) -> str:
        name = f"<{type(self).__name__} of {first_names(self.learners)} on {self.data_name}>"
        return joined_lines([name, *self.answer])


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCurve(Curve):
    """Scores by one measure at every level.

    Attributes
    ----------
    measure : Measure
        What was measured.
    sampling : Sampling
        How the splits were made, with the rows of whole training parts and of test parts.
    alpha : float
        Level of the family of tests.
    """

    measure: Measure
    sampling: Sampling
    alpha: float

    def error(self, values: Floats) -> float:
        """Return the standard error over repeats of a mean over splits; nan with one repeat."""
        return standard_error([mean_of_known(row) for row in values.reshape(self.n_repeats, -1)])

    @property
    def n_repeats(self) -> int:
        """Repeats of the plan."""
        return self.sampling.n_repeats


@dataclass(frozen=True, eq=False, repr=False)
class LearnersCurve(ScoreCurve):
    """Scores of K learners at every level, with a test of every pair.

    Attributes
    ----------
    is_baseline : tuple of bool
        Which of the learners are no candidates.
    test_values : ndarray of shape (n_levels, n_learners, n_splits)
        On the test rows; nan where a run failed.
    test : str, default="corrected-t"
        Name of the paired test of every pair.
    """

    level_name: ClassVar[str]  # column of the levels in tables
    is_baseline: tuple[bool, ...]
    test_values: Floats
    test: str = field(default=TEST, kw_only=True)

    def means(self) -> Floats:
        """Return the mean test score, shape (n_levels, n_learners); nan where a run failed."""
        return np.asarray(self.test_values.mean(axis=2))

    def error(self, values: Floats) -> float:
        """Return the standard error of a mean over splits: over repeats, or folds of one repeat.

        Folds share training rows, so their standard error is too small [1]_; nan with one split.

        References
        ----------
        .. [1] Bengio & Grandvalet (2004), No unbiased estimator of the variance of k-fold
           cross-validation, Journal of Machine Learning Research 5, 1089-1105.
        """
        return super().error(values) if self.n_repeats > 1 else standard_error(values)

    def candidate_losses(self) -> Floats:
        """Return the mean test losses, (n_levels, n_learners); nan for baselines."""
        losses = self.measure.loss(self.means())
        losses[:, np.array(self.is_baseline)] = np.nan
        return np.asarray(losses)

    def by_learner(self, values: Floats, function: Callable[[Floats], Any]) -> list[Any]:
        """Return a function of the splits of each learner and level, learner by learner."""
        return [
            function(of_level) for of_learner in values.swapaxes(0, 1) for of_level in of_learner
        ]

    def pairs(self) -> pd.DataFrame:
        """Return what `test` says of every pair at every level.

        All pairs at all levels are one family (Holm). Columns: n_train or fraction (the level),
        first, second, difference (of losses: negative where the first is better), p_value,
        p_adjusted, shown (whether the difference is significant at `alpha`). A learner with a
        failed run at a level is not compared there.

        The corrected resampled t test corrects for whole training parts at every level. Smaller
        parts of different splits share fewer rows, so there it asks for more than it must.

        References
        ----------
        Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52,
        239-281.
        """
        rows = [
            (level, self.learners[i], self.learners[j], difference, p_value)
            for level, losses in zip(self.levels, self.measure.loss(self.test_values), strict=True)
            for i, j, difference, p_value in pair_tests(losses, self.sampling, self.test)
        ]
        columns = [self.level_name, "first", "second", "difference", "p_value"]
        return with_adjusted(pd.DataFrame(rows, columns=columns), self.alpha)


def pair_tests(
    losses: Floats, sampling: Sampling, test: str = TEST
) -> list[tuple[int, int, float, float]]:
    """Return a paired test of every pair of rows without a nan.

    Parameters
    ----------
    losses : ndarray of shape (n_rows, n_splits)
        Lower is better.
    sampling : Sampling
        How the splits were made.
    test : str, default="corrected-t"
        Name of the test.

    Returns
    -------
    list of (int, int, float, float)
        Indices of both, mean difference, two-sided p value; empty where the plan carries no
        test, or fewer than two rows are whole.
    """
    whole = np.flatnonzero(~np.isnan(losses).any(axis=1)).tolist()
    if len(whole) < 2:
        return []
    evidence = compare_on_splits(losses[whole].T, test, sampling, is_complete=True)
    if evidence is None:
        return []
    mean, p_values = evidence.compared.mean, evidence.compared.p_two_sided
    return [
        (whole[i], whole[j], float(mean[i, j]), float(p_values[i, j]))
        for i, j in combinations(range(len(whole)), 2)
    ]


def with_adjusted(tests: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Return a table of tests with columns p_adjusted, one family by Holm, and shown."""
    p_values = tests["p_value"].to_numpy(dtype=float)
    adjusted = adjust_p_values(p_values, CORRECTION) if len(tests) else p_values
    return tests.assign(p_adjusted=adjusted, shown=adjusted <= alpha)


def standard_error(values: ArrayLike) -> float:
    """Return the standard error of the mean of what is not nan; nan with less than two values."""
    array = np.asarray(values, dtype=float)
    known = array[~np.isnan(array)]
    return float(known.std(ddof=1) / len(known) ** 0.5) if len(known) > 1 else float("nan")


def n_unknown(values: Floats) -> int:
    """Return how many values are nan."""
    return int(np.isnan(values).sum())


def plain_tables(**tables: pd.DataFrame) -> dict[str, Any]:
    """Return the rows of tables as plain values; null where there is none."""
    return {
        name: json.loads(table.to_json(orient="records", double_precision=15))
        for name, table in tables.items()
    }
