"""Report of a recommendation: the order, each test, the pick and its evidence."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bestofk.errors import printable
from bestofk.measures import Measure
from bestofk.report.lines import aligned, bullets, wrapped
from bestofk.report.words import listing, number, percent, seconds, short_title, times
from bestofk.report.words import value_in_words as mean_in_words

_WIDTH = 80
_WORDS = ("learner", "state", "best so far")  # columns that stand left; numbers stand right
DONE = "done"
FAILED = "failed"


class PlannedRow(NamedTuple):
    """Expected result of a learner before any test.

    Attributes
    ----------
    learner : str
        Its name.
    gain : float
        What it is expected to add to the best score so far, as a proportion.
    seconds : float
        Expected time of its test; nan if unknown.
    seconds_so_far : float
        The sum of those that fit into the budget, up to this one.
    fits : bool
        Whether its test is expected to end within the budget.
    """

    learner: str
    gain: float
    seconds: float
    seconds_so_far: float
    fits: bool


class SpentSeconds(NamedTuple):
    """Breakdown of the time spent on a recommendation.

    Attributes
    ----------
    earlier : float
        In earlier calls, which this one went on with.
    tests : float
        Training and predicting, runs that were cut off and earlier calls included.
    start, evidence : float
        Of this call: all before the first test, and the verdict.
    """

    earlier: float = 0.0
    tests: float = 0.0
    start: float = 0.0
    evidence: float = 0.0


NOT_MEASURED = SpentSeconds()


class TriedRow(NamedTuple):
    """Outcome of the test of one learner.

    Attributes
    ----------
    learner, state : str
        Its name; "done", "ended early", "cut off" or "failed".
    value : float
        Mean of the deciding measure over the folds done, in its own unit; nan if there is none.
    n_folds : int
        Folds done.
    seconds, expected_seconds : float
        What it took, and what was expected; nan if it was unknown.
    best_so_far : str
        The best of those tested in full until then; "" if there is none.
    """

    learner: str
    state: str
    value: float
    n_folds: int
    seconds: float
    expected_seconds: float
    best_so_far: str


@dataclass(frozen=True, eq=False)
class RecommendationFindings:
    """Everything that a text of a recommendation says, as plain numbers and sentences.

    Attributes
    ----------
    title : str
        Name of the data set.
    measure : Measure
        The deciding measure.
    n_data_sets : int or None
        Earlier data sets that the order rests on; None where that is not known.
    n_folds : int
        Folds of a whole test.
    notes : tuple of str
        What a reader should know about the earlier results.
    planned : tuple of PlannedRow
        The order before anything was tried.
    tried : tuple of TriedRow
        In the order tried.
    untried : tuple of (str, str)
        Learners that were left out, and why.
    budget_seconds : float or None
        None where there was no limit.
    seconds : float
        From the call to its end, and those of earlier calls that it went on with.
    best : str or None
        The pick.
    verdict : str
        Sentences of the comparison of those tested in full; empty where there is none.
    warnings : tuple of str
        What to distrust in it.
    spent : SpentSeconds
        Where the seconds went.
    """

    title: str
    measure: Measure
    n_data_sets: int | None
    n_folds: int
    notes: tuple[str, ...]
    planned: tuple[PlannedRow, ...]
    tried: tuple[TriedRow, ...]
    untried: tuple[tuple[str, str], ...]
    budget_seconds: float | None
    seconds: float
    best: str | None
    verdict: str
    warnings: tuple[str, ...]
    spent: SpentSeconds = NOT_MEASURED

    @property
    def is_dry_run(self) -> bool:
        """Return whether no learner was to be tested."""
        return not self.tried and not self.untried


def planned_rows(
    forecasts: Iterable[tuple[str, float, float]], budget_seconds: float | None
) -> tuple[PlannedRow, ...]:
    """Return the planned order with its running time, and which learners the budget has room for.

    Parameters
    ----------
    forecasts : iterable of (str, float, float)
        Learner, expected gain and expected seconds, in the planned order.
    budget_seconds : float or None
        A learner that does not fit is left out, and those after it are looked at.

    Returns
    -------
    tuple of PlannedRow
        A learner whose time is unknown fits, and adds nothing.

    Examples
    --------
    >>> [row.fits for row in planned_rows([("a", 0.2, 5), ("b", 0.1, 9), ("c", 0, 4)], 10)]
    [True, False, True]
    """
    limit = math.inf if budget_seconds is None else budget_seconds
    rows, spent = [], 0.0
    for learner, gain, expected in forecasts:
        known = 0.0 if math.isnan(expected) else expected
        fits = spent + known <= limit
        spent += known if fits else 0.0
        rows.append(PlannedRow(learner, gain, expected, spent, fits))
    return tuple(rows)


def recommendation_text(findings: RecommendationFindings, width: int | None = None) -> str:
    """Return a recommendation as plain text.

    Parameters
    ----------
    findings : RecommendationFindings
        What is to be told.
    width : int, optional
        Columns of the terminal, 80 if not given; sentences are wrapped to it, table rows are
        never cut.

    Returns
    -------
    str
        Without a line break at the end.
    """
    width = width or _WIDTH
    blocks = [[*wrapped(_opening(findings), width), *bullets(findings.notes, width)]]
    if findings.is_dry_run:
        blocks.append(_planned_table(findings))
        blocks.append(textwrap.wrap(_planned_legend(findings), width))
    else:
        if findings.tried:
            blocks.append(_tried_table(findings))
            blocks.append(textwrap.wrap(_tried_legend(findings), width))
        if findings.untried:
            blocks.append(["Left out:", *bullets(_left_out(findings.untried), width)])
        blocks.append(textwrap.wrap(_time(findings), width))
    blocks.append(textwrap.wrap(recommendation_paragraph(findings), width))
    if findings.warnings:
        blocks.append(["Warnings:", *bullets(findings.warnings, width)])
    return printable("\n\n".join("\n".join(block) for block in blocks))


def recommendation_paragraph(findings: RecommendationFindings) -> str:
    """Return the pick and its evidence as one paragraph.

    Parameters
    ----------
    findings : RecommendationFindings
        What is to be told.

    Returns
    -------
    str
        Sentences without line breaks; a learner not tested in full is never called worse.
    """
    if findings.is_dry_run:
        return _planned_sentences(findings)
    full = [row for row in findings.tried if row.state == DONE]
    if not full:
        pick = _no_pick(findings)
    elif findings.verdict:
        pick = findings.verdict
    else:
        said = mean_in_words(findings.measure, full[-1].value)
        pick = (
            f"Only {full[-1].learner} was tested in full on {findings.title}, so it is the pick "
            f"without a comparison. Its {short_title(findings.measure)}: {said}. Nothing shows "
            "that it is better than another."
        )
    return " ".join(item for item in (pick, _outside(findings, bool(full))) if item)


# -- before anything is tried ------------------------------------------------------------


def _planned_table(findings: RecommendationFindings) -> list[str]:
    titles = ["learner", "expected gain", "expected time", "total time"]
    rows = [
        [
            row.learner,
            "-" if math.isnan(row.seconds) else percent(row.gain),
            seconds(row.seconds),
            seconds(row.seconds_so_far) if row.fits else "does not fit",
        ]
        for row in findings.planned
    ]
    return _table(titles, rows)


def _planned_legend(findings: RecommendationFindings) -> str:
    texts = [
        "expected gain: percentage points that it adds to the best score so far, at first that of "
        "always naming the commonest class"
    ]
    texts.append(f"expected time: {findings.n_folds} folds on these data")
    if any(math.isnan(row.seconds) for row in findings.planned):
        texts.append("-: not known")
    return "; ".join(texts)


def _planned_sentences(findings: RecommendationFindings) -> str:
    rows = findings.planned
    total = sum(row.seconds for row in rows if not math.isnan(row.seconds))
    n_known = sum(not math.isnan(row.seconds) for row in rows)
    if not n_known:
        return "It is not known what the learners gain here, nor how long they take."
    known = f"the {n_known} known of {_learners(findings)}"
    if n_known == len(rows):
        known = _learners(findings)
    parts = [f"Time expected for {known}: {seconds(total)}."]
    if findings.budget_seconds is not None:
        outside = [row.learner for row in rows if not row.fits]
        limit = seconds(findings.budget_seconds)
        if outside:
            parts.append(f"Not expected to fit into the budget of {limit}: {listing(outside)}.")
        else:
            parts.append(f"That fits into the budget of {limit}.")
    parts.append(
        "The order is that of the averages over earlier data sets; each test on these data tells "
        "which of them are alike, and may change it."
    )
    return " ".join(parts)


# -- what was tried ----------------------------------------------------------------------


def _opening(findings: RecommendationFindings) -> list[str]:
    n_known = sum(not math.isnan(row.seconds) for row in findings.planned)
    order = "earlier results" if n_known else "the catalogue"
    lines = [f"{findings.title}: {_learners(findings)} in the order of {order}, nothing tried"]
    if not findings.is_dry_run:
        n_full = sum(row.state == DONE for row in findings.tried)
        lines = [
            f"{findings.title}: {len(findings.tried)} of {_learners(findings)} tried in the order "
            f"of {order}, {n_full} in full"
        ]
    if findings.n_data_sets:
        known = f"{n_known} of the {_learners(findings)}"
        if n_known == len(findings.planned):
            known = f"all {_learners(findings)}"
        earlier = times(findings.n_data_sets, "earlier data set")
        lines.append(f"History: {earlier}; it knows {known}")
    if not findings.is_dry_run:
        direction = "higher" if findings.measure.greater_is_better else "lower"
        lines.append(
            f"Decided by {findings.measure.title} ({direction} is better); one "
            f"{findings.n_folds}-fold cross-validation each"
        )
    return lines


def _learners(findings: RecommendationFindings) -> str:
    return times(len(findings.planned), "learner")


def _tried_table(findings: RecommendationFindings) -> list[str]:
    titles = ["learner", short_title(findings.measure), "folds", "state", "time"]
    titles += ["expected time", "best so far"]
    rows = [
        [
            row.learner,
            number(row.value),
            f"{row.n_folds}/{findings.n_folds}",
            row.state,
            seconds(row.seconds),
            seconds(row.expected_seconds),
            row.best_so_far or "-",
        ]
        for row in findings.tried
    ]
    return _table(titles, rows)


def _tried_legend(findings: RecommendationFindings) -> str:
    states = {row.state for row in findings.tried}
    meanings = {
        "ended early": "could not win any more, by the folds done",
        "cut off": "the budget was spent",
        FAILED: "a fold raised an error or took too long",
    }
    texts = [f"{short_title(findings.measure)}: mean over the folds done"]
    texts += ["time: training and predicting"]
    texts += [f"{state}: {said}" for state, said in meanings.items() if state in states]
    return "; ".join(texts)


def _left_out(untried: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return one line per reason."""
    reasons = dict.fromkeys(why for _, why in untried)
    return tuple(
        f"{listing([name for name, item in untried if item == why])}: {why}" for why in reasons
    )


def _time(findings: RecommendationFindings) -> str:
    spent = findings.spent
    parts = {
        "training and predicting": spent.tests,
        "the start": spent.start,
        "weighing the evidence": spent.evidence,
    }
    parts["the rest"] = max(findings.seconds - sum(parts.values()), 0.0)
    said = listing(f"{seconds(value)} for {name}" for name, value in parts.items() if value > 0)
    earlier = f", {seconds(spent.earlier)} of it in earlier calls" if spent.earlier else ""
    text = f"Time: {seconds(findings.seconds)} altogether{earlier}: {said}"
    limit = findings.budget_seconds
    return f"{text}; no budget." if limit is None else f"{text}; the budget is {seconds(limit)}."


def _no_pick(findings: RecommendationFindings) -> str:
    text = f"No learner was tested in full on {findings.title}, so there is no pick."
    failed = [row.learner for row in findings.tried if row.state == FAILED]
    if failed:
        text += f" {listing(failed)} failed."
    if len(failed) == len(findings.planned):
        return text
    expected = [(row.seconds, row.learner) for row in findings.planned]
    known = [item for item in expected if not math.isnan(item[0]) and item[1] not in failed]
    need = ""
    if known:
        shortest, name = min(known)
        need = f": {name}, the quickest, is expected to take {seconds(shortest)} after the start"
    return f"{text} Give more budget{need}."


def _outside(findings: RecommendationFindings, is_picked: bool) -> str:
    """Report the learners that were not considered for the pick although they may be better."""
    if not is_picked:
        return ""
    early = [row.learner for row in findings.tried if row.state == "ended early"]
    failed = [row.learner for row in findings.tried if row.state == FAILED]
    open_ones = [row.learner for row in findings.tried if row.state == "cut off"]
    open_ones += [name for name, _ in findings.untried]
    texts = []
    if early:
        texts.append(f"{listing(early)} could hardly win any more and ended early.")
    if failed:
        texts.append(f"{listing(failed)} failed.")
    if open_ones:
        item = "it" if len(open_ones) == 1 else "one of them"
        texts.append(
            f"{times(len(open_ones), 'learner')} had no time for a whole test "
            f"({listing(open_ones)}): {item} may be better, and more budget would tell."
        )
    return " ".join(texts)


# -- lines -------------------------------------------------------------------------------


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return aligned lines; titles of several words stand in several lines."""
    first, *others = (title if title in _WORDS else "\n".join(title.split()) for title in titles)
    left = [index for index, title in enumerate(titles) if title in _WORDS]
    indented = [[f"  {name}", *cells] for name, *cells in rows]
    return aligned([f"  {first}", *others], indented, left=left)
