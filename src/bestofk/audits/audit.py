"""Audit of a published table: which checks its claim survives."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bestofk.array_types import Floats
from bestofk.audits.another_seed import (
    LEAST_FIRM,
    keeps_claim,
    shared_correlation,
    standard_errors,
    toss_up_error,
    usual_errors,
    winners_curse,
)
from bestofk.audits.arithmetic import arithmetic_faults, impossible_values, recomputed_statistics
from bestofk.audits.claim import Claim, parse_claim
from bestofk.audits.data_set_facts import data_set_facts
from bestofk.audits.published_table import PublishedTable, read_published
from bestofk.audits.robustness import decisive_data_sets, decisive_learners, rounding
from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_data_sets.posteriors import bayesian_signed_rank
from bestofk.inference.many_data_sets.rank_comparisons import nemenyi_critical_difference
from bestofk.inference.many_data_sets.rank_omnibus import friedman_test
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.measures.ties import tied_values
from bestofk.report.parts import Sections, table_of
from bestofk.report.reported import Reported
from bestofk.words import listing, p_value, percent, significant, times

if TYPE_CHECKING:
    import pandas as pd

_BY = ("mean", "rank")
_SHOWN = 3  # names in a sentence
_LEAST_SETS = 2


class Check(NamedTuple):
    """One check of a claim.

    Parameters
    ----------
    name : str
        What was checked.
    verdict : str
        "holds", "falls", "supports", "does not support", "fault", "no fault", "for information"
        or "not checked".
    figure : str
        The number behind it.
    detail : str
        A sentence.
    """

    name: str
    verdict: str
    figure: str
    detail: str


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Reported):
    """What is left of a claim after the checks of its table.

    Made by `audit`.

    Parameters
    ----------
    table : PublishedTable
        As it was read.
    claim : Claim
        What was checked.
    strength : {"firm", "fragile", "not supported"}
        No check of rounding, removals and seeds undoes the claim; one does; the printed values
        do not give it.
    weak_links : tuple of str
        What undoes it, the gravest first.
    checks : tuple of Check
        All of them, in order.
    kept_with : float
        Probability that the same protocol with another seed keeps the claim; nan where no
        spreads are printed, or the plan is not known.
    """

    table: PublishedTable
    claim: Claim
    strength: str
    weak_links: tuple[str, ...]
    checks: tuple[Check, ...]
    kept_with: float = np.nan

    def __repr__(self) -> str:
        return "\n".join(self.answer)

    def sections(self) -> Sections:
        """Return the report: answer, table of checks, what was found in the arithmetic."""
        by_name = {check.name: check for check in self.checks}
        opening = f"'{self.claim}' is {self.strength}"
        reasons = f": {'; '.join(self.weak_links)}." if self.weak_links else "."
        if self.strength == "firm":
            reasons = ": it survives rounding, each data set and learner left out, and fresh seeds."
            if np.isnan(self.kept_with):
                reasons = ": it survives rounding, and each data set and learner left out."
        faults = [check.detail for check in self.checks if check.verdict == "fault"]
        return Sections(
            title=f"Audit: {self.claim}",
            answer=(
                opening + reasons,
                by_name["another seed"].detail,
                by_name["Wilcoxon, Holm"].detail,
            ),
            tables=[
                table_of(
                    ["check", "verdict", "figure"],
                    [(check.name, check.verdict, check.figure) for check in self.checks],
                    left=(0, 1, 2),
                )
            ],
            details=[
                f"{check.name}: {check.detail}"
                for check in self.checks
                if check.name not in ("another seed", "Wilcoxon, Holm") and check.verdict != "fault"
            ],
            caveats=faults,
            guessed=self.table.notes,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per check: check, verdict, figure, detail."""
        import pandas as pd

        return pd.DataFrame(self.checks).rename(columns={"name": "check"})

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values, as JSON has them."""
        return {
            "answer": list(self.answer),
            "claim": str(self.claim),
            "strength": self.strength,
            "weak_links": list(self.weak_links),
            "kept_with": None if np.isnan(self.kept_with) else self.kept_with,
            "learners": list(self.table.learners),
            "data_sets": list(self.table.data_sets),
            "checks": self.to_frame().to_dict("records"),
            "notes": list(self.table.notes),
        }


def audit(
    table: Any,
    claim: str | None = None,
    *,
    measure: str | None = None,
    greater_is_better: bool | None = None,
    rows: str | None = None,
    learners: Sequence[str] = (),
    by: str | None = None,
    cv: str | None = None,
    alpha: float = 0.05,
    rope: float = 0.01,
    printed: Mapping[str, float] | None = None,
) -> Audit:
    """Check whether the claim of a published table of results would survive review.

    Parameters
    ----------
    table : str, Path, DataFrame of pandas or polars, or PublishedTable
        Learners by data sets, as printed in LaTeX, Markdown, CSV or text, with spreads
        (``0.91 ± 0.02``), ranks (``0.91 (3)``) and bold face where there are any; or runs in any
        format of `bestofk.compare_scores`.
    claim : str, optional
        "X best", "X beats Y", "X significantly better than Y" or "... than all"; by default that
        the learner with the best mean, or mean rank, is best.
    measure : str, optional
        Name of the measure; its direction follows from it.
    greater_is_better : bool, optional
        The direction of the values; by default that of the measure, else as caption or bold face
        say.
    rows : {"data-sets", "learners"}, optional
        What the rows of the table are, where neither names nor summaries tell.
    learners : sequence of str, optional
        Those to keep; all by default.
    by : {"mean", "rank"}, optional
        What "best" rests on; by default mean ranks where the table prints them and no means.
    cv : str, optional
        The plan behind printed spreads, "10x10" for repeats and folds, or "30" for independent
        splits or seeds. Without it nothing is said about another seed.
    alpha : float in (0, 1), default=0.05
        Level of the tests.
    rope : float, default=0.01
        Differences up to this share of the unit (a percentage point has .01) are practically
        equal, in the Bayesian test.
    printed : mapping of str to float, optional
        Published statistics to recompute: "friedman", or p values of Wilcoxon's test by the other
        learner's name.

    Returns
    -------
    Audit
        Three sentences, a row per check, text, Markdown, LaTeX, JSON and HTML.

    Raises
    ------
    InvalidArgumentError
        If the table or the claim cannot be read, or an option breaks its rule.

    Examples
    --------
    >>> import pandas as pd
    >>> values = {"dataset": ["iris", "vote", "zoo"], "lda": [98.0, 95.6, 94.2],
    ...           "cart": [94.7, 95.5, 92.1]}
    >>> result = audit(pd.DataFrame(values).set_index("dataset"), measure="accuracy")
    >>> result.strength, result.to_frame()["check"].tolist()[:3]
    ('firm', ['Wilcoxon, Holm', 'Bayesian signed rank', 'rounding'])
    """
    read = read_published(
        table, measure=measure, greater_is_better=greater_is_better, rows=rows, learners=learners
    )
    if by is not None:
        check_known(by, "by", _BY)
    by_rank = by == "rank" or (
        by is None
        and "mean" not in read.summaries
        and (read.ranks is not None or "rank" in read.summaries)
    )
    losses = tied_values(read.losses)
    made = parse_claim(claim, read.learners, losses, by_rank=by_rank, alpha=alpha)
    plan = None if cv is None else _plan(cv)
    return _audited(read, made, losses, plan, rope, printed or {})


def _plan(cv: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d*)(?:\s*[x*]\s*([1-9]\d*))?", cv.strip())
    if found is None:
        raise InvalidArgumentError(
            "cv must be repeats x folds such as '10x10', or a number of independent splits or "
            f"seeds; got {cv!r}."
        )
    return int(found[1]), int(found[2] or 1)


def _audited(
    table: PublishedTable,
    claim: Claim,
    losses: Floats,
    plan: tuple[int, int] | None,
    rope: float,
    printed: Mapping[str, float],
) -> Audit:
    holds = bool(claim.holds(losses))
    percents = 100.0 if np.abs(table.values).max() > 1.5 else 1.0
    tests = _tests(claim, losses, rope * percents)
    links: list[str] = []
    checks = [*tests]
    kept = np.nan
    if holds:
        for check, link in (
            _rounding(claim, losses, table.steps),
            _data_sets_left_out(claim, losses, table.data_sets),
            _learners_left_out(claim, losses),
        ):
            checks.append(check)
            links += [link] if link else []
        seed, link, kept = _another_seed(claim, losses, table, plan, percents)
        checks += [seed, *_selection(claim, losses, table, plan)]
        links += [link] if link else []
        checks.append(_facts(claim, losses, table, percents))
    else:
        why = _why_not(claim, losses)
        links.append(why)
        nothing = "Nothing to keep: the printed values do not give the claim."
        checks.append(Check("another seed", "not checked", "", nothing))
    checks.append(_arithmetic(claim, table, plan, printed))
    strength = "not supported" if not holds else "fragile" if links else "firm"
    return Audit(table, claim, strength, tuple(links), tuple(checks), kept)


def _why_not(claim: Claim, losses: Floats) -> str:
    leads = claim.leads(losses)
    what = "mean rank" if claim.by_rank else "mean"
    behind = [claim.names[r] for r, lead in zip(claim.rivals, leads, strict=True) if lead <= 0]
    if behind:
        return f"{listing(behind[:_SHOWN])} {_has(behind)} as good a {what} or a better one"
    if len(losses) < _LEAST_SETS:
        return "one data set gives no test over data sets"
    p_values = claim.p_values(losses)
    lacking = [
        f"{claim.names[r]} (p = {p_value(p)})"
        for r, p in zip(claim.rivals, p_values, strict=True)
        if p > claim.alpha
    ]
    return f"Wilcoxon's test with Holm's correction does not tell it from {_some(lacking)}"


def _has(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _some(names: Sequence[str], joint: str = "and") -> str:
    more = len(names) - _SHOWN
    return listing([*names[:_SHOWN], f"{more} more"] if more > 0 else names, joint)


def _tests(claim: Claim, losses: Floats, rope: float) -> list[Check]:
    """Check 1: what the usual tests over data sets say of the claim."""
    if len(losses) < _LEAST_SETS:
        nothing = "One data set gives no test over data sets."
        return [Check("Wilcoxon, Holm", "not checked", "", nothing)]
    p_values, leads = claim.p_values(losses), claim.leads(losses)
    is_beaten = (p_values <= claim.alpha) & (leads > 0)
    beaten, others = (
        [claim.names[r] for r, is_so in zip(claim.rivals, of, strict=True) if is_so]
        for of in (is_beaten, ~is_beaten)
    )
    own, n = claim.names[claim.learner], len(claim.rivals)
    if not others:
        words = f"{own} is significantly better than {'all others' if n > 1 else beaten[0]}"
    elif beaten:
        words = (
            f"{own} is significantly better than {_some(beaten)}, not than {_some(others, 'or')}"
        )
    else:
        words = f"{own} is not significantly better than {_some(others, 'or')}"
    checks = [
        _test("Wilcoxon, Holm", not others, f"{len(beaten)} of {n}", f"{words} (Wilcoxon, Holm).")
    ]
    if losses.shape[1] > 2:
        p = friedman_test(losses, names=claim.names).p_value
        text = "Friedman's test asks whether any learners differ."
        checks.append(_test("Friedman", p <= claim.alpha, f"p = {p_value(p)}", text))
        ranks = mid_ranks(losses).mean(axis=0)
        gap = float(ranks[list(claim.rivals)].min() - ranks[claim.learner])
        needed = nemenyi_critical_difference(losses.shape[1], len(losses), alpha=claim.alpha)
        text = (
            f"The closest rival is {significant(gap)} mean ranks away; Nemenyi's test needs "
            f"{significant(needed)}."
        )
        figure = f"{significant(gap)} of {significant(needed)} ranks"
        checks.append(_test("Nemenyi", gap >= needed, figure, text))
    closest = claim.rivals[int(np.argmin(leads))]
    posterior = bayesian_signed_rank(
        losses[:, closest], losses[:, claim.learner], rope=rope, n_draws=10_000
    )
    text = (
        f"{own} is better than {claim.names[closest]} by more than {significant(rope)} with a "
        f"posterior probability of {percent(posterior.p_greater)}%."
    )
    is_sure = posterior.p_greater >= 1 - claim.alpha
    figure = f"{percent(posterior.p_greater)}%"
    return [*checks, _test("Bayesian signed rank", is_sure, figure, text)]


def _test(name: str, supports: bool, figure: str, detail: str) -> Check:
    return Check(name, "supports" if supports else "does not support", figure, detail)


def _rounding(claim: Claim, losses: Floats, steps: Floats) -> tuple[Check, str]:
    """Check 2: whether values inside their rounding undo the claim."""
    if not steps.any():
        return Check("rounding", "holds", "not rounded", "Values were read with all digits."), ""
    found = rounding(claim, losses, steps)
    if not found.flips:
        return Check(
            "rounding", "holds", "no value", "No values inside their rounding undo it."
        ), ""
    if found.n_moved:
        what = times(found.n_moved, "data set" if claim.by_rank else "value")
        move = "moves" if found.n_moved == 1 else "move"
        detail = (
            f"it falls when {'the values of ' * claim.by_rank}{what} {move} inside the rounding"
        )
    else:
        what = f"{percent(found.share)}% of draws"
        detail = f"it falls in {what} of values inside their rounding"
    return Check("rounding", "falls", what, f"{detail[0].upper()}{detail[1:]}."), detail


def _data_sets_left_out(claim: Claim, losses: Floats, names: Sequence[str]) -> tuple[Check, str]:
    """Check 3a: whether one data set fewer undoes the claim."""
    title = "data sets left out"
    if len(losses) < _LEAST_SETS:
        return Check(title, "not checked", "one data set", "There is only one data set."), ""
    decisive = [names[i] for i in decisive_data_sets(claim, losses)]
    return _left_out(title, "data set", decisive, len(losses))


def _learners_left_out(claim: Claim, losses: Floats) -> tuple[Check, str]:
    """Check 3b: whether one learner fewer undoes the claim."""
    decisive = [claim.names[i] for i in decisive_learners(claim, losses)]
    return _left_out("learners left out", "learner", decisive, len(claim.names) - 1)


def _left_out(title: str, what: str, decisive: Sequence[str], n: int) -> tuple[Check, str]:
    if not decisive:
        return Check(title, "holds", f"0 of {n}", f"No {what} left out alone undoes it."), ""
    link = f"it falls without {_some(decisive, 'or')}"
    figure = f"{len(decisive)} of {n}"
    return Check(title, "falls", figure, f"{link[0].upper()}{link[1:]}."), link


def _another_seed(
    claim: Claim,
    losses: Floats,
    table: PublishedTable,
    plan: tuple[int, int] | None,
    percents: float,
) -> tuple[Check, str, float]:
    """Check 4: whether fresh runs would keep the claim."""
    title = "another seed"
    if table.spreads is None or plan is None or not np.isfinite(table.spreads).all():
        error = toss_up_error(claim, losses)
        lacking = "No spreads are printed" if table.spreads is None else "The plan is not known"
        low, high = usual_errors(table.values, percents)
        shown, least, most = (f"{value:.2g}" for value in (error, low, high))
        usual = "" if np.isnan(high) else f"; {least} to {most} is usual"
        detail = (
            f"{lacking}: another seed would be a toss-up if each value varied by {shown} between "
            f"seeds{usual}."
        )
        weak = error < high
        link = f"values that vary between seeds by {most}, as is usual, make it a toss-up"
        verdict = "falls" if weak else "for information" if np.isnan(high) else "holds"
        figure = f"toss-up at {shown}"
        return Check(title, verdict, figure, detail), link if weak else "", np.nan
    errors = standard_errors(table.spreads, *plan)
    kept = keeps_claim(claim, losses, errors, shared_correlation(table.spreads, plan[0] * plan[1]))
    steps_of_5 = min(95, max(5, 5 * round(20 * kept)))  # to 5 points, as it is not known better
    about = "more than 95%" if kept > 0.97 else f"about {steps_of_5}%"
    detail = f"Another seed would keep it with {about}."
    weak = kept < LEAST_FIRM
    link = f"another seed would undo it with about {100 - steps_of_5}%"
    return Check(title, "falls" if weak else "holds", about, detail), link if weak else "", kept


def _selection(
    claim: Claim, losses: Floats, table: PublishedTable, plan: tuple[int, int] | None
) -> list[Check]:
    """Check 5: how much of the lead is owed to being picked."""
    is_winner = len(claim.rivals) == len(claim.names) - 1 and not claim.by_rank
    if not is_winner or plan is None or table.spreads is None:
        why = "needs spreads, their plan, and a claim that the best mean is best"
        return [Check("winner's curse", "not checked", "", f"Winner's curse {why}.")]
    errors = standard_errors(table.spreads, *plan)
    correlation = shared_correlation(table.spreads, plan[0] * plan[1])
    curse = winners_curse(losses, errors, claim.learner, correlation)
    left = [curse.hybrid, curse.empirical_bayes]
    figure = f"lead {significant(curse.lead)} -> {significant(left[0])} to {significant(left[1])}"
    detail = (
        f"Of the lead of {significant(curse.lead)} over the next mean, {significant(left[0])} is "
        f"left given that the winner was picked (hybrid estimate), {significant(left[1])} by "
        "empirical Bayes."
    )
    return [Check("winner's curse", "for information", figure, detail)]


def _facts(claim: Claim, losses: Floats, table: PublishedTable, percents: float) -> Check:
    """Check 6: which data sets the claim rests on."""
    shares = None
    if np.all((table.values >= 0) & (table.values <= percents)) and table.greater_is_better:
        shares = 1 - table.values / percents
    elif np.all((table.values >= 0) & (table.values <= percents)):
        shares = table.values / percents
    facts = data_set_facts(claim, losses, table.data_sets, shares)
    parts = []
    if len(facts.carriers) < len(losses):
        what = "data set" if len(facts.carriers) == 1 else f"{len(facts.carriers)} data sets"
        parts.append(f"the lead is gone without the {what} {_some(facts.carriers)}")
    if facts.n_ties:
        parts.append(f"the closest rival has the same value on {times(facts.n_ties, 'data set')}")
    if facts.n_ceiling:
        parts.append(f"all have errors below 1% on {times(facts.n_ceiling, 'data set')}")
    parts += [f"{listing(names)} may be variants of one data set" for names in facts.families]
    text = "; ".join(parts) or "all data sets are needed to take the lead away"
    figure = f"{len(facts.carriers)} of {len(losses)} carry it"
    return Check("data sets", "for information", figure, f"{text[0].upper()}{text[1:]}.")


def _arithmetic(
    claim: Claim,
    table: PublishedTable,
    plan: tuple[int, int] | None,
    printed: Mapping[str, float],
) -> Check:
    """Check 7: whether what is printed twice agrees."""
    faults = [*arithmetic_faults(table), *recomputed_statistics(claim, table, printed)]
    if plan is not None and (impossible := impossible_values(table, *plan)):
        faults.append(f"No count of errors gives {_some(impossible)}.")
    if faults:
        return Check("arithmetic", "fault", times(len(faults), "kind"), " ".join(faults))
    return Check("arithmetic", "no fault", "", "What is printed twice agrees.")
