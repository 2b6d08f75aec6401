"""
See one noisy point and a region without points distort the boundary of a tree
==============================================================================

The truth is one line: right of 0.5 is "yes". A tree that grows until its leaves are pure makes a
region of its own for a point with the wrong label, and guesses where it saw nothing.

.. code-block:: sh

    python examples/distorted_boundaries.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bestofk.trees import BoundaryDisplay, CARTClassifier

N_ROWS = 120


def samples(seed: int = 0) -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Return clean points, the same with one wrong label, and those above a diagonal alone."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((N_ROWS, 2)), columns=["x", "y"])
    y = np.where(X["x"] > 0.5, "yes", "no")
    noisy = y.copy()
    noisy[int(np.abs(X - [0.8, 0.5]).sum(axis=1).to_numpy().argmin())] = "no"
    # nothing is known of the lower half, but for a few points left of the true boundary
    is_seen = (X["y"] > 0.5) | (X["x"] < 0.25)
    tilted = np.where(X["x"] + 0.6 * (X["y"] - 0.5) > 0.5, "yes", "no")
    return {
        "clean": (X, y),
        "one noisy point": (X, noisy),
        "no points in the lower right": (X[is_seen], tilted[is_seen]),
    }


def wrong_area(X: pd.DataFrame, y: np.ndarray, *, is_tilted: bool = False) -> float:
    """Return the share of the unit square where a tree grown on some points answers wrongly."""
    tree = CARTClassifier(pruning=None).fit(X, y)
    at = (np.arange(200) + 0.5) / 200
    grid = pd.DataFrame(np.array(np.meshgrid(at, at)).reshape(2, -1).T, columns=["x", "y"])
    line = grid["x"] + (0.6 * (grid["y"] - 0.5) if is_tilted else 0)
    return float((tree.predict(grid) != np.where(line > 0.5, "yes", "no")).mean())


def main(folder: Path) -> None:
    """Print which share of the square is answered wrongly, and draw the three boundaries."""
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    for ax, (name, (X, y)) in zip(figure.subplots(1, 3), samples().items(), strict=True):
        tree = CARTClassifier(pruning=None).fit(X, y)
        BoundaryDisplay.from_estimator(tree, X, y, columns=["x", "y"]).plot(ax)
        area = wrong_area(X, y, is_tilted=name.startswith("no points"))
        ax.set_title(f"{name}:\n{area:.1%} of the square wrong", fontsize="medium")
        print(f"{name}: {tree.get_n_leaves()} leaves, {area:.1%} of the square wrong")
    for ax in figure.axes[:2]:
        ax.get_legend().remove()
    figure.savefig(folder / "distorted_boundaries.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
