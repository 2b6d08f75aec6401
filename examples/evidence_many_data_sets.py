"""
See three views of four learners on fourteen data sets (Demsar 2006, table 6)
=============================================================================

The multi-comparison matrix, the critical-difference diagram with its warning, and the posterior
of the Bayesian signed-rank test for one pair. The scores are those printed, to three digits: on
one data set two learners tie that the paper could tell apart, so two average ranks differ from
the printed ones by 0.036.

.. code-block:: sh

    python examples/evidence_many_data_sets.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from bestofk.inference import (
    bayesian_signed_rank,
    multi_comparison_matrix,
    nemenyi_test,
)
from bestofk.report.plots import (
    CriticalDifferenceDisplay,
    MultiComparisonMatrixDisplay,
    PosteriorTriangleDisplay,
)

NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# Area under the ROC curve: one row per data set, one column per learner.
AUROC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def main(folder: Path) -> None:
    """Compare over the data sets in three ways and draw them in one figure."""
    ranks = nemenyi_test(AUROC, names=NAMES, greater_is_better=True, alpha=0.1)
    matrix = multi_comparison_matrix(AUROC, names=NAMES, greater_is_better=True)
    draws = bayesian_signed_rank(AUROC[:, 0], AUROC[:, 3], rope=0.01, n_draws=10_000)
    for result in (ranks, matrix, draws):
        print(result)

    figure = plt.figure(figsize=(11, 7.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=[1, 1.5], width_ratios=[1.25, 1])
    CriticalDifferenceDisplay.from_result(ranks).plot(figure.add_subplot(grid[0, :]))
    MultiComparisonMatrixDisplay.from_result(
        matrix, measure_title="AUROC", greater_is_better=True
    ).plot(figure.add_subplot(grid[1, 0]))
    PosteriorTriangleDisplay.from_result(
        draws, names=(NAMES[0], NAMES[3]), greater_is_better=True
    ).plot(figure.add_subplot(grid[1, 1]))
    figure.savefig(folder / "evidence_many_data_sets.png", dpi=75)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
