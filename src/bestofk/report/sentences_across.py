"""Verdict over many data sets in sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from bestofk.inference.results.result import degrees
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.words import (
    best_side,
    listing,
    number,
    short_title,
    times,
    value_in_words,
)
from bestofk.verdict import EQUIVALENT
from bestofk.verdict.many_data_sets import AcrossPair, VerdictAcross


def across_paragraph(findings: FindingsAcross) -> str:
    """Return the verdict over many data sets and its reasons as one paragraph.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.

    Returns
    -------
    str
        Sentences without line breaks.
    """
    verdict = findings.verdict
    if verdict is None:
        return f"No verdict over the data sets is possible: {findings.reason}"
    return " ".join(sentence for sentence in _sentences(findings, verdict) if sentence)


def family_line(verdict: VerdictAcross) -> str:
    """Return test, family, correction and level in one line."""
    n_pairs = verdict.matrix.n_hypotheses
    family = f"{verdict.control} against the others" if verdict.control else "all pairs"
    line = f"Wilcoxon signed-rank tests, {family} ({n_pairs})"
    if n_pairs > 1:
        line += f", {verdict.correction.capitalize()} correction"
    return f"{line}, level {100 * verdict.alpha:g} %"


def _sentences(findings: FindingsAcross, verdict: VerdictAcross) -> Iterator[str]:
    yield _opening(findings, verdict)
    yield from _standing(verdict)
    yield from _equivalent(verdict)
    yield _other_answers(verdict)
    yield _omnibus(verdict)
    yield _within(findings, verdict)


def _opening(findings: FindingsAcross, verdict: VerdictAcross) -> str:
    n, measure = times(len(verdict.data_sets), "data set"), findings.measure
    said = value_in_words(measure, findings.mean(verdict.best))
    if not verdict.has_preference:
        return (
            f"Of {len(verdict.order)} learners on {n}, {verdict.best} has the "
            f"{best_side(measure)} mean {short_title(measure)}: {said}."
        )
    return (
        f"{verdict.preference} Over {n} {verdict.best} is the pick: it stands because it was "
        f"preferred and not shown to be worse than a less preferred learner that is itself not "
        f"shown to be worse. Its mean {short_title(measure)}: {said}."
    )


def _standing(verdict: VerdictAcross) -> Iterator[str]:
    best, others = verdict.best, [name for name in verdict.order if name != verdict.best]
    worse = [n for n in others if _shown(verdict, n, best)]
    stronger = [n for n in others if _shown(verdict, best, n)]
    rest = [n for n in others if n in verdict.candidates and n not in stronger]
    if worse:
        every = "every other learner: " if len(worse) == len(others) > 1 else ""
        yield f"{best} is significantly better than {every}{listing(worse)}."
    if stronger:
        yield f"{listing(stronger)} {_are(stronger)} significantly better than {best}."
    if rest:
        yield (
            f"{listing(rest)} may be best as well: not shown to be worse than any other learner, "
            "which is not the same as equal."
        )
    open_ones = [n for n in others if n not in worse + stronger + rest]
    if open_ones:
        names = listing(open_ones)
        yield f"{best} is not significantly different from {names}, which is not equal."


def _equivalent(verdict: VerdictAcross) -> Iterator[str]:
    pairs = [pair for pair in verdict.pairs if pair.answer == EQUIVALENT]
    if pairs:
        said = "; ".join(
            f"{pair.first} and {pair.second} ({100 * pair.p_equivalent:.0f} %)" for pair in pairs
        )
        yield (
            f"Practically equivalent, differences within {verdict.rope:g} on most data sets, with "
            f"probability at least {100 * (1 - verdict.alpha):g} %: {said}."
        )


def _other_answers(verdict: VerdictAcross) -> str:
    edges = [e for e in verdict.edges if verdict.best not in (e.worse, e.better)]
    if not edges:
        return ""
    return "Shown besides: " + "; ".join(f"{e.better} better than {e.worse}" for e in edges) + "."


def _omnibus(verdict: VerdictAcross) -> str:
    result = verdict.omnibus
    if result is None:
        return ""
    if math.isinf(result.statistic):
        p_value = _all_alike(verdict)
        shown = "differ" if p_value <= verdict.alpha else "do not differ significantly"
        return (
            f"All learners together {shown}: all data sets order them alike, which has probability "
            f"{number(p_value)} if their order is by chance ({result.procedure}: F = inf, "
            f"where its "
            "distribution says nothing)."
        )
    shown = "differ" if result.reject(verdict.alpha) else "do not differ significantly"
    return (
        f"All learners together {shown} ({result.procedure}: F = {number(result.statistic, 3)}, "
        f"df = {degrees(result.df)}, p = {number(result.p_value)})."
    )


def _all_alike(verdict: VerdictAcross) -> float:
    """Return how probable it is that orders by chance are the same on all data sets."""
    ranks = Counter(verdict.mean_ranks.values())
    orders = math.factorial(ranks.total()) // math.prod(math.factorial(n) for n in ranks.values())
    return float(orders) ** (1 - len(verdict.data_sets))


def _within(findings: FindingsAcross, verdict: VerdictAcross) -> str:
    """Say what the data sets show one by one of the best and its nearest rival."""
    if not findings.within_test or len(verdict.order) < 2:
        return ""
    rival = verdict.order[1]
    marks = findings.marks(verdict.best, verdict.alpha)[:, findings.learners.index(rival)]
    better, worse = int((marks < 0).sum()), int((marks > 0).sum())
    return (
        f"Data set by data set, {findings.within_test} shows {verdict.best} better than {rival} on "
        f"{better} and worse on {worse} of {len(marks)}, at {100 * verdict.alpha:g} % each and "
        "uncorrected."
    )


def _shown(verdict: VerdictAcross, worse: str, better: str) -> bool:
    return any(e.worse == worse and e.better == better for e in verdict.edges)


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def pair_in_words(pair: AcrossPair) -> str:
    r"""Return the evidence about a pair: counts, difference, p values, probabilities, answer.

    Examples
    --------
    >>> pair = AcrossPair("a", "b", 0.1, 0.0, 0.2, 3, 1, 8, 0.02, 0.04, 0.01, 0.02, 0.97,
    ...     "better", "b is better")
    >>> print(pair_in_words(pair).replace(", p", ",\np"))
    a against b: 3/1/8, loss 0.1000 higher (0.0000 to 0.2000),
    p = 0.0200, corrected 0.0400,
    probability of a 0.01, alike 0.02, b 0.97: b is better
    """
    side = "lower" if pair.difference < 0 else "higher"
    low, high = (-pair.high, -pair.low) if side == "lower" else (pair.low, pair.high)
    parts = [
        f"{pair.first} against {pair.second}: {pair.wins}/{pair.ties}/{pair.losses}",
        f"loss {number(abs(pair.difference))} {side} ({number(low)} to {number(high)})",
    ]
    if not math.isnan(pair.p_adjusted):
        parts.append(f"p = {number(pair.p_value)}, corrected {number(pair.p_adjusted)}")
    if not math.isnan(pair.p_equivalent):
        parts.append(
            f"probability of {pair.first} {pair.p_first_better:.2f}, alike "
            f"{pair.p_equivalent:.2f}, {pair.second} {pair.p_second_better:.2f}"
        )
    return f"{', '.join(parts)}: {pair.finding}"
