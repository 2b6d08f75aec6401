"""Figures 1 and 2: running means, and distributions of the estimates of single iterations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from replications.variability_2010.experiment import Estimates
from replications.variability_2010.protocol import FOLDS

# Data set, folds, iterations shown, learners.
FIGURE_1: Final = (
    ("twonorm", 10, 500, ("C4.5", "HDDT")),
    ("vote", 5, 50, ("C4.5", "MLP", "5-NN")),
    ("crx", 2, 100, ("C4.5", "MLP", "5-NN")),
    ("crx", 2, 30, ("C4.5", "MLP", "5-NN")),
)
# The paper's panels are of 2-fold cross-validation; that of breast-w is named in its text.
FIGURE_2: Final = (
    ("breast-w", ("C4.5", "HDDT")),
    ("heart-c", ("C4.5", "HDDT")),
    ("krkp", ("C4.5", "HDDT")),
    ("tic-tac-toe", ("C4.5", "HDDT")),
    ("breast-w", ("5-NN", "NB")),
    ("krkp", ("MLP", "NB")),
)
# Colors of Okabe & Ito (2008).
_COLORS: Final = {
    "C4.5": "#D55E00", "HDDT": "#0072B2", "MLP": "#009E73", "5-NN": "#E69F00", "NB": "#000000",
    "SMO": "#CC79A7",
}  # fmt: skip


def draw_running_means(found: Mapping[str, Estimates], file: Path) -> None:
    """Draw the mean AUROC of the first iterations, in the panels of Figure 1."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 2, figsize=(10, 6.4), layout="constrained")
    for panel, (name, n_folds, n_shown, learners) in zip(panels.flat, FIGURE_1, strict=True):
        panel.set_title(f"{name}, {n_folds}-fold")
        panel.set_xlabel("iterations")
        panel.set_ylabel("mean AUROC")
        for learner in learners if name in found else ():
            values = found[name].auroc[learner][FOLDS.index(n_folds)][:n_shown]
            counts = np.arange(1, len(values) + 1)
            panel.plot(counts, np.cumsum(values) / counts, color=_COLORS[learner], label=learner)
        if name in found:
            panel.legend(frameon=False)
    figure.savefig(file, dpi=90)
    plt.close(figure)


def draw_distributions(found: Mapping[str, Estimates], file: Path) -> None:
    """Draw the estimates of single iterations of 2 folds, in the panels of Figure 2."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 3, figsize=(12, 6.4), layout="constrained")
    for panel, (name, learners) in zip(panels.flat, FIGURE_2, strict=True):
        panel.set_title(name)
        panel.set_xlabel("AUROC of an iteration")
        panel.set_yticks([])
        panel.locator_params(axis="x", nbins=5)  # more labels would run into each other
        if name not in found:
            continue
        values = {learner: found[name].auroc[learner][FOLDS.index(2)] for learner in learners}
        both = np.concatenate(list(values.values()))
        bins = np.linspace(both.min(), both.max() + 1e-9, 50)
        for learner, value in values.items():
            color = _COLORS[learner]
            panel.hist(value, bins, density=True, histtype="step", color=color, label=learner)
            panel.axvline(value.mean(), color=color, ls=":", lw=1)
        panel.legend(frameon=False)
    figure.savefig(file, dpi=90)
    plt.close(figure)
