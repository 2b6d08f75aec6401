"""Registry of stopping rules."""

from dataclasses import fields, replace

from bestofk.checks import check_known
from bestofk.registry import Registry
from bestofk.stopping.rule import StoppingRule
from bestofk.stopping.verdict_rule import VerdictRule

STOPPING_RULES: Registry[type[StoppingRule] | type[VerdictRule]] = Registry(
    "stopping rule",
    {
        "settled-pick": "bestofk.stopping.verdict_rule.SettledPick",
        "same-verdict": "bestofk.stopping.verdict_rule.SameVerdict",
        "precision": "bestofk.stopping.verdict_rule.Precision",
        "no-crossing": "bestofk.stopping.verdict_rule.NoCrossing",
        "rank-correlation": "bestofk.stopping.rule.RankCorrelation",
        "odd-even": "bestofk.stopping.rule.OddEvenDistance",
        "fixed": "bestofk.stopping.rule.FixedRepeats",
    },
)


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
    if isinstance(rule, StoppingRule | VerdictRule):
        made = rule
    else:
        made = STOPPING_RULES.exact(str(rule).lower().replace("_", "-"), got=rule)()
    known = [field.name for field in fields(made)]
    for option in options:
        check_known(option, f"options of {made.name}", known, rule="among its parameters")
    return replace(made, **options)
