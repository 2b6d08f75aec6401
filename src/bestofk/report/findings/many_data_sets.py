"""Findings over many data sets, and how those of each are weighed together."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bestofk.checks import check_known
from bestofk.errors import DesignError
from bestofk.measures import Measure, measure_of_all
from bestofk.measures.ties import tied_values
from bestofk.report.findings import Findings
from bestofk.verdict.many_data_sets import VerdictAcross, decide_across
from bestofk.verdict.preference import ranked_only
from bestofk.verdict.verdict_options import VerdictOptions
from bestofk.words import printable, times

NOT_EXACT = (
    "On {} of {} data sets the splits alone show no difference between any two learners; the tests "
    "over data sets take the mean of a data set as exact. hierarchical-bayes does not."
)
FEWEST_REPEATS = (
    "On {} of {} data sets some learners were eliminated early. There, only repeats that all "
    "learners have count."
)
NOT_BEGUN = "not begun"


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
        return printable(f"<FindingsAcross about {names} on {n_sets} data sets: {best} is best>")

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
        check_known(name, "reference", self.learners, rule="one of the learners")
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


def across_findings(
    parts: Mapping[str, Findings],
    *,
    settings: VerdictOptions,
    control: str | None = None,
    costs: Mapping[str, NDArray[np.float64]] | None = None,
    notes: Sequence[str] = (),
    not_begun: Sequence[str] = (),
) -> FindingsAcross:
    """Weigh the findings of each data set together.

    Parameters
    ----------
    parts : mapping of str to Findings
        One for each data set, of the same learners and measure.
    settings : VerdictOptions
        How evidence and preference are weighed.
    control : str, optional
        Learner that all others are held against.
    costs : mapping of str to ndarray of shape (n_learners,), optional
        Measured costs by kind.
    notes : sequence of str
        To be reported.
    not_begun : sequence of str
        Data sets without any run.

    Returns
    -------
    FindingsAcross
        Without verdict where too few learners or data sets are left; `reason` says why.

    Raises
    ------
    InvalidArgumentError
        If a name or a setting is not allowed.
    """
    results = list(parts.values())
    first = results[0]
    names = [learner.name for learner in first.learners]
    baselines = tuple(learner.name for learner in first.learners if learner.is_baseline)
    data_sets = (*parts, *not_begun)
    nothing = np.full((len(not_begun), len(names)), np.nan)
    values = np.vstack([*(_values(findings, names) for findings in results), nothing])
    shape = (len(not_begun), len(names), len(names))
    p_within = np.array([_p_within(findings, names) for findings in results])
    p_within = np.concatenate([p_within, np.full(shape, np.nan)])
    missing = tuple(_missing(parts, data_sets, names, values))
    verdict, reason = verdict_on_means(
        first.measure,
        values,
        names,
        baselines,
        settings,
        costs=costs or {},
        data_sets=data_sets,
        control=control,
        reasons={(cell.data_set, cell.learner): cell.reason for cell in missing},
    )
    titles = {findings.verdict.test_title for findings in results if findings.verdict.test_title}
    return FindingsAcross(
        measure=measure_of_all(findings.measure for findings in results),
        data_sets=data_sets,
        learners=tuple(names),
        baselines=baselines,
        values=values,
        p_within=p_within,
        within_test=titles.pop() if len(titles) == 1 else "",
        verdict=verdict,
        plan_sentence=_plan(results),
        n_fitted=sum(findings.n_fitted for findings in results),
        n_reused=sum(findings.n_reused for findings in results),
        n_failed=sum(findings.n_failed for findings in results),
        n_unfinished=sum(findings.n_unfinished for findings in results),
        reason=reason,
        notes=(*notes, *_repeats_remarks(parts)),
        warnings=(*verdict.warnings, *_if_not_exact(verdict, p_within)) if verdict else (),
        missing=missing,
        parts=dict(parts),
    )


def verdict_on_means(
    measure: Measure,
    values: NDArray[np.float64],
    names: Sequence[str],
    baselines: Sequence[str],
    settings: VerdictOptions,
    *,
    costs: Mapping[str, NDArray[np.float64]],
    **about: Any,
) -> tuple[VerdictAcross | None, str]:
    """Return the verdict on a table of means, or why there is none.

    Parameters
    ----------
    measure : Measure
        Of the values.
    values : ndarray of shape (n_data_sets, n_learners), float
        Means; nan where there is none.
    names, baselines : sequence of str
        All learners, and those that a verdict does not rank.
    settings : VerdictOptions
        How the verdict is made.
    costs : mapping of str to ndarray
        Costs of all learners by their kind.
    **about
        Other arguments of `decide_across`.

    Returns
    -------
    (VerdictAcross or None, str)
        The second is empty where there is a verdict.
    """
    ranked = [name for name in names if name not in baselines]
    indices = [names.index(name) for name in ranked]
    prefer = ranked_only(settings.prefer, names, ranked)
    decided_by = replace(settings, rope=settings.rope_of(measure), prefer=prefer)
    about["costs"] = {kind: cost[indices] for kind, cost in costs.items()}
    try:
        return decide_across(ranked, measure.loss(values[:, indices]), decided_by, **about), ""
    except DesignError as error:
        return None, str(error)


def _values(findings: Findings, names: Sequence[str]) -> list[float]:
    """Return the mean score of each learner over the splits that all have; nan where none."""
    scores = [findings.learner(name).scores for name in names if _counts(findings, name)]
    n_shared = min(map(len, scores), default=0)  # all begin with the first split that counts
    return [
        float(findings.learner(name).scores[:n_shared].mean())
        if _counts(findings, name)
        else math.nan
        for name in names
    ]


def _counts(findings: Findings, name: str) -> bool:
    learner = findings.learner(name)
    return not learner.left_out and len(learner.scores) > 0


def _missing(
    parts: Mapping[str, Findings],
    data_sets: Sequence[str],
    names: Sequence[str],
    values: NDArray[np.float64],
) -> Iterator[MissingResult]:
    """Return every cell without a score, and why it has none."""
    for row, column in np.argwhere(np.isnan(values)).tolist():
        data_set, name = data_sets[row], names[column]
        if data_set not in parts:
            yield MissingResult(data_set, name, NOT_BEGUN)
            continue
        findings = parts[data_set]
        learner, history = findings.learner(name), findings.rows_history
        reason = learner.missing or (NOT_BEGUN if findings.n_unfinished else "")
        if history is not None and name in history.reasons():
            reason = "eliminated"
        yield MissingResult(data_set, name, reason, learner.failure)


def _repeats_remarks(parts: Mapping[str, Findings]) -> tuple[str, ...]:
    """Say on how many data sets learners were eliminated early, and what counts there."""
    fewer = []
    for name, findings in parts.items():
        counts = [len(item.scores) for item in findings.learners if _counts(findings, item.name)]
        if counts and min(counts) < max(counts):
            fewer.append(name)
    return (FEWEST_REPEATS.format(len(fewer), len(parts)),) if fewer else ()


def _p_within(findings: Findings, names: Sequence[str]) -> NDArray[np.float64]:
    table = np.full((len(names), len(names)), np.nan)
    for pair in findings.verdict.pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        table[i, j] = table[j, i] = pair.p_value
    return table


def _if_not_exact(verdict: VerdictAcross, p_within: NDArray[np.float64]) -> tuple[str, ...]:
    """Say if most data sets are too small to show anything by themselves."""
    tested = ~np.isnan(p_within).all(axis=(1, 2))
    shown = (np.nan_to_num(p_within, nan=1.0) <= verdict.alpha).any(axis=(1, 2))
    n_silent = int((tested & ~shown).sum())
    if not verdict.edges or 2 * n_silent <= len(p_within):
        return ()
    return (NOT_EXACT.format(n_silent, len(p_within)),)


def _plan(results: Sequence[Findings]) -> str:
    said = list(dict.fromkeys(findings.plan_sentence.partition(": ")[0] for findings in results))
    return said[0] if len(said) == 1 else f"plans by data set ({'; '.join(said)})"
