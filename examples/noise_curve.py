"""
Train five learners on wrong classes and wrong values, and compare their losses
===============================================================================

A share of the training rows gets another class, or a class drawn from all, which may be its own;
or a share of the values of every column is drawn anew.

.. code-block:: sh

    python examples/noise_curve.py [FOLDER]

writes noise_curve.png into the folder (here, if none is given) and prints the table.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import noise_curve
from bestofk.report.plots import NoiseCurveDisplay


def main(folder: Path) -> None:
    """Spoil more and more training rows of breast_cancer, print and draw."""
    learners = ["nearest-mean", "naive-bayes", "logistic", "1nn", "c45"]
    figure, axes = plt.subplots(3, 1, figsize=(6.4, 11), sharey=True, layout="constrained")
    for ax, kind in zip(axes, ("class", "random-class", "feature"), strict=True):
        curves = noise_curve(
            learners, "breast_cancer", kind=kind, cv="5x3", n_jobs=-1, progress=False
        )
        print(curves)
        NoiseCurveDisplay.from_curves(curves).plot(ax)
    figure.savefig(folder / "noise_curve.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
