import functools
import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics import get_scorer_names

from bestofk.errors import InvalidArgumentError
from bestofk.measures import (
    PredictionBatch,
    choose_scoring,
    get_measure,
    make_measure,
    measure_names,
    resolve_pos_label,
    shown_measures,
)
from bestofk.measures.given_measures import REFUSED, SCORERS, ScorerMeasure


def classification(scoring, classes=("no", "yes"), **options):
    return get_measure(scoring, task="classification", classes=classes, **options)


def regression(scoring):
    return get_measure(scoring, task="regression", classes=[])


def test_names_are_those_of_the_documentation():
    of_classes = (
        "error accuracy balanced_accuracy auroc auroc_weighted log_loss brier f1 mcc precision "
        "recall specificity average_precision top_k_accuracy cost"
    )
    of_numbers = "mse mae r2 rmse rmsle median_absolute_error mape pinball max_error"
    assert measure_names("classification") == tuple(of_classes.split())
    assert measure_names("regression") == tuple(of_numbers.split())


@pytest.mark.parametrize("classes", [("a", "b"), ("a", "b", "c")])
def test_every_measure_bears_the_name_it_is_asked_by(classes):
    n_classes = len(classes)
    for name in measure_names("classification"):
        measure = classification(name, classes, cost_matrix=np.eye(n_classes))
        assert (measure.name, measure.task) == (name, "classification")
        assert measure.title
    for name in measure_names("regression"):
        assert regression(name).name == name
        assert regression(name).task == "regression"


@pytest.mark.parametrize("typed", ["AUROC", "Log_Loss", "log loss", "ROC_AUC", "Top_3_Accuracy"])
def test_names_of_measures_ignore_case(typed):
    name = {"roc_auc": "auroc"}.get(typed.lower(), typed.lower().replace(" ", "_"))
    assert get_measure(typed, task="classification", classes=[0, 1, 2, 3]).name == name


def test_direction_is_declared():
    names = {*measure_names("classification")} - {"cost"}
    worse = {name for name in names if not classification(name).greater_is_better}
    assert worse == {"error", "log_loss", "brier"}
    better = {n for n in measure_names("regression") if regression(n).greater_is_better}
    assert better == {"r2"}


def test_shown_measures_exist():
    assert shown_measures("regression") == ("rmse", "mae", "r2")
    assert set(shown_measures("classification")) <= set(measure_names("classification"))


@pytest.mark.parametrize(
    ("scorer", "name"),
    [
        ("neg_log_loss", "log_loss"),
        ("neg_brier_score", "brier"),
        ("roc_auc", "auroc"),
        ("roc_auc_ovr", "auroc"),
        ("roc_auc_ovr_weighted", "auroc_weighted"),
        ("matthews_corrcoef", "mcc"),
        ("accuracy", "accuracy"),
        ("f1_macro", "f1_macro"),
    ],
)
def test_scorer_names_give_the_measure_they_mean(scorer, name):
    assert classification(scorer).name == name
    assert classification("f1_macro", "abc").name == "f1"  # of more than two classes


def test_scorers_of_regression_are_known():
    for name in ("squared", "absolute"):
        measure = regression(f"neg_mean_{name}_error")
        assert (measure.name, measure.greater_is_better) == (f"m{name[0]}e", False)
    assert regression("neg_root_mean_squared_log_error").name == "rmsle"
    assert regression("neg_median_absolute_error").name == "median_absolute_error"
    deviance = regression("neg_mean_poisson_deviance")
    assert (deviance.greater_is_better, deviance.maximum) == (True, 0)


def test_every_scorer_of_scikit_learn_is_mapped_or_refused_with_a_reason():
    for name in set(get_scorer_names()) - set(REFUSED):
        is_known = name in SCORERS and SCORERS[name].task == "regression"
        is_of_numbers = is_known or name in ("r2", "neg_max_error")
        is_of_numbers |= "squared" in name or "absolute" in name
        assert (regression if is_of_numbers else classification)(name).name


@pytest.mark.parametrize(
    ("name", "reason"),
    [("adjusted_rand_score", "compares two clusterings"), ("f1_samples", "several labels per row")],
)
def test_scorer_that_predictions_cannot_give_is_refused(name, reason):
    with pytest.raises(InvalidArgumentError, match=f"computable from stored.*{reason}"):
        classification(name)


def test_scorer_of_two_classes_is_refused_for_more():
    with pytest.raises(InvalidArgumentError, match="classes of the scorer 'jaccard' must be two"):
        classification("jaccard", "abc")


def test_scorer_that_the_installed_version_lacks_is_refused(monkeypatch):
    monkeypatch.setitem(SCORERS, "newer_score", SCORERS["jaccard"])
    with pytest.raises(InvalidArgumentError, match="'newer_score' must be one of the installed"):
        classification("newer_score")


def test_scorer_takes_the_positive_class_from_its_label():
    true, said = np.array([[0, 0, 0, 1], [0, 1, 1, 1]])
    batch = PredictionBatch(true, said, np.array([0, 4]), np.array(["no", "yes"]))
    assert classification("jaccard").compute(batch)[0] == pytest.approx(1 / 3)
    assert classification("jaccard", pos_label="no").compute(batch)[0] == pytest.approx(1 / 3)


def test_scorer_that_gives_no_value_for_a_run_is_nan_there():
    y, starts = np.array([0, 1, 2, 0, 1]), np.array([0, 3, 5])
    batch = PredictionBatch(y, y, starts, np.array(["a", "b", "c"]), probabilities=np.eye(3)[y])
    measure = classification("roc_auc_ovo", "abc")
    assert isinstance(measure, ScorerMeasure)
    np.testing.assert_array_equal(measure.compute(batch), [1.0, np.nan])


def test_measure_passes_through():
    measure = classification("error")
    assert classification(measure) is measure


@pytest.mark.parametrize("scoring", ["mse", "neg_mean_squared_error", "neg_max_error"])
def test_measure_of_regression_is_refused_for_classes(scoring):
    with pytest.raises(
        InvalidArgumentError, match=r"must be a measure of classification; got .* measure of regr"
    ):
        classification(scoring)


def test_measure_of_classes_is_refused_for_regression():
    with pytest.raises(InvalidArgumentError, match="must be a measure of regression; got 'error'"):
        regression(classification("error"))
    with pytest.raises(InvalidArgumentError, match=r"got 'recall'.*Known: mse, mae, r2, rmse"):
        regression("recall")


def test_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(InvalidArgumentError, match=r"got 'acuracy'\. Did you mean 'accuracy'"):
        classification("acuracy")


def test_scoring_of_another_type_is_refused():
    with pytest.raises(InvalidArgumentError, match="scoring must be the name of a measure, a mea"):
        classification(3)


def test_unknown_task_is_refused():
    for function in (measure_names, shown_measures, lambda task: choose_scoring(task, [1])):
        with pytest.raises(InvalidArgumentError, match="task must be classification or regression"):
            function("ranking")


def test_cost_without_its_matrix_is_refused():
    with pytest.raises(InvalidArgumentError, match="cost_matrix must be given for the measure"):
        classification("cost")


def test_error_decides_unless_a_class_holds_more_than_three_quarters():
    assert choose_scoring("classification", [75, 25]) == (("error",), "")
    sentence = "76 of 100 rows are of one class, so AUROC decides, not error."
    assert choose_scoring("classification", np.array([24, 76])) == (("auroc",), sentence)


def test_relative_errors_and_logarithms_are_named_where_the_target_calls_for_them():
    relative = (
        "The target ranges from 20.0 to 5,000: scoring='rmsle' (--scoring rmsle) weighs relative "
        "errors."
    )
    assert choose_scoring("regression", [], [20.0, 5000.0, 1999.0]) == (("rmse",), relative)
    rising = np.exp(np.linspace(0, 3, 50))  # skewness 1.03, of logarithms 0
    skewed = "The target is skewed: target_transform='log' (--log-target) trains on its logarithm."
    assert choose_scoring("regression", [], rising) == (("rmse",), skewed)
    both = choose_scoring("regression", [], rising**2)[1]
    assert "(--scoring rmsle) weighs relative errors. The target is skewed" in both
    usual = [None, [21.0, 2000.0], [0.0, 2000.0], [-1.0, 2000.0], np.full(5, 2.0)]
    for target in (*usual, np.append(rising, 0.0), np.append(rising**2, 0.0)):
        assert choose_scoring("regression", [], target) == (("rmse",), "")


def test_rarer_class_is_positive_and_the_second_in_a_tie():
    assert resolve_pos_label(["a", "b"], np.array([3, 5])) == 0
    assert resolve_pos_label(["a", "b"], [5, 3]) == 1
    assert resolve_pos_label(["a", "b"], [4, 4]) == 1
    assert resolve_pos_label(["a", "b", "c"], [1, 2, 3]) is None


def test_positive_label_is_found_by_value_or_text():
    assert resolve_pos_label(np.array([1, 2]), [9, 1], 1) == 0
    assert resolve_pos_label(np.array([1, 2]), [9, 1], "1") == 0
    assert resolve_pos_label(np.array([False, True]), [1, 9], "True") == 1


def test_positive_label_that_is_no_class_is_refused_with_the_nearest():
    with pytest.raises(InvalidArgumentError, match=r"one of the classes, no or yes; got 'yess'\."):
        resolve_pos_label(["no", "yes"], [1, 1], "yess")
    with pytest.raises(InvalidArgumentError, match="pos_label must be one of the classes"):
        classification("f1", pos_label="never")


def test_positive_label_of_more_than_two_classes_is_refused():
    with pytest.raises(InvalidArgumentError, match="must be None unless there are two classes"):
        resolve_pos_label(["a", "b", "c"], [1, 1, 1], "a")


def hit_score(y_true, y_pred):
    return np.mean(y_true == y_pred)


def miss_loss(y_true, y_pred):
    return np.mean(y_true != y_pred)


def utility(y_true, y_pred):
    return np.mean(np.where(y_pred == "yes", 1.0, 0.0))


BATCH = PredictionBatch(
    y_true=np.array([0, 1, 1]),
    labels=np.array([1, 1, 0]),
    starts=np.array([0, 2, 3]),
    classes=np.array(["no", "yes"]),
)


def test_function_tells_its_direction_by_its_name():
    assert classification(hit_score).greater_is_better
    assert not classification(miss_loss).greater_is_better
    assert classification(hit_score).name == "hit_score"


def test_function_tells_its_direction_by_an_attribute():
    function = functools.partial(miss_loss)
    function.greater_is_better = False
    assert not classification(function).greater_is_better
    assert classification(function).compute(BATCH).tolist() == [0.5, 1.0]


def test_function_without_a_direction_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"'utility' must be known.*Pass make_measure"):
        classification(utility)


def test_function_receives_labels_not_positions():
    measure = classification(make_measure(utility, greater_is_better=True))
    assert measure.compute(BATCH).tolist() == [1.0, 0.0]


def test_function_of_values_fits_regression():
    def worst_error(y_true, y_pred):
        return np.max(np.abs(y_true - y_pred))

    batch = PredictionBatch(
        np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 3.5]), np.array([0, 2, 3]), np.empty(0)
    )
    assert regression(worst_error).compute(batch).tolist() == [3.0, 0.5]


def test_function_that_raises_is_named():
    def broken_loss(y_true, y_pred):
        raise KeyError("column")

    with pytest.raises(InvalidArgumentError, match=r"'broken_loss' must be computable.*KeyError"):
        classification(broken_loss).compute(BATCH)


def test_function_that_gives_no_number_is_named():
    def pair_loss(y_true, y_pred):
        return [1, 2]

    with pytest.raises(InvalidArgumentError, match=r"'pair_loss' must be one number; got \[1, 2\]"):
        classification(pair_loss).compute(BATCH)


def test_import_of_the_measures_does_not_load_scikit_learn():
    code = "import sys, bestofk.measures; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("name", "task", "title"),
    [
        ("top_3_accuracy", "classification", "top-3 accuracy"),
        ("pinball_0.9", "regression", "pinball loss of the 0.9 quantile"),
    ],
)
def test_a_number_in_the_name_sets_the_measure(name, task, title):
    classes = list("abcd") if task == "classification" else []
    measure = get_measure(name, task=task, classes=classes)
    assert (measure.name, measure.title) == (name, title)
    other = "regression" if task == "classification" else "classification"
    with pytest.raises(InvalidArgumentError, match=f"must be a measure of {other}; got '{name}'"):
        get_measure(name, task=other, classes=[] if other == "regression" else list("abcd"))


@pytest.mark.parametrize("name", ["pinball_0", "pinball_1", "pinball_1.5"])
def test_quantile_must_lie_between_0_and_1(name):
    with pytest.raises(InvalidArgumentError, match="quantile of the pinball loss must be a number"):
        regression(name)
