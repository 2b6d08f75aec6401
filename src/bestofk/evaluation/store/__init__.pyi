from .export import export_scores as export_scores
from .export import labelled_learners as labelled_learners
from .export import score_tables as score_tables
from .file import check_exists as check_exists
from .merge import MergeCounts as MergeCounts
from .merge import merge_stores as merge_stores
from .store import Store as Store
