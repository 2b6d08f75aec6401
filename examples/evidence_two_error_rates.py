"""
See two accuracies whose intervals overlap though they differ, and two that do not overlap
==========================================================================================

The difference of either pair is significant. Below, the z score of the first is looked up in the
table of confidences, as one does by hand; the table gives a lower bound.

.. code-block:: sh

    python examples/evidence_two_error_rates.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk.inference import two_proportion_z_test
from bestofk.report.plots import ConfidenceTableDisplay, TwoAccuraciesDisplay


def main(folder: Path) -> None:
    """Compare two pairs of error rates on test sets of their own and draw both views."""
    figure, (*above, below) = plt.subplots(
        3, 1, figsize=(7, 9), height_ratios=[2.4, 2.4, 1], layout="constrained"
    )
    results = [two_proportion_z_test(0.15, 200, rate, 200) for rate in (0.25, 0.35)]
    for ax, result in zip(above, results, strict=True):
        print(result)
        accuracies = TwoAccuraciesDisplay.from_result(result, names=("logistic", "cart"))
        print(accuracies.verdict())
        accuracies.plot(ax)
    table = ConfidenceTableDisplay.from_result(results[0])
    print(table.says())
    table.plot(below)
    figure.savefig(folder / "evidence_two_error_rates.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
