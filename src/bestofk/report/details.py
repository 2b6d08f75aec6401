"""Details of a comparison: facts below the verdict, one per line."""

from __future__ import annotations

import math

from bestofk.inference.many_learners.reseeding import Chance
from bestofk.report.findings import Findings
from bestofk.report.new_data_text import prices_of_candidates, what_would_help

# From here on "almost surely"; and the most that is claimed of draws afresh.
_ALMOST_SURELY, _MOST_SURE = 0.95, 0.99


def details(findings: Findings) -> list[str]:
    """Return what stands below the verdict, before guesses and decisions made on the way.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    list of str
        About new data: the price of each candidate, and what would help. About these rows: other
        seeds.
    """
    texts = (prices_of_candidates(findings), what_would_help(findings), _other_seeds(findings))
    return [text for text in texts if text]


def _other_seeds(findings: Findings) -> str:
    """Say how probable it is that another random seed gives the same verdict."""
    result = findings.reseeding
    if result is None or result.best is None:
        return ""
    others = [
        f"{_would_give(chance)} the same {name}"
        for name, chance in (("candidates", result.candidates), ("order", result.order))
        if chance is not None
    ]
    rest = f" It {' and '.join(others)}." if others else ""
    return (
        f"Another random seed {_would_give(result.best)} the same pick.{rest} This is about these "
        "rows, not about new data."
    )


def _would_give(chance: Chance) -> str:
    shown = math.floor(100 * min(chance.value, _MOST_SURE) + 0.5)
    if chance.value >= _ALMOST_SURELY:
        return f"would almost surely ({shown}%) give"
    return f"is {shown}% likely to give"
