"""Report of a recommendation: the order, each test, the pick and its evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bestofk.measures import Measure
from bestofk.measures.words import better_side, is_share, score_in_words, value_title
from bestofk.report.parts import Row, Sections, Table
from bestofk.report.tables import value_cell
from bestofk.verdict.complete_scores import first_names
from bestofk.words import listing, percent, seconds, times

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
    compared : Sections or None
        Report on those tested in full; None where they are fewer than two.
    guesses : tuple of str
        How the data were read.
    spent : SpentSeconds
        Where the seconds went.
    method : str
        How the order was made, with its settings.
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
    compared: Sections | None
    guesses: tuple[str, ...] = ()
    spent: SpentSeconds = NOT_MEASURED
    method: str = ""

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


def recommendation_sections(findings: RecommendationFindings) -> Sections:
    """Return the report of a recommendation: answer, table, details, caveats and guesses."""
    compared = findings.compared
    tables = [_planned_table(findings)] if findings.is_dry_run else []
    if findings.tried:
        tables = [_tried_table(findings)]
    return Sections(
        title=f"{findings.title}: learners in recommended order",
        answer=recommendation_answer(findings),
        tables=tables,
        details=[
            *_opening(findings),
            *([] if findings.is_dry_run else [*_left_out(findings.untried), _time(findings)]),
            *findings.notes,
            *(compared.details if compared else ()),
        ],
        caveats=compared.caveats if compared else (),
        guessed=findings.guesses,
    )


def recommendation_answer(findings: RecommendationFindings) -> tuple[str, str, str]:
    """Return what to use or try, what else is plausible, and the claim about new data.

    Parameters
    ----------
    findings : RecommendationFindings
        What is to be told.

    Returns
    -------
    tuple of three str
        A learner that was not tested in full is never called worse.
    """
    if findings.is_dry_run:
        return _planned_answer(findings)
    full = [row for row in findings.tried if row.state == DONE]
    if not full:
        return _no_pick(findings)
    outside = _outside(findings)
    if findings.compared:
        first, second, third = findings.compared.answer
        return first, " ".join(filter(None, [second, outside])), third
    first = f"Use {full[-1].learner}: {score_in_words(findings.measure, full[-1].value)}."
    second = f"It is the only learner that was tested in full. {outside}".strip()
    return first, second, "No claim about new data: it was compared with no other learner."


# -- before anything is tried ------------------------------------------------------------


def _planned_table(findings: RecommendationFindings) -> Table:
    rows = [
        Row(
            row.learner,
            "",
            (
                "-" if math.isnan(row.seconds) else percent(row.gain),
                seconds(row.seconds),
                seconds(row.seconds_so_far) if row.fits else "does not fit",
            ),
        )
        for row in findings.planned
    ]
    heads = ["learner", "expected\ngain", "expected\ntime", "total\ntime"]
    return Table(heads, rows, foot=_planned_legend(findings))


def _planned_legend(findings: RecommendationFindings) -> str:
    texts = [
        "expected gain: percentage points that it adds to the best score so far, at first that of "
        "always naming the commonest class",
        f"expected time: {findings.n_folds} folds on these data",
    ]
    if any(math.isnan(row.seconds) for row in findings.planned):
        texts.append("-: not known")
    return "; ".join(texts)


def _planned_answer(findings: RecommendationFindings) -> tuple[str, str, str]:
    rows = findings.planned
    first, *others = [row.learner for row in rows]
    then = f", then {first_names(others)}" if others else ""
    if all(math.isnan(row.seconds) for row in rows):
        return (
            f"Try {first} first{then}.",
            "It is not known what the learners gain here, nor how long they take.",
            "No claim about new data: nothing was tried yet.",
        )
    return (
        f"Try {first} first{then}.",
        _fits(findings),
        "No claim about new data: nothing was tried yet, and each test may change the order.",
    )


def _fits(findings: RecommendationFindings) -> str:
    rows = findings.planned
    total = seconds(sum(row.seconds for row in rows if not math.isnan(row.seconds)))
    n_known = sum(not math.isnan(row.seconds) for row in rows)
    known = f"the {n_known} known of {_learners(findings)}"
    if n_known == len(rows):
        known = f"all {_learners(findings)}"
    expected = f"{known[0].upper()}{known[1:]} should take {total}"
    if findings.budget_seconds is None:
        return f"{expected}."
    limit = seconds(findings.budget_seconds)
    outside = [row.learner for row in rows if not row.fits]
    if not outside:
        return f"{expected}, within the budget of {limit}."
    return f"{expected}; beyond the budget of {limit}: {first_names(outside)}."


# -- what was tried ----------------------------------------------------------------------


def _opening(findings: RecommendationFindings) -> list[str]:
    n_known = sum(not math.isnan(row.seconds) for row in findings.planned)
    order = "earlier results" if n_known else "the catalogue"
    if findings.is_dry_run:
        averages = ", their averages over earlier data sets" if n_known else ""
        lines = [f"{findings.title}: {_learners(findings)} in the order of {order}{averages}."]
    else:
        n_full = sum(row.state == DONE for row in findings.tried)
        lines = [
            f"{findings.title}: {len(findings.tried)} of {_learners(findings)} tried in the order "
            f"of {order}, {n_full} in full.",
        ]
        if findings.compared is None:
            direction = better_side(findings.measure)
            lines.append(f"Measure: {findings.measure.title} ({direction} is better).")
    if findings.n_data_sets:
        if findings.method:
            lines.append(f"Method: {findings.method}.")
        known = f"{n_known} of the {_learners(findings)}"
        if n_known == len(findings.planned):
            known = f"all {_learners(findings)}"
        earlier = times(findings.n_data_sets, "earlier data set")
        lines.append(f"History: {earlier}; it covers {known}.")
    return lines


def _learners(findings: RecommendationFindings) -> str:
    return times(len(findings.planned), "learner")


def _tried_table(findings: RecommendationFindings) -> Table:
    measure = findings.measure
    title = value_title(measure)
    heads = ["learner", title, "folds", "state", "time", "expected\ntime", "best so far"]
    rows = [
        Row(
            row.learner,
            "best" if row.learner == findings.best else "",
            (
                value_cell(row.value, 1 if is_share(measure) else None),
                f"{row.n_folds}/{findings.n_folds}",
                row.state,
                seconds(row.seconds),
                seconds(row.expected_seconds),
                row.best_so_far or "-",
            ),
        )
        for row in findings.tried
    ]
    return Table(heads, rows, foot=_tried_legend(findings), left=(0, 3, 6))


def _tried_legend(findings: RecommendationFindings) -> str:
    states = {row.state for row in findings.tried}
    meanings = {
        "ended early": "could hardly win any more, by the folds done",
        "cut off": "the budget was spent",
        FAILED: "a fold raised an error or took too long",
    }
    texts = [f"{value_title(findings.measure)}: mean over the folds done"]
    texts += ["time: training and predicting"]
    texts += [f"{state}: {said}" for state, said in meanings.items() if state in states]
    return "; ".join(texts)


def _left_out(untried: Sequence[tuple[str, str]]) -> list[str]:
    """Return one sentence per reason."""
    reasons = dict.fromkeys(why for _, why in untried)
    return [
        f"Left out, {why}: {listing([name for name, item in untried if item == why])}."
        for why in reasons
    ]


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


def _no_pick(findings: RecommendationFindings) -> tuple[str, str, str]:
    failed = [row.learner for row in findings.tried if row.state == FAILED]
    texts = [f"Failed: {first_names(failed)}."] if failed else []
    if len(failed) < len(findings.planned):
        expected = [(row.seconds, row.learner) for row in findings.planned]
        known = [item for item in expected if not math.isnan(item[0]) and item[1] not in failed]
        need = ""
        if known:
            shortest, name = min(known)
            need = f": {name}, the quickest, should take {seconds(shortest)} after the start"
        texts.append(f"Give more budget{need}.")
    return (
        f"No pick on {findings.title}: no learner was tested in full.",
        " ".join(texts),
        "No claim about new data: there is no pick.",
    )


def _outside(findings: RecommendationFindings) -> str:
    """Return the learners that were not considered for the pick although they may be better."""
    early = [row.learner for row in findings.tried if row.state == "ended early"]
    failed = [row.learner for row in findings.tried if row.state == FAILED]
    untested = [row.learner for row in findings.tried if row.state == "cut off"]
    untested += [name for name, _ in findings.untried]
    texts = []
    if early:
        texts.append(f"Ended early, as they could hardly win: {first_names(early)}.")
    if failed:
        texts.append(f"Failed: {first_names(failed)}.")
    if untested:
        texts.append(f"Not tested in full, so may be better: {first_names(untested)}.")
    return " ".join(texts)
