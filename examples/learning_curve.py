"""
Train five learners on more and more rows, and find the best at each size and beyond
====================================================================================

.. code-block:: sh

    python examples/learning_curve.py [FOLDER]

writes learning_curve.png into the folder (here, if none is given) and prints the table.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import learning_curve
from bestofk.report.plots import LearningCurveDisplay


def main(folder: Path) -> None:
    """Train on nested parts of breast_cancer, print and draw."""
    learners = ["nearest-mean", "naive-bayes", "logistic", "5nn", "c45"]
    figure, axes = plt.subplots(2, 1, figsize=(6.4, 8), layout="constrained")
    for ax, schedule in zip(axes, ("geometric", "arithmetic"), strict=True):
        curves = learning_curve(
            learners, "breast_cancer", schedule=schedule, cv="5x3", n_jobs=-1, progress=False
        )
        print(curves)
        twice = 2 * int(curves.sizes[-1]) if schedule == "geometric" else None
        LearningCurveDisplay.from_curves(curves, n_train=twice).plot(ax)
        ax.set_title(f"{schedule} sizes", loc="left")
    figure.savefig(folder / "learning_curve.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
