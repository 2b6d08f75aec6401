"""Sentences about new data; docs/new-data.md has the method."""

from __future__ import annotations

import math

from bestofk.inference.new_data import ROW_FACTORS, ShipClaim
from bestofk.measures import Measure
from bestofk.measures.ties import NOISE
from bestofk.measures.words import best_side, points, short_title
from bestofk.report.findings import Findings
from bestofk.report.sentences.versus_pick import versus_pick
from bestofk.words import interval_in_words, number_word

# Probabilities are printed in steps of 5%, and none above what was measured to hold.
_STEP, _MOST = 5, 95
_SMALL_REGRET = 0.0005  # is printed as 0.1 points from here on
_IF_RATES_STAY = "if error rates stay as they are"


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
    if claim.probability is not None and len(findings.verdict.order) > 1:
        parts.append(
            f"{claim.learner} is {_chance(findings, claim)} likely to be within "
            f"{points(findings.measure, claim.within)} of the best of these "
            f"{number_word(len(findings.verdict.order))}"
        )
    if claim.error_low is not None and claim.error_high is not None:
        parts.append(f"expect {_expected(findings.measure, claim.error_low, claim.error_high)}")
    if not parts:
        return f"No claim about new data: {claim.reason}."
    return f"On new data like these, {'; '.join(parts)}."


def prices_of_plausible(findings: Findings) -> str:
    """Return what plausible learners cost on new data, but for those below 5%; empty for one."""
    verdict, measure = findings.verdict, findings.measure
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
    if len(known) < 2:
        return ""
    said = "; ".join(
        f"{claim.learner} {_chance(findings, claim)}, {_regret(measure, claim)}" for claim in known
    )
    return (
        f"Probability of being within {points(measure, known[0].within)} of the best on new data, "
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
            f"{_IF_RATES_STAY}: its {short_title(measure)} is already more than "
            f"{points(measure, claim.within)} from the {best_side(measure)}."
        )
    goal = f"raise the claim about {claim.learner} to {_MOST}%"
    if needed.n_repeats is not None:
        return f"About {needed.n_repeats} repeats would {goal}, {_IF_RATES_STAY}."
    rows = f"more than {ROW_FACTORS[-1]} times"
    if needed.row_factor is not None:
        rows = f"about {needed.row_factor} times"
    if findings.verdict.n_splits == 1:  # a single test set
        return f"It takes {rows} the test rows to {goal}, {_IF_RATES_STAY}."
    how = "More repeats, up to 100 fits," if needed.endless_repeats_would else "More repeats"
    return f"{how} would not {goal}; it takes {rows} the rows, {_IF_RATES_STAY}."


def _percent(value: float) -> int:
    """Return a probability in steps of 5%, at most 95%; halves go up."""
    return min(_STEP * math.floor(100 * value / _STEP + 0.5), _MOST)


def _expected(measure: Measure, error_low: float, error_high: float) -> str:
    low, high = error_low, error_high
    if measure.greater_is_better:  # of accuracy
        low, high = 1 - error_high, 1 - error_low
    said = interval_in_words(low, high)
    article = "an" if said.startswith("8") or said[:2] in ("11", "18") else "a"
    return f"{article} {said} {short_title(measure)}"


def _regret(measure: Measure, claim: ShipClaim) -> str:
    """Return the expected regret with one decimal of a point."""
    value = claim.expected_regret or 0.0
    if value < _SMALL_REGRET:
        return f"less than {points(measure, 2 * _SMALL_REGRET)}"
    return points(measure, value, decimals=1)
