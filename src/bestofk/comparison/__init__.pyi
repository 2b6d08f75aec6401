from .best_of_k import BestOfK as BestOfK
from .comparison import Comparison as Comparison
from .comparison_across import ComparisonAcross as ComparisonAcross
from .entry_point import compare as compare
