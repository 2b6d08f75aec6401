"""
See three answers from the same ten error rates of two learners
===============================================================

The interval of the difference, the posterior with a region of practical equivalence, and what
5x2cv t would say with another of its ten numerators.

.. code-block:: sh

    python examples/evidence_two_learners.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from bestofk.inference import bayesian_correlated_t, corrected_resampled_t_test
from bestofk.report.plots import (
    DifferenceDisplay,
    PosteriorDensityDisplay,
    TenNumeratorsDisplay,
)

NAMES = ("cart", "logistic")
# Error rates of five repeats (rows) of two folds (columns).
CART = np.array([[0.30, 0.28], [0.29, 0.31], [0.27, 0.30], [0.31, 0.29], [0.30, 0.30]])
LOGISTIC = np.array([[0.25, 0.26], [0.26, 0.27], [0.25, 0.24], [0.26, 0.27], [0.27, 0.25]])


def main(folder: Path) -> None:
    """Ask the same scores in three ways and draw the answers side by side."""
    result = corrected_resampled_t_test(CART, LOGISTIC, n_train=100, n_test=100)
    print(result)
    difference = DifferenceDisplay.from_result(
        result,
        differences=(CART - LOGISTIC).ravel(),
        names=NAMES,
        measure_title="error rate",
    )
    posterior = PosteriorDensityDisplay.from_result(
        bayesian_correlated_t(CART, LOGISTIC, n_train=100, n_test=100),
        names=NAMES,
        measure_title="error rate",
    )
    numerators = TenNumeratorsDisplay.from_scores(CART, LOGISTIC, names=NAMES)
    print("below, inside and above the region:", np.round(posterior.probabilities(), 3))
    print(numerators.to_frame().to_string(index=False))

    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for display, ax in zip((difference, posterior, numerators), axes, strict=True):
        display.plot(ax)
    figure.savefig(folder / "evidence_two_learners.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
