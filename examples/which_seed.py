"""
Ask how often another seed names another best: 20 seeds of 5x2 on iris
======================================================================

Each seed draws other splits of the same data. The lowest mean, MultiTest with simple
learners preferred, and membership among the candidates are counted.

.. code-block:: sh

    python examples/which_seed.py [FOLDER]
"""

import sys
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from bestofk import compare

SIMPLEST_FIRST = ["majority", "nearest-mean", "logistic", "cart", "1nn"]
N_SEEDS = 20


def main(folder: Path) -> None:
    """Count which learner each seed names best and draw the counts."""
    counts = {
        "lowest mean": Counter(),
        "preferred, not shown worse": Counter(),
        "among the candidates": Counter(),
    }
    for seed in range(N_SEEDS):
        result = compare(SIMPLEST_FIRST, "iris", cv="5x2", random_state=seed)
        preferring = result.verdict(prefer="given", test="5x2cv-t", correction="bonferroni")
        counts["lowest mean"][result.best] += 1
        counts["preferred, not shown worse"][preferring.best] += 1
        counts["among the candidates"].update(result.candidates)
    for rule, counter in counts.items():
        print(rule, {name: counter[name] for name in SIMPLEST_FIRST})

    figure, ax = plt.subplots(figsize=(7.5, 3.6), layout="constrained")
    indices = np.arange(len(SIMPLEST_FIRST))
    looks = (("#0072B2", ""), ("#D55E00", "//"), ("#009E73", ".."))
    for number, ((rule, counter), (color, hatch)) in enumerate(
        zip(counts.items(), looks, strict=True)
    ):
        heights = [counter[name] for name in SIMPLEST_FIRST]
        bars = ax.bar(indices + 0.27 * (number - 1), heights, 0.25, color=color, label=rule)
        ax.bar_label(bars)
        for bar in bars:
            bar.set(hatch=hatch, edgecolor="white")
    ax.set_xticks(indices, SIMPLEST_FIRST)
    ax.set_ylabel(f"of {N_SEEDS} seeds")
    ax.set_yticks(range(0, N_SEEDS + 1, 5))
    ax.set_ylim(0, N_SEEDS + 2)
    ax.legend(frameon=False, loc="upper left")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    figure.savefig(folder / "which_seed.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
