"""Answers about every learner against the pick, and the three lines that a report begins with."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from bestofk.inference.new_data import ROW_FACTORS, ShipClaim
from bestofk.inference.two_learners.catalogue import paired_test
from bestofk.inference.two_learners.over_time import OVER_TIME
from bestofk.measures import Measure
from bestofk.measures.ties import NOISE, at_most, tied_values
from bestofk.measures.words import (
    best_side,
    is_share,
    points,
    score_in_words,
    short_title,
    signed_difference,
    value_cell,
    value_in_unit,
    value_title,
)
from bestofk.report.findings import Findings, FindingsAcross
from bestofk.verdict import EQUIVALENT as ALIKE
from bestofk.verdict import NOT_TESTED, SAME, Pair, Verdict
from bestofk.verdict import UNDECIDED as OPEN
from bestofk.verdict.complete_scores import first_names
from bestofk.verdict.many_data_sets import AcrossPair, VerdictAcross
from bestofk.verdict.verdict import column, pairs_of
from bestofk.words import interval_in_words, listing, number, number_word, significant, times

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

# Probabilities are printed in steps of 5%, and none above what was measured to hold.
_STEP, _MOST = 5, 95
_SMALL_REGRET = 0.0005  # is printed as 0.1 points from here on
_IF_LOSSES_STAY = "if mean losses stay as they are"
_SECOND = ("auroc", "r2")  # measures that stand next to the deciding one
Answer = tuple[str, str, str]


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


@lru_cache(maxsize=1)  # an answer, tables and pictures of the same findings follow each other
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
    tested = _tested_answers(verdict, verdict.best)
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


def finding_in_words(answer: str, finding: str) -> str:
    """Return the answer about a pair, with the learner that it is about."""
    if finding == SAME:
        return SAME
    return {ALIKE: IN_WORDS[EQUIVALENT], OPEN: IN_WORDS[UNDECIDED]}.get(answer, finding)


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


def _tested_answers(verdict: Verdict | VerdictAcross, best: str) -> dict[str, VersusPick]:
    """Return the answers that tests of pairs with the pick give, and that of the pick."""
    answers = {best: VersusPick(best, PICK, 0.0, 0.0, 0.0, PICK)}
    edges: dict[str, list[tuple[bool, float, str]]] = {}
    tested = (column(verdict.edges, name) for name in ("worse", "better", "p_adjusted"))
    for worse, better, p_adjusted in zip(*tested, strict=True):
        edges.setdefault(worse, []).append((better != best, p_adjusted, better))
    for pair in pairs_of(verdict.pairs, best):
        name, sign = (pair.first, 1) if pair.second == best else (pair.second, -1)
        low, high = (pair.low, pair.high) if sign > 0 else (-pair.high, -pair.low)
        answer = _pair_answer(pair, name, has_preference=verdict.has_preference)
        # the pick if it is significantly better, else the surest
        _, p_adjusted, by = min(
            edges.get(name, []), key=lambda edge: edge[:2], default=(False, math.nan, "")
        )
        group = SAME if pair.finding == SAME else answer
        if answer in (UNDECIDED, ""):
            group = RULED_OUT if by else PLAUSIBLE
        if group not in (WORSE, RULED_OUT, OVERRIDDEN):
            p_adjusted, by = math.nan, ""
        difference = sign * pair.difference
        answers[name] = VersusPick(name, answer, difference, low, high, group, by, p_adjusted)
        if math.isnan(pair.p_value):
            answers[name] = replace(answers[name], no_test=getattr(pair, "no_test", ""))
    return answers


def _pair_answer(pair: Pair | AcrossPair, name: str, *, has_preference: bool) -> str:
    if has_preference:
        less_preferred = UNTESTED if pair.answer == NOT_TESTED else NOT_BETTER
        return OVERRIDDEN if pair.first == name else less_preferred
    if pair.better:
        return BETTER if pair.better == name else WORSE
    return {ALIKE: EQUIVALENT, OPEN: UNDECIDED}.get(pair.answer, "")


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


def rounded_probability(value: float) -> str:
    """Return a probability about new data as it is printed: in steps of 5%, at most 95%.

    Examples
    --------
    >>> [rounded_probability(value) for value in (0.86, 0.875, 0.9999, 0.05, 0.049)]
    ['about 85%', 'about 90%', 'about 95%', 'about 5%', 'less than 5%']
    """
    if value < _STEP / 100:
        return f"less than {_STEP}%"
    return f"about {_percent(value)}%"


def lower_bound(value: float) -> str:
    """Return a probability that was measured to be too low, as it is printed: rounded down.

    Examples
    --------
    >>> [lower_bound(value) for value in (0.79, 0.9999, 0.049)]
    ['at least 75%', 'at least 95%', 'less than 5%']
    """
    percent = min(_STEP * math.floor((1 + NOISE) * 100 * value / _STEP), _MOST)
    return f"at least {percent}%" if percent else rounded_probability(value)


def _chance(findings: Findings, claim: ShipClaim) -> str:
    """Return a probability as it is printed: as a bound where it was measured to be one."""
    in_words = lower_bound if findings.is_claim_at_least else rounded_probability
    return in_words(claim.probability or 0.0)


def claim_sentence(findings: Findings) -> str:
    """Return what to expect of the pick on new data, or why nothing is claimed.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    str
        Empty for a table of scores, and without a pick.
    """
    claim = findings.claim
    if claim is None or findings.verdict.best is None:
        return ""
    parts = []
    n_learners = sum(not findings.learner(name).members for name in findings.verdict.order)
    if claim.probability is not None and n_learners > 1:
        parts.append(
            f"{claim.learner} is {_chance(findings, claim)} likely to be within "
            f"{near(findings, claim.within)} of the best of these {number_word(n_learners)}"
        )
    if claim.loss_low is not None and claim.loss_high is not None:
        parts.append(f"expect {_expected(findings.measure, claim.loss_low, claim.loss_high)}")
    if not parts:
        about = "later periods" if findings.periods else "new data"
        return f"No claim about {about}: {claim.reason}."
    if claim.probability is not None and claim.reason:
        parts.append(claim.reason)
    return f"On new data like these, {'; '.join(parts)}."


def prices_of_plausible(findings: Findings) -> str:
    """Return what plausible learners cost on new data, but for those below 5%; empty for one."""
    verdict = findings.verdict
    claims = [
        findings.claim if name == verdict.best else findings.other_claims.get(name)
        for name, item in versus_pick(findings).items()
        if name in verdict.order and item.is_plausible
    ]
    known = [
        claim
        for claim in claims
        if claim is not None
        and claim.probability is not None
        and (claim.learner == verdict.best or claim.probability >= _STEP / 100)
    ]
    if len(known) < 2 or known[0].learner != verdict.best:
        return ""
    said = "; ".join(
        f"{claim.learner} {_chance(findings, claim)}, {_regret(findings, claim)}" for claim in known
    )
    return (
        f"Probability of being within {near(findings, known[0].within)} of the best on new data, "
        f"and expected loss against it: {said}."
    )


def what_would_help(findings: Findings) -> str:
    """Return which repeats or rows would raise the claim about the pick to 95%."""
    claim, needed, measure = findings.claim, findings.more_needed, findings.measure
    if claim is None or claim.probability is None or needed is None:
        return ""
    if f"{_MOST}%" in _chance(findings, claim) or len(findings.verdict.order) == 1:
        return ""
    if needed.is_behind:
        return (
            f"Neither more repeats nor more rows would raise the claim about {claim.learner}, "
            f"{_IF_LOSSES_STAY}: its {short_title(measure)} is already more than "
            f"{near(findings, claim.within)} from the {best_side(measure)}."
        )
    goal = f"raise the claim about {claim.learner} to {_MOST}%"
    if needed.n_repeats is not None:
        return f"About {needed.n_repeats} repeats would {goal}, {_IF_LOSSES_STAY}."
    rows = f"more than {ROW_FACTORS[-1]} times"
    if needed.row_factor is not None:
        rows = f"about {needed.row_factor} times"
    if findings.verdict.n_splits == 1:  # a single test set
        return f"It takes {rows} the test rows to {goal}, {_IF_LOSSES_STAY}."
    how = "More repeats, up to 100 fits," if needed.endless_repeats_would else "More repeats"
    return f"{how} would not {goal}; it takes {rows} the rows, {_IF_LOSSES_STAY}."


def _percent(value: float) -> int:
    """Return a probability in steps of 5%, at most 95%; halves go up."""
    return min(_STEP * math.floor(100 * value / _STEP + 0.5), _MOST)


def near(findings: Findings, size: float, decimals: int | None = None) -> str:
    """Return a distance to the best as it is printed: of losses without bound as a share of it."""
    lowest = min(findings.verdict.means.values())
    if np.isinf(findings.measure.maximum) and lowest > 0:
        share = 100 * size / lowest
        return f"{share:.2g}%" if decimals is None else f"{share:.{decimals}f}%"
    return points(findings.measure, size, decimals)


def _expected(measure: Measure, loss_low: float, loss_high: float) -> str:
    low, high = loss_low, loss_high
    if measure.greater_is_better:  # as of accuracy
        low, high = measure.maximum - loss_high, measure.maximum - loss_low
    title = short_title(measure)
    if is_share(measure):
        said = interval_in_words(low, high)
        article = "an" if said.startswith("8") or said[:2] in ("11", "18") else "a"
        return f"{article} {said} {title}"
    article = "an" if title[0] in "aeiouAEIO" else "a"
    ends = [value_in_unit(measure, value) for value in (low, high)]
    return f"{article} {title} of {' to '.join(ends)}"


def _regret(findings: Findings, claim: ShipClaim) -> str:
    """Return the expected regret with one decimal of a point, or of a percentage."""
    value, small = claim.expected_regret or 0.0, _SMALL_REGRET
    if np.isinf(findings.measure.maximum):
        small *= min(findings.verdict.means.values())
    if value < small:
        return f"less than {near(findings, 2 * small)}"
    return near(findings, value, decimals=1)


def answer(findings: Findings | FindingsAcross) -> Answer:
    """Return what to use, what else is plausible, and the claim about new data or data sets.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    tuple of three str
        At most 60 words together, as long as names have no blanks.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> from bestofk.verdict import Verdict
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> for line in answer(Findings("tea", "", "", "", error, [], [], Verdict(), {})):
    ...     print(line)
    No learner can be picked on tea.
    No learner has a score.
    No claim about new data: there is no pick.
    """
    if isinstance(findings, FindingsAcross):
        return _over_data_sets(findings)
    best = findings.verdict.best
    if best is None:
        return (
            f"No learner can be picked on {findings.title}.",
            "No learner has a score.",
            "No claim about new data: there is no pick.",
        )
    claim = claim_sentence(findings) or "No claim about new data: only scores were given."
    return " ".join(_pick(findings, best)), " ".join(_others(findings)), claim


def _pick(findings: Findings, best: str) -> Iterator[str]:
    measure, learner = findings.measure, findings.learner(best)
    said = score_in_words(measure, learner.mean)
    second = [
        score_in_words(shown, learner.shown[shown.name])
        for shown in findings.shown
        if shown.name in _SECOND and not math.isnan(learner.shown[shown.name])
    ]
    aside = [*second[:1], *_tied(findings)]
    if findings.verdict.center == "median":
        n_repeats = len(set(findings.repeat_of_split.tolist()))
        median = score_in_words(measure, findings.median(best))
        aside = [f"mean {said}", *aside]
        said = f"{median}, the median of {times(n_repeats, 'repeat')}"
    said += f" ({'; '.join(aside)})" if aside else ""
    use = f"the average of {len(learner.members)} learners" if learner.members else best
    if findings.periods is not None:
        periods = times(len(findings.periods.labels), findings.periods.unit)
        said += f", on the {periods} after each training"
    yield f"Use {use}{_until_now(findings)}: {said}."
    held = [name for name, beaten in findings.verdict.baselines.items() if not beaten.get(best)]
    if not held:
        return
    verb = "ignores" if len(held) == 1 else "ignore"
    losses, ahead = findings.verdict.means, ""
    first = min(held, key=lambda name: losses.get(name, math.inf))
    if losses.get(first, math.inf) < losses[best]:
        ahead = f"; {first} has {value_cell(measure, findings.learner(first).mean)}"
    yield f"It is not significantly better than {listing(held)}, which {verb} the inputs{ahead}."


def _tied(findings: Findings) -> Iterator[str]:
    """Return which learner has a better mean that counts as a tie."""
    if findings.ahead:
        means = findings.verdict.means
        first = min(findings.ahead, key=lambda name: means[name])
        value = value_cell(findings.measure, findings.learner(first).mean)
        yield f"tied with {first} at {value}; listed first"


def _until_now(findings: Findings) -> str:
    """Return that an answer is provisional, and after how much; empty for a finished one."""
    history = findings.rows_history
    if history is not None and history.ending:
        return f" for now, after {history.n_rows:,} of {history.n_all:,} training rows"
    if not findings.n_unfinished:
        return ""
    n_done = sum(learner.n_runs for learner in findings.learners)
    return f" for now, after {n_done:,} of {times(n_done + findings.n_unfinished, 'run')}"


def _others(findings: Findings) -> Iterator[str]:
    verdict, answers = findings.verdict, versus_pick(findings)
    if len(verdict.order) > 1 and not verdict.test:
        reason: str | None = None
        if findings.periods is not None:
            reason = paired_test(OVER_TIME).refusal(findings.periods.sampling)
        yield f"No test is possible: {reason}" if reason else "No test is possible with this plan."
    yield from group_sentences(answers)
    yield from _course(findings)
    yield from _eliminated(findings)
    left_out = [item.learner for item in answers.values() if not item.answer]
    if left_out and findings.rows_history is None:
        yield f"No result: {first_names(left_out)}."
    elif len(verdict.order) == 1 and findings.rows_history is None:
        yield "No other learner took part."
    if better := findings.better_probabilities:
        names = (better, str(verdict.best))
        losses = " against ".join(significant(findings.log_loss(name)) for name in names)
        yield f"For probabilities, {better} is better: log loss {losses}."


def _course(findings: Findings) -> Iterator[str]:
    """Report in how many periods the pick was best, and which learner was in the last ones."""
    names, best = findings.verdict.order, findings.verdict.best
    if findings.periods is None or best is None or len(names) < 2:
        return
    losses = findings.measure.loss(np.array([findings.learner(name).scores for name in names]))
    own = losses[names.index(best)]
    won = at_most(own, losses.min(axis=0))
    periods = times(len(own), findings.periods.unit)
    said = f"It was best in {f'{won.sum()} of' if not won.all() else 'all'} {periods}"
    ahead = [names[index] for index in losses.argmin(axis=0)]
    n_last = next((i for i, name in enumerate(ahead[::-1]) if name != ahead[-1]), len(ahead))
    if not won[-1] and n_last > 1:
        said += f", {ahead[-1]} in the last {number_word(n_last)}"
    yield f"{said}."


def _eliminated(findings: Findings) -> Iterator[str]:
    """Report the learners of a large table that were not trained on all rows."""
    history = findings.rows_history
    if history is None:
        return
    open_names = [item.learner for item in history.eliminations if item.is_open]
    beaten = [item.learner for item in history.eliminations if item.is_beaten]
    if open_names:
        yield f"Cannot be ruled out, for lack of time: {first_names(open_names)}."
    if beaten:
        yield f"Eliminated on fewer rows: {first_names(beaten)}."


# -- over many data sets -----------------------------------------------------------------


def _over_data_sets(findings: FindingsAcross) -> Answer:
    verdict = findings.verdict
    if verdict is None:
        return (
            "No learner can be picked over the data sets.",
            f"{findings.reason[:1].upper()}{findings.reason[1:]}",
            "No claim about a further data set: there is no pick.",
        )
    return (
        " ".join(_pick_across(findings, verdict)),
        " ".join(_others_across(findings, verdict)),
        _claim_across(findings, verdict),
    )


def _pick_across(findings: FindingsAcross, verdict: VerdictAcross) -> Iterator[str]:
    said = score_in_words(findings.measure, findings.mean(verdict.best))
    rank = number(verdict.mean_ranks.get(verdict.best, float("nan")), 2)
    n_sets = times(len(verdict.data_sets), "data set")
    now = " for now" if findings.n_unfinished else ""
    if verdict.is_by_ranks:
        yield f"Use {verdict.best}{now}: mean rank {rank} over {n_sets}."
    else:
        yield f"Use {verdict.best}{now}: {said} on average over {n_sets} (mean rank {rank})."


def _others_across(findings: FindingsAcross, verdict: VerdictAcross) -> Iterator[str]:
    yield from group_sentences(versus_pick(findings))
    if left_out := [name for name in findings.ordered if name in verdict.left_out]:
        yield f"Left out because results are missing: {first_names(left_out)}."


def _claim_across(findings: FindingsAcross, verdict: VerdictAcross) -> str:
    rows = [findings.data_sets.index(name) for name in verdict.data_sets]
    losses = findings.measure.loss(findings.values[rows])
    own = findings.learners.index(verdict.best)
    others = [findings.learners.index(name) for name in verdict.order]
    n_won = int(at_most(losses[:, own], losses[:, others].min(axis=1)).sum())
    return (
        f"No claim about a further data set: {verdict.best} had the {best_side(findings.measure)} "
        f"{value_title(findings.measure)} on {n_won} of these {len(rows)}."
    )
