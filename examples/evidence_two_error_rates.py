"""
See two accuracies whose intervals overlap, though their difference is significant
==================================================================================

Below, the z score of the difference is looked up in the table of confidences, as one does by
hand; the table gives a lower bound.

.. code-block:: sh

    python examples/evidence_two_error_rates.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk.inference import two_proportion_z_test
from bestofk.report.plots import ConfidenceTableDisplay, TwoAccuraciesDisplay


def main(folder: Path) -> None:
    """Compare two error rates on test sets of their own and draw both views."""
    result = two_proportion_z_test(0.15, 200, 0.25, 200)
    print(result)
    accuracies = TwoAccuraciesDisplay.from_result(result, names=("logistic", "cart"))
    table = ConfidenceTableDisplay.from_result(result)
    print(accuracies.verdict())
    print(table.says())

    figure, (above, below) = plt.subplots(
        2, 1, figsize=(7, 5.6), height_ratios=[2.4, 1], layout="constrained"
    )
    accuracies.plot(above)
    table.plot(below)
    figure.savefig(folder / "evidence_two_error_rates.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
