"""Figures 3 and 4: the most frequent graph of a data set, and the errors of its learners."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bestofk.report.plots import RejectionGraphDisplay
from bestofk.verdict.rules import five_by_two_edges, multitest_order
from bestofk.verdict.verdict import Edge
from replications.multitest_2006.experiment import Errors
from replications.multitest_2006.protocol import LEARNERS

FIGURES = {"hepatitis": "figure_3", "pendigits": "figure_4"}
_MOST_BINS = 60
# Colors of Okabe & Ito (2008).
_COLORS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00")


def most_frequent_graph(losses: NDArray[np.float64]) -> tuple[NDArray[np.bool_], float]:
    """Return the edges of MultiTest that most runs have, and in what share of runs.

    Parameters
    ----------
    losses : ndarray of shape (n_runs, n_learners, 10), float
        Learners in decreasing preference.
    """
    edges = five_by_two_edges(losses.transpose(0, 2, 1), alpha=0.05, correction="bonferroni")
    flat, counts = np.unique(edges.reshape(len(edges), -1), axis=0, return_counts=True)
    most = int(counts.argmax())
    return flat[most].reshape(edges.shape[1:]), float(counts[most] / len(edges))


def draw(errors: Errors, file: Path) -> None:
    """Draw the most frequent graph and the distributions of errors of one data set."""
    import matplotlib.pyplot as plt

    edges, share = most_frequent_graph(errors.values)
    order = multitest_order(edges)
    means = errors.values.mean(axis=(0, 2))
    rejected = [
        Edge(LEARNERS[i], LEARNERS[j], float(means[i] - means[j]), np.nan, np.nan, np.nan)
        for i, j in np.argwhere(edges).tolist()
    ]
    best = LEARNERS[order[0]]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    RejectionGraphDisplay(
        [LEARNERS[k] for k in order], means[order].tolist(), rejected, best,
        measure_title="error rate",
    ).plot(left)  # fmt: skip
    left.set_xlabel("average error rate; arrow: from worse to better; ring: best")
    left.set_title(f"{errors.name}: graph of {share:.0%} of {len(errors.values)} runs")
    low, high = errors.values.min(), errors.values.max()
    # No bin is narrower than one row of the smaller fold: errors are multiples of that.
    width = max(2 / (errors.shape[0] - 1), (high - low) / _MOST_BINS)
    bins = np.arange(low - width / 2, high + width, width)
    for index, learner in enumerate(LEARNERS):
        values = errors.values[:, index].ravel()
        right.hist(values, bins, density=True, histtype="step", color=_COLORS[index], lw=1.4)
        right.plot([], [], color=_COLORS[index], label=learner)
    right.set_xlabel("error rate of a fold")
    right.set_yticks([])
    right.set_title("error rates of all folds")
    right.legend(frameon=False)
    figure.savefig(file, dpi=90)
    plt.close(figure)
