"""
Order five learners on iris as in the paper of MultiTest (Yildiz & Alpaydin 2006)
=================================================================================

Five repeats of two folds, not stratified; learners are preferred from the simplest to the
most complex. Draws the graph of rejections next to the errors of the ten splits.

.. code-block:: sh

    python examples/multitest_on_iris.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare
from bestofk.report import RejectionGraphDisplay, ScoreDistributionDisplay

SIMPLEST_FIRST = ["majority", "nearest-mean", "logistic", "cart", "1nn"]


def main(folder: Path) -> None:
    """Compare on iris, and draw the rejections next to the errors."""
    result = compare(SIMPLEST_FIRST, "iris", protocol="multitest-2006")
    print(f"best: {result.best}; order: {' < '.join(result.order)}")
    for edge in result.findings.verdict.edges:
        print(f"{edge.worse} is worse than {edge.better}: adjusted p = {edge.p_adjusted:.5f}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.2), layout="constrained")
    RejectionGraphDisplay.from_comparison(result).plot(left)
    ScoreDistributionDisplay.from_comparison(result).plot(right)
    figure.savefig(folder / "iris_rejections.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
