"""Details below the answer: one fact per line, the most useful ones first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from bestofk.inference import Caution
from bestofk.inference.many_learners.reseeding import Chance
from bestofk.measures.words import (
    best_side,
    better_side,
    difference_in_words,
    score_in_words,
    short_title,
    size_in_words,
)
from bestofk.report.findings import Findings, LearnerFindings
from bestofk.report.findings.many_data_sets import FindingsAcross
from bestofk.report.sentences.new_data import prices_of_plausible, what_would_help
from bestofk.report.sentences.repeats import repeats_details
from bestofk.report.sentences.tuning import choices_of_others, choices_of_plausible
from bestofk.report.sentences.versus_pick import OVERRIDDEN, VersusPick, versus_pick
from bestofk.verdict.preference import COST_FACTOR
from bestofk.verdict.verdict_warnings import n_tests
from bestofk.words import drawn, listing, memory, p_value_in_words, seconds, times

# From here on "almost surely"; and the most that is claimed of draws afresh.
_ALMOST_SURELY, _MOST_SURE = 0.95, 0.99

ALL_PAIRS = (
    "MultiTest asks only whether a less preferred learner is significantly better. To test every "
    "pair both ways, compare without a preference."
)
_MUCH_MEMORY = 100e6  # bytes; the packages that a first run imports take some tens of millions
_TIMING = {
    "alone": "Seconds are those of runs timed alone; the others ran next to each other (crowded).",
    "crowded": "Seconds are crowded: those of runs that ran next to others.",
}


def details(findings: Findings) -> list[str]:
    """Return the facts below the table, the most useful ones first.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    list of str
        One text per fact: the plan, the test, what would win by other measures, what tuned
        learners chose, how long was repeated, ties, the preference, what cheaper learners would
        give, other seeds, new data, notes.
    """
    return [text for text in _details(findings) if text]


def _details(findings: Findings) -> Iterator[str]:
    best = findings.verdict.best
    yield findings.headline
    yield _plan(findings)
    yield _test(findings)
    yield _other_measures(findings, best) if best is not None else ""
    yield from choices_of_plausible(findings)
    yield from repeats_details(findings)
    if best is not None and len(findings.verdict.order) > 1:
        yield _tie(findings, best)
        yield from _preference(findings, best)
        yield _cheaper(findings, best)
        yield prices_of_plausible(findings)
        yield what_would_help(findings)
        yield _other_seeds(findings)
        yield _smallest_difference(findings)
        yield _share_of_repeats(findings, best)
        yield _nothing_cheaper(findings, best)
    elif best is not None:
        yield what_would_help(findings)
    yield _TIMING.get(findings.timing, "")
    yield _most_memory(findings)
    yield from choices_of_others(findings)
    yield from other_notes(findings)


def other_notes(findings: Findings | FindingsAcross) -> list[str]:
    """Return the notes that are neither guesses nor caveats with a code."""
    return [
        text
        for text in findings.notes
        if text not in findings.guesses and not isinstance(text, Caution)
    ]


def _plan(findings: Findings) -> str:
    plan = findings.plan_sentence
    text = f"{findings.data_sentence}. {plan[:1].upper()}{plan[1:]}."
    if len({len(findings.learner(name).scores) for name in findings.verdict.order}) > 1:
        text += " Differences use only shared splits, so they may not equal the gap between means."
    return text


def _test(findings: Findings) -> str:
    """Return measure, test, number of hypotheses, level and correction."""
    verdict, measure = findings.verdict, findings.measure
    decides = f"{measure.title} ({better_side(measure)} is better)"
    n_learners = len(verdict.order)
    if not verdict.test or n_learners < 2:
        return f"Measure: {decides}."
    count = n_tests(n_learners, has_preference=verdict.has_preference)
    text = (
        f"Measure: {decides}. Test: {verdict.test_title}, {times(count, 'one-sided test')} at a "
        f"nominal {100 * verdict.alpha:g}% family-wise level ({verdict.correction.capitalize()})."
    )
    if verdict.rope:
        text += (
            f' "About the same": within {size_in_words(measure, verdict.rope)}, with at least '
            f"{100 * (1 - verdict.alpha):g}% probability."
        )
    return text


def _tie(findings: Findings, best: str) -> str:
    better, means = findings.ahead, findings.verdict.means
    if not better:
        return ""
    most = max(means[best] - means[name] for name in better)
    return (
        f"{listing(better)} {'is' if len(better) == 1 else 'are'} "
        f"{size_in_words(findings.measure, most)} {better_side(findings.measure)}"
        f"{'' if len(better) == 1 else ' at most'}, which counts as a tie; the first in your list "
        "wins ties."
    )


def _preference(findings: Findings, best: str) -> Iterator[str]:
    verdict, measure = findings.verdict, findings.measure
    if not verdict.has_preference:
        return
    lowest = findings.picks.get(measure.name, best)
    ahead = ""
    if lowest != best:
        said = score_in_words(measure, findings.learner(lowest).mean)
        ahead = f" {lowest} has the {best_side(measure)} {short_title(measure)}: {said}."
    yield f"{verdict.preference}{ahead}"
    yield overridden(versus_pick(findings))
    yield ALL_PAIRS
    same = "also " if verdict.reversed_best == best else ""
    first = verdict.first_test_best or "no learner"
    yield (
        f"With the preference reversed, {verdict.reversed_best} would {same}be the pick. "
        f"TestFirst, which asks whether the best average beats all learners preferred more, "
        f"picks {first}."
    )


def overridden(answers: Mapping[str, VersusPick]) -> str:
    """Say which preferred learners were overridden, each by which learner; empty for none."""
    said = [
        f"{item.learner} by {item.by} (p {p_value_in_words(item.p_adjusted)})"
        for item in answers.values()
        if item.answer == OVERRIDDEN
    ]
    return f"Overridden: {listing(said)}; p values adjusted." if said else ""


def _cheaper(findings: Findings, best: str) -> str:
    verdict = findings.verdict
    choice, own = verdict.alternative, findings.learner(best)
    if choice is None:
        return ""
    other = findings.learner(choice.name)
    durations = {
        "training": (other.fit_seconds, own.fit_seconds),
        "predicting": (other.predict_seconds, own.predict_seconds),
    }
    said = [
        f"{use} takes {seconds(durations[use][0])} instead of {seconds(durations[use][1])}"
        for use in choice.saves
    ]
    price = difference_in_words(
        findings.measure, choice.difference, choice.upper_bound, 1 - verdict.alpha
    )
    return (
        f"If time for {listing(choice.saves)} matters, consider {choice.name}: "
        f"{listing(said)}, and it is {price}."
    )


def _nothing_cheaper(findings: Findings, best: str) -> str:
    verdict, own = findings.verdict, findings.learner(best)
    others = [name for name in verdict.candidates if name != best]
    is_known = best in verdict.candidates and not math.isnan(own.fit_seconds)
    if verdict.alternative is not None or verdict.has_preference or not (others and is_known):
        return ""
    plausible = [item for item in findings.learners if item.name in others]
    if any(COST_FACTOR * _seconds(item) < _seconds(own) for item in plausible):
        return ""  # so it seems, but the runs do not show it
    return (
        f"No other plausible learner takes less than half the time of {best} to train and predict."
    )


def _seconds(learner: LearnerFindings) -> float:
    return learner.fit_seconds + learner.predict_seconds


def _most_memory(findings: Findings) -> str:
    """Name the learner that took the most memory, where that is much."""
    known = (item for item in findings.learners if item.peak_bytes >= _MUCH_MEMORY)
    most = max(known, key=lambda item: item.peak_bytes, default=None)
    if most is None:
        return ""
    return f"{most.name} took the most memory: {memory(most.peak_bytes)} at the peak of a run."


def _other_seeds(findings: Findings) -> str:
    """Say how probable it is that another random seed gives the same verdict."""
    result = findings.reseeding
    if result is None or result.best is None:
        return ""
    others = [
        f"{_would_give(chance)} the same {name}"
        for name, chance in (("plausible learners", result.candidates), ("order", result.order))
        if chance is not None
    ]
    rest = f" It {' and '.join(others)}." if others else ""
    return (
        f"Another random seed {_would_give(result.best)} the same pick.{rest} This is about these "
        "rows, not about new data."
    )


def _would_give(chance: Chance) -> str:
    shown = drawn(min(chance.value, _MOST_SURE), chance.n_draws, whole=100)
    if chance.value >= _ALMOST_SURELY:
        return f"would almost surely ({shown}%) give"
    return f"is {shown}% likely to give"


def _other_measures(findings: Findings, best: str) -> str:
    """Name the learners that other measures would pick."""
    if findings.verdict.has_preference:  # by other measures, too, MultiTest would decide
        return ""
    picked: dict[str, list[str]] = {}
    for measure in findings.shown:
        name = findings.picks.get(measure.name, best)
        if name != best and name not in findings.ahead:
            picked.setdefault(name, []).append(short_title(measure))
    parts = [f"by {listing(titles)}, {name} would win" for name, titles in picked.items()]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _smallest_difference(findings: Findings) -> str:
    size = findings.verdict.smallest_difference
    if size is None:
        return ""
    return (
        f"With this plan and {len(findings.verdict.order)} learners, only gaps above "
        f"{size_in_words(findings.measure, size)} can be detected."
    )


def _share_of_repeats(findings: Findings, best: str) -> str:
    share = findings.verdict.same_pick_share
    n_repeats = len(np.unique(findings.repeat_of_split[: len(findings.learner(best).scores)]))
    if math.isnan(share) or n_repeats < 2 or findings.verdict.has_preference:
        return ""
    return (
        f"{best} had the {best_side(findings.measure)} {short_title(findings.measure)} in "
        f"{round(share * n_repeats)} of {n_repeats} repeats (ties counted)."
    )
