"""
Weigh the same fifty runs in twelve ways: two tests, two corrections, three preferences
=======================================================================================

Nothing is fitted after the first call. The picture shows the pick of each way.

.. code-block:: sh

    python examples/same_scores_other_verdicts.py [FOLDER]
"""

import sys
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare

SIMPLEST_FIRST = ["majority", "nearest-mean", "logistic", "cart", "1nn"]
TESTS = ("corrected-t", "5x2cv-t")
CORRECTIONS = ("holm", "bonferroni")


def main(folder: Path) -> None:
    """Ask the same runs in several ways and draw the answers."""
    result = compare(SIMPLEST_FIRST, "iris", cv="5x2")
    n_fits = result.findings.n_fitted
    preferences = {
        "no preference": None,
        "simplest first": SIMPLEST_FIRST,
        "simplest last": SIMPLEST_FIRST[::-1],
    }
    ways = list(product(preferences, TESTS, CORRECTIONS))
    picks = [
        result.verdict(test=test, correction=correction, prefer=preferences[wish]).best
        for wish, test, correction in ways
    ]
    print(f"{n_fits} fits, {len(ways)} verdicts")
    for (wish, test, correction), pick in zip(ways, picks, strict=True):
        print(f"{wish:15} {test:12} {correction:11} {pick}")

    figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
    ax.plot([SIMPLEST_FIRST.index(pick) for pick in picks], range(len(ways)), "D", color="#D55E00")
    ax.set_xticks(range(len(SIMPLEST_FIRST)), SIMPLEST_FIRST)
    ax.set_yticks(range(len(ways)), [", ".join(way) for way in ways])
    ax.set_xlim(-0.5, len(SIMPLEST_FIRST) - 0.5)
    ax.invert_yaxis()
    ax.grid(axis="x", lw=0.5)
    ax.set_title(f"The pick of {len(ways)} verdicts from the same {n_fits} fits on iris")
    figure.savefig(folder / "same_scores_other_verdicts.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
