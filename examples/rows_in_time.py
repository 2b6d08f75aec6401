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
import numpy as np
import pandas as pd

from bestofk import compare
from bestofk.report.plots import LeadDisplay, PeriodScoresDisplay

LEARNERS = ["ridge-cv", "cart-regressor", "forest-regressor"]
LEVELS = {"north": 120, "south": 160, "west": 90}
FALL, AFTER_WEEKS = 25, 130


def weekly_sales() -> pd.DataFrame:
    """Make up weekly sales of three shops with a season, prices, events, and a fall."""
    rng = np.random.default_rng(3)
    weeks, rows = pd.date_range("2021-01-04", periods=156, freq="7D"), []
    for shop, level in LEVELS.items():
        prices = rng.choice([1.9, 2.2, 2.5], size=len(weeks))
        for number, (week, price) in enumerate(zip(weeks, prices, strict=True)):
            day = int(week.strftime("%j"))
            event = int(rng.random() < 0.1)
            mean = level + 30 * np.sin(2 * np.pi * (day - 80) / 365) - 40 * (price - 2.2)
            mean -= FALL * (number >= AFTER_WEEKS)
            sales = round(mean + rng.normal(0, 8)) + 15 * event
            rows.append((week.date().isoformat(), shop, price, event, sales))
    table = pd.DataFrame(rows, columns=["week", "shop", "price", "event", "sales"])
    return table.sort_values(["week", "shop"], ignore_index=True)


def main(folder: Path) -> None:
    """Compare in order of time, and draw the periods."""
    table = weekly_sales().assign(week=lambda sales: pd.to_datetime(sales["week"]))
    result = compare(LEARNERS, table, target="sales", time="week", groups="shop")
    print(result.evaluation.plan)
    print(result)

    figure, axes = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
    PeriodScoresDisplay.from_findings(result.findings).plot(axes[0])
    LeadDisplay.from_findings(result.findings).plot(axes[1])
    figure.savefig(folder / "rows_in_time.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
