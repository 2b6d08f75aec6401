"""
See from how many test rows on an error rate is nearly normal
=============================================================

A learner that errs with probability p makes a binomial number of errors on n test rows. Intervals
of 95% are made from each possible number, and their true coverage is the sum of the probabilities
of those that hold p: nothing is simulated.

.. code-block:: sh

    python examples/normal_approximation.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from bestofk.inference import proportion_interval

SIZES = (10, 20, 30, 50, 100, 300, 1000)
RATES = (0.05, 0.1, 0.3)
METHODS = ("normal", "wilson", "clopper-pearson")


def coverage(n: int, rate: float, method: str) -> float:
    """Return the probability that an interval of 95% holds the true error rate."""
    errors = np.arange(n + 1)
    intervals = [proportion_interval(int(k), n, method=method) for k in errors]
    holds = np.array([item.low <= rate <= item.high for item in intervals])
    return float(binom.pmf(errors, n, rate)[holds].sum())


def table() -> pd.DataFrame:
    """Return the coverage of all methods, a row per error rate and number of test rows."""
    rows = [
        {"error rate": rate, "test rows": n, **{m: coverage(n, rate, m) for m in METHODS}}
        for rate in RATES
        for n in SIZES
    ]
    return pd.DataFrame(rows)


def main(folder: Path) -> None:
    """Print the coverage, and draw binomial and normal distribution of an error rate of 30%."""
    frame = table()
    print(frame.round(3).to_string(index=False))
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.9), layout="constrained")
    for ax, n in zip(axes, (10, 30, 100), strict=False):
        errors = np.arange(n + 1)
        spread = np.sqrt(0.3 * 0.7 / n)
        ax.bar(errors / n, binom.pmf(errors, n, 0.3), width=0.8 / n, color="#BBBBBB")
        grid = np.linspace(0, 0.8, 200)
        ax.plot(grid, norm.pdf(grid, 0.3, spread) / n, color="#0072B2")
        ax.set(xlim=(0, 0.8), xlabel="error rate on the test rows", yticks=[])
        ax.set_title(f"{n} test rows", fontsize="medium", loc="left")
    for method, color, line in zip(METHODS, ("#0072B2", "#D55E00", "#009E73"), "-:-", strict=True):
        own = frame[frame["error rate"] == RATES[1]]
        style = {"color": color, "ls": "--" if method == METHODS[2] else line, "marker": "o"}
        axes[3].plot(own["test rows"], own[method], label=method, ms=3, **style)
    axes[3].axhline(0.95, color="#555555", lw=0.8)
    axes[3].set(xscale="log", xlabel="test rows", ylim=(0.6, 1.0))
    axes[3].set_title("coverage, error rate 10%", fontsize="medium", loc="left")
    axes[3].legend(fontsize="small", frameon=False)
    for ax in axes:
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    figure.savefig(folder / "normal_approximation.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
