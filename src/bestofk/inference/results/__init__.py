"""Results of procedures: frozen classes, one per kind of answer.

- `HypothesisTestResult`: two learners, one hypothesis, a statistic and a p value.
- `OmnibusResult`: K learners, one hypothesis.
- `PairwiseResult`: K learners, a hypothesis for every pair, adjusted together.
- `PosteriorResult`: probabilities that one is better, both are equivalent, the other is better.
- `IntervalResult`: an estimate with its interval.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
