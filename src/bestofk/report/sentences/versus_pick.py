"""Answers about every learner against the pick."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from bestofk.measures import Measure
from bestofk.measures.ties import tied_values
from bestofk.measures.words import signed_difference
from bestofk.report.findings import Findings, FindingsAcross
from bestofk.verdict import EQUIVALENT as ALIKE
from bestofk.verdict import NOT_TESTED, SAME, Pair, Verdict
from bestofk.verdict import UNDECIDED as OPEN
from bestofk.verdict.complete_scores import first_names
from bestofk.verdict.many_data_sets import AcrossPair, VerdictAcross

PICK, BETTER, WORSE, EQUIVALENT, UNDECIDED = "pick", "better", "worse", "equivalent", "undecided"
# The answers where a preference decides: MultiTest asks nothing else.
OVERRIDDEN, NOT_BETTER, UNTESTED = "overridden", "not better", "untested"
# The words of the answers in a text; a learner that takes no part has no answer.
IN_WORDS = {
    PICK: "pick",
    BETTER: "better",
    WORSE: "worse",
    EQUIVALENT: "about the same",
    UNDECIDED: "can't tell",
    OVERRIDDEN: "overridden",
    NOT_BETTER: "not better",
    UNTESTED: "not tested",
    SAME: SAME,
    "": "",
}
# Answers that are drawn as others are.
LIKE = {OVERRIDDEN: WORSE, NOT_BETTER: UNDECIDED, UNTESTED: UNDECIDED}
# Groups of learners that no answer against the pick names.
PLAUSIBLE, RULED_OUT = "plausible", "ruled out"
# What the second line of an answer calls each group, in its order.
GROUPS = {
    BETTER: "Significantly better",
    SAME: "Same scores",
    EQUIVALENT: "About the same",
    PLAUSIBLE: "Cannot be ruled out",
    RULED_OUT: "Significantly worse than another learner",
    OVERRIDDEN: "Preferred but significantly worse",
    NOT_BETTER: "Less preferred and not significantly better",
    UNTESTED: "Not tested",
    WORSE: "Significantly worse",
}


@dataclass(frozen=True)
class VersusPick:
    """Answer about a learner against the pick, with the difference.

    Parameters
    ----------
    learner : str
        Its name.
    answer : {"pick", "better", "worse", "equivalent", "undecided", "overridden", "not better", \
            "untested", ""}
        "better" and "worse" are significant after correction; "equivalent" is within the region
        of practical equivalence; empty for a learner that takes no part. Where a preference
        decides: "overridden" was preferred to the pick and is significantly worse than a less
        preferred learner; "not better" is less preferred and not significantly better; "untested"
        where no test was possible, of a less preferred learner or a baseline.
    difference : float
        Mean loss of the learner minus that of the pick, on the splits that both have; nan where
        there are none.
    low, high : float
        Two-sided interval of the difference, for this pair alone; nan where no test was possible.
    group : str
        The group of the second line that it stands in, a key of `GROUPS`; empty for none.
    by : str
        The learner that is significantly better: the pick if it is, else the surest; empty for
        none.
    p_adjusted : float
        Of the test against `by`, within its family; nan where there is none.
    no_test : str
        Why this learner was not tested against the pick; empty where it was.
    """

    learner: str
    answer: str
    difference: float
    low: float = math.nan
    high: float = math.nan
    group: str = ""
    by: str = ""
    p_adjusted: float = math.nan
    no_test: str = ""

    @property
    def words(self) -> str:
        """The answer in words."""
        return IN_WORDS[SAME if self.group == SAME else self.answer]

    @property
    def is_plausible(self) -> bool:
        """Whether it may be taken: the pick, and what no test speaks against."""
        return self.group in (PICK, BETTER, SAME, EQUIVALENT, PLAUSIBLE, NOT_BETTER, UNTESTED)

    def in_words(self, measure: Measure) -> str:
        """Return the answer with the difference in the unit of the measure, for a table.

        Examples
        --------
        >>> from bestofk.measures import get_measure
        >>> error = get_measure("error", task="classification", classes=["a", "b"])
        >>> VersusPick("cart", "undecided", 0.006).in_words(error)
        "can't tell (+0.6)"
        """
        words = self.words
        if self.answer in (PICK, "") or math.isnan(self.difference) or words == SAME:
            return words
        return f"{words} ({signed_difference(measure, self.difference)})"


def versus_pick(findings: Findings | FindingsAcross) -> dict[str, VersusPick]:
    """Return the answer about every learner, in the order of the report.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    dict of str to VersusPick
        Empty where there is no pick; over data sets no answer for learners whose pair was not
        tested.
    """
    verdict = findings.verdict
    if verdict is None or verdict.best is None:
        return {}
    tested = _of_pairs(verdict, verdict.best)
    if isinstance(findings, FindingsAcross):
        return {name: tested.get(name, VersusPick(name, "", math.nan)) for name in findings.ordered}
    answers = {}
    for learner in findings.ordered():
        name = learner.name
        if learner.left_out:
            answers[name] = VersusPick(name, "", math.nan)
        else:
            answers[name] = tested.get(name) or _untested(findings, name, verdict.best)
    return answers


def finding_in_words(pair: Pair | AcrossPair) -> str:
    """Return the answer about a pair, with the learner that it is about."""
    if pair.finding == SAME:
        return SAME
    return {ALIKE: IN_WORDS[EQUIVALENT], OPEN: IN_WORDS[UNDECIDED]}.get(pair.answer, pair.finding)


def names_by_group(answers: Mapping[str, VersusPick]) -> dict[str, list[str]]:
    """Return the learners of each group that is not empty, in the order of `GROUPS`.

    Parameters
    ----------
    answers : mapping of str to VersusPick
        Of all learners.

    Returns
    -------
    dict of str to list of str
        By keys of `GROUPS`.
    """
    named = {
        group: [item.learner for item in answers.values() if item.group == group]
        for group in GROUPS
    }
    return {group: names for group, names in named.items() if names}


def group_sentences(answers: Mapping[str, VersusPick]) -> Iterator[str]:
    """Yield a sentence about every group of learners, for the second line of an answer."""
    groups = names_by_group(answers)
    for group, names in groups.items():
        said = GROUPS[group]
        if group == WORSE and len(groups) == 1 and len(names) == len(answers) - 1 > 1:
            said = "All others are significantly worse"
        yield f"{said}: {first_names(names)}."
        reasons = {answers[name].no_test for name in names}
        if len(reasons) == 1 and (reason := reasons.pop()):
            yield f"{reason[0].upper()}{reason[1:]}."


def _of_pairs(verdict: Verdict | VerdictAcross, best: str) -> dict[str, VersusPick]:
    """Return the answers that tests of pairs with the pick give, and that of the pick."""
    answers = {best: VersusPick(best, PICK, 0.0, 0.0, 0.0, PICK)}
    for pair in verdict.pairs:
        if best not in (pair.first, pair.second):
            continue
        name, sign = (pair.first, 1) if pair.second == best else (pair.second, -1)
        low, high = (pair.low, pair.high) if sign > 0 else (-pair.high, -pair.low)
        answer = _of_pair(pair, name, has_preference=verdict.has_preference)
        by = _significantly_better(verdict, name, best)
        group = SAME if pair.finding == SAME else answer
        if answer in (UNDECIDED, ""):
            group = PLAUSIBLE if by is None else RULED_OUT
        if group not in (WORSE, RULED_OUT, OVERRIDDEN):
            by = None
        difference = sign * pair.difference
        answers[name] = VersusPick(name, answer, difference, low, high, group, *by or ())
        if math.isnan(pair.p_value):
            answers[name] = replace(answers[name], no_test=getattr(pair, "no_test", ""))
    return answers


def _of_pair(pair: Pair | AcrossPair, name: str, *, has_preference: bool) -> str:
    if has_preference:
        less_preferred = UNTESTED if pair.answer == NOT_TESTED else NOT_BETTER
        return OVERRIDDEN if pair.first == name else less_preferred
    if pair.better:
        return BETTER if pair.better == name else WORSE
    return {ALIKE: EQUIVALENT, OPEN: UNDECIDED}.get(pair.answer, "")


def _significantly_better(
    verdict: Verdict | VerdictAcross, name: str, best: str
) -> tuple[str, float] | None:
    """Return a learner that is significantly better, the pick if it is, and the p value."""
    edges = [edge for edge in verdict.edges if edge.worse == name]
    if not edges:
        return None
    surest = min(edges, key=lambda edge: (edge.better != best, edge.p_adjusted))
    return surest.better, surest.p_adjusted


def _untested(findings: Findings, name: str, best: str) -> VersusPick:
    """Return the answer about a baseline, or about a learner where no test was possible."""
    beaten = findings.verdict.baselines.get(name, {})
    means = findings.verdict.means
    if name in means:
        difference = float(np.diff(tied_values([means[best], means[name]]))[0])
    else:
        difference = findings.shared_gap(name, best)
    answer, group = UNDECIDED, ""  # a baseline that the pick does not beat is named with the pick
    if beaten.get(best):
        answer = group = WORSE
    elif name in findings.verdict.order and not findings.verdict.has_preference:
        group = PLAUSIBLE
    elif name in findings.verdict.order or not findings.verdict.test:
        answer = group = UNTESTED
    return VersusPick(name, answer, difference, group=group, by=best if group == WORSE else "")
