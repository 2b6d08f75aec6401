"""Advice on a new data set: the next learner of a method, and its expected result."""

import contextlib
import math
from dataclasses import replace

import numpy as np

from bestofk.array_types import Bools, Floats
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation
from bestofk.measures import Measure, get_measure
from bestofk.recommendation.fixed_orders import Advisor, Recommender
from bestofk.recommendation.gain_per_log_delay import (
    AdaptiveGainPerLogDelay,
    BlendedGain,
    GainAdvisor,
    GainPerLogDelay,
)
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import Window
from bestofk.recommendation.report import Forecast
from bestofk.report.findings import mean_of_known

_PENALTY = 1.0  # of slopes of one learner that differ from those of all, as one data set more
_SMALL_PENALTY = 0.01  # of the slopes of all; only keeps a constant size from dividing by zero
_LEAST_DATA_SETS = 5  # fewer sizes say nothing about slopes


def stretch_seconds(history: History, n_samples: int, n_features: int) -> History:
    """Return the history with all times moved to the size of a new data set.

    The logarithm of the time of each learner is taken to be linear in the logarithms of rows
    and features, with slopes that are drawn towards those of all learners together; what
    a data set took beyond that stays as it is.

    Parameters
    ----------
    history : History
        With times; data sets whose rows or features are not known stay as they are.
    n_samples, n_features : int
        The size of the new data set.

    Returns
    -------
    History
        The same where fewer than five data sets have times and a known size.

    Examples
    --------
    >>> n = [100, 200, 400, 800, 1600]
    >>> seconds, shapes = [[s / 100] for s in n], [[s, 9] for s in n]
    >>> history = History.from_arrays([[0.9]] * 5, seconds, shapes=shapes)
    >>> stretch_seconds(history, 3200, 9).seconds.round().ravel().tolist()
    [32.0, 32.0, 32.0, 32.0, 32.0]
    """
    logs = np.log(history.floored_seconds())
    is_sized = ~np.isnan(history.shapes).any(axis=1, keepdims=True)
    is_known = ~np.isnan(logs) & is_sized
    if is_known.any(axis=1).sum() < _LEAST_DATA_SETS:
        return history
    sizes = np.log(np.maximum(history.shapes, 1))
    distance = np.log([max(n_samples, 1), max(n_features, 1)]) - sizes
    slopes = _slopes(sizes, logs, is_known)
    factors = np.exp(np.where(is_sized, distance, 0.0) @ slopes.T)
    seconds = history.floored_seconds() * factors
    seconds.setflags(write=False)
    return replace(history, seconds=seconds)


def _slopes(sizes: Floats, logs: Floats, is_known: Bools) -> Floats:
    """Return the slopes of each learner in log rows and log features, shape (n_learners, 2)."""
    parts = [_centered(sizes[known], logs[known, j]) for j, known in enumerate(is_known.T)]
    together = _ridge(
        np.concatenate([x for x, _ in parts]),
        np.concatenate([y for _, y in parts]),
        np.zeros(2),
        _SMALL_PENALTY,
    )
    return np.array([_ridge(x, y, together, _PENALTY) for x, y in parts])


def _centered(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    return (x - x.mean(axis=0), y - y.mean()) if len(x) else (x, y)


def _ridge(x: Floats, y: Floats, center: Floats, penalty: float) -> Floats:
    """Return least squares slopes drawn towards the center."""
    gram = x.T @ x + penalty * np.eye(x.shape[1])
    return center + np.asarray(np.linalg.solve(gram, x.T @ (y - x @ center)))


_FORECASTERS = (BlendedGain, AdaptiveGainPerLogDelay, GainPerLogDelay)


class FollowedAdvisor:
    """Advisor of a method, with a second one for expectations; often the same.

    Parameters
    ----------
    advisor : Advisor
        Names the next learner.
    forecast : GainAdvisor
        Says what a learner is expected to add and how long it is expected to take.
    """

    def __init__(self, advisor: Advisor, forecast: GainAdvisor) -> None:
        self._advisor, self._forecast = advisor, forecast
        self.expected_gain = forecast.expected_gain
        self.expected_seconds = forecast.expected_seconds
        self.next = advisor.next

    def skip(self, learner: int) -> None:
        """Leave a learner out for good."""
        self._forecast.skip(learner)
        if self._advisor is not self._forecast:
            self._advisor.tell(learner, math.nan, 0.0)

    def tell(
        self,
        learner: int,
        score: float,
        seconds: float,
        whole_seconds: float | None = None,
        *,
        planned_score: float = math.nan,
    ) -> None:
        """Record the result of a test; a plan has a `planned_score` only for the method."""
        self._forecast.tell(learner, score, seconds, whole_seconds=whole_seconds)
        if self._advisor is not self._forecast:
            known = planned_score if math.isnan(score) else score
            self._advisor.tell(learner, known, seconds)


class Advice:
    """Advice of the history for this data set: the next learner and its expected result.

    Parameters
    ----------
    history : History
        Earlier data sets, the learners as columns.
    measure : Measure
        What decides the comparison; told where the history has one of its own.
    data : DataSet
        The new one.
    recommender : Recommender
        The method.
    window : Window
        The seconds that count.
    """

    def __init__(
        self,
        history: History,
        measure: Measure,
        data: DataSet,
        recommender: Recommender,
        window: Window,
    ) -> None:
        if recommender.needs_seconds and not isinstance(recommender, BlendedGain):
            _check_seconds(history, recommender)
        self.names = list(history.learners)
        self.measure = _history_measure(history, data) or measure
        self._recommender, self._window, self._given = recommender, window, history
        self._is_timed = np.asarray(~np.isnan(history.seconds).all(axis=0))
        stretched = stretch_seconds(history, data.n_samples, data.n_features)
        self._default = _default_score(data, history, self.measure)
        is_untimed = np.isnan(history.seconds) & ~np.isnan(history.scores)
        self._history = replace(stretched, seconds=np.where(is_untimed, 1.0, stretched.seconds))

    def start(self) -> FollowedAdvisor:
        """Start on the new data set."""
        return self._followed(BlendedGain())

    def _followed(self, forecaster: Recommender) -> FollowedAdvisor:
        method = self._recommender
        if isinstance(method, _FORECASTERS):
            chosen = method if isinstance(forecaster, BlendedGain) else forecaster
            advisor = chosen.start(self._history, self._default, self._window)
            assert isinstance(advisor, GainAdvisor)  # of every forecaster
            return FollowedAdvisor(advisor, advisor)
        forecast = forecaster.start(self._history, self._default, self._window)
        assert isinstance(forecast, GainAdvisor)
        return FollowedAdvisor(method.start(self._given, self._default, self._window), forecast)

    def expected_seconds(self, advisor: FollowedAdvisor, learner_index: int) -> float:
        """Return the expected seconds of a test; nan if the history has none."""
        return (
            advisor.expected_seconds(learner_index) if self._is_timed[learner_index] else math.nan
        )

    def score(self, evaluation: Evaluation) -> float:
        """Return the mean score of the folds done, as the history has it: higher is better."""
        mean = mean_of_known(evaluation.measured(self.measure).values[0])
        return mean if self.measure.greater_is_better else 1 - mean

    def planned(self) -> tuple[Forecast, ...]:
        """Return the order that results if every test goes as expected."""
        advisor = self._followed(GainPerLogDelay())
        usual = _mean_scores(self._given)
        planned = []
        for _ in self.names:
            index = advisor.next()
            gain, seconds = advisor.expected_gain(index), self.expected_seconds(advisor, index)
            planned.append(Forecast(self.names[index], gain, seconds))
            advisor.tell(index, math.nan, seconds, planned_score=float(usual[index]))
        return tuple(planned)


def _check_seconds(history: History, recommender: Recommender) -> None:
    if not history.has_seconds:
        raise InvalidArgumentError(
            f"history must have the seconds of every score for {recommender.name}; got some "
            "without. Choose average-ranking, or add seconds."
        )


def _mean_scores(history: History) -> Floats:
    """Return the mean score of each learner over the earlier data sets; nan where there is none."""
    is_known = ~np.isnan(history.scores)
    summed = np.where(is_known, history.scores, 0.0).sum(axis=0)
    counts = is_known.sum(axis=0)
    return np.asarray(np.divide(summed, counts, out=np.full(len(counts), np.nan), where=counts > 0))


def _history_measure(history: History, data: DataSet) -> Measure | None:
    """Return the measure of the history; accuracy if its name is unknown.

    None where there is none for the task.
    """
    for name in (history.measure.removeprefix("1 - "), "accuracy"):
        with contextlib.suppress(InvalidArgumentError):
            return get_measure(name, task=data.task, classes=data.classes)
    return None


def _default_score(data: DataSet, history: History, measure: Measure) -> float:
    """Return the score reached without any learner, if it is known beforehand.

    An accuracy is the share of the commonest class; other scores are what they usually were.
    """
    if measure.name in ("accuracy", "error") and data.is_classification:
        return float(np.max(data.class_counts) / data.n_samples)
    return float(np.median(history.default_scores)) if history.n_data_sets else 0.0
