"""Score tables: verdicts and procedures on scores that were computed elsewhere."""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.score_tables.across import compare_scores_across
    from bestofk.score_tables.procedures import apply_procedure
    from bestofk.score_tables.score_table import compare_scores

__all__ = [
    "apply_procedure",
    "compare_scores",
    "compare_scores_across",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "across": ["compare_scores_across"],
        "procedures": ["apply_procedure"],
        "score_table": ["compare_scores"],
    },
)
