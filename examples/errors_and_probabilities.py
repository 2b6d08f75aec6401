"""
Which classes a learner confuses, and whether its probabilities can be taken at their word
==========================================================================================

Left: the confusion matrix of the pick. Right: how often a class was true at each predicted
probability.

.. code-block:: sh

    python examples/errors_and_probabilities.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare
from bestofk.report.plots import CalibrationDisplay, ConfusionDisplay


def main(folder: Path) -> None:
    """Compare on breast_cancer, print and draw both."""
    learners = ["naive-bayes", "lda", "logistic"]
    result = compare(learners, "breast_cancer", cv="5x5", progress=False)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained")
    confusion = result.plot("confusion", ax=axes[0])
    calibration = result.plot("calibration", ax=axes[1])
    assert isinstance(confusion, ConfusionDisplay)
    assert isinstance(calibration, CalibrationDisplay)
    print(confusion.says())
    for name in calibration.curves:
        print(f"{name}: probabilities are {100 * calibration.mean_gap(name):.1f} points off")
    figure.savefig(folder / "errors_and_probabilities.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
