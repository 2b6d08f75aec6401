"""Stopping rules for adaptive repetition.

- `StoppingRule`, `RuleState`: what a rule is, and what follows one learner for it.
- `FixedRepeats`, `RankCorrelation`, `OddEvenDistance`: one rule each, of one learner alone.
- `VerdictRule`: a rule that looks at all learners; `SettledPick`, `SameVerdict`, `Precision`,
  `NoCrossing`.
- `STOPPING_RULES`, `stopping_rule`: all of them by name.
- `apply_in_random_orders`: a rule on stored repeats in random orders, as `RuleApplications`.
- `AdaptiveRepeats` applies a rule; `StoppingHistory` is the record, with every `Elimination`;
  `ActiveLearners` are those that a verdict compares.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
