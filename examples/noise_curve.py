"""
Train five learners on wrong classes, and compare their losses
==============================================================

.. code-block:: sh

    python examples/noise_curve.py [FOLDER]

writes noise_curve.png into the folder (here, if none is given) and prints the table.
"""

import sys
from pathlib import Path

from bestofk import noise_curve
from bestofk.report.plots import NoiseCurveDisplay


def main(folder: Path) -> None:
    """Spoil more and more training rows of breast_cancer, print and draw."""
    learners = ["nearest-mean", "naive-bayes", "logistic", "1nn", "c45"]
    curves = noise_curve(learners, "breast_cancer", cv="5x3", n_jobs=-1, progress=False)
    print(curves)
    figure = NoiseCurveDisplay.from_curves(curves).plot().figure_
    figure.savefig(folder / "noise_curve.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
