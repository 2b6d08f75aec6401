from .export import export_scores as export_scores
from .file import check_exists as check_exists
from .store import Store as Store
