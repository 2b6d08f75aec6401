"""Registry of stopping rules."""

from __future__ import annotations

import importlib
from dataclasses import fields, replace

from bestofk.checks import check_known, nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.stopping.rule import StoppingRule
from bestofk.stopping.verdict_rule import VerdictRule

# Name of each rule, and the module and the class that hold it.
STOPPING_RULES = {
    "settled-pick": ("verdict_rule", "SettledPick"),
    "same-verdict": ("same_verdict", "SameVerdict"),
    "precision": ("precision", "Precision"),
    "no-crossing": ("no_crossing", "NoCrossing"),
    "rank-correlation": ("rank_correlation", "RankCorrelation"),
    "odd-even": ("odd_even_distance", "OddEvenDistance"),
    "fixed": ("fixed_repeats", "FixedRepeats"),
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
        check_known(key, "stopping rule", STOPPING_RULES, got=rule)
        module, class_name = STOPPING_RULES[key]
        made = getattr(importlib.import_module(f"bestofk.stopping.{module}"), class_name)()
    known = [field.name for field in fields(made)]
    for option in options:
        if option not in known:
            raise InvalidArgumentError(
                f"options of {made.name} must be among its parameters; got {option!r}. "
                + nearest_name(option, known)
            )
    return replace(made, **options)
