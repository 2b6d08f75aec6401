"""
Count how often a tree repeats one subtree, and how quickly its rows run out
============================================================================

A tree for "two of the inputs, or two others" has to say the second pair again under every branch
that the first leaves open: replication. Every test also divides the rows: with b branches a node at
depth d has n / b^d of them: fragmentation.

.. code-block:: sh

    python examples/tree_replication.py [FOLDER]
"""

import sys
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bestofk.trees import ID3Classifier


def pairs_table(n_pairs: int) -> tuple[pd.DataFrame, list[str]]:
    """Return all rows of some pairs of inputs, and whether both inputs of any pair are true."""
    columns = [f"{letter}{i}" for i in range(n_pairs) for letter in "ab"]
    rows = list(product(["no", "yes"], repeat=len(columns)))
    answers = [
        "yes" if any(row[2 * i] == row[2 * i + 1] == "yes" for i in range(n_pairs)) else "no"
        for row in rows
    ]
    return pd.DataFrame(rows, columns=columns), answers


def replication(n_pairs: int) -> dict[str, int]:
    """Return how many nodes a tree for some pairs has, and tests of the last pair among them."""
    features, answers = pairs_table(n_pairs)
    tree = ID3Classifier().fit(features, answers).tree_
    tested = tree.attribute[~tree.is_leaf]
    counts = np.bincount(tested, minlength=features.shape[1])
    return {
        "pairs": n_pairs,
        "nodes": tree.n_nodes,
        "tests": len(tested),
        "inputs": features.shape[1],
        "most tests of one input": int(counts.max()),
    }


def fragmentation(n_levels: int, n_rows: int = 4096, seed: int = 0) -> list[float]:
    """Return the mean number of rows at each depth of a tree with that many branches a test.

    Inputs and answers are chance, so that nothing ends a branch but a want of rows.
    """
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, n_levels, (n_rows, 4))
    features = pd.DataFrame(levels.astype(str), columns=list("abcd"))
    tree = ID3Classifier().fit(features, rng.choice(["no", "yes"], n_rows)).tree_
    depth = np.zeros(tree.n_nodes, dtype=int)
    for node in range(1, tree.n_nodes):  # parents come first
        depth[node] = depth[tree.parent[node]] + 1
    return [float(tree.weight[depth == d].mean()) for d in range(depth.max() + 1)]


def main(folder: Path) -> None:
    """Print both tables, and draw them."""
    table = pd.DataFrame([replication(n) for n in (1, 2, 3, 4)])
    print(table.to_string(index=False))
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    left.plot(table["pairs"], table["tests"], "o-", color="#0072B2", label="tests of the tree")
    left.plot(table["pairs"], table["inputs"], "s--", color="#D55E00", label="inputs")
    left.set(xlabel="pairs of inputs", xticks=table["pairs"])
    left.set_title("replication", fontsize="medium", loc="left")
    left.legend(frameon=False)
    print("\nmean rows of a node by depth, of 4,096")
    styles = (("#0072B2", "o-"), ("#D55E00", "s--"), ("#009E73", "^:"))
    for n_levels, (color, style) in zip((2, 4, 8), styles, strict=True):
        means = fragmentation(n_levels)
        texts = "  ".join(f"{mean:8.1f}" for mean in means)
        print(f"{n_levels} branches a test: {texts}")
        right.plot(range(len(means)), means, style, color=color, label=f"{n_levels} branches")
    right.set(yscale="log", xlabel="tests above a node", ylabel="rows of a node", xticks=range(5))
    right.set_title("fragmentation", fontsize="medium", loc="left")
    right.legend(frameon=False)
    for ax in (left, right):
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    figure.savefig(folder / "tree_replication.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
