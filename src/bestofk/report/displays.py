"""Which pictures are there: every display, each with `from_*`, `plot(ax=None)` and `frame()`."""

from bestofk.report.display_base import Display
from bestofk.report.display_confidence_table import ConfidenceTableDisplay
from bestofk.report.display_cost_curve import CostCurveDisplay
from bestofk.report.display_critical_difference import CriticalDifferenceDisplay
from bestofk.report.display_difference import DifferenceDisplay
from bestofk.report.display_estimate_distributions import EstimateDistributionsDisplay
from bestofk.report.display_five_by_two_cv import TenNumeratorsDisplay
from bestofk.report.display_imbalance import ImbalanceDisplay
from bestofk.report.display_interval_losses import IntervalLossesDisplay
from bestofk.report.display_learning_curve import LearningCurveDisplay
from bestofk.report.display_loss_curve import LossCurveDisplay
from bestofk.report.display_loss_time_curve import LossTimeCurveDisplay
from bestofk.report.display_multi_comparison_matrix import MultiComparisonMatrixDisplay
from bestofk.report.display_newman_keuls import NewmanKeulsDisplay
from bestofk.report.display_noise_curve import NoiseCurveDisplay
from bestofk.report.display_posterior_density import PosteriorDensityDisplay
from bestofk.report.display_posterior_triangle import PosteriorTriangleDisplay
from bestofk.report.display_ranks import MeanRanksDisplay
from bestofk.report.display_rejection_graph import RejectionGraphDisplay
from bestofk.report.display_rejections_and_errors import RejectionsAndErrorsDisplay
from bestofk.report.display_reproducibility_matrix import ReproducibilityMatrixDisplay
from bestofk.report.display_roc_hull import RocHullDisplay
from bestofk.report.display_running_means import RunningMeansDisplay
from bestofk.report.display_score_distribution import ScoreDistributionDisplay
from bestofk.report.display_two_accuracies import TwoAccuraciesDisplay
from bestofk.report.display_validation_curve import ValidationCurveDisplay

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
