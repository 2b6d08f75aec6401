from .hypothesis_test import HypothesisTestResult as HypothesisTestResult
from .interval import IntervalResult as IntervalResult
from .omnibus import OmnibusResult as OmnibusResult
from .pairwise import PairwiseResult as PairwiseResult
from .posterior import PosteriorResult as PosteriorResult
from .result import Result as Result
