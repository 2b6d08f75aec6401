"""Learning curves: a naive loop, the store, tests, changes of order, failures, bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_iris, make_regression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor
from tests.unit.curves.given_learners import FirstClass
from tests.unit.report.plots.written import labels_of

from bestofk import learning_curve
from bestofk.curves.learning import last_change
from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Store
from bestofk.learners.majority_classifier import MajorityClassifier
from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier
from bestofk.report.plots import LearningCurveDisplay
from bestofk.resampling import make_plan
from bestofk.resampling.partial_training import prefix_orders

pytestmark = pytest.mark.usefixtures("in_this_process")

X, y = load_iris(return_X_y=True)
LEARNERS = {"bayes": GaussianNB(), "1nn": NearestNeighborsClassifier(1)}
SIZES = [9, 30, 100]


def curve_of(learners=LEARNERS, features=X, target=y, **options):
    options = {"cv": "1x3", "scoring": "error"} | options
    return learning_curve(learners, features, target, **options)


@pytest.fixture(scope="module")
def curves():
    return curve_of(train_sizes=SIZES, cv="3x3")


def naive_errors(learners, cv, sizes):
    """Return test and training errors by size, learner and split, by loops."""
    data = from_arrays(X, y)
    plan = make_plan(data, cv)
    test, train = np.empty((2, len(sizes), len(learners), len(plan)))
    for i, (split, order) in enumerate(zip(plan, prefix_orders(data, plan), strict=True)):
        for s, size in enumerate(sizes):
            rows = np.sort(order[:size])
            for k, learner in enumerate(learners.values()):
                model = learner.fit(X[rows], y[rows])
                test[s, k, i] = np.mean(model.predict(X[split.test_rows]) != y[split.test_rows])
                train[s, k, i] = np.mean(model.predict(X[rows]) != y[rows])
    return test, train


def test_the_scores_are_those_of_a_naive_loop(curves):
    test, train = naive_errors(LEARNERS, "3x3", SIZES)
    np.testing.assert_allclose(curves.test_values, test, atol=1e-12)
    np.testing.assert_allclose(curves.train_values, train, atol=1e-12)
    frame = curves.to_frame().set_index(["learner", "n_train"])
    assert frame.loc[("1nn", 30), "test"] == pytest.approx(test[1, 1].mean())
    of_repeats = test[1, 1].reshape(3, 3).mean(axis=1)
    assert frame.loc[("1nn", 30), "test_error"] == pytest.approx(stats.sem(of_repeats))
    assert frame.loc[("1nn", 30), "train"] == 0
    assert (frame["train_seconds"] > 0).all()
    assert (frame["model_bytes"] > 0).all()


def test_every_pair_is_tested_at_every_size_by_the_corrected_t(curves):
    test, _ = naive_errors(LEARNERS, "3x3", SIZES)
    p_values = []
    for s in range(len(SIZES)):
        d = test[s, 0] - test[s, 1]
        t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 9 + 50 / 100))
        p_values.append(2 * stats.t.sf(abs(t), 8))
    pairs = curves.pairs()
    np.testing.assert_allclose(pairs["p_value"], p_values, rtol=1e-9)
    ordered = np.sort(p_values)
    holm = np.minimum(np.maximum.accumulate(ordered * [3, 2, 1]), 1)
    np.testing.assert_allclose(np.sort(pairs["p_adjusted"]), holm, rtol=1e-9)
    assert pairs["n_train"].tolist() == SIZES
    assert not pairs["shown"].any()


def test_other_measures_are_those_of_the_probabilities():
    learner = {"lda": LinearDiscriminantAnalysis()}
    result = curve_of(learner, train_sizes=[60], scoring="log_loss")
    data = from_arrays(X, y)
    plan = make_plan(data, "1x3")
    for i, (split, order) in enumerate(zip(plan, prefix_orders(data, plan), strict=True)):
        rows = np.sort(order[:60])
        model = LinearDiscriminantAnalysis().fit(X[rows], y[rows])
        for values, where in ((result.test_values, split.test_rows), (result.train_values, rows)):
            wanted = log_loss(y[where], model.predict_proba(X[where]))
            assert values[0, 0, i] == pytest.approx(wanted)


def test_regression_has_curves_too():
    features, target = make_regression(120, 5, noise=5, random_state=0)
    learners = {"ridge": Ridge(), "tree": DecisionTreeRegressor(random_state=0)}
    result = learning_curve(learners, features, target, train_sizes=[10, 80], cv="1x3")
    frame = result.to_frame().set_index(["learner", "n_train"])
    assert frame.loc[("ridge", 80), "test"] < frame.loc[("tree", 80), "test"]
    assert frame.loc[("tree", 80), "train"] == 0


def test_a_second_call_fits_nothing_and_says_the_same(tmp_path, curves):
    path, given = tmp_path / "runs.db", {"train_sizes": SIZES, "cv": "3x3"}
    first = curve_of(train_sizes=SIZES[:2], cv="3x3", store=path)
    with Store(path) as store:
        n_runs = store.n_runs()
        more = curve_of(store=store, **given)
        assert store.n_runs() == n_runs * 3 // 2  # the new size alone
        again = curve_of(store=store, **given)
        assert store.n_runs() == n_runs * 3 // 2
    np.testing.assert_array_equal(first.test_values, more.test_values[:2])
    np.testing.assert_array_equal(more.test_values, curves.test_values)
    np.testing.assert_array_equal(again.train_seconds, more.train_seconds)


def test_another_measure_needs_no_other_fit(tmp_path):
    path = tmp_path / "runs.db"
    curve_of(train_sizes=[30, 90], store=path)
    with Store(path) as store:
        n_runs = store.n_runs()
        result = curve_of(train_sizes=[30, 90], store=store, scoring="log_loss")
        assert store.n_runs() == n_runs
    assert not np.isnan(result.test_values).any()


class NeedsRows(FirstClass):
    """Refuses fewer than twenty rows."""

    def fit(self, X, y):
        if len(X) < 20:
            raise ValueError("too few rows")
        return super().fit(X, y)


def test_a_learner_that_fails_at_a_size_is_told_and_not_compared_there():
    result = curve_of({"needs": NeedsRows(), **LEARNERS}, train_sizes=[10, 60])
    frame = result.to_frame().set_index(["learner", "n_train"])
    assert frame.loc[("needs", 10), "n_failed"] == 3
    assert frame.loc[("needs", 60), "n_failed"] == 0
    pairs = result.pairs()
    assert len(pairs.query("n_train == 10")) == 1
    assert len(pairs.query("n_train == 60")) == 3
    assert "needs failed in 3 of 3 runs with 10 rows: " in result.notes[0]
    assert "too few rows. [incomplete]" in " ".join(result.text().split())


def test_a_class_that_vanishes_from_a_part_is_told():
    rare = np.where(np.arange(150) < 6, 1, 0)
    result = curve_of(target=rare, train_sizes=[5, 80])
    said = "class 1 has no row in 3 of 3 training parts of 5 rows, so it cannot be predicted there."
    assert result.notes == (said,)
    assert "class 1 has no row" in result.text()


def test_last_changes_by_hand():
    sizes = np.array([10, 100, 1000, 10_000])
    assert np.isnan(last_change([1.0, 2.0, 3.0, 4.0], sizes))
    assert last_change([-1.0, 1.0, 1.0, 1.0], sizes) == pytest.approx(10**1.5)
    assert last_change([-1.0, 1.0, -3.0, 1.0], sizes) == pytest.approx(10**3.75)
    assert last_change([-1.0, 0.0, 0.0, 1.0], sizes) == pytest.approx(10**2.5)
    assert np.isnan(last_change([0.0, 0.0, 0.0, 1.0], sizes))
    assert last_change([-1.0, np.nan, 1.0, 1.0], sizes) == pytest.approx(100)


def test_a_change_of_order_is_found_with_its_interval():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(1200, 3))
    bend = 0.8 * np.sin(3 * features[:, 0])  # a line does for few rows, and not for many
    labels = (features[:, 0] + features[:, 1] > bend).astype(int)
    learners = {"linear": LinearDiscriminantAnalysis(), "5nn": KNeighborsClassifier(5)}
    result = curve_of(learners, features, labels, train_sizes=[20, 60, 200, 600], cv="4x2")
    change = result.crossings()
    means = result.means()
    assert means[0, 0] < means[0, 1]
    assert means[-1, 1] < means[-1, 0]
    assert change[["better_before", "better_after"]].to_numpy().tolist() == [["linear", "5nn"]]
    item = change.iloc[0]
    assert 20 <= item["low"] <= item["n_train"] <= item["high"] <= 600
    assert item["share"] > 0.5
    assert "5nn overtakes linear at about" in " ".join(result.text().split())


def test_one_repeat_has_errors_over_folds_and_no_interval():
    result = curve_of(train_sizes=SIZES)
    test, _ = naive_errors(LEARNERS, "1x3", SIZES)
    over_folds = stats.sem(test, axis=2).T.ravel()
    np.testing.assert_allclose(result.to_frame()["test_error"], over_folds, atol=1e-12)
    text = " ".join(result.text().split())
    assert "With one repeat, standard errors are over its folds." in text
    assert result.crossings()[["low", "high", "share"]].isna().all().all()
    assert "overtakes" not in result.text()


def test_the_text_has_the_table_and_what_is_shown(curves):
    text = curves.text()
    assert str(curves) == text
    table = curves.sections().tables[0]
    assert table.heads == ["rows", "9", "30", "100"]
    assert [(row.name, row.role) for row in table.rows] == [("bayes", "best"), ("1nn", "")]
    cells = [float(cell.rstrip("%")) for cell in table.rows[0].cells]
    assert cells == pytest.approx((100 * curves.means()[:, 0]).tolist(), abs=0.05)
    value = 100 * curves.means()[-1, 0]
    assert text.startswith(f"Use bayes or 1nn: {value:.1f}% error with 100 training rows.\n")
    assert curves.answer[1] == "1nn has a better mean with 9 rows, which may be chance."
    assert "3 corrected resampled t tests of all pairs at all sizes" in text
    assert '"Can\'t tell" does not mean "equal".' in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_the_picture_shows_the_numbers(curves):
    display = LearningCurveDisplay.from_curves(curves).plot()
    columns = ["learner", "n_train", "test", "test_error", "train"]
    pd.testing.assert_frame_equal(display.to_frame(), curves.to_frame()[columns], check_dtype=False)
    lines = display.ax_.get_lines()
    np.testing.assert_allclose(lines[0].get_ydata(), curves.means()[:, 0])
    assert display.ax_.get_xscale() == "log"
    assert {text.get_text() for text in labels_of(display)} == {"bayes", "1nn"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": "adaptive"}, "cv of a curve must be a fixed plan; got 'adaptive'"),
        ({"train_sizes": 101}, "train_sizes must be at most as many sizes as there are training"),
        ({"train_sizes": [10, 101]}, "train_sizes must be at most the training rows"),
        ({"train_sizes": [30, 10]}, "train_sizes must be above 0 and strictly ascending"),
        ({"schedule": "none"}, "schedule must be a known one"),
        ({"alpha": 2}, "alpha must be"),
        ({"scoring": "bogus"}, "bogus"),
    ],
)
def test_bad_input_is_told(options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        learning_curve(LEARNERS, X, y, **({"cv": "1x3"} | options))


class Interrupts(FirstClass):
    """Learner interrupted by Ctrl-C at more than fifty rows."""

    def fit(self, X, y):
        if len(X) > 50:
            raise KeyboardInterrupt
        return super().fit(X, y)


STOPPED = {"1nn": KNeighborsClassifier(1), "stops": Interrupts()}


def test_an_interrupted_curve_keeps_what_is_finished():
    result = curve_of(STOPPED, train_sizes=[20, 80, 100])
    assert result.is_interrupted
    # with 80 rows one of the two is not done, and has not lost
    assert result.sizes.tolist() == [20]
    assert result.to_frame()["n_failed"].sum() == 0
    assert result.notes[-1].startswith("Interrupted with 80 rows; what was done there is left out.")
    assert "Interrupted" in result.text()


def test_a_curve_that_is_interrupted_at_once_has_what_was_done_of_its_first_size():
    result = curve_of(STOPPED, train_sizes=[80, 100])
    assert result.is_interrupted
    assert result.sizes.tolist() == [80]
    assert np.isnan(result.test_values[0, 1]).any()
    assert result.notes[-1].startswith("Interrupted with 80 rows. ")


def test_without_two_whole_curves_nothing_is_tested():
    learners = {"needs": NeedsRows(), "1nn": KNeighborsClassifier(1)}
    result = curve_of(learners, train_sizes=[10])
    assert not len(result.pairs())
    assert result.answer[1] == "Nothing was tested: no two learners have a score in every run."


def test_baselines_are_no_candidates():
    result = learning_curve("default,-trees,-svm", "iris", train_sizes=[10, 100], cv="2x3")
    index = result.learners.index("majority")
    assert result.is_baseline[index]
    assert np.isnan(result.candidate_losses()[:, index]).all()
    assert "majority" not in result.crossings()[["better_before", "better_after"]].to_numpy()
    assert "majority" in result.text()


def test_learners_that_tie_are_named_together_and_none_is_far_from_what_it_fits_alike():
    constant = np.ones((60, 2))
    labels = np.tile(["a", "b", "b"], 20)
    tied = {"1nn": MajorityClassifier(), "bayes": MajorityClassifier()}
    result = curve_of(tied, constant, labels, train_sizes=[9, 30], cv="2x3")
    assert result.answer[0] == "Use 1nn or bayes: 33.3% error with 30 training rows."
    assert "Largest gap" not in result.text()


def test_one_split_leads_to_no_conclusion():
    result = curve_of(train_sizes=SIZES, cv="holdout")
    assert result.answer[1].startswith("Nothing was tested: one split does not show what is chanc")
    assert result.answer[2].startswith("No forecast for 200 rows: 1 split is too few")
    assert "significant" not in result.text()
    assert "overtakes" not in result.text()


def test_notes_that_differ_in_numbers_alone_are_printed_once_with_their_count():
    result = curve_of({"needs": NeedsRows(), **LEARNERS}, train_sizes=[9, 10, 12, 60])
    assert len(result.notes) == 3
    said = result.sections().caveats
    assert len(said) == 1
    assert said[0].startswith("needs failed in 3 of 3 runs with 9 rows: ")
    assert said[0].endswith(" (3 times). [incomplete]")
    assert result.to_dict()["notes"] == list(result.notes)
