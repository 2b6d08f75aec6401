"""
How close predicted numbers are, and where a regression misses most
====================================================================

Left: true against predicted values of the pick. Right: what it missed, by prediction and by tenth
of the target.

.. code-block:: sh

    python examples/predicted_values.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare
from bestofk.report.plots import PredictedValuesDisplay, ResidualsDisplay


def main(folder: Path) -> None:
    """Compare on the diabetes data, print and draw both."""
    result = compare(["mean", "ridge", "cart-regressor"], "diabetes", cv="5x5", progress=False)
    figure, axes = plt.subplots(
        1, 2, figsize=(12, 4.2), layout="constrained", width_ratios=(1, 1.9)
    )
    predicted = result.plot("predicted", ax=axes[0])
    residuals = result.plot("residuals", ax=axes[1])
    assert isinstance(predicted, PredictedValuesDisplay)
    assert isinstance(residuals, ResidualsDisplay)
    print(predicted.says())
    print(residuals.says())
    figure.savefig(folder / "predicted_values.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
