"""Measures over many runs against scikit-learn's functions, run by run."""

import dataclasses
import inspect
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics

from bestofk.measures import (
    PredictionBatch,
    confusion_matrix,
    get_measure,
    make_measure,
    measure_names,
    pooled_auroc,
)
from bestofk.testing import check_measure

N_CLASSES = (2, 3, 6)
TASKS = [("classification", n_classes) for n_classes in N_CLASSES] + [("regression", 0)]
SCALES_MULTI_CLASS = "scale_by_half" in inspect.signature(metrics.brier_score_loss).parameters


def random_batch(n_classes, seed=0, *, shortest=1, longest=60, n_runs=30, kind="probabilities"):
    """Make runs of many lengths, with ties and saturated probabilities.

    Every class is in every run where the shortest run can hold them all; else some are not.
    """
    rng = np.random.default_rng([n_classes, seed])
    lengths = rng.integers(shortest, longest + 1, n_runs)
    n = lengths.sum()
    starts = np.concatenate(([0], np.cumsum(lengths)))
    if n_classes == 0:
        y_true = rng.normal(5, 2, n)
        return PredictionBatch(y_true, y_true + rng.normal(0, 1, n), starts, np.empty(0))
    weights = rng.dirichlet(np.full(n_classes, 2.0))
    y_true = rng.choice(n_classes, n, p=weights)
    y_true[: lengths[0]] = 0  # one class alone
    if shortest > n_classes:
        y_true[starts[:-1, None] + np.arange(n_classes)] = np.arange(n_classes)
    classes = np.array([f"class {c}" for c in range(n_classes)])
    raw = rng.dirichlet(np.full(n_classes, 0.7), n)
    raw[np.arange(n), y_true] += 0.5
    raw[rng.random(n) < 0.3] = np.eye(n_classes)[rng.integers(0, n_classes)]
    coarse = np.round(raw * 4) + 1e-3
    raw = np.where((rng.random(n) < 0.5)[:, None], coarse, raw)
    probabilities = raw / raw.sum(axis=1, keepdims=True)
    decision = None
    labels = probabilities.argmax(axis=1)
    if kind == "decision":
        decision = np.round(rng.normal(0, 2, (n, n_classes)), 1)
        decision = decision[:, 1] if n_classes == 2 else decision
        probabilities = None
    return PredictionBatch(
        y_true, labels, starts, classes, probabilities, decision, int(rng.integers(0, 2))
    )


def run_by_run(batch, function):
    """Call a function (y_true, labels, rows) for each run."""
    bounds = zip(batch.starts[:-1], batch.starts[1:], strict=True)
    return np.array(
        [function(batch.y_true[i:j], batch.labels[i:j], slice(i, j)) for i, j in bounds]
    )


def measure_for(name, batch, cost_matrix=None):
    task = "classification" if batch.is_classification else "regression"
    return get_measure(name, task=task, classes=batch.classes, cost_matrix=cost_matrix)


def pairwise_auroc(scores, is_positive):
    """Compare every positive with every negative row; ties count one half."""
    above = scores[is_positive][:, None] - scores[~is_positive][None, :]
    return np.nan if above.size == 0 else np.mean((above > 0) + 0.5 * (above == 0))


def naive_auroc(batch, weighted):
    scores = batch.decision if batch.probabilities is None else batch.probabilities
    n_classes = len(batch.classes)

    def one_run(y, labels, rows):
        table = scores[rows]
        if table.ndim == 1:
            return pairwise_auroc(table, y == 1)
        areas = [pairwise_auroc(table[:, c], y == c) for c in range(n_classes)]
        if n_classes == 2:
            return areas[1]
        if weighted and not np.isnan(areas).any():
            return np.average(areas, weights=np.bincount(y, minlength=n_classes))
        return np.mean(areas)

    return run_by_run(batch, one_run)


of_classes = pytest.mark.parametrize("n_classes", N_CLASSES)
of_labels = pytest.mark.filterwarnings(
    "ignore:y_pred contains classes not in y_true", "ignore:A single label was found:UserWarning"
)
both_kinds = pytest.mark.parametrize("kind", ["probabilities", "decision"])
MACRO = {"average": "macro", "zero_division": 0}
OF_LABELS = {
    "accuracy": (metrics.accuracy_score, {"rtol": 1e-14}),
    "error": (metrics.zero_one_loss, {"atol": 1e-15, "rtol": 0}),
    "balanced_accuracy": (metrics.balanced_accuracy_score, {"rtol": 1e-13}),
    "f1_macro": (partial(metrics.f1_score, **MACRO), {"rtol": 1e-13}),
    "mcc": (metrics.matthews_corrcoef, {"rtol": 1e-12, "atol": 1e-15}),
}


@of_classes
@of_labels
@pytest.mark.parametrize("name", OF_LABELS)
def test_a_measure_of_labels_is_that_of_scikit_learn(name, n_classes):
    batch = random_batch(n_classes)
    function, tolerance = OF_LABELS[name]
    expected = run_by_run(batch, lambda y, p, _: function(y, p))
    assert_allclose(measure_for(name, batch).compute(batch), expected, **tolerance)


@of_classes
def test_f1_is_that_of_scikit_learn(n_classes):
    batch = random_batch(n_classes)
    form = MACRO | ({"labels": [batch.positive]} if n_classes == 2 else {})
    expected = run_by_run(batch, lambda y, p, _: metrics.f1_score(y, p, **form))
    assert_allclose(measure_for("f1", batch).compute(batch), expected, rtol=1e-13)


@of_classes
@pytest.mark.parametrize("name", ["precision", "recall", "specificity"])
def test_shares_of_a_class_are_those_of_scikit_learn(n_classes, name):
    batch = random_batch(n_classes)
    function = metrics.precision_score if name == "precision" else metrics.recall_score

    def of_class(y, p, c):
        if name == "specificity":
            return function(y != c, p != c, zero_division=np.nan)
        rule = 0 if name == "precision" and c in {*y, *p} else np.nan
        return function(y == c, p == c, zero_division=rule)

    def one_run(y, p, _):
        if n_classes == 2:
            value = of_class(y, p, batch.positive)
            return 0.0 if name == "precision" and np.isnan(value) else value
        return np.nanmean([of_class(y, p, c) for c in range(n_classes)])

    values = measure_for(name, batch).compute(batch)
    assert_allclose(values, run_by_run(batch, one_run), rtol=1e-13)


@of_classes
def test_confusion_matrix_and_cost_are_counted_row_by_row(n_classes):
    batch = random_batch(n_classes)
    counted = partial(metrics.confusion_matrix, labels=np.arange(n_classes))
    expected = run_by_run(batch, lambda y, p, _: counted(y, p))
    assert_array_equal(confusion_matrix(batch), expected)
    matrix = np.random.default_rng(0).normal(size=(n_classes, n_classes))
    costs = run_by_run(
        batch, lambda y, p, _: np.mean([matrix[t, q] for t, q in zip(y, p, strict=True)])
    )
    values = measure_for("cost", batch, matrix).compute(batch)
    assert_allclose(values, costs, rtol=1e-12, atol=1e-15)


@of_classes
def test_log_loss_is_that_of_scikit_learn(n_classes):
    batch = random_batch(n_classes)
    labels = np.arange(n_classes)
    expected = run_by_run(
        batch, lambda y, _, rows: metrics.log_loss(y, batch.probabilities[rows], labels=labels)
    )
    values = measure_for("log_loss", batch).compute(batch)
    assert_allclose(values, expected, rtol=1e-12, atol=1e-12)
    given_to_truth = batch.probabilities[np.arange(len(batch.y_true)), batch.y_true]
    assert given_to_truth.min() == 0  # saturated probabilities are among them
    assert given_to_truth.max() == 1


@of_classes
def test_brier_is_the_squared_distance_to_the_truth_and_that_of_scikit_learn(n_classes):
    batch = random_batch(n_classes)
    truth = np.eye(n_classes)
    scale = 0.5 if n_classes == 2 else 1.0
    expected = scale * run_by_run(
        batch,
        lambda y, _, rows: np.mean(np.sum((batch.probabilities[rows] - truth[y]) ** 2, axis=1)),
    )
    values = measure_for("brier", batch).compute(batch)
    assert_allclose(values, expected, rtol=1e-12)
    if n_classes > 2 and not SCALES_MULTI_CLASS:
        return  # this scikit-learn has no Brier score of more than two classes

    def one_run(y, _, rows):
        table = batch.probabilities[rows]
        if n_classes == 2:
            return metrics.brier_score_loss(y, table[:, 1], pos_label=1)
        return metrics.brier_score_loss(y, table, labels=np.arange(n_classes))

    assert_allclose(values, run_by_run(batch, one_run), rtol=1e-12, atol=1e-15)


@both_kinds
@of_classes
@pytest.mark.parametrize("name", ["auroc", "auroc_weighted"])
def test_auroc_is_the_share_of_rightly_ordered_pairs(n_classes, kind, name):
    batch = random_batch(n_classes, kind=kind)
    values = measure_for(name, batch).compute(batch)
    expected = naive_auroc(batch, name == "auroc_weighted")
    assert_allclose(values, expected, rtol=1e-12)
    assert np.isnan(expected).any()  # a class is absent from some runs


@both_kinds
@of_classes
def test_pooled_auroc_is_that_of_all_rows_of_the_pool(n_classes, kind):
    batch = random_batch(n_classes, kind=kind)
    groups = np.random.default_rng(0).choice([7, 3, 5], batch.n_runs)
    for pool, value in zip([3, 5, 7], pooled_auroc(batch, groups), strict=True):
        rows = np.flatnonzero((groups == pool)[batch.run_of_row])
        assert_allclose(value, naive_auroc(one_run_of(batch, rows), weighted=False)[0])


@of_classes
@both_kinds
def test_average_precision_is_that_of_scikit_learn(kind, n_classes):
    batch = random_batch(n_classes, kind=kind)
    scores = batch.decision if kind == "decision" else batch.probabilities
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    classes = [batch.positive] if n_classes == 2 else range(n_classes)

    def one_run(y, _, rows):
        if not set(classes) <= set(y.tolist()):
            return np.nan
        return np.mean([metrics.average_precision_score(y == c, scores[rows, c]) for c in classes])

    values = measure_for("average_precision", batch).compute(batch)
    expected = run_by_run(batch, one_run)
    assert_allclose(values, expected, rtol=1e-12)
    assert not np.isnan(expected).all()


@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_k_accuracy_without_ties_is_that_of_scikit_learn(k):
    batch = random_batch(5)
    noise = np.random.default_rng(0).random(batch.probabilities.shape) * 1e-6
    batch = dataclasses.replace(batch, probabilities=batch.probabilities + noise)
    expected = run_by_run(
        batch,
        lambda y, _, rows: metrics.top_k_accuracy_score(
            y, batch.probabilities[rows], k=k, labels=np.arange(5)
        ),
    )
    assert_allclose(measure_for(f"top_{k}_accuracy", batch).compute(batch), expected, rtol=1e-13)


@both_kinds
def test_auroc_of_two_classes_is_that_of_scikit_learn(kind):
    batch = random_batch(2, kind=kind, shortest=20, longest=90)
    scores = batch.decision if kind == "decision" else batch.probabilities[:, 1]
    expected = run_by_run(batch, lambda y, _, rows: metrics.roc_auc_score(y, scores[rows]))
    for name in ("auroc", "auroc_weighted"):
        assert_allclose(measure_for(name, batch).compute(batch), expected, rtol=1e-12)


@pytest.mark.parametrize(("name", "average"), [("auroc", "macro"), ("auroc_weighted", "weighted")])
def test_auroc_of_more_classes_is_that_of_scikit_learn(name, average):
    batch = random_batch(4, shortest=80, longest=150)

    def one_run(y, _, rows):
        table = batch.probabilities[rows]
        return metrics.roc_auc_score(y, table, multi_class="ovr", average=average)

    expected = run_by_run(batch, one_run)
    assert_allclose(measure_for(name, batch).compute(batch), expected, rtol=1e-12)


def one_run_of(batch, rows, runs=None):
    """Make a batch of the rows given: one run, or runs that start where `runs` says."""
    return dataclasses.replace(
        batch,
        y_true=batch.y_true[rows],
        labels=batch.labels[rows],
        starts=np.array([0, len(rows)]) if runs is None else runs,
        probabilities=None if batch.probabilities is None else batch.probabilities[rows],
        decision=None if batch.decision is None else batch.decision[rows],
    )


def test_regression_measures_are_those_of_scikit_learn():
    batch = random_batch(0, shortest=2)
    functions = {
        "mse": metrics.mean_squared_error,
        "mae": metrics.mean_absolute_error,
        "r2": metrics.r2_score,
        "rmse": metrics.root_mean_squared_error,
        "mape": metrics.mean_absolute_percentage_error,
        "pinball": metrics.mean_pinball_loss,
        "pinball_0.9": partial(metrics.mean_pinball_loss, alpha=0.9),
        "max_error": metrics.max_error,
        "median_absolute_error": metrics.median_absolute_error,
    }
    for name, function in functions.items():
        expected = run_by_run(batch, lambda y, p, _, function=function: function(y, p))
        assert_allclose(measure_for(name, batch).compute(batch), expected, rtol=1e-11)


@pytest.mark.parametrize(("task", "n_classes"), TASKS)
def test_value_of_a_run_does_not_depend_on_the_runs_beside_it_to_the_last_bit(task, n_classes):
    batch = random_batch(n_classes)
    matrix = np.arange(n_classes**2).reshape(n_classes, n_classes) / 3
    for name in measure_names(task):
        check_measure(measure_for(name, batch, matrix), batch)


@pytest.mark.parametrize(("task", "n_classes"), TASKS)
def test_layout_of_the_probabilities_changes_no_bit(task, n_classes):
    batch = random_batch(n_classes, 1)
    if batch.probabilities is not None:
        by_column = np.asfortranarray(batch.probabilities)
        other = dataclasses.replace(batch, probabilities=by_column)
        for name in ("auroc", "auroc_weighted", "brier", "log_loss"):
            measure = measure_for(name, batch)
            assert_array_equal(measure.compute(batch), measure.compute(other), err_msg=name)


@settings(max_examples=10, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize(("task", "n_classes"), TASKS)
def test_order_of_rows_within_a_run_changes_nothing(task, n_classes, data, seed):
    kind = data.draw(st.sampled_from(["probabilities", "decision"]))
    batch = random_batch(n_classes, seed, n_runs=data.draw(st.integers(1, 6)), kind=kind)
    rng = np.random.default_rng(seed)
    rows = np.lexsort((rng.random(len(batch.y_true)), batch.run_of_row))
    shuffled = one_run_of(batch, rows, batch.starts)
    for name in measure_names(task):
        measure = measure_for(name, batch, np.arange(n_classes**2).reshape(n_classes, n_classes))
        if measure.needs == "probabilities" and kind == "decision":
            continue
        assert_allclose(
            measure.compute(shuffled), measure.compute(batch), rtol=1e-11, atol=1e-14, err_msg=name
        )


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_renaming_the_classes_changes_nothing(n_classes, seed):
    batch = random_batch(n_classes, seed, n_runs=5)
    new_position = np.random.default_rng(seed).permutation(n_classes)
    old_position = np.argsort(new_position)
    renamed = dataclasses.replace(
        batch,
        y_true=new_position[batch.y_true],
        labels=new_position[batch.labels],
        probabilities=batch.probabilities[:, old_position],
        positive=int(new_position[batch.positive]) if n_classes == 2 else None,
    )
    matrix = np.random.default_rng(seed).random((n_classes, n_classes))
    for name in measure_names("classification"):
        before = measure_for(name, batch, matrix).compute(batch)
        moved = matrix[np.ix_(old_position, old_position)]
        after = measure_for(name, renamed, moved).compute(renamed)
        assert_allclose(after, before, rtol=1e-11, atol=1e-14, err_msg=name)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize(("task", "n_classes"), TASKS)
def test_values_lie_in_the_declared_range(task, n_classes, seed):
    batch = random_batch(n_classes, seed, n_runs=10)
    for name in measure_names(task):
        measure = measure_for(name, batch, np.eye(max(n_classes, 1)))
        check_measure(measure, batch)


def test_scorers_taken_over_run_by_run_agree_with_their_functions():
    two = random_batch(2, shortest=25)
    three = random_batch(3, shortest=40)
    numbers = random_batch(0, shortest=2)
    positive = dataclasses.replace(
        numbers, y_true=np.exp(numbers.y_true / 10), labels=np.exp(numbers.labels / 10)
    )
    cases = {
        "neg_mean_poisson_deviance": (positive, metrics.mean_poisson_deviance, {}),
        "precision_weighted": (three, metrics.precision_score, MACRO | {"average": "weighted"}),
        "jaccard": (two, metrics.jaccard_score, {"zero_division": 0}),
        "f1_weighted": (three, metrics.f1_score, MACRO | {"average": "weighted"}),
        "recall_macro": (three, metrics.recall_score, MACRO),
        "explained_variance": (numbers, metrics.explained_variance_score, {}),
    }
    for name, (batch, function, options) in cases.items():
        measure = measure_for(name, batch)
        if batch is two:
            options = {**options, "pos_label": batch.positive}
        expected = run_by_run(batch, lambda y, p, _, f=function, o=options: f(y, p, **o))
        sign = -1 if name.startswith("neg_") else 1
        assert_allclose(measure.compute(batch), sign * expected, rtol=1e-12, err_msg=name)


@both_kinds
def test_average_precision_follows_the_positive_class(kind):
    batch = random_batch(2, 0, shortest=25, kind=kind)
    for positive in (0, 1):
        turned = dataclasses.replace(batch, positive=positive)
        if kind == "decision":
            scores = batch.decision if positive else -batch.decision
        else:
            scores = batch.probabilities[:, positive]
        expected = run_by_run(
            batch,
            lambda y, _, rows, p=positive, s=scores: metrics.average_precision_score(
                y == p, s[rows]
            ),
        )
        values = measure_for("average_precision", turned).compute(turned)
        assert_allclose(values, expected, rtol=1e-12)


def test_function_of_ones_own_equals_the_measure_it_computes():
    batch = random_batch(3, 0)
    share_wrong = make_measure(lambda y, p: np.mean(y != p), greater_is_better=False)
    assert_allclose(share_wrong.compute(batch), measure_for("error", batch).compute(batch))
