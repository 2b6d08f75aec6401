"""All displays, each with `from_*`, `plot(ax=None)` and `frame()`."""

import re
from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.report.plots.base import Display
    from bestofk.report.plots.confidence_table import ConfidenceTableDisplay
    from bestofk.report.plots.cost_curve import CostCurveDisplay
    from bestofk.report.plots.critical_difference import CriticalDifferenceDisplay
    from bestofk.report.plots.difference import DifferenceDisplay
    from bestofk.report.plots.estimate_distributions import EstimateDistributionsDisplay
    from bestofk.report.plots.imbalance import ImbalanceDisplay
    from bestofk.report.plots.interval_losses import IntervalLossesDisplay
    from bestofk.report.plots.learning_curve import LearningCurveDisplay
    from bestofk.report.plots.loss_curve import LossCurveDisplay
    from bestofk.report.plots.loss_time_curve import LossTimeCurveDisplay
    from bestofk.report.plots.mean_ranks import MeanRanksDisplay
    from bestofk.report.plots.multi_comparison_matrix import MultiComparisonMatrixDisplay
    from bestofk.report.plots.newman_keuls import NewmanKeulsDisplay
    from bestofk.report.plots.noise_curve import NoiseCurveDisplay
    from bestofk.report.plots.posterior_density import PosteriorDensityDisplay
    from bestofk.report.plots.posterior_triangle import PosteriorTriangleDisplay
    from bestofk.report.plots.rejection_graph import RejectionGraphDisplay
    from bestofk.report.plots.rejections_and_errors import RejectionsAndErrorsDisplay
    from bestofk.report.plots.reproducibility_matrix import ReproducibilityMatrixDisplay
    from bestofk.report.plots.roc_hull import RocHullDisplay
    from bestofk.report.plots.running_means import RunningMeansDisplay
    from bestofk.report.plots.score_distribution import ScoreDistributionDisplay
    from bestofk.report.plots.ten_numerators import TenNumeratorsDisplay
    from bestofk.report.plots.two_accuracies import TwoAccuraciesDisplay
    from bestofk.report.plots.validation_curve import ValidationCurveDisplay

__all__ = [
    "ConfidenceTableDisplay",
    "CostCurveDisplay",
    "CriticalDifferenceDisplay",
    "DifferenceDisplay",
    "Display",
    "EstimateDistributionsDisplay",
    "ImbalanceDisplay",
    "IntervalLossesDisplay",
    "LearningCurveDisplay",
    "LossCurveDisplay",
    "LossTimeCurveDisplay",
    "MeanRanksDisplay",
    "MultiComparisonMatrixDisplay",
    "NewmanKeulsDisplay",
    "NoiseCurveDisplay",
    "PosteriorDensityDisplay",
    "PosteriorTriangleDisplay",
    "RejectionGraphDisplay",
    "RejectionsAndErrorsDisplay",
    "ReproducibilityMatrixDisplay",
    "RocHullDisplay",
    "RunningMeansDisplay",
    "ScoreDistributionDisplay",
    "TenNumeratorsDisplay",
    "TwoAccuraciesDisplay",
    "ValidationCurveDisplay",
]


def _home(display: str) -> str:
    """Return the file of a display: `CostCurveDisplay` stands in `cost_curve.py`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", display.removesuffix("Display")).lower()


__getattr__, __dir__, _ = lazy_loader.attach(
    __name__, submod_attrs={_home(name) or "base": [name] for name in __all__}
)
