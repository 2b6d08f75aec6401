"""
Rows in time: three learners on weekly sales that fall after a while
====================================================================

Left: error of every learner in each period, predicted from all weeks before it. Right: lead of the
pick over the next learner, by period and on average so far, with a 95% interval from the eighth
period on. Both are about these weeks, and no evidence about later ones.

.. code-block:: sh

    python examples/rows_in_time.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare
from bestofk.report.plots import LeadDisplay, PeriodScoresDisplay

SALES = Path(__file__).parents[1] / "docs" / "shops.csv"
LEARNERS = ["ridge-cv", "cart-regressor", "forest-regressor"]


def main(folder: Path) -> None:
    """Compare in order of time, and draw the periods."""
    result = compare(LEARNERS, SALES, target="sales", time="week", groups="shop")
    print(result.evaluation.plan)
    print(result)

    figure, axes = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
    PeriodScoresDisplay.from_findings(result.findings).plot(axes[0])
    LeadDisplay.from_findings(result.findings).plot(axes[1])
    figure.savefig(folder / "rows_in_time.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
