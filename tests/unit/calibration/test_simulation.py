import math
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from bestofk.calibration import printed, simulation
from bestofk.calibration.rates import CalibratedTest, MeasuredLevel, SplitLosses
from bestofk.calibration.simulation import (
    calibrate,
    exchangeable_samples,
    relabeled,
    row_losses,
    shifted_blocks,
)
from bestofk.data import DataSet, load_data
from bestofk.errors import DesignError, InvalidArgumentError, RunError
from bestofk.evaluation.batched_fit import BatchedFit
from bestofk.evaluation.engines.engine import EngineLostError
from bestofk.evaluation.run import fit_learner
from bestofk.inference.sampling import Sampling
from bestofk.learners import resolve_learners
from bestofk.learners.learner import Learner
from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier
from bestofk.randomness import derive_seed
from bestofk.resampling import make_plan

pytestmark = pytest.mark.usefixtures("module_in_this_process")

QUICK = {"tests": ["corrected-t", "5x2cv-t"], "cv": "2x3", "n_data_sets": 4, "n_rows": 40}


class Failing(DummyClassifier):
    def predict(self, X):
        raise ValueError("no idea")


def rng():
    return np.random.default_rng(0)


def p_values(result):
    return [level.p_values.tolist() for level in result.levels]


def test_blocks_share_the_target_and_nothing_else():
    first, second = shifted_blocks(2000, rng())
    assert (first.y == second.y).all()
    assert first.class_counts.tolist() == [1000, 1000]
    for block in (first, second):
        assert block.features[block.y == 1].mean() == pytest.approx(0.275, abs=0.05)
        assert block.features[block.y == 0].mean() == pytest.approx(-0.275, abs=0.05)
    together = np.corrcoef(first.features[:, 0], second.features[:, 0])[0, 1]
    shifts = 0.275**2 / (1 + 0.275**2)
    assert together == pytest.approx(shifts, abs=0.07)


def test_delta_brings_the_classes_of_the_last_block_together():
    first, last = shifted_blocks(4000, rng(), delta=0.6)
    assert first.features[first.y == 1].mean() == pytest.approx(0.275, abs=0.03)
    assert last.features[last.y == 1].mean() == pytest.approx(0.4 * 0.275, abs=0.03)


def test_exchangeable_samples_share_no_row_and_have_the_same_classes():
    data = load_data("iris")
    numbered = DataSet("n", np.arange(150.0)[:, np.newaxis], data.target_array, data.task)
    first, second = exchangeable_samples(numbered, None, rng())
    assert not set(first.features.ravel()) & set(second.features.ravel())
    assert first.y.tolist() == second.y.tolist() == [0] * 25 + [1] * 25 + [2] * 25


def test_up_to_half_of_the_rows_no_row_is_drawn_twice():
    target = np.repeat([0, 1], [7, 9])
    data = DataSet("odd", np.arange(16.0)[:, np.newaxis], target, "classification")
    first, second = exchangeable_samples(data, 7, rng())
    assert first.class_counts.tolist() == [3, 4]
    assert len({*first.features.ravel(), *second.features.ravel()}) == 14


def test_more_rows_than_half_are_drawn_with_replacement_and_that_is_said():
    first, _ = exchangeable_samples(load_data("iris"), 300, rng())
    assert first.class_counts.tolist() == [100, 100, 100]
    result = calibrate(GaussianNB(), "iris", tests="corrected-t@2x2", n_rows=120, n_data_sets=2)
    assert any("drawn with replacement" in text for text in result.limits)


def test_new_labels_say_nothing_and_are_fair():
    data = load_data("iris")
    given = relabeled(data, None, rng())
    assert given.n_samples == 150
    assert (given.target_array == data.target_array).mean() == pytest.approx(1 / 3, abs=0.12)


@pytest.mark.parametrize(
    "learner", [NearestMeanClassifier(), KNeighborsClassifier(1), GaussianNB()]
)
@pytest.mark.parametrize("cv", ["20x3", "holdout"])
def test_all_splits_at_once_give_the_errors_of_one_split_at_a_time(learner, cv):
    data, _ = shifted_blocks(60, rng())
    plan = make_plan(data, cv, random_state=3)
    at_once = row_losses(Learner("a", learner), data, plan, seed=0)
    for result, split in zip(at_once, plan, strict=True):
        fitted = clone(learner).fit(data.features[split.train_rows], data.y[split.train_rows])
        labels = fitted.predict(data.features[split.test_rows])
        assert result.tolist() == (labels != data.y[split.test_rows]).tolist()


@pytest.mark.parametrize("learner", ["ridge", "knn-regressor", "cart-regressor"])
def test_losses_of_numbers_are_squared_errors_of_one_split_at_a_time(learner):
    data, _ = exchangeable_samples(load_data("diabetes"), 60, rng())
    plan = make_plan(data, "3x4", random_state=3)
    [resolved] = resolve_learners(learner, "regression")
    runnable = Learner(resolved.name, resolved.estimator)
    at_once = row_losses(runnable, data, plan, seed=0)
    for number, split in enumerate(plan):
        fitted = fit_learner(runnable, data, split.train_rows, seed=derive_seed(0, number))
        predicted = fitted.predict(data.feature_rows(split.test_rows))
        np.testing.assert_allclose(at_once[number], (predicted - data.y[split.test_rows]) ** 2)


def test_samples_of_numbers_share_no_row_and_are_drawn_by_chance():
    data = DataSet("n", np.arange(50.0)[:, np.newaxis], np.arange(50.0), "regression")
    first, second = exchangeable_samples(data, 20, rng())
    drawn = [*first.y.tolist(), *second.y.tolist()]
    assert len(set(drawn)) == 40
    assert drawn != sorted(drawn)


def test_a_level_is_measured_with_learners_of_numbers():
    tests = ["paired-t", "corrected-t"]
    result = calibrate("ridge", "diabetes", tests=tests, cv="10x5", n_rows=60, n_data_sets=40)
    plain, corrected = result.levels
    assert plain.rate > 0.2 > corrected.rate
    assert (result.null, result.n_rows) == ("symmetric", 60)


def test_splits_go_through_batched_forms(monkeypatch):
    done = []
    run = BatchedFit.run
    monkeypatch.setattr(BatchedFit, "run", lambda *given: done.append(given[1]) or run(*given))
    monkeypatch.setattr(BatchedFit, "largest_block", 15)
    data, _ = shifted_blocks(60, rng())
    plan = make_plan(data, "20x3", random_state=3)
    learner = Learner("a", GaussianNB())
    in_two = row_losses(learner, data, plan, seed=0)
    assert done == [range(15), range(15, 20)]
    monkeypatch.undo()
    whole = row_losses(learner, data, plan, seed=0)
    assert [rows.tolist() for rows in in_two] == [rows.tolist() for rows in whole]


@pytest.mark.parametrize(
    ("learners", "data", "null"),
    [
        (NearestMeanClassifier(), None, "design"),
        (GaussianNB(), "iris", "symmetric"),
        ([NearestMeanClassifier(), GaussianNB()], "iris", "permuted"),
    ],
)
def test_numbers_do_not_depend_on_processes_or_on_other_data_sets(learners, data, null):
    whole = calibrate(learners, data, null=null, **QUICK)
    more = calibrate(learners, data, null=null, **QUICK | {"n_data_sets": 6, "n_jobs": 2})
    assert p_values(whole) == [values[:4] for values in p_values(more)]
    assert (whole.null, whole.n_rows) == (null, 39 if null == "symmetric" else 40)


def test_one_learner_or_test_more_changes_no_number():
    first = calibrate(NearestMeanClassifier(), **QUICK)
    two = calibrate(
        {"NearestMeanClassifier": NearestMeanClassifier(), "1-NN": KNeighborsClassifier(1)},
        **QUICK | {"tests": ["mcnemar", *QUICK["tests"]]},
    )
    assert p_values(first) == p_values(two)[1:3]
    assert [level.learners for level in two.levels] == ["NearestMeanClassifier"] * 3 + ["1-NN"] * 3


def test_another_seed_gives_other_numbers():
    assert p_values(calibrate(NearestMeanClassifier(), **QUICK)) != p_values(
        calibrate(NearestMeanClassifier(), **QUICK, random_state=1)
    )


def test_a_worse_block_is_found_more_often_than_an_equal_one():
    given = {"tests": "corrected-t@5x2", "n_rows": 300, "n_data_sets": 60}
    null = calibrate(NearestMeanClassifier(), **given)
    power = calibrate(NearestMeanClassifier(), **given, delta=0.8)
    assert null.levels[0].rate < 0.15
    assert power.levels[0].rate > 0.7
    assert power.levels[0].note == "power"


def test_several_blocks_are_a_family_of_one_sided_tests():
    given = {"tests": "corrected-t@5x2", "n_rows": 60, "n_data_sets": 40}
    family = calibrate(NearestMeanClassifier(), n_blocks=4, **given)
    assert family.levels[0].rate < 0.2
    assert family.levels[0].p_values.max() == 1.0


def test_equal_learners_at_chance_are_shown_to_differ_about_as_often_as_alpha_says():
    result = calibrate(
        [NearestMeanClassifier(), GaussianNB()],
        "iris",
        tests="mcnemar",
        null="permuted",
        n_data_sets=30,
    )
    assert result.levels[0].learners == "NearestMeanClassifier vs GaussianNB"
    assert result.levels[0].rate < 0.2


def test_progress_is_told_and_may_be_silent(capsys):
    told = []
    calibrate(
        NearestMeanClassifier(), **QUICK, progress=lambda done, total: told.append((done, total))
    )
    assert told == [(number, 4) for number in range(1, 5)]
    calibrate(NearestMeanClassifier(), **QUICK, progress=True)
    assert capsys.readouterr().out == ""


def test_an_interruption_leaves_the_levels_of_the_first_data_sets():
    def interrupt(done, total):
        if done == 3:
            raise KeyboardInterrupt

    whole = calibrate(NearestMeanClassifier(), **QUICK)
    result = calibrate(NearestMeanClassifier(), **QUICK, progress=interrupt)
    assert (result.is_interrupted, whole.is_interrupted) == (True, False)
    assert p_values(result) == [values[:3] for values in p_values(whole)]
    assert result.limits[0] == "Interrupted after 3 of 4 data sets."
    assert "! Interrupted after 3 of 4 data sets." in str(result).splitlines()


def test_levels_of_what_was_done_out_of_turn_are_left_out(monkeypatch):
    def out_of_turn(function, tasks, **others):
        yield from ((number, function(number)) for number in (0, 1, 3))
        raise EngineLostError("the scheduler is gone")

    monkeypatch.setattr(simulation, "done_tasks", out_of_turn)
    result = calibrate(NearestMeanClassifier(), **QUICK)
    assert (result.is_interrupted, result.levels[0].n_data_sets) == (True, 2)


def test_an_interruption_before_there_are_levels_ends_the_call():
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calibrate(NearestMeanClassifier(), **QUICK, progress=interrupt)


def test_lines_tell_the_shares_so_far_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(printed, "_LINE_SECONDS", 0.0)
    calibrate(NearestMeanClassifier(), **QUICK)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert re.fullmatch(r"null data sets: 4 of 4, rejected: [0-9.]+%, [0-9.]+%", lines[-1])
    calibrate(NearestMeanClassifier(), **QUICK, progress=False)
    assert capsys.readouterr().err == ""


def test_a_measured_level_has_an_interval_and_a_note():
    p_values = np.array([0.01] * 30 + [0.5] * 70)
    level = MeasuredLevel("a", "corrected-t", "10x10", 0.05, p_values)
    assert (level.n_rejected, level.rate) == (30, 0.3)
    assert level.standard_error == pytest.approx(math.sqrt(0.3 * 0.7 / 100))
    assert level.interval == pytest.approx((0.2189, 0.3959), abs=1e-4)
    assert level.note == "rejects too often"
    never = MeasuredLevel("a", "corrected-t", "10x10", 0.05, np.full(100, 0.5))
    assert never.interval == pytest.approx((0.0, 0.0370), abs=1e-4)
    assert never.note == "rejects too rarely"
    few = MeasuredLevel("a", "corrected-t", "10x10", 0.05, np.full(4, 0.5))
    assert few.note == "no deviation shown"


def test_a_result_is_a_table_a_text_and_markdown():
    result = calibrate(NearestMeanClassifier(), **QUICK)
    frame = result.to_frame()
    assert frame["test"].tolist() == ["corrected-t", "5x2cv-t"]
    assert frame["plan"].tolist() == ["2x3", "5x2"]
    assert frame["rate"].tolist() == [level.rate for level in result.levels]
    assert str(result).startswith("Share of rejections at 40 rows, null: design\nlearners")
    assert result.to_markdown().count("| NearestMeanClassifier |") == 2
    assert all(f"- {text}" in result.to_markdown() for text in result.limits)
    assert repr(result).startswith("CalibrationResult(design, n_rows=40: corrected-t ")


def losses():
    a = np.array([[0.3, 0.2, 0.4], [0.3, 0.3, 0.3]])
    b = np.array([[0.2, 0.2, 0.2], [0.1, 0.3, 0.2]])
    rows = np.array([1.0, 0, 0, 1, 1, 1])
    sampling = Sampling("k-fold", 2, 3, n_train=4, n_test=2)
    return SplitLosses(sampling, a, b, rows, np.zeros(6), np.repeat([0, 1, 2], 2))


def test_df_of_a_test_can_be_replaced():
    from scipy.stats import t

    usual = CalibratedTest.parse("corrected-t", "2x3").p_value(losses())
    fewer = CalibratedTest.parse("corrected-t(df=2)", "2x3")
    statistic = t.isf(usual / 2, 5)
    assert fewer.p_value(losses()) == pytest.approx(2 * t.sf(statistic, 2))
    assert fewer.p_value(losses(), "greater") == pytest.approx(t.sf(statistic, 2))
    assert fewer.p_value(losses(), "less") == pytest.approx(t.cdf(statistic, 2))


def test_sides_of_a_test_mirror_each_other():
    for text in ("corrected-t", "mcnemar(method=exact)", "calibrated-t(df=3)", "cv-central-limit"):
        test = CalibratedTest.parse(text, "2x3")
        less, greater = (test.p_value(losses(), side) for side in ("less", "greater"))
        assert greater < 0.5 < less


def test_options_are_whole_numbers_numbers_or_words():
    test = CalibratedTest.parse("permutation(n_draws=100, random_state=1)", "10x10")
    assert test.options == {"n_draws": 100, "random_state": 1}
    assert 0 < test.p_value(losses()) <= 1
    assert CalibratedTest.parse("corrected-t(df=2.5)", "10x10").options == {"df": 2.5}
    assert CalibratedTest.parse("mcnemar(method=exact)", "10").options == {"method": "exact"}


def test_rows_are_tested_by_counts():
    assert CalibratedTest.parse("mcnemar(method=exact)", "2x3").p_value(losses()) == 0.125


@pytest.mark.parametrize(
    ("text", "plan"),
    [("corrected-t", "10x10"), ("5x2cv-t", "5x2"), ("5x2cv-f", "5x2"), ("mcnemar", "holdout"),
     ("cv-central-limit", "10"), ("mcnemar@10", "10"), ("corrected_t @ 5x2", "5x2")],
)  # fmt: skip
def test_a_test_has_the_plan_that_fits_it(text, plan):
    assert CalibratedTest.parse(text, "10x10").plan == plan


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("", InvalidArgumentError, r"test must have the form name\(option=value\)@plan"),
        ("corected-t", InvalidArgumentError, "Did you mean 'corrected-t'"),
        ("friedman", ValueError, "friedman"),
        ("mcnemar(method)", InvalidArgumentError, "options of a test must have the form"),
        ("mcnemar(methd=exact)", InvalidArgumentError, "options of mcnemar must be"),
        ("bayesian-correlated-t", DesignError, "must compare two learners on one data set"),
    ],
)
def test_a_text_that_is_no_test_is_refused(text, error, sentence):
    with pytest.raises(error, match=sentence):
        CalibratedTest.parse(text, "10x10")


@pytest.mark.parametrize(
    ("changed", "error", "sentence"),
    [
        ({"null": "symetric"}, InvalidArgumentError, "Did you mean 'symmetric'"),
        ({"null": "permuted"}, InvalidArgumentError, "data of null 'permuted' must be given"),
        ({"X": "iris", "null": "design"}, InvalidArgumentError, "must be None; got iris"),
        ({"X": "iris", "delta": 0.3}, InvalidArgumentError, "delta and n_blocks must be left out"),
        ({"X": "iris", "null": "permuted"}, DesignError, "permuted labels must be at least 2"),
        ({"X": "iris", "n_rows": 4}, DesignError, "every class must have at least 2 rows"),
        (
            {"X": "diabetes", "null": "permuted"},
            DesignError,
            "data of null 'permuted' must be of classes; got regression",
        ),
        ({"n_data_sets": 1}, InvalidArgumentError, "n_data_sets must be a whole number from 2"),
        ({"n_rows": 2.5}, InvalidArgumentError, "n_rows must be a whole number from 4 up"),
        ({"alpha": 1.5}, InvalidArgumentError, "alpha must be a number above 0"),
        ({"delta": 2}, InvalidArgumentError, "delta of a null must be a number from 0 to 1; got 2"),
        (
            {"n_blocks": 1},
            InvalidArgumentError,
            "n_blocks of a null must be a whole number from 2 up",
        ),
        ({"tests": []}, InvalidArgumentError, "tests must name at least one"),
        ({"progress": "loud"}, InvalidArgumentError, "progress must be 'auto', True, False"),
        ({"tests": "5x2cv-t@10"}, DesignError, "plan of 5x2cv-t must be 5x2; got '10'"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(changed, error, sentence):
    given = QUICK | changed
    with pytest.raises(error, match=sentence):
        calibrate(NearestMeanClassifier(), given.pop("X", None), **given)


def test_groups_and_too_many_rows_are_refused():
    data = load_data("iris")
    grouped = DataSet(
        "g", data.features, data.target, data.task, groups=np.arange(data.n_samples) // 2
    )
    with pytest.raises(DesignError, match="rows that stand for themselves; got groups"):
        calibrate(GaussianNB(), grouped, tests="corrected-t@2x2", n_data_sets=2)
    with pytest.raises(DesignError, match="n_rows of permuted labels must be at most the rows"):
        relabeled(data, 151, rng())


def test_tests_of_right_and_wrong_refuse_squared_errors():
    with pytest.raises(DesignError, match="losses of mcnemar_test must be 0 or 1"):
        calibrate("ridge", "diabetes", tests="mcnemar", n_rows=40, n_data_sets=2)


def test_a_learner_of_numbers_that_predicts_none_is_named():
    class Nothing(DummyRegressor):
        def predict(self, X):
            return np.full(len(X), np.nan)

    with pytest.raises(RunError, match=r"ValueError on split 1 \(predictions must be finite"):
        calibrate(Nothing(), "diabetes", **QUICK)


def test_a_learner_that_fails_is_named_with_its_split():
    with pytest.raises(RunError, match=r"learner 'Failing' must run .* ValueError on split 1"):
        calibrate(Failing(), **QUICK)
