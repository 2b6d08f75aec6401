"""
How single repeats spread, and whether claims about new data come true as often as stated
=========================================================================================

Left: every repeat of a comparison as a histogram per learner. Right: made-up counts of claims, with
the share that came true.

.. code-block:: sh

    python examples/estimates_and_claims.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare
from bestofk.report.plots import EstimateDistributionsDisplay, ReliabilityDisplay


def main(folder: Path) -> None:
    """Repeat on wine, print the shape of each distribution, and draw it next to claims."""
    result = compare(["nearest-mean", "naive-bayes", "c45"], "wine", cv="40x3", progress=False)
    estimates = EstimateDistributionsDisplay.from_comparison(result)
    print(estimates.to_frame().round(3).to_string(index=False))
    claims = ReliabilityDisplay(
        stated=[0.55, 0.75, 0.95], true=[0.6, 0.8, 0.97], low=[0.45, 0.68, 0.9],
        high=[0.74, 0.89, 0.995], counts=[40, 60, 100],
        event="the pick was within 1 point of the best",
    )  # fmt: skip
    figure, axes = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
    estimates.plot(axes[0])
    claims.plot(axes[1])
    figure.savefig(folder / "estimates_and_claims.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
