"""Repeats to follow: those of real learners, and what naive rules say of them step by step."""

from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.stats import rankdata

import bestofk
from bestofk.data import load_data
from bestofk.stopping import RuleState, StoppingRule

LEARNERS = ["majority", "nearest-mean", "5nn", "sklearn-cart"]


@cache
def stored_repeats(name: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return error and probabilities of each repeat of some learners on a data set."""
    data = load_data(name)
    comparison = bestofk.compare(LEARNERS, data, cv="10x3", batched="never", progress=False)
    evaluation, plan = comparison.evaluation, comparison.evaluation.plan
    results = {}
    for index, learner in enumerate(evaluation.names):
        means = np.full((plan.n_repeats, len(data.y), len(data.classes)), np.nan)
        wrong = np.empty((plan.n_repeats, plan.n_folds))
        for split, record in enumerate(evaluation.records[index]):
            repeat, fold = divmod(split, plan.n_folds)
            rows = evaluation.test_rows[split]
            means[repeat, rows] = record.predictions.probabilities
            wrong[repeat, fold] = np.mean(record.predictions.labels != data.y[rows])
        results[learner] = (wrong.mean(axis=1), means)
    return results


def watched(rule: StoppingRule, values: np.ndarray, means: np.ndarray | None = None,
            *, chunks: tuple[int, ...] = ()) -> RuleState:  # fmt: skip
    """Return a state that saw all repeats, handed over in chunks that end at some places."""
    state = rule.start()
    ends = [0, *chunks, len(values)]
    for start, end in pairwise(ends):
        state.add(values[start:end], None if means is None else means[start:end])
    return state


def assert_same(first: RuleState, other: RuleState) -> None:
    assert first.path.tobytes() == other.path.tobytes()
    assert (first.steady_at, first.note) == (other.steady_at, other.note)
    assert first.n_repeats == other.n_repeats


def naive_correlations(means: np.ndarray) -> np.ndarray:
    """Correlate ranks of the rounded running means with those before, step by step."""
    columns = means[:, :, 1] if means.shape[2] == 2 else means.reshape(len(means), -1)
    path = [np.nan]
    for r in range(2, len(means) + 1):
        now, before = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
        for row in columns[: r - 1]:
            before += row
        now = before + columns[r - 1]
        ranks = [rankdata(np.floor(total / n * 1e12 + 0.5)) for total, n in
                 ((before, r - 1), (now, r))]  # fmt: skip
        if any(np.ptp(rank) == 0 for rank in ranks):
            path.append(np.nan)
        else:
            path.append(float(np.corrcoef(*ranks)[0, 1]))
    return np.array(path)


def naive_distances(values: np.ndarray) -> np.ndarray:
    """Compare the distributions of odd and even repeats at every score, in whole numbers."""
    path = [np.nan]
    for r in range(2, len(values) + 1):
        odd, even = values[:r:2], values[1:r:2]
        path.append(float(max(
            abs(Fraction(int((odd <= x).sum()), len(odd))
                - Fraction(int((even <= x).sum()), len(even)))
            for x in values[:r]
        )))  # fmt: skip
    return np.array(path)


def two_classes(second: np.ndarray) -> np.ndarray:
    return np.stack([1 - second, second], axis=2)
