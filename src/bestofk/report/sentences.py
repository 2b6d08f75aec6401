"""Verdict in sentences."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator

import numpy as np

from bestofk.report.findings import Findings, LearnerFindings
from bestofk.report.new_data_text import claim_sentence, price_sentence
from bestofk.report.words import (
    best_side,
    better_side,
    listing,
    loss_in_words,
    loss_size_in_words,
    seconds,
    short_title,
    times,
    value_in_words,
)
from bestofk.verdict import EQUIVALENT

# Characters of the message of a failed run that a sentence repeats; the list of warnings has all.
_MESSAGE_WIDTH = 160


def paragraph(findings: Findings) -> str:
    """Return the verdict and its reasons as one paragraph.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    str
        Sentences without line breaks. Learners without a significant difference are never
        called equal, and the best mean is never called a proof.

    Examples
    --------
    >>> from bestofk.report.findings import LearnerFindings
    >>> from bestofk.measures import get_measure
    >>> from bestofk.verdict import Verdict
    >>> import numpy as np
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> nothing = Verdict(
    ...     None, [], [], [], [], {}, False, "", None, None, None, {}, "", "holm", 0.05, 0
    ... )
    >>> paragraph(Findings("tea", "", "", "", error, [], [], nothing, {}))
    'No verdict is possible on tea: no learner has a score to be judged by.'
    """
    return " ".join(sentence for sentence in _sentences(findings) if sentence)


def _sentences(findings: Findings) -> Iterator[str]:
    verdict = findings.verdict
    yield _provisional(findings)
    if verdict.best is None:
        yield f"No verdict is possible on {findings.title}: no learner has a score to be judged by."
    elif len(verdict.order) == 1:
        yield _only_one(findings, verdict.best)
        yield claim_sentence(findings)
        yield from _baselines(findings)
        yield from _growth(findings)
    else:
        if verdict.has_preference:
            yield from _with_preference(findings, verdict.best)
        else:
            yield from _without_preference(findings, verdict.best)
        yield from _baselines(findings)
        yield from _course(findings)
        yield from _growth(findings)
        yield _repeats(findings, verdict.best)
        yield _other_measures(findings, verdict.best)
        yield from _said(findings, "multiplicity")
    yield from _failures(findings)
    yield _interruption(findings)


def _only_one(findings: Findings, best: str) -> str:
    said = value_in_words(findings.measure, findings.learner(best).mean)
    n_able = sum(not learner.is_baseline for learner in findings.learners)
    if findings.rows_history is not None and n_able > 1:
        return (
            f"Of {n_able} learners on {findings.title}, {best} alone could still win with all "
            f"training rows. Its {short_title(findings.measure)}: {said}."
        )
    return (
        f"{best} is the only learner that takes part on {findings.title}, so it was compared with "
        f"no other. Its {short_title(findings.measure)}: {said}."
    )


def _without_preference(findings: Findings, best: str) -> Iterator[str]:
    verdict, measure = findings.verdict, findings.measure
    title, said = short_title(measure), value_in_words(measure, findings.learner(best).mean)
    better = findings.ahead
    if better:
        most = max(verdict.means[best] - verdict.means[name] for name in better)
        yield (
            f"Of {len(verdict.order)} learners on {findings.title}, the pick is {best}. Its "
            f"{title}: {said}. {listing(better)} {_have(better)} a {better_side(measure)} one, by "
            f"{loss_size_in_words(measure, most)} at most: of learners tied like that the one "
            "listed first is picked."
        )
    else:
        yield (
            f"Of {len(verdict.order)} learners on {findings.title}, {best} has the "
            f"{best_side(measure)} {title}: {said}."
        )
    lowest = verdict.means[best]
    same = [
        name
        for name in verdict.order
        if name != best and math.isclose(verdict.means[name], lowest, rel_tol=1e-9, abs_tol=1e-12)
    ]
    if same:
        yield f"{listing(same)} {_have(same)} the same average."
    claim = findings.claim
    if claim is None or claim.error_low is None:
        yield from _said(findings, "winners-curse")
    if not verdict.test:
        yield "No test was possible with this plan, so every learner may be the best."
        yield claim_sentence(findings)
    else:
        yield from _standing(findings, best)
        yield claim_sentence(findings)
        yield from _equivalence(findings, best)
        yield from _cheapest(findings, best)


def _standing(findings: Findings, best: str) -> Iterator[str]:
    """List the learners the best one beats, the other candidates, and the remaining wins."""
    verdict = findings.verdict
    others = [name for name in verdict.order if name != best]
    beaten = {edge.worse for edge in verdict.edges if edge.better == best}
    stronger = [edge.better for edge in verdict.edges if edge.worse == best]
    matches = [name for name in others if name in verdict.candidates and name not in stronger]
    rest = [name for name in others if name not in beaten | {*matches, *stronger}]
    if beaten:
        shown = [name for name in others if name in beaten]
        every = "every other learner: " if len(shown) == len(others) > 1 else ""
        yield f"{best} is significantly better than {every}{listing(shown)}."
    if stronger:
        yield f"{listing(stronger)} {_are(stronger)} significantly better than {best}."
    if matches:
        which = "which" if len(matches) == 1 else "each of which"
        whom = listing(matches)
        if len(matches) == len(others) > 1:
            whom = "any other learner"
        yield (
            f"{'It' if beaten else best} is not significantly better than {whom}, {which} may "
            "still be the best."
        )
    if rest:
        yield (
            f"{listing(rest)} {_are(rest)} not shown to be worse than {best}, but shown to be "
            "worse than another learner."
        )


def _equivalence(findings: Findings, best: str) -> Iterator[str]:
    """List the learners practically equivalent to the best, and what could be detected."""
    verdict = findings.verdict
    mine = {
        (pair.second if pair.first == best else pair.first): pair
        for pair in verdict.pairs
        if best in (pair.first, pair.second) and not math.isnan(pair.p_equivalent)
    }
    alike = [name for name in verdict.order if name in mine and mine[name].answer == EQUIVALENT]
    if alike:
        within = loss_size_in_words(findings.measure, verdict.rope)
        yield (
            f"{listing(alike)} {_are(alike)} practically equivalent to {best}: the difference is "
            f"at most {within}, with a probability of at least {100 * (1 - verdict.alpha):g} %."
        )
    if verdict.smallest_difference is not None:
        size = loss_size_in_words(findings.measure, verdict.smallest_difference)
        yield (
            f"With {len(verdict.order)} learners, two of usual spread must differ by {size} to be "
            "shown to differ."
        )


def _cheapest(findings: Findings, best: str) -> Iterator[str]:
    verdict = findings.verdict
    choice, own = verdict.alternative, findings.learner(best)
    if choice is None:
        is_known = not math.isnan(own.fit_seconds)
        if len(verdict.candidates) > 1 and best in verdict.candidates and is_known:
            yield (
                "No other learner that may be the best is clearly cheaper: none takes less than "
                f"half the time of {best} for training and predicting."
            )
        return
    other = findings.learner(choice.name)
    durations = {
        "training": (other.fit_seconds, own.fit_seconds),
        "predicting": (other.predict_seconds, own.predict_seconds),
    }
    said = [
        f"{use} takes {seconds(durations[use][0])} instead of {seconds(durations[use][1])}"
        for use in choice.saves
    ]
    price = loss_in_words(
        findings.measure, choice.difference, choice.upper_bound, 1 - verdict.alpha
    )
    yield (
        f"If the time for {listing(choice.saves)} matters, consider {choice.name}, which cannot be "
        f"ruled out. With it {listing(said)}; {price}."
    )
    yield price_sentence(findings, choice.name)


def _with_preference(findings: Findings, best: str) -> Iterator[str]:
    verdict, measure = findings.verdict, findings.measure
    said = value_in_words(measure, findings.learner(best).mean)
    yield (
        f"Of {len(verdict.order)} learners on {findings.title}, the pick is {best}. Its "
        f"{short_title(measure)}: {said}."
    )
    yield verdict.preference
    if not verdict.test:
        yield f"No test was possible with this plan, so {best}, preferred most, stands."
        yield claim_sentence(findings)
        return
    yield (
        f"{best} stands because it was preferred and is not shown to be worse than a learner "
        "preferred less; that is no proof of being the best."
    )
    worse = [name for name in verdict.order if any(edge.worse == name for edge in verdict.edges)]
    if worse:
        yield f"Shown to be worse than a learner preferred less: {listing(worse)}."
    lowest = findings.picks.get(measure.name, best)
    if lowest != best:
        said = value_in_words(measure, findings.learner(lowest).mean)
        yield f"{lowest} has the {best_side(measure)} {short_title(measure)}: {said}."
    others = [name for name in verdict.candidates if name != best]
    if others:
        too = "also " if best in verdict.candidates else ""
        yield f"Without the preference, {listing(others)} may {too}be the best."
    yield claim_sentence(findings)
    yield _other_rules(findings, best)


def _other_rules(findings: Findings, best: str) -> str:
    verdict = findings.verdict
    same = "also " if verdict.reversed_best == best else ""
    first = "TestFirst, which asks whether the best average beats all learners preferred more, " + (
        f"names {verdict.first_test_best}." if verdict.first_test_best else "names none."
    )
    return f"With the preference reversed the pick would {same}be {verdict.reversed_best}. {first}"


def _baselines(findings: Findings) -> Iterator[str]:
    for baseline, beaten in findings.verdict.baselines.items():
        held = [name for name, is_beaten in beaten.items() if not is_beaten]
        if not held:
            subject = "Every learner is" if len(beaten) > 1 else f"{next(iter(beaten))} is"
            yield f"{subject} shown to beat {baseline}, which learns nothing from the inputs."
        elif len(held) == len(beaten) > 1:
            yield f"No learner is shown to beat {baseline}, which learns nothing from the inputs."
        else:
            yield (
                f"{listing(held)} {_are(held)} not shown to beat {baseline}, which learns nothing "
                "from the inputs."
            )


def _repeats(findings: Findings, best: str) -> str:
    share = findings.verdict.same_pick_share
    n_repeats = len(np.unique(findings.repeat_of_split[: len(findings.learner(best).scores)]))
    if math.isnan(share) or n_repeats < 2:
        return ""
    return (
        f"{best} had the {best_side(findings.measure)} {short_title(findings.measure)} in "
        f"{round(share * n_repeats)} of {n_repeats} repeats (ties counted)."
    )


def _course(findings: Findings) -> Iterator[str]:
    """Report the number of repeats, the reason to stop, the eliminations and the runs saved."""
    stopping_history = findings.stopping_history
    if stopping_history is None:
        return
    after = f"after {times(stopping_history.n_repeats, 'repeat')}"
    if stopping_history.is_settled:
        yield f"It ended {after}: {stopping_history.ending}."
    elif stopping_history.n_repeats == stopping_history.max_repeats:
        yield (
            f"It ended {after}, the most allowed, and the pick is not settled: more repeats could "
            "name another."
        )
    early = [
        elimination
        for elimination in stopping_history.eliminations
        if elimination.n_repeats < stopping_history.n_repeats
    ]
    if not early:
        return
    n_all = len(findings.learners) * stopping_history.n_repeats * stopping_history.n_folds
    n_done = sum(learner.n_runs for learner in findings.learners)
    for reason in dict.fromkeys(item.reason for item in early):
        left = [item for item in early if item.reason == reason]
        counts = dict.fromkeys(item.n_repeats for item in left)
        groups = [
            f"{listing([item.learner for item in left if item.n_repeats == count])} after {count}"
            for count in counts
        ]
        yield f"Repeated no further, because {reason}: {', '.join(groups)}."
    risk = (
        "; the chance that the long run would rather name one of them is at most "
        f"{100 * stopping_history.level:g} %"
        if stopping_history.level
        else ""
    )
    if not findings.n_unfinished:
        yield f"That saved {n_all - n_done:,} of {n_all:,} runs{risk}."


def _provisional(findings: Findings) -> str:
    """Say that a verdict rests on a part of the training rows alone."""
    history = findings.rows_history
    if history is None or not history.ending:
        return ""
    return (
        f"This verdict is provisional: {history.ending} after {history.n_rows:,} of "
        f"{history.n_all:,} training rows. With all of them another learner may be best."
    )


def _growth(findings: Findings) -> Iterator[str]:
    """Report the learners of a large table that were not trained on all rows."""
    history = findings.rows_history
    if history is None:
        return
    beaten = [item for item in history.eliminations if item.is_beaten]
    if beaten:
        they = "it" if len(beaten) == 1 else "they"
        first, *rest = (f"{item.learner} ({{}}{item.n_rows:,}{{}})" for item in beaten)
        shown = [first.format("after ", " rows"), *(text.format("", "") for text in rest)]
        yield f"Eliminated early because {they} could no longer win: {', '.join(shown)}."
    for item in history.eliminations:
        if item.is_open:
            yield (
                f"{item.learner} was trained on {item.n_rows:,} rows at most, "
                f"{item.explanation}. It may still be the best: a larger budget or time limit "
                "lets it grow."
            )
        elif not item.is_beaten:
            yield f"{item.learner} {item.reason} and was trained on {item.n_rows:,} rows at most."


def _other_measures(findings: Findings, best: str) -> str:
    """Say which measures would pick another learner than the best or one that it is tied with."""
    picked: dict[str, list[str]] = {}
    for measure in findings.shown:
        name = findings.picks.get(measure.name, best)
        if name != best and name not in findings.ahead:
            picked.setdefault(name, []).append(short_title(measure))
    parts = [f"by {listing(titles)}, {name}" for name, titles in picked.items()]
    return f"Another measure would pick another learner: {'; '.join(parts)}." if parts else ""


def _said(findings: Findings, code: str) -> Iterator[str]:
    """Say the cautions of a kind that belongs to the verdict itself."""
    for warning in findings.verdict.warnings:
        if getattr(warning, "code", "") == code:
            yield warning


def _failures(findings: Findings) -> Iterator[str]:
    history = findings.rows_history
    eliminated = set() if history is None else history.reasons().keys()
    for learner in findings.learners:
        if learner.name in eliminated:
            continue
        if learner.left_out:
            yield (
                f"{learner.name} takes no part in the verdict: {learner.left_out}"
                f"{_first_failure(learner)}."
            )
        elif learner.n_failed:
            yield _failure(learner)


def _failure(learner: LearnerFindings) -> str:
    return (
        f"{learner.n_failed} of {times(learner.n_runs, 'run')} of {learner.name} failed"
        f"{_first_failure(learner)}; the splits concerned count for no learner."
    )


def _first_failure(learner: LearnerFindings) -> str:
    """Return the message of the first failed run in brackets; empty where none failed."""
    if not learner.failure:
        return ""
    message = textwrap.shorten(learner.failure.rstrip("."), _MESSAGE_WIDTH, placeholder=" ...")
    return f" (first message: {message})"


def _interruption(findings: Findings) -> str:
    if not findings.n_unfinished:
        return ""
    cause = "The comparison was interrupted"
    if findings.is_out_of_time:
        cause = "The budget of time was spent"
    text = f"{cause}: {times(findings.n_unfinished, 'run')} not done yet."
    return f"{text} {findings.resume}".rstrip()


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _have(names: list[str]) -> str:
    return "has" if len(names) == 1 else "have"
