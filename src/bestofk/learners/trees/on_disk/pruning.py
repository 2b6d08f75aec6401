"""How is a tree pruned by estimated errors when its rows do not fit into memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.trees.error_based_pruning import prune_by_estimated_errors
from bestofk.learners.trees.on_disk.disk_table import DiskTable, Teller
from bestofk.learners.trees.tree import Tree


def prune_on_disk(
    tree: Tree,
    table: DiskTable,
    y: NDArray[np.int16],
    *,
    confidence: float,
    raises: bool,
    flavor: str,
    memory_bytes: int,
    tell: Teller,
) -> Tree:
    """Prune a tree."""
    none = np.empty((0, len(table.attributes)))
    return prune_by_estimated_errors(
        tree, none, y[:0], None, confidence=confidence, raises=False, flavor=flavor
    )
