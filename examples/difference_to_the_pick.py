"""
Difference of every learner to the pick, and what each learner costs
====================================================================

Above: the default picture of a comparison, with the region in which a difference does not matter.
Below: the seconds of training and predicting.

.. code-block:: sh

    python examples/difference_to_the_pick.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare
from bestofk.report.plots import DifferencesDisplay, TimesDisplay

LEARNERS = ["majority", "nearest-mean", "naive-bayes", "logistic", "lda", "5nn", "c45"]


def main(folder: Path) -> None:
    """Compare on breast_cancer, print and draw the differences."""
    result = compare(LEARNERS, "breast_cancer", cv="5x5", progress=False)
    differences = DifferencesDisplay.from_comparison(result)
    print(differences.to_frame().round(4).to_string(index=False))
    figure, axes = plt.subplots(2, 1, figsize=(6.8, 6.8), layout="constrained")
    differences.plot(axes[0])
    TimesDisplay.from_comparison(result).plot(axes[1])
    figure.savefig(folder / "difference_to_the_pick.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
