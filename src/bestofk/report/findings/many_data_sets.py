"""Findings over many data sets: the plain numbers behind every report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure
from bestofk.measures.ties import tied_values
from bestofk.verdict.many_data_sets import VerdictAcross
from bestofk.words import times

if TYPE_CHECKING:
    import pandas as pd

    from bestofk.report.findings import Findings


@dataclass(frozen=True)
class MissingResult:
    """Data set on which a learner has no score that could count.

    Parameters
    ----------
    data_set, learner : str
        Their names.
    reason : str
        "error", "timeout", "memory", "lost", "not begun", "unfinished", "eliminated" (on fewer
        rows) or "no value"; empty where scores were given.
    message : str
        Of the first run that failed; empty where none did.
    """

    data_set: str
    learner: str
    reason: str
    message: str = ""


@dataclass(frozen=True, eq=False)
class FindingsAcross:
    """Everything that a report over many data sets says, as plain numbers and sentences.

    Parameters
    ----------
    measure : Measure
        The deciding measure, one for all data sets.
    data_sets, learners : tuple of str
        All, in the order given.
    baselines : tuple of str
        Learners that are shown and cannot be best.
    values : ndarray of shape (n_data_sets, n_learners), float64
        Mean of the measure over the splits of a data set that all its learners share, in its
        unit; nan where there is none.
    p_within : ndarray of shape (n_data_sets, n_learners, n_learners), float64
        Two-sided p value of each pair by the splits of each data set alone; nan where there
        is none.
    within_test : str
        Name of the test behind `p_within`; empty where there is none.
    verdict : VerdictAcross or None
        None where none was possible; `reason` says why.
    plan_sentence : str
        How the rows of every data set were divided.
    n_fitted, n_reused, n_failed, n_unfinished : int
        Runs done now, found in the store, failed, not done.
    reason : str
        Why there is no verdict.
    notes, warnings : tuple of str
        Guesses made on the way; what to distrust.
    resume : str
        How to go on after an interruption; empty where nothing is left.
    missing : tuple of MissingResult
        All cells of `values` without a score.
    parts : mapping of str to Findings
        Those of each data set that was begun.
    remarks : tuple of str
        The warnings about single data sets in full, each with its data sets; `warnings` groups
        them.
    """

    measure: Measure
    data_sets: tuple[str, ...]
    learners: tuple[str, ...]
    baselines: tuple[str, ...]
    values: NDArray[np.float64]
    p_within: NDArray[np.float64]
    within_test: str
    verdict: VerdictAcross | None
    plan_sentence: str
    n_fitted: int = 0
    n_reused: int = 0
    n_failed: int = 0
    n_unfinished: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    resume: str = ""
    missing: tuple[MissingResult, ...] = ()
    parts: Mapping[str, Findings] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        best = self.verdict.best if self.verdict else None
        names = ", ".join(self.learners)
        n_sets = len(self.data_sets)
        return f"<FindingsAcross about {names} on {n_sets} data sets: {best} is best>"

    @property
    def title(self) -> str:
        """Heading of a report."""
        return times(len(self.data_sets), "data set")

    @property
    def guesses(self) -> tuple[str, ...]:
        """Sentences on how the data were read; those of each data set stand with it."""
        return ()

    @property
    def has_runs(self) -> bool:
        """Return whether the learners were run; otherwise the scores were given."""
        return bool(self.n_fitted or self.n_reused or self.n_failed or self.n_unfinished)

    @property
    def ordered(self) -> list[str]:
        """Learners in the order of the verdict, then those that take no part."""
        order = list(self.verdict.order) if self.verdict else []
        return order + [name for name in self.learners if name not in order]

    def reference(self, name: str | None) -> str:
        """Return the learner that others are marked against: the one named, else the best.

        Parameters
        ----------
        name : str or None
            A learner.

        Returns
        -------
        str
            Its name.

        Raises
        ------
        InvalidArgumentError
            If there is no such learner.
        """
        if name is None:
            if self.verdict is None:
                return self.learners[0]
            return self.verdict.control or self.verdict.best
        if name not in self.learners:
            raise InvalidArgumentError(
                f"reference must be one of the learners; got {name!r}. "
                + nearest_name(name, self.learners)
            )
        return name

    def column(self, learner: str) -> NDArray[np.float64]:
        """Return the values of a learner, one per data set."""
        return np.asarray(self.values[:, self.learners.index(learner)])

    def marks(self, reference: str, alpha: float) -> NDArray[np.int64]:
        """Return which learners differ from a reference by the splits of each data set alone.

        Parameters
        ----------
        reference : str
            A learner.
        alpha : float
            Level of each test; nothing is corrected.

        Returns
        -------
        ndarray of shape (n_data_sets, n_learners), int64
            1 where the learner is significantly better than the reference, -1 where worse.
        """
        index = self.learners.index(reference)
        losses = self.measure.loss(self.values)
        shown = np.nan_to_num(self.p_within[:, :, index], nan=1.0) <= alpha
        signs = np.sign(np.nan_to_num(losses[:, [index]] - losses))
        return np.asarray(np.where(shown, signs, 0), dtype=np.int64)

    def win_tie_loss(self, learner: str, reference: str) -> tuple[int, int, int]:
        """Return on how many data sets a learner has a better, the same, a worse mean.

        Data sets that are left out of the verdict do not count.
        """
        left_out = self.verdict.left_out if self.verdict else {}
        counts = [name not in left_out for name in self.data_sets]
        indices = [self.learners.index(name) for name in (learner, reference)]
        own, other = tied_values(self.measure.loss(self.values[counts][:, indices])).T
        return int((own < other).sum()), int((own == other).sum()), int((own > other).sum())

    def to_frame(self) -> pd.DataFrame:
        """Return a row per data set and a column per learner, in the unit of the measure."""
        import pandas as pd

        index = pd.Index(self.data_sets, name="data set")
        return pd.DataFrame(self.values, index=index, columns=list(self.learners))

    def means(self) -> dict[str, float]:
        """Return the mean over the data sets that count, in the unit of the measure."""
        counted = self.verdict.data_sets if self.verdict else self.data_sets
        rows = [self.data_sets.index(name) for name in counted]
        return dict(zip(self.learners, self.values[rows].mean(axis=0).tolist(), strict=True))

    def mean(self, learner: str) -> float:
        """Return the mean of a learner over the data sets that count."""
        return self.means()[learner]
