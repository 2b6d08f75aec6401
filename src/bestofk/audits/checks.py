"""Checks of a claim, each with its verdict and the number behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bestofk.array_types import Floats
from bestofk.audits.another_seed import LEAST_FIRM, toss_up_error, usual_errors, winners_curse
from bestofk.audits.arithmetic import arithmetic_faults, impossible_values, recomputed_statistics
from bestofk.audits.claim import Claim
from bestofk.audits.data_set_facts import data_set_facts
from bestofk.audits.published_table import PublishedTable
from bestofk.audits.robustness import rounding
from bestofk.inference.many_data_sets.posteriors import bayesian_signed_rank
from bestofk.inference.many_data_sets.rank_comparisons import nemenyi_critical_difference
from bestofk.inference.many_data_sets.rank_omnibus import friedman_test
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.words import listing, p_value, percent, significant, some_of, times

_HOLDS, _FALLS, _SUPPORTS, _DOES_NOT = "holds", "falls", "supports", "no support"
_INFORMS, _SKIPPED = "note", "not checked"


class Check(NamedTuple):
    """One check of a claim.

    Parameters
    ----------
    name : str
        What was checked.
    verdict : str
        "holds", "falls", "supports", "no support", "fault", "no fault", "note"
        or "not checked".
    figure : str
        The number behind it.
    detail : str
        A sentence.
    weak_link : str, default=""
        How the check undoes the claim, as a part of a sentence; empty if it does not.
    """

    name: str
    verdict: str
    figure: str
    detail: str
    weak_link: str = ""


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def why_not(claim: Claim, losses: Floats) -> str:
    """Return why the printed values do not give a claim."""
    names = [claim.names[rival] for rival in claim.rivals]
    behind = [name for name, lead in zip(names, claim.leads(losses), strict=True) if lead <= 0]
    if behind:
        have = "has" if len(behind) == 1 else "have"
        what = "mean rank" if claim.by_rank else "mean"
        return f"{some_of(behind)} {have} as good a {what} or a better one"
    if len(losses) == 1:
        return "one data set gives no test over data sets"
    p_values = zip(names, claim.p_values(losses), strict=True)
    lacking = [f"{name} (p = {p_value(p)})" for name, p in p_values if p > claim.alpha]
    return f"Wilcoxon's test with Holm's correction does not tell it from {some_of(lacking)}"


def test_checks(claim: Claim, losses: Floats, rope: float) -> list[Check]:
    """Return the checks of a claim by the usual tests over data sets."""
    title, own, n = "Wilcoxon, Holm", claim.names[claim.learner], len(claim.rivals)
    if len(losses) == 1:
        return [Check(title, _SKIPPED, "", "One data set gives no test over data sets.")]
    leads = claim.leads(losses)
    is_beaten = (claim.p_values(losses) <= claim.alpha) & (leads > 0)
    names = np.array(claim.names)[list(claim.rivals)]
    beaten, others = names[is_beaten].tolist(), names[~is_beaten].tolist()
    words = f"{own} is not significantly better than {some_of(others or [''], 'or')}"
    if beaten:
        whom = "all others" if n > 1 and not others else some_of(beaten)
        words = f"{own} is significantly better than {whom}"
        words += f", not than {some_of(others, 'or')}" if others else ""
    checks = [_test(title, not others, f"{len(beaten)} of {n}", f"{words} (Wilcoxon, Holm).")]
    n_learners = len(claim.names)
    if n_learners > 2:
        p = friedman_test(losses, names=claim.names).p_value
        text = "Friedman's test asks whether any learners differ."
        checks.append(_test("Friedman", p <= claim.alpha, f"p = {p_value(p)}", text))
        ranks = mid_ranks(losses).mean(axis=0)
        gap = float(ranks[list(claim.rivals)].min() - ranks[claim.learner])
        needed = nemenyi_critical_difference(n_learners, len(losses), alpha=claim.alpha)
        figure = f"{significant(gap)} of {significant(needed)} ranks"
        text = "The gap in mean ranks to the closest rival, and what Nemenyi's test needs."
        checks.append(_test("Nemenyi", gap >= needed, figure, text))
    closest = claim.rivals[int(np.argmin(leads))]
    pair = losses[:, closest], losses[:, claim.learner]
    p = bayesian_signed_rank(*pair, rope=rope, n_draws=10_000).p_greater
    text = f"Probability that {own} is better than {claim.names[closest]} by more than {rope:g}."
    return [*checks, _test("Bayesian signed rank", p >= 1 - claim.alpha, f"{percent(p)}%", text)]


def _test(name: str, supports: bool, figure: str, detail: str) -> Check:
    return Check(name, _SUPPORTS if supports else _DOES_NOT, figure, detail)


def _undoing(name: str, falls: bool, figure: str, link: str, otherwise: str) -> Check:
    """Return a check that may undo the claim."""
    if falls:
        return Check(name, _FALLS, figure, _sentence(link), link)
    return Check(name, _HOLDS, figure, otherwise)


def rounding_check(claim: Claim, losses: Floats, steps: Floats) -> Check:
    """Return whether values inside their rounding undo a claim."""
    if not steps.any():
        return Check("rounding", _HOLDS, "not rounded", "Values were read with all digits.")
    found = rounding(claim, losses, steps)
    what = times(found.n_moved, "data set" if claim.by_rank else "value")
    moves = "moves" if found.n_moved == 1 and not claim.by_rank else "move"
    link = f"it falls when {'the values of ' * claim.by_rank}{what} {moves} inside the rounding"
    if found.share > 0:
        what = f"{percent(found.share)}% of draws"
        link = f"it falls in {what} of values inside their rounding"
    holds = "No values inside their rounding undo it."
    return _undoing("rounding", found.flips, what if found.flips else "no value", link, holds)


def removal_check(what: str, decisive: Sequence[str], n: int) -> Check:
    """Return whether one data set or one learner fewer undoes a claim."""
    link = f"it falls without {some_of(decisive, 'or')}" if decisive else ""
    holds = f"No {what} left out alone undoes it."
    return _undoing(f"{what}s left out", bool(decisive), f"{len(decisive)} of {n}", link, holds)


def seed_check(kept: float) -> Check:
    """Return whether another seed would keep a claim, by its probability."""
    rounded = min(95, max(5, 5 * round(20 * kept)))  # to 5 points: it is not known better
    about = "more than 95%" if kept > 0.97 else f"about {rounded}%"
    detail = f"Another seed would keep it with {about}."
    link = f"another seed would undo it with about {100 - rounded}%" if kept < LEAST_FIRM else ""
    return Check("another seed", _FALLS if link else _HOLDS, about, detail, link)


def toss_up_check(claim: Claim, losses: Floats, table: PublishedTable, unit: float) -> Check:
    """Return the spread that would make another seed a toss-up, if none is known."""
    error = toss_up_error(claim, losses)
    low, high = usual_errors(table.values, unit)
    shown, least, most = (f"{value:.2g}" for value in (error, low, high))
    lacking = "No spreads are printed" if table.spreads is None else "The plan is not known"
    usual = "" if np.isnan(high) else f"; {least} to {most} is usual"
    detail = f"{lacking}: values that vary by {shown} between seeds make it a toss-up{usual}."
    if error == 0:
        shown, detail = "any spread", f"{lacking}, and any spread makes another seed a toss-up."
    link = f"values vary by up to {most} between seeds, which makes it a toss-up"
    verdict = _FALLS if error < high else _INFORMS if np.isnan(high) else _HOLDS
    return Check("another seed", verdict, f"toss-up at {shown}", detail, link * (error < high))


def selection_check(claim: Claim, losses: Floats, errors: Floats, correlation: float) -> Check:
    """Return the check of the share of a lead that is owed to selection."""
    is_winner = len(claim.rivals) == len(claim.names) - 1 and not claim.by_rank
    if not is_winner or not errors.any():
        why = "It needs spreads with their plan, and the claim that the best mean is best."
        return Check("winner's curse", _SKIPPED, "", why)
    curse = winners_curse(losses, errors, claim.learner, correlation)
    lead, *left = map(significant, (curse.lead, curse.hybrid, curse.empirical_bayes))
    detail = (
        f"Of the lead of {lead} over the next mean, {left[0]} is left given that the winner was "
        f"picked (hybrid estimate), {left[1]} by empirical Bayes."
    )
    return Check("winner's curse", _INFORMS, f"{lead} -> {left[0]}, {left[1]}", detail)


def facts_check(claim: Claim, losses: Floats, table: PublishedTable, unit: float) -> Check:
    """Return the check of the data sets that a claim depends on."""
    shares = table.values / unit
    is_share = shares.min() >= 0 and shares.max() <= 1
    errors = (1 - shares if table.greater_is_better else shares) if is_share else None
    facts = data_set_facts(claim, losses, table.data_sets, errors)
    parts = []
    if len(facts.carriers) < len(losses):
        what = "data set" if len(facts.carriers) == 1 else f"{len(facts.carriers)} data sets"
        parts.append(f"the lead is gone without the {what} {some_of(facts.carriers)}")
    if facts.n_ties:
        parts.append(f"the closest rival has the same value on {times(facts.n_ties, 'data set')}")
    if facts.n_ceiling:
        parts.append(f"all have errors below 1% on {times(facts.n_ceiling, 'data set')}")
    parts += [f"{listing(names)} may be variants of one data set" for names in facts.families]
    text = "; ".join(parts) or "only all data sets together take the lead away"
    figure = f"{len(facts.carriers)} of {len(losses)} carry it"
    return Check("data sets", _INFORMS, figure, _sentence(text))


def arithmetic_check(
    claim: Claim,
    table: PublishedTable,
    plan: tuple[int, int] | None,
    printed: Mapping[str, float],
) -> Check:
    """Return the check of the arithmetic of the table."""
    faults = [*arithmetic_faults(table), *recomputed_statistics(claim, table, printed)]
    if plan is not None and (impossible := impossible_values(table, *plan)):
        faults.append(f"No count of errors gives {some_of(impossible)}.")
    if faults:
        return Check("arithmetic", "fault", times(len(faults), "kind"), " ".join(faults))
    return Check("arithmetic", "no fault", "", "Values that are printed twice agree.")
