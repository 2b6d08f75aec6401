"""
How close predicted numbers are, where a regression misses most, and which inputs it needs
==========================================================================================

Left: true against predicted values of the pick. Middle: what it missed, by prediction and by tenth
of the target. Right: what it loses where an input is shuffled.

.. code-block:: sh

    python examples/predicted_values.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare
from bestofk.report.plots import ImportanceDisplay, PredictedValuesDisplay, ResidualsDisplay


def main(folder: Path) -> None:
    """Compare on the diabetes data, print and draw all three."""
    result = compare(["mean", "ridge", "cart-regressor"], "diabetes", cv="5x5", progress=False)
    figure, axes = plt.subplots(
        1, 3, figsize=(17, 4.2), layout="constrained", width_ratios=(1, 1.9, 1.2)
    )
    predicted = result.plot("predicted", ax=axes[0])
    residuals = result.plot("residuals", ax=axes[1])
    assert isinstance(predicted, PredictedValuesDisplay)
    importance = result.plot("importance", ax=axes[2])
    assert isinstance(residuals, ResidualsDisplay)
    assert isinstance(importance, ImportanceDisplay)
    print(predicted.says())
    print(residuals.says())
    print(importance.says())
    figure.savefig(folder / "predicted_values.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
