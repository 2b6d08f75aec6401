"""
What is lost while learners are tried, one after the other
==========================================================

Two recommenders on a made-up history of twelve data sets: mean loss by number of tests and by
seconds, the spread over data sets, and the ranks of the learners.

.. code-block:: sh

    python examples/losses_while_trying.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from bestofk.recommendation.fixed_orders import AverageRanking
from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import leave_one_out
from bestofk.report.plots import (
    IntervalLossesDisplay,
    LossCurveDisplay,
    LossTimeCurveDisplay,
    MeanRanksDisplay,
)

LEARNERS = ["svm", "random-forest", "logistic", "c45", "naive-bayes", "1nn"]
SKILL = np.array([0.88, 0.87, 0.84, 0.80, 0.76, 0.74])
SECONDS = np.array([300, 120, 15, 6, 1, 2])


def main(folder: Path) -> None:
    """Leave each data set out in turn, print and draw what is lost."""
    rng = np.random.default_rng(0)
    scores = np.clip(SKILL + rng.normal(0, 0.04, (12, 6)), 0, 1)
    seconds = SECONDS * rng.lognormal(0, 0.3, (12, 6))
    history = History.from_arrays(scores, seconds, learners=LEARNERS)
    losses = leave_one_out(history, [AverageRanking(0), AverageRanking(1 / 4)])
    ranks = MeanRanksDisplay.from_history(history)
    print(ranks.to_frame()[["learner", "mean_rank"]].round(2).to_string(index=False))
    displays = (
        LossCurveDisplay.from_losses(losses),
        LossTimeCurveDisplay.from_losses(losses),
        IntervalLossesDisplay.from_losses(losses),
        ranks,
    )
    figure, axes = plt.subplots(2, 2, figsize=(11, 7.5), layout="constrained")
    for display, ax in zip(displays, axes.flat, strict=True):
        display.plot(ax)
    figure.savefig(folder / "losses_while_trying.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
