from .across import compare_scores_across as compare_scores_across
from .procedures import apply_procedure as apply_procedure
from .score_table import compare_scores as compare_scores
