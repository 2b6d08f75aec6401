import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris

from bestofk.batched import batched_form
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.trees import TreeForm
from bestofk.data.arrays import from_arrays
from bestofk.learners.pipeline import LearnerPipeline
from bestofk.testing import check_batched_form
from bestofk.trees import C45Classifier, CARTClassifier, HellingerTreeClassifier, ID3Classifier
from bestofk.trees.known_columns import KnownColumns

LEARNERS = [
    C45Classifier(),
    C45Classifier(pruning=None, threshold="midpoint", laplace=True),
    C45Classifier(pruning="reduced-error"),
    C45Classifier(pruning="reduced-error", pruning_fraction=0.2),
    C45Classifier(flavor="r8"),
    C45Classifier(nominal_splits="group", missing_values="most-frequent"),
    C45Classifier(pruning="pessimistic", min_impurity_decrease=0.01),
    CARTClassifier(),
    CARTClassifier(criterion="entropy", pruning=None),
    CARTClassifier(ccp_alpha=0.02, chi_squared_alpha=0.1),
    CARTClassifier(pruning="pessimistic"),
    CARTClassifier(pruning="reduced-error", pruning_fraction=0.4),
    ID3Classifier(),
    ID3Classifier(nominal_splits="subset", pruning="reduced-error"),
    ID3Classifier(nominal_splits="binary", pruning="cost-complexity"),
    HellingerTreeClassifier(),
    HellingerTreeClassifier(pruning="cost-complexity", ccp_alpha=0.01),
]
N_SAMPLES = 90


def mixed_table(*, texts, missing):
    """Numbers near and far, many levels, and a class that some parts lack."""
    rng = np.random.default_rng(3)
    levels = rng.integers(0, 6, N_SAMPLES)
    levels[:2] = 6  # a level of two rows
    table = pd.DataFrame(
        {
            "a": rng.normal(size=N_SAMPLES),
            "b": rng.integers(0, 4, N_SAMPLES).astype(float),
            "constant": np.ones(N_SAMPLES),
            "level": pd.Categorical.from_codes(levels, [f"v{i}" for i in range(8)]),
        }
    )
    if texts:
        table["level"] = table["level"].astype(str)
    if missing:
        table.loc[rng.random(N_SAMPLES) < 0.1, "a"] = np.nan
        table.loc[rng.random(N_SAMPLES) < 0.1, "level"] = None
    y = np.where(table["b"] + (levels > 3) + rng.normal(size=N_SAMPLES) > 2, "yes", "no")
    y[-3:] = "rare"
    return table, y.astype(object)


@pytest.mark.parametrize("learner", [*LEARNERS, ID3Classifier(ordinal_splits="multiway")], ids=str)
@pytest.mark.parametrize("in_polars", [False, True], ids=["pandas", "polars"])
def test_trees_of_ordered_categories_answer_as_those_of_fit(learner, in_polars):
    X, y = mixed_table(texts=False, missing=True)
    X["level"] = X["level"].cat.as_ordered()
    if in_polars:
        levels = pl.Enum(X["level"].cat.categories.tolist())
        X = pl.from_pandas(X.astype({"level": object})).cast({"level": levels})
    agreement = check_batched_form(learner, X, y, cv="1x3", tolerance=1e-12)
    assert (agreement.n_runs, agreement.n_left, agreement.n_tied) == (3, 0, 0)
    form = make_form(learner, X, y)
    assert form._parts._learner.attributes_[3].kind == learner.ordinal_kind


def make_form(learner, X, y, n_folds=3):
    data = from_arrays(X, y)
    arguments = (data.features, data.target_array, data.y, data.classes, n_folds)
    return batched_form(learner, *arguments, even_if_slower=True)


def test_small_chunks_give_the_same_answers(monkeypatch):
    X, y = load_iris(return_X_y=True)
    form = make_form(CARTClassifier(), X, y)
    folds = np.tile(np.arange(150) % 3, (2, 1)).astype(np.int32)
    states = np.arange(6).reshape(2, 3)
    whole = form.predict(folds, states)
    monkeypatch.setattr("bestofk.batched.trees._CELLS_TOGETHER", 1)
    assert np.array_equal(form.predict(folds, states).probabilities, whole.probabilities)


def test_a_part_of_one_class_is_left_to_the_plain_way():
    X, y = np.arange(12.0)[:, None], np.array([0] * 10 + [1] * 2)
    folds = np.array([[0] * 5 + [1] * 5 + [2] * 2], dtype=np.int32)
    result = make_form(C45Classifier(), X, y).predict(folds, np.zeros((1, 3), dtype=np.int64))
    assert result.is_done.tolist() == [[True, True, False]]


def test_a_part_without_a_value_in_a_column_is_left_to_the_plain_way():
    X = np.column_stack([np.arange(12.0), np.full(12, np.nan)])
    X[:4, 1] = 1.0
    folds = np.repeat(np.arange(3), 4)[None].astype(np.int32)
    learner = LearnerPipeline([("prepare", KnownColumns()), ("learner", ID3Classifier())])
    result = make_form(learner, X, np.arange(12) % 2).predict(folds, np.zeros((1, 3), np.int64))
    assert result.is_done.tolist() == [[False, True, True]]


@pytest.mark.parametrize("share", [{"pruning_folds": 9}, {"pruning_fraction": 0.95}], ids=str)
def test_a_part_too_small_to_keep_rows_for_pruning_is_left_to_the_plain_way(share):
    learner = C45Classifier(pruning="reduced-error", **share)
    folds = np.tile(np.arange(3), 4)[None].astype(np.int32)
    form = make_form(learner, np.arange(12.0)[:, None], np.arange(12) // 6)
    result = form.predict(folds, np.zeros((1, 3), dtype=np.int64))
    assert result.is_done.tolist() == [[False] * 3]


@pytest.mark.parametrize(
    "learner",
    [
        C45Classifier(discretization="mdl"),
        C45Classifier(pruning="mdl"),
        C45Classifier(pruning="cost-complexity"),
        C45Classifier(oblique="lda"),
        C45Classifier(classes=["a", "b"]),
        C45Classifier(random_state=np.random.RandomState(0)),
        C45Classifier(confidence=7),
        CARTClassifier(flavor="simplecart"),
        CARTClassifier(cv=[([0], [1])]),
        ID3Classifier(empty_branches="none"),
        ID3Classifier(ordinal_features=[0]),
        ID3Classifier(max_categories=0),
    ],
    ids=lambda learner: str(learner).partition(" at 0x")[0],
)
def test_trees_that_would_differ_go_the_plain_way(learner):
    X, y = load_iris(return_X_y=True)
    assert make_form(learner, X, y) is None


def test_columns_that_fit_refuses_go_the_plain_way():
    X, y = load_iris(return_X_y=True)
    X[:, 0] = np.nan
    assert make_form(ID3Classifier(), X, y) is None


def test_too_many_levels_go_the_plain_way():
    X, y = mixed_table(texts=True, missing=False)
    assert make_form(ID3Classifier(max_categories=6), X, y) is None


def test_small_tables_are_grown_many_at_once_and_large_ones_one_by_one():
    def at_once(learner, n_samples, n_folds=2):
        columns = np.zeros((n_samples, 10)), np.zeros(n_samples), np.zeros(n_samples, np.int64)
        table = SharedTable(*columns, [0, 1])
        return TreeForm.repeats_at_once(learner, table, n_folds)

    assert at_once(C45Classifier(), 100) == 20
    assert at_once(C45Classifier(), 100, n_folds=10) == 4
    assert at_once(C45Classifier(), 60_000) == 5
    assert at_once(CARTClassifier(cv=4), 60_000) == 1  # five trees each
    assert at_once(C45Classifier(), 10_000_000) == 1
