"""Stopping rules for adaptive repetition.

- `StoppingRule`, `RuleState`: what a rule is, and what follows one learner for it.
- `FixedRepeats`, `RankCorrelation`, `OddEvenDistance`: one rule each, of one learner alone.
- `VerdictRule`: a rule that looks at all learners; `SettledPick`, `SameVerdict`, `Precision`.
- `STOPPING_RULES`, `stopping_rule`: all of them by name.
"""

from __future__ import annotations

from dataclasses import fields, replace

from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.stopping.fixed_repeats import FixedRepeats
from bestofk.stopping.odd_even_distance import OddEvenDistance
from bestofk.stopping.precision import Precision
from bestofk.stopping.rank_correlation import RankCorrelation
from bestofk.stopping.rule import RuleState, StoppingRule
from bestofk.stopping.same_verdict import SameVerdict
from bestofk.stopping.verdict_rule import InterimState, SettledPick, VerdictRule

STOPPING_RULES: dict[str, type[StoppingRule] | type[VerdictRule]] = {
    SettledPick.name: SettledPick,
    SameVerdict.name: SameVerdict,
    Precision.name: Precision,
    RankCorrelation.name: RankCorrelation,
    OddEvenDistance.name: OddEvenDistance,
    FixedRepeats.name: FixedRepeats,
}


def stopping_rule(
    rule: str | StoppingRule | VerdictRule, **options: float
) -> StoppingRule | VerdictRule:
    """Return a stopping rule by its name.

    Parameters
    ----------
    rule : str, StoppingRule or VerdictRule
        A key of `STOPPING_RULES`, underscores do for hyphens; or a rule.
    **options : float
        Parameters of the rule in place of what it has by default.

    Returns
    -------
    StoppingRule or VerdictRule

    Raises
    ------
    InvalidArgumentError
        If there is no such rule or option, or the rule refuses its value; the message names the
        nearest.

    Examples
    --------
    >>> stopping_rule("odd-even", threshold=0.2)
    OddEvenDistance(threshold=0.2)
    """
    made: StoppingRule | VerdictRule
    if isinstance(rule, StoppingRule | VerdictRule):
        made = rule
    else:
        key = str(rule).lower().replace("_", "-")
        if key not in STOPPING_RULES:
            raise InvalidArgumentError(
                f"stopping rule must be a known one; got {rule!r}. "
                + nearest_name(str(rule), STOPPING_RULES)
            )
        made = STOPPING_RULES[key]()
    known = [field.name for field in fields(made)]
    for option in options:
        if option not in known:
            raise InvalidArgumentError(
                f"options of {made.name} must be among its parameters; got {option!r}. "
                + nearest_name(option, known)
            )
    return replace(made, **options)


__all__ = [
    "STOPPING_RULES",
    "FixedRepeats",
    "InterimState",
    "OddEvenDistance",
    "Precision",
    "RankCorrelation",
    "RuleState",
    "SameVerdict",
    "SettledPick",
    "StoppingRule",
    "VerdictRule",
    "stopping_rule",
]
