"""
Remove the nodes of a tree one by one, and see three errors fall and rise
=========================================================================

Greedy reduced-error pruning (Mitchell 1997, section 3.7.1.1): of all subtrees the one is made a
leaf that leaves the fewest errors on validation rows, again and again to the root. The errors on
training and on test rows are drawn with it.

.. code-block:: sh

    python examples/reduced_error_curve.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from bestofk.trees import CARTClassifier
from bestofk.trees.prediction import reaching_weights

PARTS = ("training", "validation", "test")


def node_errors(tree: object, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the rows that each node would answer wrongly as a leaf."""
    reached = reaching_weights(tree, X, y.astype(np.int16))
    return reached.sum(axis=1) - reached[np.arange(tree.n_nodes), tree.majority]


def removals(tree: object, errors: np.ndarray) -> list[int]:
    """Return the inner nodes in the order in which they become leaves; of equals the deepest."""
    change = errors - tree.sum_over_leaves(errors)
    is_left = ~tree.is_leaf
    steps = []
    while is_left.any():
        kept = np.flatnonzero(is_left)
        rounded = np.round(change[kept], 9)
        node = int(kept[np.flatnonzero(rounded == rounded.min())[-1]])
        steps.append(node)
        is_gone = np.zeros(tree.n_nodes, dtype=bool)
        is_gone[node] = True
        for child in range(node + 1, tree.n_nodes):  # parents come first
            is_gone[child] = is_gone[tree.parent[child]]
        is_left &= ~is_gone
        above, by = node, change[node]
        while above:
            above = int(tree.parent[above])
            change[above] -= by
    return steps


def curve(tree: object, parts: dict[str, tuple[np.ndarray, np.ndarray]]) -> pd.DataFrame:
    """Return the error rates on all parts after every removal, from the whole tree to the root."""
    errors = {name: node_errors(tree, X, y) for name, (X, y) in parts.items()}
    is_leaf, is_gone = tree.is_leaf.copy(), np.zeros(tree.n_nodes, dtype=bool)
    rows = []
    for node in [None, *removals(tree, errors["validation"])]:
        if node is not None:
            is_leaf[node] = True
            for child in range(node + 1, tree.n_nodes):
                parent = tree.parent[child]
                is_gone[child] |= parent == node or is_gone[parent]
        shown = is_leaf & ~is_gone
        rates = {n: errors[n][shown].sum() / len(y) for n, (_, y) in parts.items()}
        rows.append({"nodes removed": int(is_gone.sum()), "leaves": int(shown.sum()), **rates})
    return pd.DataFrame(rows)


def parts_of_breast_cancer() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return three thirds of the rows, one in ten of the labels for growing turned over."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    third = rng.permutation(len(y)) % 3
    y = np.where((rng.random(len(y)) < 0.1) & (third == 0), 1 - y, y)
    return {name: (X[third == k], y[third == k]) for k, name in enumerate(PARTS)}


def main(folder: Path) -> None:
    """Print the curve, and draw it."""
    parts = parts_of_breast_cancer()
    tree = CARTClassifier(pruning=None).fit(*parts["training"]).tree_
    frame = curve(tree, parts)
    print(frame.round(3).to_string(index=False))
    figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    styles = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", ":"))
    for name, (color, line) in zip(PARTS, styles, strict=True):
        ax.plot(frame["nodes removed"], 100 * frame[name], color=color, ls=line, label=name)
    ax.set(xlabel="nodes removed", ylabel="error rate (%)")
    ax.legend(frameon=False)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    figure.savefig(folder / "reduced_error_curve.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
