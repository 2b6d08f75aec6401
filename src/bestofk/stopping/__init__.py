"""Stopping rules for adaptive repetition.

- `StoppingRule`, `RuleState`: what a rule is, and what follows one learner for it.
- `FixedRepeats`, `RankCorrelation`, `OddEvenDistance`: one rule each, of one learner alone.
- `VerdictRule`: a rule that looks at all learners; `SettledPick`, `SameVerdict`, `Precision`.
- `STOPPING_RULES`, `stopping_rule`: all of them by name.
- `AdaptiveRepeats` applies a rule; `StoppingHistory` is the record, with every `Elimination`;
  `ActiveLearners` are those that a verdict compares.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.stopping.active_learners import ActiveLearners as ActiveLearners
    from bestofk.stopping.adaptive_repeats import AdaptiveRepeats as AdaptiveRepeats
    from bestofk.stopping.fixed_repeats import FixedRepeats as FixedRepeats
    from bestofk.stopping.history import Elimination as Elimination
    from bestofk.stopping.history import StoppingHistory as StoppingHistory
    from bestofk.stopping.odd_even_distance import OddEvenDistance as OddEvenDistance
    from bestofk.stopping.precision import Precision as Precision
    from bestofk.stopping.rank_correlation import RankCorrelation as RankCorrelation
    from bestofk.stopping.rule import RuleState as RuleState
    from bestofk.stopping.rule import StoppingRule as StoppingRule
    from bestofk.stopping.same_verdict import SameVerdict as SameVerdict
    from bestofk.stopping.stopping_rules import STOPPING_RULES as STOPPING_RULES
    from bestofk.stopping.stopping_rules import stopping_rule as stopping_rule
    from bestofk.stopping.verdict_rule import InterimState as InterimState
    from bestofk.stopping.verdict_rule import SettledPick as SettledPick
    from bestofk.stopping.verdict_rule import VerdictRule as VerdictRule

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "active_learners": ["ActiveLearners"],
        "adaptive_repeats": ["AdaptiveRepeats"],
        "fixed_repeats": ["FixedRepeats"],
        "history": ["Elimination", "StoppingHistory"],
        "odd_even_distance": ["OddEvenDistance"],
        "precision": ["Precision"],
        "rank_correlation": ["RankCorrelation"],
        "rule": ["RuleState", "StoppingRule"],
        "same_verdict": ["SameVerdict"],
        "stopping_rules": ["STOPPING_RULES", "stopping_rule"],
        "verdict_rule": ["InterimState", "SettledPick", "VerdictRule"],
    },
)
