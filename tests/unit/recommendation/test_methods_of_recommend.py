"""Methods of `recommend`: each order against a plain computation, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from bestofk import recommend
from bestofk.errors import InvalidArgumentError
from bestofk.inference import corrected_resampled_t_test
from bestofk.recommendation import read_history, shipped_history
from bestofk.recommendation.fixed_orders import chosen_power, history_wins
from bestofk.recommendation.history import History, join_histories
from bestofk.recommendation.loss_time import Window

NAMES = ["lda", "cart", "1nn", "naive-bayes", "nearest-mean", "logistic"]


def plan(**options):
    return recommend("wine", learners=NAMES, dry_run=True, **options)


def order(**options):
    return [forecast.learner for forecast in plan(**options).planned]


def earlier():
    return (
        shipped_history()
        .over(NAMES)
        .part(data_sets=[i for i, name in enumerate(shipped_history().data_sets) if name != "wine"])
    )


@pytest.mark.parametrize(
    ("method", "p", "power"),
    [("average-ranking", None, 0), ("ar-star", None, 1 / 64), ("a3r", 1 / 4, 1 / 4), ("a3r", 2, 2)],
)
def test_rankings_are_by_mean_ranks_of_a3r(method, p, power):
    history = earlier()
    ratio = history.scores / np.maximum(history.seconds, 0.001) ** power
    ranks = rankdata(-np.round(ratio, 12), axis=1).mean(axis=0)
    expected = [NAMES[i] for i in np.argsort(np.round(ranks, 9), kind="stable")]
    assert order(method=method, p=p) == expected


def test_active_testing_follows_the_gains_over_the_best_so_far():
    history, power = earlier(), 1 / 16
    means = history.scores.mean(axis=0)  # what a plan takes every test to give
    rates = history.scores / np.maximum(history.seconds, 0.001) ** power
    current = NAMES.index(order(method="ar-star")[0])
    tested = [current]
    while len(tested) < len(NAMES):
        gains = np.maximum(rates / rates[:, [current]] - 1, 0).sum(axis=0)
        open_ones = [i for i in range(len(NAMES)) if i not in tested]
        tested.append(max(open_ones, key=lambda i, gains=gains: gains[i]))
        if means[tested[-1]] > means[current]:
            current = tested[-1]
    assert order(method="active-testing", p=power) == [NAMES[i] for i in tested]


@pytest.fixture
def fold_table(tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        (f"d{d}", name, fold, round(0.6 + 0.05 * j + rng.normal(0, 0.04), 3))
        for d in range(4) for j, name in enumerate(NAMES) for fold in range(5)
    ]  # fmt: skip
    path = tmp_path / "folds.csv"
    frame = pd.DataFrame(rows, columns=["dataset", "learner", "fold", "accuracy"])
    frame.to_csv(path, index=False)
    return path


def test_significant_wins_are_those_of_one_test_per_pair(fold_table):
    table = pd.read_csv(fold_table).pivot(index=["dataset", "learner"], columns="fold")["accuracy"]
    wins = np.zeros((4, len(NAMES)))
    for d in range(4):
        for i, first in enumerate(NAMES):
            for second in NAMES:
                if first != second:
                    own, other = table.loc[f"d{d}", first], table.loc[f"d{d}", second]
                    test = corrected_resampled_t_test(own, other, n_train=4, n_test=1)
                    wins[d, i] += (test.p_value < 0.05) * np.sign((own - other).mean())
    history = read_history(fold_table)
    np.testing.assert_array_equal(history_wins(history), wins)
    assert np.abs(wins).max() > 0
    expected = np.argsort(rankdata(-wins, axis=1).mean(axis=0).round(9), kind="stable")
    assert order(method="significant-wins", history=history) == [NAMES[i] for i in expected]


def test_fold_scores_go_along_with_parts_and_joins(fold_table):
    history = read_history(fold_table)
    part = history.part(data_sets=[2, 0]).over(["cart", "none", "lda"])
    np.testing.assert_array_equal(
        part.fold_scores.values[:, 0], history.fold_scores.values[[2, 0], 1]
    )
    assert np.isnan(part.fold_scores.values[:, 1]).all()
    joined = join_histories(
        History.from_arrays([[0.5]], learners=["lda"], data_sets=["x"]), history
    )
    assert np.isnan(history_wins(joined)[0]).all()
    np.testing.assert_array_equal(history_wins(joined)[1:], history_wins(history))


def test_a_recommendation_names_its_method_and_p():
    found = plan(method="a3r", p=1 / 16)
    assert "Method: average ranking, P = 1/16." in str(found)
    content = json.loads(found.to_json())
    assert (content["method"], content["p"]) == ("average-ranking-1/16", 1 / 16)
    assert content["window_seconds"] is None
    chosen = plan(method="a3r", window_start="1000ms", window_end="100s")
    power = chosen_power(earlier(), Window.of(1, 100))
    assert chosen.p == power
    assert "time counts from 1.0 s to 1.7 min" in " ".join(str(chosen).split())


def test_a_method_is_followed_to_the_end():
    found = recommend("iris", learners=NAMES[:3], method="active-testing")
    assert {attempt.learner for attempt in found.tried} == set(NAMES[:3])
    assert found.best is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "ar-star", "p": 0.25}, "p must be left out for ar-star.*; got 0.25"),
        ({"p": 0.25}, "p must be left out for blended-gain.*Choose the method a3r"),
        ({"method": "a3r", "p": -1}, "power of A3R must be a number from 0 up; got -1"),
        (
            {"method": "a3r", "p": 0.25, "window_end": "5m"},
            "the method a3r, which weighs time by P",
        ),
        ({"method": "ar-star", "window_start": 1}, "the method ar-star, which weighs time by P"),
        ({"method": "active-testing", "window_end": 9}, "method active-testing, which weighs time"),
        ({"method": "average-ranking", "window_end": 9}, "average-ranking, which ignores time"),
        ({"method": "a3r", "window_start": 9, "window_end": 5}, "the first above 0 and below the"),
        ({"method": "best"}, "recommender must be a known one; got 'best'"),
        ({"method": "significant-wins"}, "at least two folds of a data set; got means alone"),
    ],
)
def test_mistaken_combinations_are_refused(options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        plan(**options)


def test_methods_that_weigh_time_need_times():
    history = History.from_arrays([[0.9, 0.8]], learners=["lda", "cart"])
    with pytest.raises(InvalidArgumentError, match="must have the seconds of every score for aver"):
        plan(method="ar-star", history=history)
    assert order(method="average-ranking", history=history)[:2] == ["lda", "cart"]
