"""Sentences on how long learners were repeated, or grown, and which were eliminated."""

from __future__ import annotations

from collections.abc import Iterator

from bestofk.report.findings import Findings
from bestofk.words import listing, times

_NO_LONGER_WIN = "because {} could no longer win"


def repeats_details(findings: Findings) -> Iterator[str]:
    """Return why repeating ended, and which learners were eliminated before.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Yields
    ------
    str
        For a plan that is not adaptive, the number of runs alone.
    """
    yield _ending(findings)
    yield from _eliminated(findings)
    yield from _grown(findings)


def _ending(findings: Findings) -> str:
    history, runs = findings.stopping_history, _runs(findings)
    if history is None:
        return runs
    if history.is_settled:
        return f"Stopped after {times(history.n_repeats, 'repeat')}: {history.ending}. {runs}"
    if history.n_repeats == history.max_repeats:
        return (
            f"Not settled after {times(history.n_repeats, 'repeat')}, the most allowed: more "
            f"repeats could change the pick. {runs}"
        )
    return runs


def _runs(findings: Findings) -> str:
    """Return how many runs were done, found, saved, failed and left."""
    history = findings.stopping_history
    n_done = sum(learner.n_runs for learner in findings.learners)
    if not n_done and not findings.n_unfinished:
        return "No runs: the scores were given."
    text = f"{times(n_done, 'run')}"
    if findings.n_reused:
        text += f", {findings.n_reused:,} of them found in the store"
    if history is not None and not findings.n_unfinished:
        n_all = len(findings.learners) * history.n_repeats * history.n_folds
        if n_all > n_done:
            text += f"; early elimination saved {n_all - n_done:,} of {n_all:,}"
    text += f", {findings.n_failed:,} failed" if findings.n_failed else ""
    text += f", {findings.n_unfinished:,} not done" if findings.n_unfinished else ""
    return f"{text}."


def _eliminated(findings: Findings) -> Iterator[str]:
    history = findings.stopping_history
    if history is None:
        return
    early = [item for item in history.eliminations if item.n_repeats < history.n_repeats]
    beaten = [item for item in early if item.is_beaten]
    if beaten:
        risk = (
            f" At most a {100 * history.level:g}% chance that more repeats would pick one of "
            "them instead."
            if history.level
            else ""
        )
        they = "it" if len(beaten) == 1 else "they"
        shown = _after([(item.learner, item.n_repeats) for item in beaten], "repeat")
        yield f"Eliminated early {_NO_LONGER_WIN.format(they)} on these rows: {shown}.{risk}"
    others = [item for item in early if not item.is_beaten]
    for reason in dict.fromkeys(item.reason for item in others):
        same = [(item.learner, item.n_repeats) for item in others if item.reason == reason]
        yield f"Repeated no further, because {reason}: {_after(same, 'repeat')}."


def _after(items: list[tuple[str, int]], unit: str) -> str:
    """Return names by the count after which each ended; the unit stands once.

    Examples
    --------
    >>> _after([("cart", 5), ("1nn", 5), ("svm", 8)], "repeat")
    'cart and 1nn (after 5 repeats), svm (8)'
    """
    counts = dict.fromkeys(count for _, count in items)
    groups: list[str] = []
    for count in counts:
        names = listing([name for name, other in items if other == count])
        shown = f"{count:,}" if groups else f"after {times(count, unit)}"
        groups.append(f"{names} ({shown})")
    return ", ".join(groups)


def _grown(findings: Findings) -> Iterator[str]:
    """Report the learners of a large table that were not trained on all rows."""
    history = findings.rows_history
    if history is None:
        return
    if history.ending:
        yield (
            f"Provisional: {history.ending} after {history.n_rows:,} of {history.n_all:,} "
            "training rows. With all of them another learner may win."
        )
    beaten = [(item.learner, item.n_rows) for item in history.eliminations if item.is_beaten]
    if beaten:
        they = "it" if len(beaten) == 1 else "they"
        yield f"Eliminated early {_NO_LONGER_WIN.format(they)}: {_after(beaten, 'row')}."
    for item in history.eliminations:
        if item.is_open:
            yield (
                f"{item.learner} was trained on {item.n_rows:,} rows at most, "
                f"{item.explanation}. It may still be the best: a larger budget or time limit "
                "lets it grow."
            )
        elif not item.is_beaten:
            yield f"{item.learner} {item.reason} and was trained on {item.n_rows:,} rows at most."
