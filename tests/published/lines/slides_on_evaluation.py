"""Lines of the slides, 64 to 92: evaluation."""

from typing import Any

import numpy as np
from scipy.special import stdtrit
from tests.published.source_data import (
    DAYS,
    FIRST,
    M1,
    M2,
    M3,
    M4,
    PLAY,
    PRICES,
    RARE,
    SECOND,
    SPECIES,
    predictions,
    value,
)

from bestofk.data import load_data
from bestofk.inference import (
    corrected_resampled_t_test,
    paired_t_test,
    proportion_interval,
    sign_test,
    two_proportion_z_test,
)
from bestofk.learners.resampled_training import ResampledTraining
from bestofk.measures import confusion_matrix
from bestofk.report.plots import ConfidenceTableDisplay
from bestofk.resampling import make_plan
from bestofk.trees import ID3Classifier


def slides_64() -> Any:
    return confusion_matrix(predictions(FIRST))


def slides_65() -> Any:
    matrix = confusion_matrix(predictions(FIRST))[0]
    return np.trace(matrix) / matrix.sum(), value("accuracy", FIRST)


def slides_66() -> Any:
    return 100 * value("accuracy", RARE)


def slides_67() -> Any:
    return [value("cost", counts, cost_matrix=PRICES) for counts in np.eye(4, dtype=int).tolist()]


def slides_68_accuracy() -> Any:
    return [100 * value("accuracy", counts) for counts in (FIRST, SECOND)]


def slides_68_cost() -> Any:
    return [500 * value("cost", counts, cost_matrix=PRICES) for counts in (FIRST, SECOND)]


def slides_69() -> Any:
    return [
        (value("cost", counts, cost_matrix=[[2, 5], [5, 2]]), 5 - 3 * value("accuracy", counts))
        for counts in (FIRST, SECOND)
    ]


def slides_73() -> Any:
    plan = make_plan(load_data("iris"), "1xholdout")
    return plan.n_train / 150, plan.n_test / 150


def slides_73_repeats() -> Any:
    data = load_data("iris")
    plans = [make_plan(data, cv) for cv in ("30xholdout", "1x10", "loo")]
    return [(len(plan), plan.n_train) for plan in plans]


def slides_73_strata() -> Any:
    folds = make_plan(load_data("iris"), "1x10").test_rows
    return np.ptp([np.bincount(SPECIES[rows]) for rows in folds], axis=0)


def slides_73_sampling() -> Any:
    fitted = [ResampledTraining(ID3Classifier(), way).fit(DAYS, PLAY) for way in ("over", "under")]
    return [learner.estimator_.tree_.weight[0] for learner in fitted]


def slides_75() -> Any:
    return two_proportion_z_test(0.15, 30, 0.25, 5000).reject(0.05)


def slides_76() -> Any:
    tosses = [np.repeat([1, -1], [heads, 50 - heads]) for heads in range(51)]
    return np.argmax([sign_test(heads, np.zeros(50)).p_value for heads in tosses])


def slides_76_interval() -> Any:
    interval = proportion_interval(25, 50)
    return interval.low, interval.high


def slides_79_z() -> Any:
    return ConfidenceTableDisplay(levels=[0.95]).to_frame()["z"]


def slides_79() -> Any:
    return [
        bound
        for n in (50, 100, 500, 1000, 5000)
        for bound in (
            proportion_interval(8 * n // 10, n).low,
            proportion_interval(8 * n // 10, n).high,
        )
    ]


def slides_82() -> Any:
    return two_proportion_z_test(0.25, 5000, 0.15, 30).estimate


def slides_82_interval() -> Any:
    low, high = two_proportion_z_test(0.25, 5000, 0.15, 30).confidence_interval()
    return (high - low) / 2, low < 0 < high


def slides_84() -> Any:
    return stdtrit(3, [0.95, 0.975])


def slides_86_mean() -> Any:
    return paired_t_test(M1, M2).estimate


def slides_86_reject() -> Any:
    return paired_t_test(M1, M2).reject(0.10), paired_t_test(M1, M2).reject(0.05)


def slides_86_interval() -> Any:
    result = paired_t_test(M1, M2)
    low, high = result.confidence_interval(0.95)
    return result.standard_error, (high - low) / 2


def slides_88() -> Any:
    return paired_t_test(M1, M2).statistic


def slides_89_mean() -> Any:
    return paired_t_test(M3, M4).estimate


def slides_89() -> Any:
    return paired_t_test(M3, M4).reject(0.10)


def slides_92() -> Any:
    corrected = corrected_resampled_t_test(M1, M2, n_train=75, n_test=25)
    plain = paired_t_test(M1, M2)
    sd = (M1 - M2).std(ddof=1)
    return corrected.statistic, plain.statistic * sd / plain.estimate
