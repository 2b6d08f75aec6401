"""Validation curves: a naive loop, disjoint rows, the choice, tests, the store, bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes, load_iris, make_regression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.unit.curves.given_learners import FirstClass

from bestofk import validation_curve
from bestofk.curves.validation import ValidationCurve
from bestofk.data import from_arrays
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.evaluation import Store
from bestofk.inference import Sampling
from bestofk.measures import get_measure
from bestofk.report.plots import ValidationCurveDisplay
from bestofk.report.value_labels import value_labels
from bestofk.resampling import make_plan
from bestofk.resampling.partial_training import ValidationPlan

pytestmark = pytest.mark.usefixtures("in_this_process")

X, y = load_iris(return_X_y=True)
NOISY = X + np.random.default_rng(0).normal(scale=0.7, size=X.shape)
VALUES = [1, 7, 15, 60]
GIVEN = {"parameter": "n_neighbors", "values": VALUES, "cv": "3x3", "scoring": "error"}


def curve_of(learner, features=X, target=y, **options):
    options = {"cv": "1x3", "scoring": "error"} | options
    return validation_curve(learner, features, target, **options)


@pytest.fixture(scope="module")
def curve():
    return curve_of(KNeighborsClassifier(), NOISY, **GIVEN)


def naive_errors():
    """Return errors of the three parts by value and split, by loops."""
    data = from_arrays(NOISY, y)
    plan = ValidationPlan.of(data, make_plan(data, "3x3"))
    results = {part: np.empty((len(VALUES), len(plan))) for part in ("test", "validation", "train")}
    for i, (test, validation, train) in enumerate(plan.all_parts()):
        for v, value in enumerate(VALUES):
            model = KNeighborsClassifier(value).fit(NOISY[train], y[train])
            for part, rows in (("test", test), ("validation", validation), ("train", train)):
                results[part][v, i] = np.mean(model.predict(NOISY[rows]) != y[rows])
    return results


def made(train, validation, test, *, n_repeats=4, values=(1, 2, 3), measure="error"):
    """Return a curve of given scores, one column per repeat."""
    scores = [np.array(item, dtype=float) for item in (train, validation, test)]
    return ValidationCurve(
        data_name="d", learners=("tree",), parameter="depth", levels=tuple(values), notes=(),
        is_interrupted=False, alpha=0.05, n_train=40.0, n_validation=20.0,
        measure=get_measure(measure, task="classification", classes=["a", "b"]),
        train_values=scores[0], validation_values=scores[1], test_values=scores[2],
        train_seconds=np.full(scores[0].shape, 0.1),
        sampling=Sampling("hold-out", n_repeats, 1, n_train=60, n_test=30),
    )  # fmt: skip


def test_the_scores_are_those_of_a_naive_loop(curve):
    result = naive_errors()
    np.testing.assert_allclose(curve.train_values, result["train"], atol=1e-12)
    np.testing.assert_allclose(curve.validation_values, result["validation"], atol=1e-12)
    np.testing.assert_allclose(curve.test_values, result["test"], atol=1e-12)
    frame = curve.to_frame().set_index("value")
    for part, values in result.items():
        assert frame.loc[7, part] == pytest.approx(values[1].mean())
        of_repeats = values[1].reshape(3, 3).mean(axis=1)
        assert frame.loc[7, f"{part}_error"] == pytest.approx(stats.sem(of_repeats))
    assert (frame["train_seconds"] > 0).all()


@pytest.mark.parametrize("cv", ["2x5", "3xholdout", "3xbootstrap", "test:0.3", "loo"])
def test_no_row_is_in_two_parts(cv):
    data = from_arrays(X[::5], y[::5])
    base = make_plan(data, cv)
    plan = ValidationPlan.of(data, base)
    for index, (split, parts) in enumerate(zip(base, plan.all_parts(), strict=True)):
        test, validation, train = (set(part.tolist()) for part in parts)
        assert not test & validation
        assert not test & train
        assert not validation & train
        assert validation | train == set(split.train_rows.tolist())
        assert test == set(split.test_rows.tolist())
        n_rows = len(validation | train)
        assert len(validation) == -(-n_rows // 3)
        own = plan.split(split.repeat, split.fold)
        assert own.test_rows.tolist() == np.concatenate(parts).tolist()
        assert own.train_rows.tolist() == parts[2].tolist()
        assert [size[index] for size in plan.sizes] == [len(parts[2]), len(own.test_rows)]


def test_classes_are_spread_evenly_and_names_play_no_part():
    data, renamed = from_arrays(X, y), from_arrays(X, np.array(["b", "c", "a"])[y])
    plan, other = (ValidationPlan.of(item, make_plan(item, "2x3")) for item in (data, renamed))
    for mine, same in zip(plan.held_back, other.held_back, strict=True):
        counts = np.bincount(y[mine])
        assert counts.max() - counts.min() <= 1
        assert mine.tolist() == same.tolist()
    assert plan.id == other.id
    assert len({tuple(rows) for rows in plan.held_back}) == len(plan)


def test_groups_are_never_split():
    groups = np.repeat(np.arange(30), 5)
    data = from_arrays(X, y, groups=groups)
    plan = ValidationPlan.of(data, make_plan(data, "2x3"))
    for parts in plan.all_parts():
        seen = [set(groups[rows]) for rows in parts]
        assert not seen[0] & seen[1]
        assert not seen[1] & seen[2]
        assert all(seen)


def test_training_parts_without_two_groups_are_told():
    data = from_arrays(X, y, groups=np.arange(150) % 2)
    with pytest.raises(InvalidArgumentError, match="must be at least 2 rows, or groups"):
        ValidationPlan.of(data, make_plan(data, 2))


def test_the_value_with_the_best_validation_mean_is_chosen(curve):
    result = naive_errors()
    means = {part: values.mean(axis=1) for part, values in result.items()}
    assert curve.chosen == np.argmin(means["validation"])
    best_of_split = result["validation"].argmin(axis=0)
    choices = curve.choices()
    assert choices["value"].tolist() == [VALUES[index] for index in best_of_split]
    assert choices[["repeat", "fold"]].to_numpy().tolist() == [[r, f] for r in (0, 1, 2)
                                                               for f in (0, 1, 2)]  # fmt: skip
    honest = result["test"][best_of_split, np.arange(9)]
    estimates = curve.estimates().set_index("how")
    assert estimates.loc["chosen in each split", "test"] == pytest.approx(honest.mean())
    best = means["test"].min()
    assert estimates.loc["best on test rows", "test"] == pytest.approx(best)
    assert estimates.loc["best on test rows", "gap"] == pytest.approx(best - honest.mean())
    assert estimates.loc["chosen over all splits", "value"] == VALUES[curve.chosen]
    of_repeats = honest.reshape(3, 3).mean(axis=1)
    wanted = pytest.approx(stats.sem(of_repeats))
    assert estimates.loc["chosen in each split", "test_error"] == wanted


def test_every_value_is_tested_against_the_chosen_one(curve):
    test = naive_errors()["test"]
    others = [index for index in range(len(VALUES)) if index != curve.chosen]
    p_values = []
    for other in others:
        d = test[other] - test[curve.chosen]
        t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 9 + 50 / 100))
        p_values.append(2 * stats.t.sf(abs(t), 8))
    tests = curve.against_chosen()
    assert tests["value"].tolist() == [VALUES[index] for index in others]
    np.testing.assert_allclose(tests["p_value"], p_values, rtol=1e-9)
    holm = np.minimum(np.maximum.accumulate(np.sort(p_values) * [3, 2, 1]), 1)
    np.testing.assert_allclose(np.sort(tests["p_adjusted"]), holm, rtol=1e-9)
    assert tests["shown"].tolist() == (tests["p_adjusted"] <= 0.05).tolist()
    assert tests["difference"].iloc[-1] > 0


def test_other_measures_are_those_of_the_probabilities():
    given = {"parameter": "var_smoothing", "values": [1e-9, 0.1], "scoring": "log_loss"}
    result = curve_of(GaussianNB(), **given)
    data = from_arrays(X, y)
    plan = ValidationPlan.of(data, make_plan(data, "1x3"))
    for i, (test, validation, train) in enumerate(plan.all_parts()):
        model = GaussianNB(var_smoothing=0.1).fit(X[train], y[train])
        for part, rows in (("test", test), ("validation", validation), ("train", train)):
            wanted = log_loss(y[rows], model.predict_proba(X[rows]))
            assert getattr(result, f"{part}_values")[1, i] == pytest.approx(wanted)


def test_regression_has_curves_too():
    table = make_regression(120, 5, noise=5, random_state=0)
    tree, given = DecisionTreeRegressor(random_state=0), {"cv": "2x3", "scoring": None}
    result = curve_of(tree, *table, parameter="max_depth", values=[1, 4, None], **given)
    assert result.labels == ["1", "4", "None"]
    assert result.to_frame().loc[2, "train"] == 0
    assert result.chosen is not None
    assert "no order" in result.text()


def test_over_and_underfitting_are_told_apart(curve):
    assert curve.chosen == 1
    sides = curve.sides()
    assert sides["end"].tolist() == [1, 60]
    assert sides["kind"].tolist() == ["overfitting", "underfitting"]
    result = naive_errors()
    for row, index in enumerate((0, 3)):
        for part in ("train", "validation"):
            d = result[part][index] - result[part][1]
            assert sides.loc[row, f"{part}_change"] == pytest.approx(d.mean())
            wanted = stats.sem(d.reshape(3, 3).mean(axis=1))
            assert sides.loc[row, f"{part}_error"] == pytest.approx(wanted)
    assert curve.answer[2].endswith(" It overfits towards 1 and underfits towards 60.")
    text = " ".join(curve.text().split())
    assert "Overfitting: from 7 to 1 the error rate falls by" in text
    assert "Underfitting: from 7 to 60 the error rate rises by" in text


def test_a_side_needs_intervals_that_leave_out_zero():
    validation = [[0.4, 0.0, 0.4, 0.0], [0.1] * 4, [0.2, 0.21, 0.2, 0.21]]
    result = made([[0.0] * 4, [0.1] * 4, [0.1] * 4], validation, np.full((3, 4), 0.1))
    assert result.sides()["kind"].tolist() == ["", ""]  # unclear; training errors alike
    said = "Can't tell where it under- or overfits: 95% intervals over repeats include 0."
    assert result.answer[2].endswith(said)


def test_measures_that_should_be_high_rise_where_they_get_better():
    result = made(
        [[1.0, 1.0, 1.0, 1.0], [0.9, 0.91, 0.9, 0.91], [0.5, 0.51, 0.5, 0.51]],
        [[0.6, 0.61, 0.6, 0.61], [0.8] * 4, [0.5, 0.51, 0.5, 0.51]],
        [[0.6, 0.61, 0.6, 0.61], [0.8] * 4, [0.81] * 4],
        measure="auroc",
    )
    assert result.sides()["kind"].tolist() == ["overfitting", "underfitting"]
    text = " ".join(result.text().split())
    assert "from 2 to 1 the AUROC rises by 0.095 (standard error 0.00289)" in text
    assert "falls by 0.195 (" in text
    assert "The best single value there, 3: 0.810, which takes a look at the test rows." in text


def test_one_repeat_says_nothing_of_fit():
    result = curve_of(KNeighborsClassifier(), NOISY, **(GIVEN | {"cv": "1x3"}))
    assert result.to_frame()["validation_error"].isna().all()
    assert result.sides()["kind"].tolist() == [""] * len(result.sides())
    said = "Can't tell where it under- or overfits: one repeat has no standard error."
    assert result.answer[2].endswith(said)


def test_ties_go_to_the_first_value():
    same = [[0.1, 0.2, 0.3, 0.1], [0.3, 0.1, 0.1, 0.2], [0.4] * 4]
    result = made(same, same, same)
    assert result.chosen == 0
    assert result.choices()["value"].tolist() == [1, 2, 2, 1]


def test_the_end_of_the_values_is_told():
    rising = [[0.1] * 4, [0.2] * 4, [0.3] * 4]
    end = "1 is the last value tried; values beyond it may be better."
    assert made(rising, rising, rising).answer[1].endswith(end)
    middle = [[0.2] * 4, [0.1] * 4, [0.3] * 4]
    tied = [[0.1] * 4, [0.1] * 4, [0.3] * 4]
    for scores in (middle, tied):
        assert "last value tried" not in made(scores, scores, scores).text()


def test_values_that_all_score_alike_are_no_choice():
    same = [[0.1, 0.2, 0.1, 0.2]] * 3
    assert made(same, same, same).answer == (
        "depth makes no difference to tree here: 15.0% error on test rows with each of the 3 "
        "values.",
        "There is nothing to choose.",
        "Expect 15.0% error if you choose on held-back rows. Values that were not tried may still "
        "differ.",
    )


def test_one_split_leads_to_no_conclusion():
    result = made([[0.0], [0.1], [0.2]], [[0.3], [0.2], [0.4]], [[0.3], [0.2], [0.4]], n_repeats=1)
    assert result.answer == (
        "Use depth = 2 for tree: 20.0% error on test rows. It was chosen on validation rows.",
        "Nothing was tested: one split does not show what is chance.",
        "Expect 20.0% error if you choose on held-back rows. Can't tell where it under- or "
        "overfits: one repeat has no standard error.",
    )


@pytest.mark.parametrize("cv", ["2x3", "2x4"])  # of parts of one size, and of two
def test_batched_runs_have_the_scores_of_single_fits(cv, tmp_path):
    given = {"parameter": "n_neighbors", "values": [1, 5], "cv": cv, "scoring": "log_loss"}
    with Store(tmp_path / "runs.db") as store:
        batched = validation_curve("5nn", "wine", store=store, **given)
        n_runs = store.n_runs()
        validation_curve("5nn", "wine", store=store, **given)
        assert store.n_runs() == n_runs
        single = validation_curve("5nn", "wine", store=store, batched="never", **given)
        assert store.n_runs() == 2 * n_runs - 2 * 2  # one fit of each measured the cost before
    for part in ("test_values", "validation_values", "train_values"):
        np.testing.assert_allclose(getattr(batched, part), getattr(single, part), rtol=1e-12)
    assert np.isfinite(batched.train_seconds).sum(axis=1).tolist() == [1, 1]


def test_a_second_call_fits_nothing_and_one_value_more_fits_that_alone(tmp_path, curve):
    path = tmp_path / "runs.db"
    few = GIVEN | {"values": [60, 1], "batched": "never"}  # what is batched measures costs besides
    first = curve_of(KNeighborsClassifier(), NOISY, store=path, **few)
    assert first.values == (1, 60)
    with Store(path) as store:
        assert store.n_runs() == 2 * 9
        again = curve_of(KNeighborsClassifier(), NOISY, store=store, **few)
        assert store.n_runs() == 2 * 9
        few["values"] = [1, 7, 60]
        more = curve_of(KNeighborsClassifier(), NOISY, store=store, **few)
        assert store.n_runs() == 3 * 9
    np.testing.assert_array_equal(again.train_seconds, first.train_seconds)
    np.testing.assert_array_equal(more.train_seconds[[0, 2]], first.train_seconds)
    np.testing.assert_array_equal(more.test_values, curve.test_values[[0, 1, 3]])


def test_a_value_that_fails_is_told_and_never_chosen():
    result = curve_of(KNeighborsClassifier(), **(GIVEN | {"values": [1, 5, 500]}))
    assert result.to_frame()["n_failed"].tolist() == [0, 0, 9]
    assert result.values[result.chosen] in (1, 5)
    assert len(result.against_chosen()) == 1
    assert result.sides()["end"].tolist() in ([1], [5])
    assert "n_neighbors = 500 failed in 9 of 9 runs" in result.notes[0]


def test_where_all_values_fail_nothing_is_chosen():
    tree, values = DecisionTreeClassifier(), ["bogus", "none"]
    result = curve_of(tree, parameter="criterion", values=values, cv="2x3")
    assert result.chosen is None
    for table in (result.choices(), result.estimates(), result.against_chosen(), result.sides()):
        assert not len(table)
    assert result.answer[0] == "No value of criterion has a score in every run, so none is chosen."
    assert len(result.notes) == 2
    ValidationCurveDisplay.from_curve(result).plot()


def test_a_measure_that_a_learner_does_not_allow_is_told():
    result = curve_of(LinearSVC(), parameter="C", values=[0.01, 0.1], scoring="log_loss")
    assert result.chosen is None
    said = [note.partition(":")[0] for note in result.notes]
    assert said == ["LinearSVC with C = 0.01", "LinearSVC with C = 0.1"]
    assert "probabilities" in result.notes[0]


class Interrupts(FirstClass):
    """Learner interrupted by Ctrl-C at one of its settings."""

    def __init__(self, stops=False):
        self.stops = stops

    def fit(self, X, y):
        if self.stops:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_an_interrupted_curve_keeps_what_is_finished():
    result = curve_of(Interrupts(), parameter="stops", values=[False, True])
    assert result.is_interrupted
    assert result.values == (False,)
    assert result.chosen == 0
    assert result.notes[-1].startswith("Interrupted at Interrupts with stops = True; what was")
    result = curve_of(Interrupts(), parameter="stops", values=[True, False])
    assert result.values == (True,)
    assert result.chosen is None


def test_a_class_that_vanishes_from_training_rows_is_told():
    rare = np.where(np.arange(150) < 2, 1, 0)
    given = {"values": [1e-9, 1], "cv": "5x3", "stratify": False}
    result = curve_of(GaussianNB(), target=rare, parameter="var_smoothing", **given)
    assert any(note.startswith("class 1 has no row in") for note in result.notes)


@pytest.mark.parametrize(
    ("learner", "parameter"),
    [
        ("5nn", "n_neighbors"),
        ("5nn", "learner__n_neighbors"),
        (["5nn"], "n_neighbors"),
        (("mine", KNeighborsClassifier()), "n_neighbors"),
        (make_pipeline(StandardScaler(), KNeighborsClassifier()), "n_neighbors"),
        (make_pipeline(StandardScaler(), make_pipeline(KNeighborsClassifier())), "n_neighbors"),
        ("5nn", "prepare__standardize"),
    ],
)
def test_a_parameter_is_found_in_the_last_step_or_by_its_path(learner, parameter):
    values = [True, False] if "prepare" in parameter else np.array([1, 30])
    result = curve_of(learner, parameter=parameter, values=values)
    assert (result.train_values[0] != result.train_values[1]).any()
    assert not np.isnan(result.test_values).any()
    if "prepare" not in parameter:
        assert result.to_frame().loc[0, "train"] == 0


def test_values_are_sorted_where_they_are_numbers_and_else_as_given():
    tree = DecisionTreeClassifier(random_state=0)
    assert curve_of(tree, parameter="max_depth", values=[5, 1, 3]).values == (1, 3, 5)
    result = curve_of(tree, parameter="max_depth", values=[None, 5, 1])
    assert result.values == (None, 5, 1)
    assert result.to_frame()["value"].tolist() == [None, 5, 1]
    assert [type(item) for item in result.to_frame()["value"]] == [type(None), int, int]
    assert curve_of(tree, parameter="max_depth", values=[True, 1]).labels == ["True", "1"]


class Plain:
    """Learner without parameters."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


class Refuses(FirstClass):
    """Refuses a setting when it is set."""

    def __init__(self, size=1):
        self.size = size

    def set_params(self, **params):
        if params.get("size", 1) > 5:
            raise ValueError("size too large")
        return super().set_params(**params)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": "adaptive"}, "cv of a curve must be a fixed plan; got 'adaptive'"),
        ({"values": [1]}, r"values must be a list of at least two; got \[1\]"),
        ({"values": 3}, "values must be a list of at least two; got 3"),
        ({"values": "1,2"}, "values must be a list of at least two; got '1,2'"),
        ({"values": [1, 5, 1.0]}, "values must differ from each other; got 1 more than once"),
        ({"parameter": "n_neighbor"}, "got 'n_neighbor'. Did you mean 'n_neighbors'?"),
        ({"parameter": None}, "parameter must be one of KNeighborsClassifier; got None"),
        ({"alpha": 2}, "alpha must be"),
        ({"scoring": "bogus"}, "bogus"),
        ({"learner": None}, "learner of a validation curve must be exactly one; got none"),
        ({"learner": ["1nn", "5nn"]}, "must be exactly one; got 1nn, 5nn"),
        ({"learner": Plain()}, "must have get_params and set_params"),
        (
            {"learner": Refuses(), "parameter": "size", "values": [1, 9]},
            r"values of size must be ones that Refuses can be given; got 9 \(ValueError",
        ),
    ],
)
def test_bad_input_is_told(options, message):
    given = GIVEN | {"cv": "1x3", "learner": KNeighborsClassifier()} | options
    with pytest.raises(InvalidArgumentError, match=message):
        validation_curve(given.pop("learner"), X, y, **given)


def test_the_text_has_the_table_and_what_is_shown(curve):
    text = curve.text()
    assert str(curve) == text
    assert text.startswith("Use n_neighbors = 7 for KNeighborsClassifier: ")
    assert curve.sections().title == "data: validation curve of KNeighborsClassifier by n_neighbors"
    table = curve.sections().tables[0]
    assert table.heads[:4] == ["n_neighbors", "training", "validation", "test"]
    assert [row.role for row in table.rows] == ["", "best", "", ""]
    cells = [float(cell.rstrip("%")) for cell in table.rows[0].cells[:3]]
    wanted = 100 * curve.to_frame().loc[0, ["train", "validation", "test"]]
    assert cells == pytest.approx(wanted.tolist(), abs=0.05)
    tests = curve.against_chosen()
    answers = ["worse" if shown else "can't tell" for shown in tests["shown"]]
    sizes = [f" ({100 * difference:+.1f})" for difference in tests["difference"]]
    wanted = [answer + size for answer, size in zip(answers, sizes, strict=True)]
    assert [row.cells[3] for row in table.rows] == [wanted[0], "chosen", *wanted[1:]]
    assert max(map(len, text.splitlines())) <= 80


def test_the_picture_shows_the_numbers(curve):
    display = ValidationCurveDisplay.from_curve(curve).plot()
    columns = ["value", "train", "train_error", "validation", "validation_error", "test",
               "test_error"]  # fmt: skip
    pd.testing.assert_frame_equal(display.to_frame(), curve.to_frame()[columns])
    lines = display.ax_.get_lines()
    for line, part in zip(lines, ("train", "validation", "test"), strict=False):
        np.testing.assert_allclose(line.get_ydata(), curve.to_frame()[part])
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines[:3]}) == 3
    assert display.ax_.get_xscale() == "linear"
    assert [text.get_text() for text in display.ax_.texts] == ["chosen: 7"]


@pytest.mark.parametrize(
    ("values", "scale"),
    [([1, 100], "log"), ([1, 99], "linear"), ([0, 500], "linear"), (["a", "b"], "linear")],
)
def test_the_axis_is_logarithmic_over_two_powers_of_ten(values, scale):
    display = ValidationCurveDisplay(
        values, np.ones((3, 2)), np.full((3, 2), np.nan), parameter="p", measure_title="m"
    ).plot()
    assert display.ax_.get_xscale() == scale
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == [str(v) for v in values]


def test_scores_of_another_shape_are_refused():
    shapes = r"must be of shape \(3, 2\); got \(2, 2\) and \(3, 2\)"
    with pytest.raises(DesignError, match=shapes):
        ValidationCurveDisplay(
            [1, 2], np.ones((2, 2)), np.ones((3, 2)), parameter="p", measure_title="m"
        )


def test_values_without_an_order_stand_side_by_side():
    ones, titles = np.ones((3, 3)), {"parameter": "p", "measure_title": "m"}
    display = ValidationCurveDisplay(["a", None, True], ones, ones, chosen=2, **titles).plot()
    labels = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert labels == ["a", "None", "True"]
    assert display.to_frame()["value"].tolist() == ["a", None, True]


def test_labels_that_would_be_alike_are_written_in_full():
    assert value_labels([1, "1"]) == ["1", "'1'"]
    assert value_labels([0.123456, 0.123457]) == ["0.123456", "0.123457"]


def test_a_value_is_called_the_same_in_every_sentence():
    table, values = load_diabetes(return_X_y=True), [0.5, 5, 10_000]
    result = curve_of("ridge", *table, parameter="alpha", values=values, cv="3x3", scoring=None)
    assert " underfits towards 10000." in " ".join(result.answer[2].split())
    assert "1e+04" not in result.text()


def test_where_one_value_alone_is_whole_nothing_is_said_of_sides():
    result = curve_of("5nn", parameter="n_neighbors", values=[0, 5], cv="2x3")
    assert result.chosen == 1
    assert "overfitting" not in result.text()
