"""Results of procedures: frozen classes, one per kind of answer.

- `HypothesisTestResult`: two learners, one hypothesis, a statistic and a p value.
- `OmnibusResult`: K learners, one hypothesis.
- `PairwiseResult`: K learners, a hypothesis for every pair, adjusted together.
- `PosteriorResult`: probabilities that one is better, both are equivalent, the other is better.
- `IntervalResult`: an estimate with its interval.
"""

from bestofk.inference.results.hypothesis_test import HypothesisTestResult
from bestofk.inference.results.interval import IntervalResult
from bestofk.inference.results.omnibus import OmnibusResult
from bestofk.inference.results.pairwise import PairwiseResult
from bestofk.inference.results.posterior import PosteriorResult
from bestofk.inference.results.result import Result

__all__ = [
    "HypothesisTestResult",
    "IntervalResult",
    "OmnibusResult",
    "PairwiseResult",
    "PosteriorResult",
    "Result",
]
