"""
Compare the best learners and the candidates of all orderings on the same fifty error rates
===========================================================================================

Five learners on ten halves of iris (Yildiz & Alpaydin 2006), preferred from the simplest to the
most complex.

.. code-block:: sh

    python examples/evidence_orderings_on_iris.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from bestofk import compare
from bestofk.inference import Sampling
from bestofk.report.plots import ScoreDistributionDisplay
from bestofk.verdict.orderings import orderings

SIMPLEST_FIRST = ["majority", "nearest-mean", "logistic", "c45", "1nn"]
HALVES = Sampling("k-fold", n_repeats=5, n_folds=2, n_train=75, n_test=75)
TESTS = {"5x2cv t test": "5x2cv-t", "corrected t test": "corrected-t"}


def fifty_error_rates() -> np.ndarray:
    """Return the errors, one row per learner, fold by fold."""
    result = compare(SIMPLEST_FIRST, "iris", protocol="multitest-2006", random_state=1)
    errors = result.to_frame().query("measure == 'error'")
    wide = errors.pivot(index="learner", columns=["repeat", "fold"], values="value")
    return wide.loc[SIMPLEST_FIRST].to_numpy()


def main(folder: Path) -> None:
    """Ask every ordering by two tests, and draw what it says."""
    errors = fifty_error_rates()
    print((75 * errors).round().astype(int))
    figure, (left, *right) = plt.subplots(
        1, 3, figsize=(10.5, 3.6), layout="constrained", width_ratios=(1, 1.15, 1.15)
    )
    columns = range(len(SIMPLEST_FIRST))
    scores = dict(zip(SIMPLEST_FIRST, errors, strict=True))
    ScoreDistributionDisplay(scores, measure_title="error rate", greater_is_better=False).plot(left)
    for ax, (title, test) in zip(right, TESTS.items(), strict=True):
        table = orderings(errors.T, sampling=HALVES, names=SIMPLEST_FIRST, test=test)
        print(table)
        for index, row in enumerate(table.rows):
            for column, name in enumerate(SIMPLEST_FIRST):
                if name in row.may_be_best:
                    ax.plot(column, index, "o", mfc="white", mec="#0072B2", ms=13)
                if name == row.best:
                    ax.plot(column, index, "o", color="#0072B2", ms=8)
        ax.set_yticks(range(len(table.rows)), [row.title for row in table.rows])
        ax.set_ylim(len(table.rows) - 0.5, -0.5)
        ax.set_title(f"by the {title}", fontsize=10)
        ax.grid(axis="y", color="0.9")
    right[1].tick_params(labelleft=False)
    for ax in right:
        ax.set_xticks(columns, SIMPLEST_FIRST, rotation=35, ha="right")
        ax.set_xlim(-0.5, len(SIMPLEST_FIRST) - 0.5)
        ax.set_axisbelow(True)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    figure.supxlabel("filled: named as the best;  ring: left in, may be the best", fontsize=10)
    figure.savefig(folder / "orderings_on_iris.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
