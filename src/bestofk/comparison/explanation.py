"""Explanation of the answer about two learners, as numbers and a short text."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bestofk.checks import check_known
from bestofk.comparison.evidence import has_test_rows
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation, MeasuredScores, row_predictions
from bestofk.measures import Measure
from bestofk.measures.ties import tied_values
from bestofk.measures.words import is_share, score_in_words, signed_difference, size_in_words
from bestofk.report import Findings
from bestofk.report.sentences.answers import BETTER, EQUIVALENT, NOT_BETTER, UNDECIDED, WORSE
from bestofk.verdict import EQUIVALENT as ALIKE
from bestofk.verdict import Pair, Verdict
from bestofk.words import joined_lines, p_value_in_words, times

NOT_WORSE = "not worse"


@dataclass(frozen=True, eq=False)
class Explanation:
    """Answer about two learners, with the numbers and the reason behind it.

    Made by `Comparison.explain`.  Its text is `str(explanation)`.

    Parameters
    ----------
    first, second : str
        The two learners.
    measure : Measure
        The deciding measure.
    answer : {"better", "worse", "equivalent", "undecided", "not better", "not worse"}
        What the first is, compared with the second. The last two occur where a preference decides:
        of a pair, the less preferred learner is not significantly better.
    first_score, second_score : float
        Means on the splits that both have, in the unit of the measure.
    difference : float
        Score of the first minus score of the second on these splits.
    low, high : float
        Two-sided interval of the difference for this pair alone; nan without a test.
    level : float
        Of the interval.
    test_title : str
        The test; empty where none was possible.
    p_value, p_adjusted : float
        Two-sided for this pair alone; one-sided and adjusted within the family of all pairs.
        With a preference both one-sided.
    rope : float
        Differences up to this do not matter, in the unit of the measure.
    p_first_better, p_within_rope, p_second_better : float
        Posterior probabilities of the three; nan where unknown. They were not checked for
        calibration, so the text leaves them out.
    n_splits : int
        Splits that both have.
    n_repeats, n_first_ahead, n_second_ahead : int
        Repeats that both have, and in how many of them each had the better mean.
    reason : str
        Why no test of the splits was possible; empty where one was.
    rows : DataFrame
        The rows on which only one of them was wrong, in the first repeat: row (counted from 0),
        true, the prediction of each learner by its name, and only_wrong. Empty for regression.
    n_rows : int
        Rows that both predicted in the first repeat; 0 where predictions were not kept.
    """

    first: str
    second: str
    measure: Measure
    answer: str
    first_score: float
    second_score: float
    difference: float
    low: float
    high: float
    level: float
    test_title: str
    p_value: float
    p_adjusted: float
    rope: float
    p_first_better: float
    p_within_rope: float
    p_second_better: float
    n_splits: int
    n_repeats: int
    n_first_ahead: int
    n_second_ahead: int
    reason: str = ""
    rows: Any = field(default=None, repr=False)
    n_rows: int = 0

    def __str__(self) -> str:
        return joined_lines(self._lines())

    def __repr__(self) -> str:
        return str(self)

    def _lines(self) -> Iterator[str]:
        first, second, measure = self.first, self.second, self.measure
        difference = signed_difference(measure, self._as_loss(self.difference))
        headline = {
            BETTER: f"{first} is better than {second}.",
            WORSE: f"{first} is worse than {second}.",
            EQUIVALENT: f"{first} and {second} are about the same.",
            UNDECIDED: f"Can't tell whether {first} or {second} is better.",
            NOT_BETTER: f"{first} is less preferred than {second} and not significantly better.",
            NOT_WORSE: f"{second} is less preferred than {first} and not significantly better.",
        }
        is_same = self.answer == EQUIVALENT and self.reason
        yield f"{first} and {second} have the same scores." if is_same else headline[self.answer]
        yield (
            f"  scores: {score_in_words(measure, self.first_score)} against "
            f"{score_in_words(measure, self.second_score)} on "
            f"{times(self.n_splits, 'shared split')}; difference {difference}{self._unit}."
        )
        yield f"  why: {self._why()}"
        if self.n_repeats > 1:
            n_tied = self.n_repeats - self.n_first_ahead - self.n_second_ahead
            tied = f", {n_tied} tied" if n_tied else ""
            yield (
                f"  repeats: {first} ahead in {self.n_first_ahead} of {self.n_repeats}, {second} "
                f"in {self.n_second_ahead}{tied}."
            )
        if self.n_rows:
            wrong = self.rows["only_wrong"]
            yield (
                f"  rows: of {self.n_rows:,}, only {first} is wrong on {(wrong == first).sum()}, "
                f"only {second} on {(wrong == second).sum()} (first repeat)."
            )

    def _why(self) -> str:
        if not self.test_title or math.isnan(self.low):
            return f"{self.reason}."
        ends = sorted([self._as_loss(self.low), self._as_loss(self.high)])
        if self.measure.greater_is_better:
            ends.reverse()
        low, high = (signed_difference(self.measure, end) for end in ends)
        interval = f"{100 * self.level:g}% interval {low} to {high}{self._unit}"
        test = (
            f"{self.reason or self.test_title}, p {p_value_in_words(self.p_value)}, "
            f"adjusted {p_value_in_words(self.p_adjusted)}"
        )
        alpha = f"{1 - self.level:g}"
        if self.answer in (NOT_BETTER, NOT_WORSE):
            return f"not significant at {alpha} in a one-sided test ({test})."
        if self.answer == EQUIVALENT:
            within = size_in_words(self.measure, self.rope)
            least = f"{100 * self.level:g}%"
            return f"the difference is within {within} with at least {least}; {interval}."
        if self.answer == UNDECIDED and self.p_value < 1 - self.level:
            return f"not significant at {alpha} once all pairs are corrected for ({test})."
        if self.answer == UNDECIDED:
            return f"no significant difference at {alpha} ({test}); {interval}."
        return f"significant at {alpha} ({test}); {interval}."

    @property
    def _unit(self) -> str:
        return " points" if is_share(self.measure) else ""

    def _as_loss(self, value: float) -> float:
        return -value if self.measure.greater_is_better else value


def explain_pair(
    findings: Findings, evaluation: Evaluation, deciding: MeasuredScores, first: str, second: str
) -> Explanation:
    """Return the explanation of two learners; see `Comparison.explain`."""
    for name in (first, second):
        check_known(name, "learner", evaluation.names, rule="one of those compared")
    indices = [evaluation.names.index(name) for name in (first, second)]
    if first == second:
        raise InvalidArgumentError(
            f"learners of explain must be two different ones; got {first!r} twice. Name another."
        )
    values = deciding.values[indices]
    shared = ~np.isnan(values).any(axis=0)
    if not shared.any():
        raise InvalidArgumentError(
            f"learners of explain must have scores on shared splits; got none of {first} and "
            f"{second}. Finish the runs, or name others."
        )
    verdict, measure = findings.verdict, deciding.measure
    pair, sign = _pair_of(verdict, first, second)
    difference = float(np.mean(values[0, shared] - values[1, shared]))
    ahead = _ahead(values, evaluation.plan.n_folds, measure)
    rows, n_rows = _rows(evaluation, indices, first, second)
    is_loss = -1.0 if measure.greater_is_better else 1.0
    ends, posterior = (math.nan,) * 2, (math.nan,) * 3
    if pair is not None:
        ends = (sign * is_loss * pair.low, sign * is_loss * pair.high)
        posterior = (pair.p_first_better, pair.p_equivalent, pair.p_second_better)
    return Explanation(
        first=first, second=second, measure=measure,
        answer=_answer(verdict, pair, first, second),
        first_score=float(values[0, shared].mean()), second_score=float(values[1, shared].mean()),
        difference=difference, low=min(ends), high=max(ends), level=1 - verdict.alpha,
        test_title=verdict.test_title if pair is not None else "",
        p_value=math.nan if pair is None else pair.p_value,
        p_adjusted=math.nan if pair is None else pair.p_adjusted,
        rope=verdict.rope,
        p_first_better=posterior[0] if sign > 0 else posterior[2],
        p_within_rope=posterior[1],
        p_second_better=posterior[2] if sign > 0 else posterior[0],
        n_splits=int(shared.sum()), n_repeats=ahead[0], n_first_ahead=ahead[1],
        n_second_ahead=ahead[2],
        reason=_reason(findings, first, second) if pair is None else pair.no_test,
        rows=rows, n_rows=n_rows,
    )  # fmt: skip


def _pair_of(verdict: Verdict, first: str, second: str) -> tuple[Pair | None, float]:
    """Return the evidence about two learners, and -1 if it has them in reverse order."""
    for pair in verdict.pairs:
        if (pair.first, pair.second) == (first, second):
            return pair, 1.0
        if (pair.first, pair.second) == (second, first):
            return pair, -1.0
    return None, 1.0


def _answer(verdict: Verdict, pair: Pair | None, first: str, second: str) -> str:
    """Return the answer about the first learner, compared with the second."""
    if pair is None:
        if verdict.baselines.get(second, {}).get(first):
            return BETTER
        return WORSE if verdict.baselines.get(first, {}).get(second) else UNDECIDED
    if pair.better:
        return BETTER if pair.better == first else WORSE
    if pair.answer == NOT_BETTER:
        return NOT_BETTER if pair.second == first else NOT_WORSE
    return EQUIVALENT if pair.answer == ALIKE else UNDECIDED


def _reason(findings: Findings, first: str, second: str) -> str:
    """Return why there is no evidence about two learners."""
    verdict = findings.verdict
    for name, other in ((first, second), (second, first)):
        if reason := verdict.left_out.get(name):
            return f"{name} takes no part in the verdict: {reason}"
        if name in verdict.baselines:
            beaten = verdict.baselines[name].get(other)
            test = f"one-sided {verdict.test_title} at {verdict.alpha:g}, Holm correction"
            return f"{name} is a baseline; {other} is {'' if beaten else 'not '}better ({test})"
    return "no test is possible with this plan"


def _ahead(values: NDArray[np.float64], n_folds: int, measure: Measure) -> tuple[int, int, int]:
    """Return the number of shared repeats, and in how many each had the better mean."""
    losses = measure.loss(values).reshape(2, -1, n_folds)
    whole = ~np.isnan(losses).any(axis=(0, 2))
    first, second = tied_values(losses.mean(axis=2)[:, whole], axis=0)
    return len(first), int((first < second).sum()), int((first > second).sum())


def _rows(
    evaluation: Evaluation, indices: list[int], first: str, second: str
) -> tuple[pd.DataFrame, int]:
    """Return the rows of the first repeat on which only one is wrong, and all rows that count."""
    columns = ["row", "true", first, second, "only_wrong"]
    n_folds = evaluation.plan.n_folds
    splits = [split for split in range(n_folds) if has_test_rows(evaluation, indices, [split])]
    if not evaluation.data.is_classification or not splits:
        return pd.DataFrame(columns=columns), 0
    a, b = row_predictions(evaluation, indices, splits).batches
    rows = np.concatenate([evaluation.test_rows[split] for split in splits])
    is_alone = np.flatnonzero(a.is_hit != b.is_hit)
    order = is_alone[np.argsort(rows[is_alone], kind="stable")]
    classes = evaluation.data.classes
    labels = [classes[codes[order].astype(np.int64)] for codes in (a.y_true, a.labels, b.labels)]
    alone = np.where(a.is_hit[order], second, first)
    table = dict(zip(columns, [rows[order], *labels, alone], strict=True))
    return pd.DataFrame(table), len(rows)
