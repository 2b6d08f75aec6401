"""
Draw the graph of rejections next to the distributions of the errors
====================================================================

Five learners on one data set, five repeats of two folds, preferred from the simplest to the most
complex: once as the paper of MultiTest does it (Yildiz & Alpaydin 2006), once by the tests that
are the default today.

.. code-block:: sh

    python examples/evidence_rejections.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare
from bestofk.report.plots import RejectionsAndErrorsDisplay

SIMPLEST_FIRST = ["majority", "nearest-mean", "logistic", "cart", "1nn"]
WAYS = {
    "5x2cv t, Bonferroni (2006)": {"protocol": "multitest-2006"},
    "corrected resampled t, Holm": {"cv": "5x2", "prefer": "given"},
}


def main(folder: Path) -> None:
    """Compare in both ways and draw one line per learner."""
    figure, axes = plt.subplots(2, 1, figsize=(9.5, 6.4), layout="constrained")
    for (way, options), ax in zip(WAYS.items(), axes, strict=True):
        result = compare(SIMPLEST_FIRST, "breast_cancer", **options)
        display = RejectionsAndErrorsDisplay.from_comparison(result).plot(ax)
        ax.set_title(f"{way}: {' < '.join(result.order)}", fontsize=10.5)
        print(way)
        print(display.to_frame().round(4).to_string(index=False))
    figure.savefig(folder / "evidence_rejections.png", dpi=85)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
