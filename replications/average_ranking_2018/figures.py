"""Figures 2 to 4 of the paper on other tables, active testing, and tests counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from bestofk.recommendation.fixed_orders import Recommender
from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import RecommenderLosses
from bestofk.report.plots import (
    IntervalLossesDisplay,
    LossCurveDisplay,
    LossTimeCurveDisplay,
    MeanRanksDisplay,
)
from replications.average_ranking_2018.tables import (
    AR_0,
    AR_STAR,
    AT_0,
    AT_4,
    CHOSEN,
    RANKINGS,
)

_DPI = 80


class _LinearSecondsDisplay(LossTimeCurveDisplay):
    """Loss against seconds on an axis in proportion to them, as figure 2b has it."""

    def _draw(self, ax: Axes) -> None:
        super()._draw(ax)
        ax.set_xscale("linear")


def draw_one_data_set(losses: RecommenderLosses, file: Path) -> None:
    """Draw one ranking on the data set that loses most nearly what is lost on average."""
    index = losses.methods.index(AR_STAR.name)
    own = losses.losses[:, index]
    i = int(np.abs(own - own.mean()).argmin())
    after = losses.losses_after_tests()[[index], i : i + 1]
    n_tests = np.arange(1, after.shape[2])
    title = losses.titles[index]
    by_tests = LossCurveDisplay(after[:, :, 1:], n_tests, [title], default_losses=after[0, :, 0])
    curves = {title: [losses.curves[index][i]]}
    name = f"data set {losses.data_sets[i]}"
    displays = {
        f"{name}: tests": by_tests,
        f"{name}: seconds": _LinearSecondsDisplay(curves, losses.window),
        f"{name}: logarithm of seconds": LossTimeCurveDisplay(curves, losses.window),
    }
    _draw_beside(displays, file, (16, 3.6))


def draw_mean_curves(found: Mapping[str, RecommenderLosses], file: Path) -> None:
    """Draw the mean loss-time curves of AR*, AR0 and the ranking whose P is chosen."""
    methods = (AR_STAR, AR_0, CHOSEN)
    _draw_beside(
        {table: _curves(losses, methods) for table, losses in found.items()}, file, (14, 4)
    )


def draw_active_testing(found: Mapping[str, RecommenderLosses], file: Path) -> None:
    """Draw the mean loss-time curves of active testing with and without time, and of AR*."""
    methods = (AT_4, AT_0, AR_STAR)
    _draw_beside(
        {table: _curves(losses, methods) for table, losses in found.items()}, file, (14, 4)
    )


def draw_boxes(found: Mapping[str, RecommenderLosses], file: Path) -> None:
    """Draw box plots of the mean interval loss for each P."""
    displays = {}
    for table, losses in found.items():
        columns = [losses.methods.index(ranking.name) for ranking in RANKINGS]
        names = [losses.titles[column].split(", ")[1] for column in columns]
        displays[table] = IntervalLossesDisplay(losses.losses[:, columns], names)
    _draw_beside(displays, file, (12, 3.8))


def draw_counted(history: History, losses: RecommenderLosses, file: Path) -> None:
    """Draw the mean ranks of the learners, and the mean loss by number of tests."""
    ranks = MeanRanksDisplay.from_history(history, n_shown=15)
    _draw_beside({"": ranks, " ": LossCurveDisplay.from_losses(losses)}, file, (14, 4.6))


def _curves(losses: RecommenderLosses, methods: Sequence[Recommender]) -> LossTimeCurveDisplay:
    indices = [losses.methods.index(method.name) for method in methods]
    curves = {losses.titles[index]: losses.curves[index] for index in indices}
    return LossTimeCurveDisplay(curves, losses.window)


def _draw_beside(displays: Mapping[str, Any], file: Path, size: tuple[float, float]) -> None:
    """Draw displays side by side, each under its title."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(displays), figsize=size, layout="constrained")
    for panel, (title, display) in zip(panels, displays.items(), strict=True):
        display.plot(panel)
        if title.strip():
            panel.set_title(title)
    figure.savefig(file, dpi=_DPI)
    plt.close(figure)
