"""Findings of one comparison: the plain numbers and sentences behind every report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk.evaluation import Evaluation, MeasuredScores
from bestofk.evaluation.evaluation import not_reused
from bestofk.evaluation.identity.identity import bare_id, identify
from bestofk.evaluation.status import has_failed, is_lost
from bestofk.inference import Caution, Reseeding, Sampling
from bestofk.inference.many_learners.mean_losses import lowest_loss, repeat_means
from bestofk.inference.new_data import MoreNeeded, ShipClaim
from bestofk.measures import Measure
from bestofk.measures.miscalibration import Miscalibration
from bestofk.measures.ties import at_most, is_noise, standard_deviation
from bestofk.measures.words import short_title
from bestofk.resampling import ForwardPlan
from bestofk.stopping.active_learners import ActiveLearners
from bestofk.stopping.history import RowsHistory, StoppingHistory
from bestofk.tuning import Tuned
from bestofk.tuning.inner_losses import ANCHORED, inner_measure, read_inner
from bestofk.verdict import Verdict
from bestofk.words import printable


class SettingCount(NamedTuple):
    """A setting, and how many splits chose it.

    Parameters
    ----------
    setting : mapping of str to value
        Parameters that were tuned.
    n_splits : int
        At least 1.
    is_default : bool or None
        None where the learner has no default, as a search of scikit-learn.
    """

    setting: Mapping[str, Any]
    n_splits: int
    is_default: bool | None


class Periods(NamedTuple):
    """Test periods in order of time.

    Parameters
    ----------
    unit : str
        What one of them is called, such as month.
    labels : list of str
        Which they are.
    horizon : int
        See `Sampling`.
    """

    unit: str
    labels: list[str]
    horizon: int

    @property
    def sampling(self) -> Sampling:
        """The way that scores of the periods were made."""
        return Sampling("forward", 1, len(self.labels), horizon=self.horizon)


@dataclass(frozen=True, eq=False)
class ChosenSettings:
    """Choices of one learner.

    Parameters
    ----------
    counts : tuple of SettingCount
        The most frequent first.
    untuned : str
        Name of the same learner with its default in the comparison; empty where it is not there.
    how : str
        How they were chosen: inner folds, measure and rule; empty for a search of scikit-learn.
    """

    counts: tuple[SettingCount, ...]
    untuned: str = ""
    how: str = ""

    @property
    def default_kept(self) -> float | None:
        """Share of splits that kept the default; None where there is none."""
        if any(count.is_default is None for count in self.counts):
            return None
        kept = sum(count.n_splits for count in self.counts if count.is_default)
        return kept / sum(count.n_splits for count in self.counts)


def chosen_settings(evaluation: Evaluation, learner_index: int) -> ChosenSettings | None:
    """Return what a learner chose; None for one that chooses nothing.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    learner_index : int
        Position of the learner.
    """
    counts: dict[str, SettingCount] = {}
    for choice in evaluation.chosen(learner_index).values():
        setting, default = choice["setting"], choice["default"]
        is_default = None if default is None else choice["index"] == default
        before = counts.get(repr(setting), SettingCount(setting, 0, is_default))
        counts[repr(setting)] = before._replace(n_splits=before.n_splits + 1)
    if not counts:
        return None
    ordered = tuple(sorted(counts.values(), key=lambda count: -count.n_splits))
    estimator = evaluation.learners[learner_index].estimator
    if not isinstance(estimator, Tuned):
        return ChosenSettings(ordered)
    return ChosenSettings(ordered, _untuned(evaluation, estimator), _how(evaluation, estimator))


def _untuned(evaluation: Evaluation, tuned: Tuned) -> str:
    """Return the name of the learner that is the default of a tuned one; empty where none is."""
    own = identify("", tuned.learner).id
    ids = [bare_id(identity.id) for identity in evaluation.identities]
    return evaluation.names[ids.index(own)] if own in ids else ""


def _how(evaluation: Evaluation, tuned: Tuned) -> str:
    groups, rows = evaluation.data.groups, next(iter(evaluation.plan)).train_rows
    in_time = evaluation.data.time is not None
    own = None if groups is None or in_time else groups[rows]
    plan = read_inner(tuned.inner, int(evaluation.plan.n_train), own)
    repeats = f"{plan.n_repeats} repeats of " if plan.n_repeats > 1 else ""
    title = short_title(inner_measure(tuned.measure, evaluation.data.classes))
    rule = "the lowest mean loss"
    if tuned.rule == ANCHORED:
        rule = "the default unless another setting is better by more than one standard error"
    if in_time:
        return f"{plan.n_folds} inner periods in order of time ({title}; {rule})"
    return f"{repeats}{plan.n_folds}-fold cross-validation ({title}; {rule})"


@dataclass(frozen=True, eq=False)
class LearnerFindings:
    """Findings about one learner.

    Parameters
    ----------
    name : str
        Its name in the comparison.
    mean, sd : float
        Of the deciding measure over the splits that count (over the finished ones for a
        learner that takes no part), in its own unit; nan where there is none.
    scores : ndarray of float64
        The values behind them, in the order of the splits.
    shown : dict of str to float
        Means of the other measures over the same splits; nan where there is none.
    reasons : dict of str to str
        For a measure without a value: why.
    fit_seconds, predict_seconds : float
        Seconds of the processor, median over the runs that were done one by one; nan where
        unknown.
    peak_bytes : float
        Largest memory of its runs at their peak; nan where unknown.
    size_bytes : float
        Length of the pickled model of the first split; nan where unknown.
    complexity : float
        How large that model is, as `bestofk.learners.model_complexity` counts it; nan where
        unknown.
    complexity_unit : {"nodes", "parameters", "rows kept", ""}
        Of what; empty where there is no count.
    n_runs, n_failed : int
        Runs that ended, and those among them that failed.
    is_baseline : bool
        Whether others are only held against it.
    members : tuple of str
        The learners of which it is the average, of which no run was done; else empty.
    left_out : str
        Why it takes no part in the verdict; empty where it does.
    failure : str
        Message of its first failed run; empty where there is none.
    missing : {"", "error", "timeout", "memory", "lost", "not begun", "unfinished", "no value"}
        Why it takes no part: how most of its runs that gave no score ended; empty where it does.
    confusion : ndarray of shape (n_classes, n_classes), int64, or None
        Rows true, columns predicted, over all runs; None for regression and score tables.
    chosen_settings : ChosenSettings or None
        What it chose inside its training sets; None for a learner that chooses nothing.
    class_path : str
        The class that learned, with its module; empty for given scores.
    miscalibration : Miscalibration or None
        Of its probabilities; None where there are none.
    """

    name: str
    mean: float
    sd: float
    scores: NDArray[np.float64]
    shown: Mapping[str, float] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    peak_bytes: float = float("nan")
    size_bytes: float = float("nan")
    complexity: float = float("nan")
    complexity_unit: str = ""
    n_runs: int = 0
    n_failed: int = 0
    is_baseline: bool = False
    members: tuple[str, ...] = ()
    left_out: str = ""
    failure: str = ""
    missing: str = ""
    confusion: NDArray[np.int64] | None = None
    chosen_settings: ChosenSettings | None = None
    class_path: str = ""
    miscalibration: Miscalibration | None = None


@dataclass(frozen=True, eq=False)
class Findings:
    """Everything that a report of one comparison says, as plain numbers and sentences.

    Parameters
    ----------
    title : str
        Name of the data set.
    headline : str
        First line: why this measure decides, where that is not the usual one; else empty.
    data_sentence, plan_sentence : str
        The rows and the splits in words.
    measure : Measure
        The deciding measure.
    shown : sequence of Measure
        The other measures that are shown.
    learners : list of LearnerFindings
        In the order given.
    verdict : Verdict
        Best, order, candidates, pairs.
    picks : dict of str to str
        For each shown measure the learner with the best mean.
    classes : list of str
        Class labels; empty for regression.
    n_fitted, n_reused : int
        Runs done now, and runs found in the store.
    n_unfinished : int
        Runs that an interrupted comparison did not get to.
    timing : {"", "alone", "crowded"}
        Whether runs were crowded by others, and which of them the seconds are of; see
        `bestofk.evaluation.timing`.
    repeat_of_split : ndarray of int64
        The repeat of each split that counts.
    notes : tuple of str
        Guesses and decisions made on the way.
    warnings : tuple of str
        What to distrust.
    guesses : tuple of str
        Those of the notes that say how the data were read.
    data_warnings : tuple of str
        Those of the warnings that are about the data.
    resume : str
        How to go on after an interruption; empty where nothing is left.
    stopping_history : StoppingHistory or None
        How it went, where it was repeated until it was steady.
    rows_history : RowsHistory or None
        How it went, where training rows grew.
    reseeding : Reseeding or None
        How probable it is that other seeds lead to the same verdict; None where repeats or
        learners are too few to tell.
    is_out_of_time : bool
        Whether it ended because the budget of time was spent.
    claim : ShipClaim or None
        What to expect of the pick on new data; None for a table of scores.
    is_claim_at_least : bool
        Whether probabilities of claims were measured to be too low, so that they are lower bounds.
    other_claims : mapping of str to ShipClaim
        The same for each learner that could have been picked in its place.
    more_needed : MoreNeeded or None
        Repeats or rows that would make the claim about the pick 95% likely; None where no
        claim is made.
    reading : tuple of str
        How the data were read, in few lines; see `DataSet.reading`.
    target_guess : str
        Which column was taken as the target, and how to name another; empty where it was named.
    target_transform : {"", "log"}
        Whether learners were trained on the logarithm of the target.
    better_probabilities : str
        The learner of the lowest log loss among those that are significantly better than the pick
        by it; empty where there is none, or probabilities decide.
    periods : Periods or None
        The splits that count, where each is a test period in order of time.
    """

    title: str
    headline: str
    data_sentence: str
    plan_sentence: str
    measure: Measure
    shown: Sequence[Measure]
    learners: list[LearnerFindings]
    verdict: Verdict
    picks: Mapping[str, str]
    classes: list[str] = field(default_factory=list)
    n_fitted: int = 0
    n_reused: int = 0
    n_unfinished: int = 0
    timing: str = ""
    repeat_of_split: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    data_warnings: tuple[str, ...] = ()
    resume: str = ""
    stopping_history: StoppingHistory | None = None
    rows_history: RowsHistory | None = None
    reseeding: Reseeding | None = None
    is_out_of_time: bool = False
    claim: ShipClaim | None = None
    is_claim_at_least: bool = False
    other_claims: Mapping[str, ShipClaim] = field(default_factory=dict)
    more_needed: MoreNeeded | None = None
    reading: tuple[str, ...] = ()
    target_guess: str = ""
    target_transform: str = ""
    better_probabilities: str = ""
    periods: Periods | None = None

    def __repr__(self) -> str:
        names = ", ".join(learner.name for learner in self.learners)
        return printable(f"<Findings about {names} on {self.title}: {self.verdict.best} is best>")

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Warnings and notes of one of the kinds of `CAUTIONS`."""
        return tuple(
            warning for warning in (*self.warnings, *self.notes) if isinstance(warning, Caution)
        )

    @property
    def is_provisional(self) -> bool:
        """Return whether the comparison ended before it was finished."""
        return self.n_unfinished > 0

    @property
    def n_failed(self) -> int:
        """Failed runs of all learners."""
        return sum(learner.n_failed for learner in self.learners)

    @property
    def has_memory(self) -> bool:
        """Whether the memory of a run was measured."""
        return any(learner.peak_bytes > 0 for learner in self.learners)

    def log_loss(self, name: str) -> float:
        """Return the mean log loss of a learner where it is shown; else nan."""
        return self.learner(name).shown.get("log_loss", float("nan"))

    @property
    def has_miscalibration(self) -> bool:
        """Whether the probabilities of a learner are known."""
        return any(learner.miscalibration is not None for learner in self.learners)

    @property
    def ahead(self) -> list[str]:
        """Learners with a better mean than the best, which is tied with them and listed first."""
        verdict = self.verdict
        if verdict.best is None or not verdict.indifference:
            return []
        own = verdict.means[verdict.best]
        return [name for name in verdict.order if not at_most(own, verdict.means[name])]

    @cached_property
    def _by_name(self) -> dict[str, LearnerFindings]:
        return {learner.name: learner for learner in self.learners}

    def learner(self, name: str) -> LearnerFindings:
        """Return the findings about a learner."""
        return self._by_name[name]

    def shared_gap(self, name: str, other: str) -> float:
        """Return mean loss of a learner minus that of another on shared splits; nan for none."""
        own, others = self.learner(name).scores, self.learner(other).scores
        n_shared = min(len(own), len(others))  # both begin with the first split that counts
        if not n_shared:
            return float("nan")
        losses = self.measure.loss(np.array([own[:n_shared], others[:n_shared]]))
        gap = float(np.mean(losses[0] - losses[1]))
        return 0.0 if is_noise(gap, np.abs(losses).max()) else gap

    def median(self, name: str) -> float:
        """Return the median of a learner's repeats by the deciding measure; nan if left out."""
        learner = self.learner(name)
        if learner.left_out:
            return float("nan")
        return float(np.median(repeat_means(learner.scores[:, None], self.repeat_of_split)))

    def ordered(self) -> list[LearnerFindings]:
        """Return the learners in the order of the verdict, then baselines, then those left out."""
        order = [self.learner(name) for name in self.verdict.order]
        rest = [learner for learner in self.learners if learner.name not in self.verdict.order]
        return order + sorted(rest, key=lambda learner: bool(learner.left_out))


def gather(
    evaluation: Evaluation,
    scores: Sequence[MeasuredScores],
    active: ActiveLearners,
    ranked: Sequence[str],
) -> Findings:
    """Collect what is to be reported of a comparison whatever its verdict.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    scores : sequence of MeasuredScores
        The deciding measure first, then those that are shown with it.
    active : ActiveLearners
        The learners that take part, and their splits.
    ranked : sequence of str
        Those of them that can be best.

    Returns
    -------
    Findings
        Without a pick.
    """
    data, plan = evaluation.data, evaluation.plan
    learners = [
        _learner_findings(evaluation, scores, active, index)
        for index in range(len(evaluation.learners))
    ]
    kind = f"{len(data.classes)} classes" if data.is_classification else "a numeric target"
    unfinished = int((evaluation.is_unfinished & active.was_asked).sum())
    outdated = [not_reused(evaluation.n_outdated)] if evaluation.n_outdated else []
    return Findings(
        title=data.name,
        headline="",
        data_sentence=f"{data.n_samples:,} rows, {data.n_features} inputs, {kind}",
        plan_sentence=str(plan),
        measure=scores[0].measure,
        shown=[score.measure for score in scores[1:]],
        learners=learners,
        verdict=Verdict(),
        picks=_picks(scores, active, evaluation, ranked),
        classes=[str(label) for label in data.classes],
        n_fitted=evaluation.n_fitted,
        n_reused=evaluation.n_reused,
        n_unfinished=unfinished,
        is_out_of_time=evaluation.is_out_of_time,
        timing=evaluation.timing,
        repeat_of_split=active.splits // plan.n_folds,
        notes=(*data.notes, *plan.notes, *outdated),
        guesses=tuple(data.notes),
        data_warnings=tuple(data.warnings),
        reading=data.reading,
        target_guess=data.target_guess,
        target_transform=data.target_transform,
        periods=Periods(plan.unit, np.array(plan.labels)[active.splits].tolist(), plan.horizon)
        if isinstance(plan, ForwardPlan)
        else None,
    )


def _learner_findings(
    evaluation: Evaluation,
    scores: Sequence[MeasuredScores],
    active: ActiveLearners,
    learner_index: int,
) -> LearnerFindings:
    learner = evaluation.learners[learner_index]
    failures = evaluation.failures(learner_index)
    values = [score.values[learner_index] for score in scores]
    if learner_index in active.learners:
        values = [value[active.splits] for value in values]
    decided = values[0][~np.isnan(values[0])]
    is_classification = evaluation.data.is_classification
    return LearnerFindings(
        name=learner.name,
        mean=float(decided.mean()) if len(decided) else float("nan"),
        sd=standard_deviation(decided),
        scores=decided,
        shown={
            score.measure.name: mean_of_known(value)
            for score, value in zip(scores[1:], values[1:], strict=True)
        },
        reasons={
            score.measure.name: score.reasons[learner.name]
            for score in scores
            if learner.name in score.reasons
        },
        fit_seconds=float(evaluation.median_seconds["train_cpu_seconds"][learner_index]),
        predict_seconds=float(evaluation.median_seconds["predict_cpu_seconds"][learner_index]),
        peak_bytes=float(evaluation.largest_peak_bytes[learner_index]),
        size_bytes=float(evaluation.size_bytes[learner_index]),
        complexity=float(evaluation.complexity[learner_index]),
        complexity_unit=evaluation.complexity_units[learner_index],
        n_runs=int((~evaluation.is_unfinished[learner_index]).sum()),
        n_failed=int(evaluation.has_failed[learner_index].sum()),
        is_baseline=learner.is_baseline,
        members=learner.members,
        left_out=active.left_out.get(learner.name, ""),
        failure=failures[0][-1] if failures else "",
        missing=_missing(evaluation, active, learner_index),
        confusion=evaluation.confusion(learner_index) if is_classification else None,
        chosen_settings=chosen_settings(evaluation, learner_index),
        class_path=learner.class_path,
        miscalibration=evaluation.miscalibration(learner_index),
    )


def _missing(evaluation: Evaluation, active: ActiveLearners, learner_index: int) -> str:
    """Return how most runs without a score ended, of a learner that takes no part."""
    if evaluation.names[learner_index] not in active.left_out:
        return ""
    status = evaluation.status[learner_index]
    ended = Counter(status[has_failed(status) | is_lost(status)].tolist())
    if ended:
        return str(ended.most_common(1)[0][0])
    if not evaluation.is_unfinished[learner_index].any():
        return "no value"
    return "not begun" if evaluation.is_unfinished[learner_index].all() else "unfinished"


def _picks(
    scores: Sequence[MeasuredScores],
    active: ActiveLearners,
    evaluation: Evaluation,
    ranked: Sequence[str],
) -> dict[str, str]:
    """Return the learner with the best mean for every measure that has one."""
    indices = [i for i in active.learners if evaluation.names[i] in ranked]
    picks = {}
    for score in scores:
        losses = score.losses[indices][:, active.splits] if indices else np.empty((0, 0))
        known = [(index, mean_of_known(row)) for index, row in zip(indices, losses, strict=True)]
        known = [(index, mean) for index, mean in known if not np.isnan(mean)]
        if known:
            first = lowest_loss([mean for _, mean in known])
            picks[score.measure.name] = evaluation.names[known[first][0]]
    return picks


def mean_of_known(values: NDArray[np.float64]) -> float:
    """Return the mean of what is not nan; nan if nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def with_rows(findings: Findings, history: RowsHistory) -> Findings:
    """Add how training rows grew, and the values that eliminated learners had by then."""
    values = {item.learner: item.value for item in history.eliminations}
    learners = [
        replace(learner, mean=values[learner.name]) if learner.name in values else learner
        for learner in findings.learners
    ]
    n_unfinished = findings.n_unfinished + history.n_left
    return replace(findings, learners=learners, n_unfinished=n_unfinished, rows_history=history)


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: inf as text, nan as None, numpy as Python.

    Examples
    --------
    >>> plain({"a": float("inf"), "b": [float("nan"), 1.5]})
    {'a': 'inf', 'b': [None, 1.5]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if np.isnan(value):
            return None
        if np.isinf(value):
            return "inf" if value > 0 else "-inf"
    return value
