"""
Grow one tree top-down, bottom-up and in both directions
========================================================

Top-down divides the rows at every node by the best single column. Bottom-up begins with the
classes as leaves and merges the two whose means are nearest until one is left; a row goes down to
the nearer mean. In both directions, every node merges the classes of its rows until two groups are
left, and sends each row to the nearer one, whatever its class: below, means are those of the rows
that came.

.. code-block:: sh

    python examples/tree_search_strategies.py [FOLDER]
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from bestofk.trees import CARTClassifier

Node = Any  # a class, or a pair of (mean, node)
FEWEST_ROWS = 5  # that are divided further in both directions


def merge(means: np.ndarray, sizes: np.ndarray, n_left: int = 1) -> list[tuple[Any, ...]]:
    """Merge the two groups of classes whose means are nearest until so many are left.

    Returns (mean, rows, node) of each group; a node is a class, or two (mean, node).
    """
    groups: list[tuple[Any, ...]] = [
        (mean, size, code) for code, (mean, size) in enumerate(zip(means, sizes, strict=True))
    ]
    while len(groups) > n_left:
        pairs = [(i, j) for i in range(len(groups)) for j in range(i + 1, len(groups))]
        i, j = min(pairs, key=lambda pair: np.sum((groups[pair[0]][0] - groups[pair[1]][0]) ** 2))
        (first, m, one), (second, n, other) = groups[i], groups[j]
        merged = ((m * first + n * second) / (m + n), m + n, ((first, one), (second, other)))
        groups = [group for k, group in enumerate(groups) if k not in (i, j)] + [merged]
    return groups


def class_means(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the number of rows of every class."""
    sizes = np.bincount(y)
    return np.stack([X[y == code].mean(axis=0) for code in range(len(sizes))]), sizes


def bottom_up(X: np.ndarray, y: np.ndarray) -> Node:
    """Return the tree of nearest class means."""
    return merge(*class_means(X, y))[0][2]


def both_ways(X: np.ndarray, y: np.ndarray) -> Node:
    """Return the tree whose nodes merge the classes of the rows that come there into two."""
    codes, y = np.unique(y, return_inverse=True)
    majority = int(codes[np.bincount(y).argmax()])
    if len(codes) == 1 or len(y) < FEWEST_ROWS:
        return majority
    first, second = (group[0] for group in merge(*class_means(X, y), n_left=2))
    is_first = ((X - first) ** 2).sum(axis=1) <= ((X - second) ** 2).sum(axis=1)
    if is_first.all() or not is_first.any():
        return majority
    return (
        (first, both_ways(X[is_first], codes[y[is_first]])),
        (second, both_ways(X[~is_first], codes[y[~is_first]])),
    )


def leaves(node: Node) -> list[int]:
    """Return the classes below a node."""
    return [node] if isinstance(node, int) else [leaf for _, side in node for leaf in leaves(side)]


def predict(node: Node, X: np.ndarray) -> np.ndarray:
    """Send every row to the nearer of two means, down to a class."""
    if isinstance(node, int):
        return np.full(len(X), node)
    distances = np.stack([((X - mean) ** 2).sum(axis=1) for mean, _ in node])
    left, right = (predict(side, X) for _, side in node)
    return np.where(distances[0] <= distances[1], left, right)


def errors(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Return the errors of the three trees, grown on every other row, on the remaining rows."""
    grow, test = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
    X = StandardScaler().fit(X[grow]).transform(X)
    top_down = CARTClassifier(random_state=0).fit(X[grow], y[grow])
    return {
        "top-down": float((top_down.predict(X[test]) != y[test]).mean()),
        "bottom-up": float((predict(bottom_up(X[grow], y[grow]), X[test]) != y[test]).mean()),
        "both": float((predict(both_ways(X[grow], y[grow]), X[test]) != y[test]).mean()),
    }


def main(folder: Path) -> None:
    """Print which classes are merged on iris and the errors of the three trees, and draw these."""
    X, y = load_iris(return_X_y=True)
    first, second = bottom_up(StandardScaler().fit_transform(X), y)
    print(f"iris, bottom-up: {leaves(first[1])} against {leaves(second[1])}")
    figure, axes = plt.subplots(1, 3, figsize=(8, 2), sharey=True, layout="constrained")
    data = (("iris", load_iris), ("wine", load_wine), ("digits", load_digits))
    for ax, (name, load) in zip(axes, data, strict=True):
        made = errors(*load(return_X_y=True))
        print(f"{name:8s}" + "  ".join(f"{kind} {error:6.1%}" for kind, error in made.items()))
        bars = ax.barh(list(made), [100 * error for error in made.values()], color="#0072B2")
        ax.bar_label(bars, [f"{error:.1%}" for error in made.values()], padding=3)
        ax.set_title(name, fontsize="medium", loc="left")
        ax.set(xlim=(0, 28), xlabel="error rate (%)")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0].invert_yaxis()
    figure.savefig(folder / "tree_search_strategies.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
