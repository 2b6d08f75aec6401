"""A compiled loop that lays rows side by side, so that one instruction does a step of eight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bestofk.trees.compiled import kernel

# Rows of a tile that loops in registers go through.
LANES = 32


def _in_registers() -> Callable[..., None]:
    from bestofk.batched._in_registers import lay_side_by_side

    return lay_side_by_side


# order int (n,); X float64 (n, d), tile float64 (d, L), numbers of a row side by side: column
# `lane` of the tile is overwritten with row order[at + lane] of X, lanes below n_rows. O(n_rows d).
@kernel(instead=_in_registers, _nrt=False)
def lay_side_by_side(order: Any, at: int, n_rows: int, X: Any, tile: Any) -> None:
    """Write rows as columns."""
    for lane in range(n_rows):
        i = order[at + lane]
        for q in range(X.shape[1]):
            tile[q, lane] = X[i, q]
