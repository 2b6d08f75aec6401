"""Store of finished runs, and the table of scores that it exports."""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.evaluation.store.export import export_scores
    from bestofk.evaluation.store.file import check_exists
    from bestofk.evaluation.store.store import Store

__all__ = ["Store", "check_exists", "export_scores"]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "export": ["export_scores"],
        "file": ["check_exists"],
        "store": ["Store"],
    },
)
