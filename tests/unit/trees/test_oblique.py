import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from bestofk.errors import InvalidArgumentError
from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
)
from bestofk.trees.forest import fit_batched
from bestofk.trees.oblique import (
    _by_discriminant,
    _by_linear_program,
    _by_logistic_regression,
)
from bestofk.trees.prediction import projected, with_directions

LEARNERS = [C45Classifier, ID3Classifier, CARTClassifier, HellingerTreeClassifier]
WAYS = ["lda", "logistic"]


def below_the_diagonal(n=500, seed=0):
    """Return points of the unit square, and whether x + y < 1."""
    X = np.random.default_rng(seed).random((n, 2))
    return X, np.where(X.sum(axis=1) < 1, "below", "above")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_points_below_the_diagonal_need_one_inner_node(learner, way):
    for n, seed in ((60, 1), (500, 0), (2000, 2)):
        X, y = below_the_diagonal(n, seed)
        fitted = learner(oblique=way).fit(X, y)
        assert fitted.tree_.n_nodes == 3
        assert fitted.score(X, y) == 1
        direction, threshold = fitted.tree_.directions[0], fitted.tree_.threshold[0]
        np.testing.assert_allclose(direction / threshold, [1, 1], atol=0.2)


def test_one_direction_does_for_many_cuts_of_single_columns_and_leaves_out_nominal_ones():
    X, y = below_the_diagonal()
    assert C45Classifier().fit(X, y).get_n_leaves() > 10
    table = pd.DataFrame({"a": X[:, 0], "color": ["red", "blue"] * 250, "b": X[:, 1]})
    fitted = C45Classifier(oblique="logistic").fit(table, y)
    assert fitted.get_n_leaves() == 2
    assert fitted.tree_.directions[0, 1] == 0
    assert fitted.feature_importances_[1] == 0
    assert "color" not in fitted.to_text()
    assert (_by_logistic_regression(X, y == "above", np.ones(len(y))) > 0).all()


@pytest.mark.parametrize("way", WAYS)
def test_a_single_column_is_tested_where_it_is_as_good(way):
    X, _ = below_the_diagonal()
    y = X[:, 0] < 0.4
    plain, fitted = C45Classifier().fit(X, y), C45Classifier(oblique=way).fit(X, y)
    assert len(fitted.tree_.directions) == 0
    np.testing.assert_array_equal(fitted.tree_.threshold, plain.tree_.threshold)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_training_rows_fall_where_they_fell_while_growing(learner, way, load):
    X, y = load(return_X_y=True)
    fitted = learner(oblique=way).fit(X, y)
    tree = fitted.tree_
    reached = np.zeros_like(tree.class_weights)
    np.add.at(reached, (fitted.apply(X), y), 1.0)
    np.testing.assert_array_equal(reached[tree.is_leaf], tree.class_weights[tree.is_leaf])
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert len(tree.directions) == (tree.attribute >= X.shape[1]).sum()


@pytest.mark.parametrize("way", WAYS)
def test_raising_subtrees_sends_rows_along_their_directions(way):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(600, 3))
    y = ((X[:, 0] + X[:, 1] > 0) ^ (X[:, 2] > 0.7) ^ (rng.random(600) < 0.15)).astype(int)
    fitted = C45Classifier(oblique=way, mdl_correction=False).fit(X, y)
    kept = C45Classifier(oblique=way, mdl_correction=False, subtree_raising=False).fit(X, y)
    grown = C45Classifier(oblique=way, mdl_correction=False, pruning=None).fit(X, y)
    assert fitted.get_n_leaves() < kept.get_n_leaves() < grown.get_n_leaves()
    assert 1 < len(fitted.tree_.directions) < len(grown.tree_.directions)
    reached = np.zeros_like(fitted.tree_.class_weights)
    np.add.at(reached, (fitted.apply(X), y), 1.0)
    leaf = fitted.tree_.is_leaf
    np.testing.assert_array_equal(reached[leaf], fitted.tree_.class_weights[leaf])


@pytest.mark.parametrize("way", WAYS)
def test_units_of_the_columns_change_neither_predictions_nor_importances(way):
    X, y = load_iris(return_X_y=True)
    in_other_units = X * [1000, 0.001, 1, 25.4] + [0, 3, -100, 0]
    first = C45Classifier(oblique=way).fit(X, y)
    second = C45Classifier(oblique=way).fit(in_other_units, y)
    np.testing.assert_array_equal(first.predict(X), second.predict(in_other_units))
    np.testing.assert_allclose(first.feature_importances_, second.feature_importances_, atol=1e-5)


def test_missing_values_count_as_the_mean_of_the_node():
    X, y = below_the_diagonal()
    X[:40, 0] = np.nan
    fitted = C45Classifier(oblique="lda").fit(X, y)
    tree = fitted.tree_
    assert tree.attribute[0] >= 2
    np.testing.assert_allclose(tree.direction_means[0], np.nanmean(X, axis=0), rtol=1e-12)
    # Known to all branches: nothing is spread.
    filled = np.where(np.isnan(X), tree.direction_means[0], X)
    np.testing.assert_array_equal(
        with_directions(tree, X)[:, 2:], with_directions(tree, filled)[:, 2:]
    )
    np.testing.assert_array_equal(tree.class_weights, np.round(tree.class_weights))


@pytest.mark.parametrize("way", WAYS)
def test_one_numeric_column_has_no_direction(way):
    X, y = below_the_diagonal()
    X[:, 1] = 3.0
    plain, fitted = C45Classifier().fit(X, y), C45Classifier(oblique=way).fit(X, y)
    np.testing.assert_array_equal(fitted.tree_.class_weights, plain.tree_.class_weights)


def test_few_rows_and_pure_nodes_are_left_to_single_columns():
    X, y = below_the_diagonal(7, seed=1)
    assert len(ID3Classifier(oblique="lda").fit(X[:6], y[:6]).tree_.directions) == 0
    X, y = load_iris(return_X_y=True)
    fitted = C45Classifier(oblique="lda").fit(X, y)
    table = fitted.node_table(1, X, y)
    assert not table["chosen"].any()


def test_classes_are_grouped_by_the_two_that_are_farthest_apart():
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [1.0, 1.0], [8.0, 8.0], [9.0, 9.0]])
    y = np.repeat(np.arange(4), 50)
    across = rng.normal(scale=3.0, size=(200, 1)) * [[1, -1]]
    X = centers[y] + across + rng.normal(scale=0.05, size=(200, 2))
    fitted = CARTClassifier(oblique="lda", criterion="entropy", pruning=None).fit(X, y)
    assert fitted.tree_.class_weights[1].tolist() == [50, 50, 0, 0]
    assert fitted.get_n_leaves() == 4


@pytest.mark.parametrize("way", WAYS)
def test_whole_weights_count_as_repeated_rows(way):
    X, y = load_iris(return_X_y=True)
    times = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = CARTClassifier(oblique=way, max_depth=2, pruning=None)
    weighted.fit(X, y, sample_weight=times)
    repeated = CARTClassifier(oblique=way, max_depth=2, pruning=None)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.tree_.class_weights, repeated.tree_.class_weights)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


@pytest.mark.parametrize("way", WAYS)
def test_oblique_tests_survive_json(way):
    X, y = load_wine(return_X_y=True)
    fitted = C45Classifier(oblique=way).fit(X, y)
    read = C45Classifier.from_json(fitted.to_json())
    np.testing.assert_array_equal(read.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(read.feature_importances_, fitted.feature_importances_)


def test_parts_fitted_jointly_have_the_oblique_tests_of_parts_fitted_alone():
    X, y = load_wine(return_X_y=True)
    parts = [np.arange(178) % 3 != k for k in range(3)]
    learner = C45Classifier(oblique="lda")
    for part, fitted in zip(
        parts, fit_batched(learner, X, y, [p.nonzero()[0] for p in parts]), strict=True
    ):
        alone = C45Classifier(oblique="lda").fit(X[part], y[part])
        np.testing.assert_array_equal(fitted.tree_.directions, alone.tree_.directions)
        np.testing.assert_array_equal(fitted.predict(X), alone.predict(X))


@pytest.mark.parametrize("pruning", ["reduced-error", "pessimistic", "mdl"])
def test_every_pruning_takes_oblique_tests(pruning):
    X, y = below_the_diagonal()
    fitted = C45Classifier(oblique="lda", pruning=pruning).fit(X, y)
    assert fitted.get_n_leaves() == 2
    assert fitted.score(X, y) > 0.97


def test_tests_that_gain_too_little_or_are_refused_leave_no_direction():
    X, y = below_the_diagonal()
    fitted = C45Classifier(oblique="lda", min_impurity_decrease=1.1).fit(X, y)
    assert fitted.get_n_leaves() == 1
    assert fitted.tree_.directions.shape == (0, 2)
    rng = np.random.default_rng(2)
    X, y = rng.random((60, 2)), rng.integers(0, 2, 60)
    fitted = ID3Classifier(oblique="lda", chi_squared_alpha=1e-12).fit(X, y)
    assert fitted.get_n_leaves() == 1
    assert fitted.tree_.directions.shape == (0, 2)


def test_the_discriminant_is_that_of_scikit_learn_and_joins_the_means_without_scatter():
    X, y = load_wine(return_X_y=True)
    X, y = X[y < 2], y[y < 2]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    result = _by_discriminant(X, y == 1, np.ones(len(y)))
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    np.testing.assert_allclose(
        result / np.linalg.norm(result), theirs / np.linalg.norm(theirs), rtol=1e-6
    )
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [1.0, 2.0]])
    result = _by_discriminant(X, np.array([False, False, True, True]), np.ones(4))
    np.testing.assert_allclose(result / result[0], [1, 2])


def test_the_linear_program_parts_what_can_be_parted_and_says_where_nothing_does():
    X, y = below_the_diagonal(3000, seed=5)
    is_high = y == "above"
    result = _by_linear_program(X, is_high, np.abs(X[:, 0] - 0.5))
    along = X @ result
    assert along[is_high].min() > along[~is_high].max()
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert _by_linear_program(X, np.array([True, True, False, False]), np.ones(4)) is None


def test_a_projection_has_the_same_bits_for_a_row_alone():
    X = np.random.default_rng(0).normal(size=(50, 7))
    direction, means = X[0].copy(), np.zeros(7)
    alone = [projected(X[i : i + 1], direction, means)[0] for i in range(50)]
    assert projected(X, direction, means).tolist() == alone


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"oblique": "pca"}, "oblique of C45Classifier must be a known"),
        ({"oblique": "lda", "costs": [1, 2]}, "must be None together with costs"),
        ({"oblique": "lda", "discretization": "mdl"}, "must be None together with discretization"),
    ],
)
def test_unknown_directions_and_those_with_costs_or_intervals_are_refused(parameters, message):
    X, y = below_the_diagonal()
    with pytest.raises(InvalidArgumentError, match=message):
        C45Classifier(**parameters).fit(X, y)
