"""
Draw where a tree and its pruned form answer which class, in the plane of two columns
=====================================================================================

.. code-block:: sh

    python examples/tree_boundaries.py [FOLDER]
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from bestofk.trees import BoundaryDisplay, C45Classifier

COLUMNS = ["petal length (cm)", "petal width (cm)"]


def main(folder: Path) -> None:
    """Print the regions of the pruned tree, and draw both trees side by side."""
    bunch = load_iris(as_frame=True)
    X, y = bunch.data[COLUMNS], bunch.target_names[bunch.target]
    figure = Figure(figsize=(10, 4), layout="constrained")
    settings = {"unpruned": {"pruning": None, "min_samples_leaf": 1}, "pruned": {}}
    for ax, (name, parameters) in zip(figure.subplots(1, 2), settings.items(), strict=True):
        tree = C45Classifier(**parameters).fit(X, y)
        display = BoundaryDisplay.from_estimator(tree, X, y, columns=COLUMNS).plot(ax)
        ax.set_title(f"{name}: {tree.get_n_leaves()} leaves")
    figure.axes[0].get_legend().remove()
    print(display.to_frame().round(3).to_string(index=False))
    figure.savefig(folder / "tree_boundaries.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
