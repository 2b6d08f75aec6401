"""Answers about every learner against the pick."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bestofk.measures import Measure
from bestofk.report.findings import Findings
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.words import signed_difference
from bestofk.verdict import BETTER as SIGNIFICANT
from bestofk.verdict import EQUIVALENT as ALIKE
from bestofk.verdict import UNDECIDED as OPEN
from bestofk.verdict import Pair
from bestofk.verdict.many_data_sets import AcrossPair

PICK, BETTER, WORSE, EQUIVALENT, UNDECIDED = "pick", "better", "worse", "equivalent", "undecided"
# The words of the answers in a text; a learner that takes no part has no answer.
IN_WORDS = {
    PICK: "pick",
    BETTER: "better",
    WORSE: "worse",
    EQUIVALENT: "about the same",
    UNDECIDED: "can't tell",
    "": "",
}


@dataclass(frozen=True)
class VersusPick:
    """Answer about a learner against the pick, with the difference.

    Parameters
    ----------
    learner : str
        Its name.
    answer : {"pick", "better", "worse", "equivalent", "undecided", ""}
        "better" and "worse" are significant after correction; "equivalent" is within the region
        of practical equivalence; empty for a learner that takes no part.
    difference : float
        Mean loss of the learner minus that of the pick, on the splits that both have; nan where
        there are none.
    low, high : float
        Two-sided interval of the difference, for this pair alone; nan where no test was possible.
    """

    learner: str
    answer: str
    difference: float
    low: float = math.nan
    high: float = math.nan

    def in_words(self, measure: Measure) -> str:
        """Return the answer with the difference in the unit of the measure, for a table.

        Examples
        --------
        >>> from bestofk.measures import get_measure
        >>> error = get_measure("error", task="classification", classes=["a", "b"])
        >>> VersusPick("cart", "undecided", 0.006).in_words(error)
        "can't tell (+0.6)"
        """
        words = IN_WORDS[self.answer]
        if self.answer in (PICK, "") or math.isnan(self.difference):
            return words
        return f"{words} ({signed_difference(measure, self.difference)})"


def versus_pick(findings: Findings) -> dict[str, VersusPick]:
    """Return the answer about every learner, in the order of the report.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    dict of str to VersusPick
        Empty where there is no pick.
    """
    best = findings.verdict.best
    if best is None:
        return {}
    tested = _of_pairs(findings.verdict.pairs, best)
    answers = {}
    for learner in findings.ordered():
        name = learner.name
        if learner.left_out:
            answers[name] = VersusPick(name, "", math.nan)
        else:
            answers[name] = tested.get(name) or _untested(findings, name, best)
    return answers


def versus_pick_across(findings: FindingsAcross) -> dict[str, VersusPick]:
    """Return the answer about every learner over many data sets, in the order of the report.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.

    Returns
    -------
    dict of str to VersusPick
        Empty where there is no pick; no answer for learners whose pair was not tested.
    """
    verdict = findings.verdict
    if verdict is None:
        return {}
    tested = _of_pairs(verdict.pairs, verdict.best)
    untested = {name: VersusPick(name, "", math.nan) for name in findings.ordered}
    return {name: tested.get(name, untested[name]) for name in findings.ordered}


def _of_pairs(pairs: Iterable[Pair | AcrossPair], best: str) -> dict[str, VersusPick]:
    """Return the answers that tests of pairs with the pick give, and that of the pick."""
    answers = {best: VersusPick(best, PICK, 0.0, 0.0, 0.0)}
    for pair in pairs:
        if pair.second == best:
            answers[pair.first] = _of_pair(pair.first, pair, pair.difference, pair.low, pair.high)
        elif pair.first == best:
            answers[pair.second] = _of_pair(
                pair.second, pair, -pair.difference, -pair.high, -pair.low
            )
    return answers


def _of_pair(
    name: str, pair: Pair | AcrossPair, difference: float, low: float, high: float
) -> VersusPick:
    answer = UNDECIDED if pair.answer == OPEN else ""
    if pair.answer == ALIKE:
        answer = EQUIVALENT
    elif pair.answer == SIGNIFICANT:
        answer = BETTER if pair.finding == f"{name} is better" else WORSE
    return VersusPick(name, answer, difference, low, high)


def _untested(findings: Findings, name: str, best: str) -> VersusPick:
    """Return the answer about a baseline, or about a learner where no test was possible."""
    beaten = findings.verdict.baselines.get(name, {})
    means = findings.verdict.means
    if name in means:
        difference = means[name] - means[best]
    else:
        loss = findings.measure.loss
        own, others = findings.learner(name).scores, findings.learner(best).scores
        n_shared = min(len(own), len(others))  # both begin with the first split that counts
        gaps = loss(own[:n_shared]) - loss(others[:n_shared])
        difference = float(np.mean(gaps)) if n_shared else math.nan
    return VersusPick(name, WORSE if beaten.get(best) else UNDECIDED, difference)
