"""Score tables: verdicts and procedures on scores that were computed elsewhere."""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.score_tables.across import compare_scores_across as compare_scores_across
    from bestofk.score_tables.procedures import apply_procedure as apply_procedure
    from bestofk.score_tables.score_table import compare_scores as compare_scores

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "across": ["compare_scores_across"],
        "procedures": ["apply_procedure"],
        "score_table": ["compare_scores"],
    },
)
