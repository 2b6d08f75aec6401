"""Audit of a published table: the checks that its claim survives."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bestofk.audits.another_seed import keeps_claim, shared_correlation, standard_errors
from bestofk.audits.checks import (
    Check,
    arithmetic_check,
    facts_check,
    removal_check,
    rounding_check,
    seed_check,
    selection_check,
    test_checks,
    toss_up_check,
    why_not,
)
from bestofk.audits.claim import Claim, parse_claim
from bestofk.audits.published_table import PublishedTable, read_published
from bestofk.audits.robustness import decisive_data_sets, decisive_learners
from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.measures.ties import tied_values
from bestofk.report.parts import Sections, table_of
from bestofk.report.reported import Reported
from bestofk.words import joined_lines, times

_BY = ("mean", "rank")
_SHOWN = 2  # weak links in a sentence


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Reported):
    """Result of the checks of a claim on its table.

    Made by `audit`.

    Parameters
    ----------
    table : PublishedTable
        The table as read.
    claim : Claim
        The claim that was checked.
    strength : {"firm", "fragile", "not supported"}
        "firm": no check of rounding, removals and seeds undoes the claim; "fragile": one does;
        "not supported": the printed values do not give it.
    weak_links : tuple of str
        What undoes the claim, the gravest first.
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
        return joined_lines(self.answer)

    def sections(self) -> Sections:
        """Return the report: answer, table of checks, and arithmetic errors."""
        table, better = self.table, "higher" if self.table.greater_is_better else "lower"
        by_name = {check.name: check for check in self.checks}
        opening = f"'{self.claim}' is {self.strength}"
        more = len(self.weak_links) - _SHOWN
        links = [*self.weak_links[:_SHOWN], *([f"{times(more, 'check')} more"] if more > 0 else [])]
        reasons = f": {'; '.join(links)}."
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
            cautions=faults,
            guessed=self.table.notes,
            facts=(
                f"Read {times(len(table.learners), 'learner')} on "
                f"{times(len(table.data_sets), 'data set')}: {table.measure}, {better} is better."
            ),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per check: check, verdict, figure, detail."""
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
    """Check whether the claim of a published table survives rounding, removals and other seeds.

    Parameters
    ----------
    table : str, Path, DataFrame of pandas or polars, or PublishedTable
        Learners by data sets, as printed in LaTeX, Markdown, CSV or text, with spreads
        (``0.91 ± 0.02``), ranks (``0.91 (3)``) and bold face if there are any; or runs in any
        format of `bestofk.compare_scores`.
    claim : str, optional
        "X best", "X beats Y", "X significantly better than Y" or "... than all"; default: the
        learner with the best mean, or mean rank, is best.
    measure : str, optional
        Name of the measure; its direction follows from it.
    greater_is_better : bool, optional
        Direction of the values; default: that of the measure, else as caption or bold face
        say.
    rows : {"data-sets", "learners"}, optional
        What the rows of the table are, if neither the first cell nor summaries say it.
    learners : sequence of str, optional
        Learners to keep; default: all.
    by : {"mean", "rank"}, optional
        What "best" refers to; default: means, or mean ranks if the table prints only these.
    cv : str, optional
        The plan behind printed spreads, "10x10" for repeats and folds, or "30" for independent
        splits or seeds. Without it there is no statement about another seed.
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
        Three sentences and one row per check; as text, Markdown, LaTeX, JSON and HTML.

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
    check_share(alpha, "alpha")
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
    unit = 100.0 if np.abs(read.values).max() > 1.5 else 1.0
    checks = test_checks(made, losses, rope * unit)
    kept = np.nan
    if made.holds(losses):
        errors, correlation = np.zeros_like(losses), 0.0
        if plan is not None and read.spreads is not None and np.isfinite(read.spreads).all():
            errors = standard_errors(read.spreads, *plan)
            correlation = shared_correlation(read.spreads, plan[0] * plan[1])
            kept = keeps_claim(made, losses, errors, correlation)
        left_out = [read.data_sets[i] for i in decisive_data_sets(made, losses)]
        others = [made.names[i] for i in decisive_learners(made, losses)]
        checks += [
            rounding_check(made, losses, read.steps),
            removal_check("data set", left_out, len(losses)),
            removal_check("learner", others, len(made.names) - 1),
            seed_check(kept) if kept == kept else toss_up_check(made, losses, read, unit),
            selection_check(made, losses, errors, correlation),
            facts_check(made, losses, read, unit),
        ]
    else:
        nothing = "Nothing to keep: the printed values do not give the claim."
        checks.append(Check("another seed", "not checked", "", nothing, why_not(made, losses)))
    checks.append(arithmetic_check(made, read, plan, printed or {}))
    links = tuple(check.weak_link for check in checks if check.weak_link)
    strength = "not supported" if not made.holds(losses) else "fragile" if links else "firm"
    return Audit(read, made, strength, links, tuple(checks), kept)


def _plan(cv: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d*)(?:\s*[x*]\s*([1-9]\d*))?", cv.strip())
    if found is None:
        raise InvalidArgumentError(
            "cv must be repeats x folds such as '10x10', or a number of independent splits or "
            f"seeds; got {cv!r}."
        )
    return int(found[1]), int(found[2] or 1)
