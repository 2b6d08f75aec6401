"""One display of each kind, for any number of learners where it takes many."""

import numpy as np

from bestofk.inference import Sampling
from bestofk.recommendation.loss_time import LossTimeCurve, Window
from bestofk.report import RejectionGraphDisplay, ScoreDistributionDisplay
from bestofk.report.plots import (
    CalibrationDisplay,
    ConfidenceTableDisplay,
    ConfusionDisplay,
    CostCurveDisplay,
    CriticalDifferenceDisplay,
    DifferenceDisplay,
    DifferencesDisplay,
    EstimateDistributionsDisplay,
    ImbalanceDisplay,
    ImportanceDisplay,
    IntervalLossesDisplay,
    LeadDisplay,
    LearningCurveDisplay,
    LossCurveDisplay,
    LossTimeCurveDisplay,
    MeanRanksDisplay,
    MultiComparisonMatrixDisplay,
    NewmanKeulsDisplay,
    NoiseCurveDisplay,
    PeriodScoresDisplay,
    PosteriorDensityDisplay,
    PosteriorTriangleDisplay,
    PredictedValuesDisplay,
    RejectionsAndErrorsDisplay,
    ReliabilityDisplay,
    ReproducibilityMatrixDisplay,
    ResidualsDisplay,
    RocHullDisplay,
    RunningMeansDisplay,
    TenNumeratorsDisplay,
    TimesDisplay,
    TuningDisplay,
    TwoAccuraciesDisplay,
    ValidationCurveDisplay,
)
from bestofk.report.plots.orders import MOST_LEARNERS
from bestofk.verdict import Edge

A, B = "$a_1 of a rather long name, with=options", "$b_2 of a rather long name, with=others"

RATE = {"measure_title": "error rate"}
PERIODS = [f"2024-{month:02}" for month in range(1, 13)]


def long_names(k):
    return [f"$learner_{i} of a rather long name, with=option_{i}" for i in range(k)]


def differences(k):
    estimates = 0.004 * np.arange(1, k) ** 2
    answers = (["can't tell", "about the same", "worse", "better"] * k)[: k - 1]
    estimates[-1] = 0.9
    return DifferencesDisplay(
        long_names(k)[1:], estimates, estimates - 0.02, estimates + 0.02, answers,
        pick=long_names(k)[0], **RATE, rope=0.01,
    )  # fmt: skip


def rejection_graph(k):
    names = long_names(min(k, MOST_LEARNERS))
    edges = [Edge(names[-1], name, 0.1, 1.0, 0.0, 0.0) for name in names[:-1]]
    means = np.linspace(0.1, 0.3, len(names))
    return RejectionGraphDisplay(names, means, edges, names[0], **RATE)


def score_distribution(k):
    scores = {name: np.linspace(0, 0.1, 10) + 0.01 * i for i, name in enumerate(long_names(k))}
    return ScoreDistributionDisplay(scores, measure_title="error", greater_is_better=False)


def rejections_and_errors(k):
    k = min(k, MOST_LEARNERS)
    return RejectionsAndErrorsDisplay(rejection_graph(k), score_distribution(k))


def newman_keuls(k):
    names = long_names(k)
    lines = [names[i : i + 3] for i in range(0, k - 1, 2)]
    return NewmanKeulsDisplay(names, np.linspace(0.1, 0.2, k), lines, **RATE)


def critical_difference(k):
    ranks = np.linspace(1.2, k - 0.2, k)
    return CriticalDifferenceDisplay(long_names(k), ranks, k / 5, n_data_sets=30)


def matrix(k):
    differences = np.subtract.outer(np.arange(k), np.arange(k)) / 100
    tallies = {"wins": np.triu(np.full((k, k), 9)), "ties": np.ones((k, k))}
    tests = {"p_value": np.full((k, k), 0.04), "levels": np.arange(k) + 1}
    return MultiComparisonMatrixDisplay(long_names(k), differences, **tallies, **tests, **RATE)


def roc(k):
    points = np.linspace(0.1, 0.9, k)
    return RocHullDisplay(
        {name: [(p / 2, p), (p, 0.95)] for name, p in zip(long_names(k), points, strict=True)}
    )


def repeats(k):
    return 0.1 + 0.01 * np.arange(k) + np.random.default_rng(0).normal(0, 0.01, (k, 9)).T


def running_means(k):
    values, names = repeats(k), long_names(k)
    values[:, -1] += 5
    values[5:, -1] = np.nan
    stops = {names[-1]: (5, "left")}
    return RunningMeansDisplay(values, names, **RATE, stops=stops)


def estimate_distributions(k):
    return EstimateDistributionsDisplay(
        repeats(k), long_names(k), **RATE, greater_is_better=False, best_value=0.0
    )


def reproducibility_matrix(k):
    return ReproducibilityMatrixDisplay.from_estimates(
        repeats(k), long_names(k), greater_is_better=False
    )


def loss_curve(k):
    falls = np.sort(np.random.default_rng(0).gamma(0.5, 0.05, (k, 9, 30)), axis=2)[:, :, ::-1]
    indices = np.arange(1, 31)
    return LossCurveDisplay(falls, indices, long_names(k), default_losses=np.full(9, 0.4))


def loss_time_curve(k):
    curves = {
        name: [LossTimeCurve.of_tests([0.7, 0.9], [5 + i, 90.0], default_score=0.5)] * 3
        for i, name in enumerate(long_names(k))
    }
    return LossTimeCurveDisplay(curves, Window.of(10, 10_000))


def interval_losses(k):
    losses = np.random.default_rng(0).gamma(0.3, 0.05, (30, k))
    return IntervalLossesDisplay(losses, long_names(k))


def mean_ranks(k):
    ranks = np.random.default_rng(0).permuted(np.tile(np.arange(k) + 1, (30, 1)), axis=1)
    return MeanRanksDisplay(ranks, long_names(k))


def noise_curve(k):
    scores = np.linspace(0.1, 0.3, 5)[:, None] + 0.003 * np.arange(k)
    scores[3:, -1] = np.nan
    return NoiseCurveDisplay(
        np.arange(5) / 10, scores, np.full((5, k), 0.01), long_names(k), **RATE
    )


def learning_curve(k):
    sizes = np.array([10, 30, 100, 300])
    scores = 1 / np.sqrt(sizes)[:, None] + 0.02 * np.arange(k)
    ahead = [np.full(k, 0.04), np.full(k, 0.02), np.full(k, 0.06)]
    return LearningCurveDisplay(
        sizes, scores, np.full((4, k), 0.01), scores / 2, long_names(k),
        **RATE, ahead=ahead, n_train=1000,
    )  # fmt: skip


def cost_curve(k):
    curves = {name: [(0, 0), (0.3, 0.1 + i / 100), (0.8, 0.1), (1, 0)]
              for i, name in enumerate(long_names(k))}  # fmt: skip
    return CostCurveDisplay(curves, curves[long_names(k)[0]], positive=A, negative=B)


def imbalance(k):
    arms = [(name, m) for name in long_names(k) for m in ("none", "over", "under", "weights")]
    values = np.linspace(0.6, 0.9, len(arms))
    errors = np.full(len(arms), 0.01)
    losses = np.where(np.arange(len(arms)) < 4, np.nan, np.geomspace(0.1, 3, len(arms)))
    return ImbalanceDisplay(arms, values, errors, losses, errors)


def times(k):
    train = np.geomspace(1e-4, 300, k)
    return TimesDisplay(long_names(k), train, train / 30, np.linspace(0.1, 0.6, k), **RATE)


def confusion(k):
    counts = 90 * np.eye(k, dtype=int) + np.arange(k)
    return ConfusionDisplay(counts, long_names(k), learner="$a")


def calibration(k):
    shares = np.linspace(0.05, 0.95, 10)
    bins = {
        name: np.column_stack([shares, shares ** (1 + i / 5), np.full(10, 30)])
        for i, name in enumerate(long_names(k))
    }
    return CalibrationDisplay(bins, event="the class is '$yes'")


def period_scores(k):
    values = np.random.default_rng(0).uniform(0.1, 0.4, size=(k, 12))
    return PeriodScoresDisplay(values, long_names(k), PERIODS, **RATE)


OF_MANY = {
    "period scores": period_scores,
    "rejection graph": rejection_graph,
    "score distribution": score_distribution,
    "learning curve": learning_curve,
    "times": times,
    "confusion": confusion,
    "calibration": calibration,
    "differences": differences,
    "noise curve": noise_curve,
    "cost curve": cost_curve,
    "imbalance": imbalance,
    "rejections and errors": rejections_and_errors,
    "newman-keuls": newman_keuls,
    "critical difference": critical_difference,
    "matrix": matrix,
    "roc": roc,
    "running means": running_means,
    "estimate distributions": estimate_distributions,
    "reproducibility matrix": reproducibility_matrix,
    "loss curve": loss_curve,
    "loss-time curve": loss_time_curve,
    "interval losses": interval_losses,
    "mean ranks": mean_ranks,
}
TRUE = np.geomspace(1, 1e6, 60)
BINS = [0.02, 0.9, 0.97], [0.0, 0.9, 1.0], [0.0, 0.8, 0.1], [0.1, 0.95, 1.0], [3, 1200, 1]
IMPORTANCES = np.linspace(-0.01, 0.4, 50).reshape(25, 2)
SETTINGS = [{"shrinkage": value} for value in (None, 0.001, 1.0)]
RISING = np.linspace(0.1, 0.3, 12).reshape(3, 4)
OF_TWO = {
    "lead": lambda: LeadDisplay(
        np.linspace(-0.03, 0.05, 12), PERIODS, [A, B], Sampling("forward", 1, 12)
    ),
    "predicted": lambda: PredictedValuesDisplay(TRUE, TRUE[::-1] / 3, learner=A),
    "residuals": lambda: ResidualsDisplay(TRUE, TRUE[::-1] / 3, learner=A),
    "triangle": lambda: PosteriorTriangleDisplay(
        np.random.default_rng(0).dirichlet([3, 2, 1], size=200), rope=0.01, names=(A, B)
    ),
    "density": lambda: PosteriorDensityDisplay(-0.03, 0.02, 3, rope=0.01, names=(A, B), **RATE),
    "density without variance": lambda: PosteriorDensityDisplay(
        0.0, 0.0, 3, rope=0.0, names=(A, B), **RATE
    ),
    "difference": lambda: DifferenceDisplay(
        -0.03, -0.06, 0.01, standard_error=0.01, df=3, differences=[-0.04, -0.02], names=(A, B)
    ),
    "difference without curve": lambda: DifferenceDisplay(0.02, 0.02, 0.02),
    "difference, one-sided": lambda: DifferenceDisplay(
        -0.03, float("-inf"), -0.004, standard_error=0.01
    ),
    "accuracies": lambda: TwoAccuraciesDisplay((0.85, 0.75), (200, 200), names=(A, B)),
    "accuracies without errors": lambda: TwoAccuraciesDisplay((1.0, 1.0), (30, 40)),
    "numerators": lambda: TenNumeratorsDisplay(np.arange(10).reshape(5, 2) - 4, names=(A, B)),
    "infinite numerators": lambda: TenNumeratorsDisplay(
        [[np.inf, -np.inf], *[[0, 0]] * 4], alternative="greater"
    ),
    "reliability": lambda: ReliabilityDisplay(
        *BINS, event="the pick was within 1 point of the best"
    ),
    "importance": lambda: ImportanceDisplay(
        IMPORTANCES, long_names(25), learner=A, rows="On 30 rows. ", **RATE
    ),
    "tuning": lambda: TuningDisplay(
        SETTINGS, [[0.2, 0.1, 0.3], [0.2, 0.2, 0.1]], [1, 2], 0, **RATE
    ),
    "validation curve": lambda: ValidationCurveDisplay(
        [1, 5, 25, 125], RISING, np.full((3, 4), 0.01), parameter=f"k of {A}", chosen=2, **RATE
    ),
    "validation curve without an order": lambda: ValidationCurveDisplay(
        ["gini", "entropy"],
        RISING[:, :2],
        np.full((3, 2), 0.01),
        parameter=A,
        measure_title="AUROC",
    ),
    "confidence": lambda: ConfidenceTableDisplay(),
    "confidence of a z": lambda: ConfidenceTableDisplay(1.644),
}
