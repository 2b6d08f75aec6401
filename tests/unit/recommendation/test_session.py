"""Recommending on a new data set: order, early ends, the budget, histories of all kinds."""

import math
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris

from bestofk import Store, compare, recommend
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.options import seconds_of
from bestofk.recommendation.gain_per_log_delay import BlendedGain
from bestofk.recommendation.history import History
from bestofk.recommendation.read_history import read_sources, shipped_history
from bestofk.recommendation.session import can_win

NAN = float("nan")
in_this_process = pytest.mark.usefixtures("in_this_process")
NAMES = ["majority", "nearest-mean", "lda", "naive-bayes"]
SCORES = [[0.5, 0.7, 0.9, 0.8], [0.4, 0.8, 0.85, 0.6], [0.6, 0.65, 0.8, 0.9]]
SECONDS = [[0.01, 0.02, 0.05, 0.02], [0.01, 0.01, 0.03, 0.02], [0.01, 0.03, 0.08, 0.03]]


def history(**others):
    options = {"scores": SCORES, "seconds": SECONDS, "learners": NAMES} | others
    return History.from_arrays(options.pop("scores"), options.pop("seconds"), **options)


class Plain(ClassifierMixin, BaseEstimator):
    """Classifier that predicts the first class, and sleeps or raises on request."""

    def __init__(self, how="", seconds=600.0):
        self.how = how
        self.seconds = seconds

    def fit(self, X, y):
        if self.how == "sleep":
            time.sleep(self.seconds)
        if self.how == "raise":
            raise ValueError("no fit")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def names(found):
    return [attempt.learner for attempt in found.tried]


# -- budgets --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "seconds"),
    [
        (90, 90.0), (0.5, 0.5), ("90s", 90.0), (" 1.5 M ", 90.0),
        ("10m", 600.0), ("2h", 7200.0), ("1d", 86400.0), (np.float64(3), 3.0), ("1e2s", 100.0),
    ],
)  # fmt: skip
def test_a_budget_is_seconds_or_a_number_with_a_unit(budget, seconds):
    assert seconds_of(budget, "budget") == seconds


@pytest.mark.parametrize(
    "budget",
    [0, -1, True, NAN, math.inf, "", "s", "-5m", "0h", "10 min", "soon", "1h30m", [60], "infs"],
)
def test_what_is_no_positive_time_is_no_budget(budget):
    with pytest.raises(InvalidArgumentError, match="budget must be a length of time above 0"):
        seconds_of(budget, "budget")


def test_a_text_without_a_unit_is_no_budget():
    with pytest.raises(InvalidArgumentError, match=r"must have a unit; got '30'\. Write 30s,"):
        seconds_of("30", "budget")


def test_a_wrong_budget_is_told_before_anything_else():
    with pytest.raises(InvalidArgumentError, match="budget must be a length of time"):
        recommend("iris", learners=NAMES, history=history(), budget="later")


# -- early ends -----------------------------------------------------------------------------

BEST = np.array([0.1, 0.2, 0.1, 0.0, 0.1, 0.1, 0.2, 0.0, 0.1, 0.1])


def folds(*losses):
    return np.array([*losses, *[NAN] * (10 - len(losses))])


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        (folds(), True),
        (folds(0.9), True),  # 0.9 / 10 < 0.1
        (folds(1.0, 0.01), False),  # 1.01 / 10 > 0.1: faultless folds do not suffice
        (folds(0.5, 0.5), True),  # as much as the best: a tie is no loss
        (folds(0.2, 0.3, 0.2), False),  # 0.1 more in every one of three folds
        (folds(0.2, 0.3), True),  # two folds say nothing
        (folds(0.1, 0.2, 0.1), True),
        (folds(0.3, 0.2, 0.1), True),  # 0.2, 0, 0: t = 1 < 6.96
        (BEST, True),
        (folds(0.1, 0.2, 0.1, 0.0, 0.1, 0.1, 0.2, 0.0, 0.1), True),
        (BEST - 0.01, True),
        (BEST + 0.01, False),
    ],
)
def test_a_learner_can_win_until_folds_say_no(losses, expected):
    assert can_win(losses, BEST, lowest_loss=0.0) is expected


def test_without_a_lowest_loss_only_the_test_ends():
    assert can_win(folds(1e6), BEST, lowest_loss=-math.inf)
    assert not can_win(folds(1.0, 1.1, 1.2), BEST, lowest_loss=-math.inf)


def test_losses_below_zero_are_those_of_scores_to_be_raised():
    best = np.full(10, -0.9)
    assert can_win(folds(-0.8), best, lowest_loss=-1.0)
    assert not can_win(folds(-0.8, -0.1, -0.2), best, lowest_loss=-1.0)


def test_folds_without_a_loss_of_the_best_are_left_out():
    best = np.where(np.arange(10) == 1, NAN, 0.1)
    assert can_win(folds(0.1, NAN, 0.1, 0.1), best, lowest_loss=0.0)
    assert can_win(folds(0.1, 0.9, 0.1, 0.1), best, lowest_loss=0.0)
    assert not can_win(folds(0.4, NAN, 0.4, 0.4), best, lowest_loss=0.0)
    assert can_win(folds(0.4), np.full(10, NAN), lowest_loss=0.0)


@in_this_process
def test_a_test_that_cannot_win_ends_early_and_takes_no_part_in_the_verdict():
    learners = ["lda", "nearest-mean", ("plain", Plain())]
    recommendation = recommend("iris", learners=learners, history=history())
    states = {attempt.learner: (attempt.state, attempt.n_folds) for attempt in recommendation.tried}
    assert states.pop("plain") == ("ended early", 1)
    assert set(states.values()) == {("done", 10)}
    assert recommendation.comparison.order == ["lda", "nearest-mean"]
    assert recommendation.best == "lda"
    assert {attempt.best_so_far for attempt in recommendation.tried} == {"lda"}


# -- what comes out -------------------------------------------------------------------------


def test_tested_learners_are_told_as_they_come():
    told = []
    recommendation = recommend("iris", learners=NAMES, history=history(), observe=told.append)
    assert tuple(told) == recommendation.tried
    assert recommendation.untried == ()
    assert sorted(names(recommendation)) == sorted(NAMES)
    frame = recommendation.to_frame()
    assert frame["learner"].tolist() == names(recommendation)
    assert frame["best_so_far"].tolist()[-1] == recommendation.best
    # the parts of the time come to no more than all of it
    spent = recommendation.spent
    assert spent.tests == pytest.approx(sum(attempt.seconds for attempt in told))
    assert all(part >= 0 for part in spent)
    assert sum(spent) <= recommendation.seconds


def test_a_dry_run_fits_nothing_and_leaves_no_file(tmp_path):
    path = tmp_path / "runs.db"
    learners = {"lda": Plain("raise"), "naive-bayes": Plain("sleep")}
    given = {"history": history(), "dry_run": True, "store": path}
    recommendation = recommend("iris", learners=learners, **given)
    assert [item.learner for item in recommendation.planned] == ["lda", "naive-bayes"]
    assert recommendation.tried == ()
    assert recommendation.comparison is None
    assert recommendation.best is None
    assert not path.exists()
    assert recommendation.planned[0].seconds == pytest.approx((0.05 * 0.03 * 0.08) ** (1 / 3))


@in_this_process
def test_a_second_call_fits_nothing_new_and_goes_the_same_way(tmp_path):
    path = tmp_path / "runs.db"
    learners = [*NAMES, ("odd", Plain("raise")), ("plain", Plain())]
    options = {"learners": learners, "history": history(), "store": path}
    first = recommend("iris", **options)
    with Store(path) as store:
        n_runs = store.n_runs()
    second = recommend("iris", **options)
    with Store(path) as store:
        assert store.n_runs() == n_runs
    assert repr(second.tried) == repr(first.tried)  # nan is not nan
    assert {attempt.state for attempt in second.tried} == {"done", "ended early", "failed"}
    assert second.best == first.best
    assert second.comparison.order == first.comparison.order


def test_a_store_becomes_a_history_that_leaves_the_data_set_itself_out(tmp_path):
    path = tmp_path / "runs.db"
    recommend("iris", learners=NAMES, history=history(), store=path)
    again = recommend("iris", learners=NAMES, history=path, dry_run=True)
    assert again.notes[-2:] == (
        "Earlier results on iris itself were left out of the history.",
        "The history is empty: learners are tried in the order of the catalogue.",
    )
    other = recommend("wine", learners=NAMES, history=path, dry_run=True)
    assert other.planned[0].learner == "lda"


def test_data_sets_that_share_a_name_are_told_apart(tmp_path):
    path = tmp_path / "runs.db"
    rng = np.random.default_rng(0)
    tables = [(rng.normal(size=(n, 2)), np.arange(n) % 2) for n in (40, 60)]
    for X, y in tables:
        recommend(X, y, learners=["majority", "lda"], history=history(), store=path)
    left_out = "Earlier results on data itself were left out of the history."
    known = recommend(*tables[0], learners=["majority", "lda"], history=path, dry_run=True)
    assert left_out in known.notes
    new = rng.normal(size=(50, 2)), np.arange(50) % 2
    assert left_out not in recommend(*new, learners=["lda"], history=path, dry_run=True).notes
    named = history(data_sets=["data", "b", "c"], shapes=[[40, 9], [NAN, NAN], [9, 9]])
    assert left_out not in recommend(*new, learners=NAMES, history=named, dry_run=True).notes
    unsized = history(data_sets=["data", "b", "c"])
    assert left_out in recommend(*new, learners=NAMES, history=unsized, dry_run=True).notes


# -- learners -------------------------------------------------------------------------------


def test_one_learner_is_the_best_without_a_verdict():
    recommendation = recommend("iris", learners=["lda"], history=history())
    assert (recommendation.best, names(recommendation)) == ("lda", ["lda"])
    assert recommendation.comparison is None


@in_this_process
def test_a_learner_that_raises_is_tried_once_and_never_the_best():
    learners = [("lda", Plain("raise")), "nearest-mean", "majority"]
    recommendation = recommend("iris", learners=learners, history=history())
    first = recommendation.tried[0]
    assert (first.learner, first.state, first.n_folds) == ("lda", "failed", 0)
    assert first.best_so_far == ""
    assert math.isnan(first.loss)
    assert recommendation.best == "nearest-mean"


@in_this_process
def test_where_all_fail_there_is_no_best():
    recommendation = recommend("iris", learners=[("lda", Plain("raise"))], history=history())
    assert recommendation.best is None
    assert recommendation.comparison is None


def test_learners_that_the_history_lacks_have_their_turn_and_are_named():
    learners = [*NAMES[:2], ("new", Plain())]
    plan = recommend("iris", learners=learners, history=history(), dry_run=True)
    order = [row.learner for row in plan.planned]
    assert order.index("new") < order.index("majority")  # which never gains anything
    assert math.isnan(plan.planned[order.index("new")].seconds)
    assert "Not in the history: new." in plan.notes
    assert "In the history, but not among the learners: lda, naive-bayes." in plan.notes


def test_the_three_lines_are_those_of_a_comparison(tmp_path):
    path = tmp_path / "flowers.csv"
    load_iris(as_frame=True).frame.to_csv(path, index=False)
    recommendation = recommend(path, learners=NAMES, history=history())
    assert {attempt.state for attempt in recommendation.tried} == {"done"}
    assert recommendation.answer == compare(path, learners=NAMES, cv="1x10").answer


@in_this_process
def test_a_history_of_other_learners_leaves_the_order_given():
    recommendation = recommend("iris", learners=[("b", Plain()), ("a", Plain())], history=history())
    assert names(recommendation) == ["b", "a"]
    assert recommendation.notes == (
        "The history knows none of the learners: they are tried in the order of the catalogue.",
    )


# -- histories ------------------------------------------------------------------------------


def test_an_empty_history_leaves_the_order_given():
    empty = History.from_arrays(np.empty((0, 4)), np.empty((0, 4)), learners=NAMES)
    recommendation = recommend("iris", learners=NAMES, history=empty)
    assert names(recommendation) == NAMES
    assert recommendation.best == "lda"
    assert "The history is empty" in recommendation.notes[-1]


def test_another_task_leaves_the_order_given():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X @ [1.0, 2.0, 0.5]
    recommendation = recommend(X, y, learners=["mean", "ridge"], task="regression")
    assert names(recommendation) == ["mean", "ridge"]
    assert recommendation.best == "ridge"
    assert "says nothing about regression" in recommendation.notes[-1]


@pytest.fixture
def told(monkeypatch):
    """Return the results passed to the advisor, in order."""
    results = []

    plain = BlendedGain.start

    def start(self, history, default_score, window):
        advisor = plain(self, history, default_score, window)
        tell = advisor.tell

        def spy(learner, score, seconds, **others):
            results.append((learner, score, seconds, others))
            tell(learner, score, seconds, **others)

        advisor.tell = spy
        results.append(default_score)
        return advisor

    monkeypatch.setattr(BlendedGain, "start", start)
    return results


@pytest.mark.parametrize(
    ("measure", "low", "high", "default"),
    [
        ("accuracy", 0.95, 1.0, 1 / 3),
        ("auroc", 0.99, 1.0, 0.5),
        ("1 - brier", 0.9, 1.0, 0.5),
        ("Accuracy__test_mean", 0.95, 1.0, 1 / 3),  # a name of others is taken for an accuracy
    ],
)
def test_results_are_told_in_the_unit_of_the_history(told, measure, low, high, default):
    recommend("iris", learners=["lda"], history=history(measure=measure, default_scores=[0.5] * 3))
    assert told[0] == pytest.approx(default)
    assert low <= told[1][1] <= high


@in_this_process
def test_the_pace_is_that_of_whole_tests(told):
    learners = ["lda", ("majority", Plain("sleep", 0.01)), ("odd", Plain("raise"))]
    recommend("iris", learners=learners, history=history())
    whole = {result[0]: result for result in told[1:4]}
    assert whole[0][3]["whole_seconds"] == pytest.approx(whole[0][2])
    assert whole[1][3]["whole_seconds"] == pytest.approx(10 * whole[1][2])  # one fold
    assert math.isnan(whole[2][1])
    assert math.isnan(whole[2][3]["whole_seconds"])


def test_without_times_the_order_goes_by_gain_and_nobody_knows_how_long():
    timeless = history(seconds=None)
    recommendation = recommend("iris", learners=NAMES, history=timeless)
    assert names(recommendation)[0] == "lda"
    assert all(math.isnan(item.seconds) for item in recommendation.planned)
    assert all(math.isnan(attempt.expected_seconds) for attempt in recommendation.tried)


def test_times_that_are_known_are_stretched_though_others_are_missing():
    seconds = np.tile([1.0, 2.0, 3.0, 4.0], (6, 1)) * np.arange(1, 7)[:, None]
    scores = np.tile(SCORES[0], (6, 1))
    shapes = np.column_stack([150 * np.arange(1, 7), np.full(6, 4)])
    whole = history(scores=scores, seconds=seconds, shapes=shapes)
    seconds[0, 0] = NAN
    lacking = history(scores=scores, seconds=seconds, shapes=shapes)
    for given in (whole, lacking):
        planned = recommend("iris", learners=NAMES, history=given, dry_run=True).planned
        expected = {item.learner: item.seconds for item in planned}
        assert expected["lda"] == pytest.approx(3.0, rel=0.05)  # of 150 rows


# -- scoring --------------------------------------------------------------------------------


def test_auroc_decides_where_it_is_asked_for():
    recommendation = recommend("breast_cancer", learners=NAMES, history=history(), scoring="auroc")
    assert recommendation.measure.name == "auroc"
    assert recommendation.best in ("lda", "naive-bayes")
    losses = {attempt.learner: attempt.loss for attempt in recommendation.tried}
    assert losses[recommendation.best] < -0.9
    assert losses["majority"] == -0.5


def test_folds_with_one_class_have_no_auroc_and_end_no_test():
    rng = np.random.default_rng(1)
    y = np.r_[np.zeros(56, dtype=int), np.ones(4, dtype=int)]
    X = rng.normal(size=(60, 2)) + 3 * y[:, None]
    recommendation = recommend(X, y, learners=NAMES, history=history(), scoring="auroc")
    states = {attempt.learner: attempt.state for attempt in recommendation.tried}
    assert states["lda"] == "done"
    assert recommendation.tried[-1].best_so_far != "majority"


# -- the budget -----------------------------------------------------------------------------


def test_the_budget_is_kept_though_a_learner_sleeps():
    learners = ["nearest-mean", "lda", ("sleeper", Plain("sleep"))]
    start = time.monotonic()
    recommendation = recommend("iris", learners=learners, history=history(), budget=3.0)
    assert time.monotonic() - start < 300
    states = {attempt.learner: attempt.state for attempt in recommendation.tried}
    assert states["sleeper"] == "cut off"
    assert states["lda"] == "done"
    assert recommendation.best == "lda"
    assert recommendation.budget_seconds == 3.0


def test_learners_that_are_expected_to_take_too_long_come_last():
    slow = history(seconds=np.array(SECONDS) * [1, 1, 1e6, 1])
    recommendation = recommend("iris", learners=NAMES, history=slow, budget=60.0)
    assert names(recommendation)[-1] == "lda" == recommendation.best  # it was quick after all
    assert recommendation.untried == ()


def test_a_test_that_was_cut_off_though_no_time_was_known_says_what_it_took(tmp_path):
    learners, timeless = [("lda", Plain("sleep"))], history(seconds=None)
    options = {"learners": learners, "history": timeless, "store": tmp_path / "s.db"}
    options["budget"] = 6.0
    start = time.monotonic()
    recommendation = recommend("iris", **options)
    assert time.monotonic() - start < 300
    assert recommendation.best is None
    (tried,) = recommendation.tried
    assert (tried.state, tried.n_folds) == ("cut off", 0)
    assert 0 < tried.seconds == recommendation.spent.tests <= recommendation.seconds
    again = recommend("iris", **options)  # which would sleep once more
    assert repr(again.tried) == repr(recommendation.tried)
    assert again.spent.tests == recommendation.spent.tests
    assert again.spent.earlier >= recommendation.spent.tests


# -- resumed -------------------------------------------------------------------------------


def test_what_an_earlier_call_put_back_or_left_out_is_so_again(tmp_path):
    slow = history(seconds=np.array(SECONDS) * [1, 1, 1e6, 2e6])
    learners = [name if name != "lda" else ("lda", Plain("sleep")) for name in NAMES]
    options = {"learners": learners, "history": slow, "store": tmp_path / "s.db"}
    first = recommend("iris", budget=12.0, **options)
    assert (names(first)[-1], first.tried[-1].state) == ("lda", "cut off")
    assert first.untried == ((NAMES[3], "the budget is spent"),)
    again = recommend("iris", budget=12.0, **options)
    assert again.untried == first.untried
    assert repr(again.tried) == repr(first.tried)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_an_interrupted_recommendation_goes_on_the_way_that_it_went(tmp_path, n):
    def stop(tried):
        seen.append(tried)
        if len(seen) == n:
            raise KeyboardInterrupt

    seen = []
    options = {"learners": NAMES, "history": history(), "store": tmp_path / "s.db", "budget": 60.0}
    recommend("iris", observe=stop, **options)
    again = recommend("iris", **options)
    assert again.tried[:n] == tuple(seen)
    assert sorted(names(again)) == sorted(NAMES)
    whole = recommend("iris", **options)
    assert (whole.tried, whole.untried) == (again.tried, again.untried)


def test_an_interruption_while_decisions_are_taken_again_loses_none_of_them(tmp_path):
    def stop(tried):
        raise KeyboardInterrupt

    options = {"learners": NAMES, "history": history(), "store": tmp_path / "s.db"}
    first = recommend("iris", **options)
    short = recommend("iris", observe=stop, **options)
    assert short.tried == first.tried[:1]
    assert {why for _, why in short.untried} == {"interrupted"}
    assert recommend("iris", **options).tried == first.tried


def test_decisions_of_another_way_are_of_no_use(tmp_path):
    options = {"learners": NAMES, "store": tmp_path / "s.db", "budget": 60.0}
    first = recommend("iris", history=history(), **options)
    other = recommend("iris", history=history(scores=np.array(SCORES)[:, ::-1]), **options)
    assert other.spent.earlier == 0
    assert sorted(names(other)) == sorted(names(first))


# -- ends ----------------------------------------------------------------------------------


def test_an_interrupted_recommendation_judges_what_was_tested_in_full():
    def interrupt_third(tried):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(tried.learner)

    seen = []
    recommendation = recommend("iris", learners=NAMES, history=history(), observe=interrupt_third)
    assert recommendation.comparison is not None
    tried = [attempt.learner for attempt in recommendation.tried]
    assert sorted(recommendation.comparison.evaluation.names) == sorted(tried)
    assert [name for name, _ in recommendation.untried] == [
        name for name in NAMES if name not in tried
    ]
    assert {why for _, why in recommendation.untried} == {"interrupted"}


def test_in_the_whole_catalogue_the_majority_is_what_others_are_held_against():
    few = History.from_arrays([[0.5, 0.9]], [[0.01, 0.02]], learners=["majority", "lda"])
    recommendation = recommend("play-tennis", history=few, budget="2s")
    assert all(attempt.best_so_far != "majority" for attempt in recommendation.tried)


def test_shipped_among_the_sources_joins_what_comes_along(tmp_path):
    file = tmp_path / "own.csv"
    named = {"data_sets": ["my rows"], "learners": ["lda", "mine"]}
    own = History.from_arrays([[0.9, 0.8]], [[1.0, 2.0]], **named)
    own.to_frame().to_csv(file, index=False)
    joined = read_sources(["shipped", str(file)])
    usual = shipped_history()
    assert joined.data_sets == (*usual.data_sets, "my rows")
    assert joined.learners == (*usual.learners, "mine")
    assert read_sources(["shipped"]).data_sets == usual.data_sets


def test_a_store_that_is_not_there_yet_is_an_empty_history(tmp_path):
    file = tmp_path / "lab.db"
    pair = ["lda", "cart"]
    first = recommend("iris", learners=pair, history=str(file), store=file)
    said = "The history is empty: learners are tried in the order of the catalogue."
    assert first.notes == (said,)
    assert names(first) == pair
    sources = ["shipped", str(file)]
    second = recommend("breast_cancer", learners=pair, history=sources, dry_run=True)
    assert second.n_data_sets == shipped_history().n_data_sets  # its iris is the nearer one
    with pytest.raises(InvalidArgumentError, match="which is not there"):
        recommend("iris", learners=["lda"], history=str(tmp_path / "other.db"), store=file)
