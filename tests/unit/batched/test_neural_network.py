import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.given import data_folder

from bestofk.batched import batched_form
from bestofk.batched import network_stack as stacks
from bestofk.batched import rectified_network as rectified
from bestofk.batched.neural_network import _standardized
from bestofk.data import load_data
from bestofk.data.arrays import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.run import RunnableLearner, run_one
from bestofk.learners import learner_catalogue
from bestofk.resampling import make_plan
from bestofk.testing import batched_agreement, check_batched_form

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)


def form_of(estimator, X, y, n_folds=5):
    data = from_arrays(X, y)
    return batched_form(estimator, data.features, data.target_array, data.y, data.classes, n_folds)


def folds_of(X, y, cv):
    return make_plan(from_arrays(X, y), cv, random_state=0).folds


@pytest.mark.parametrize(
    "settings",
    [
        {"hidden_layer_sizes": 8},
        {"hidden_layer_sizes": (20,), "batch_size": 30, "alpha": 0.5},
        {"hidden_layer_sizes": (6, 4), "activation": "tanh", "learning_rate_init": 0.02},
        {"hidden_layer_sizes": [5, 1, 3], "activation": "logistic", "shuffle": False},
        {"hidden_layer_sizes": (), "activation": "identity", "beta_1": 0.5, "beta_2": 0.9},
        {"hidden_layer_sizes": (4, 3), "activation": "identity", "epsilon": 1e-3},
    ],
)
def test_every_setting_gives_the_trajectory_of_scikit_learn(settings):
    learner = MLPClassifier(max_iter=20, **settings)
    for X, y in (IRIS, (IRIS[0][:100], IRIS[1][:100])):
        agreement = check_batched_form(learner, X, y, cv="1x3", tolerance=1e-13)
        assert (agreement.n_runs, agreement.n_left, agreement.n_different) == (3, 0, 0)


def test_training_stops_in_the_epoch_of_scikit_learn():
    learner = MLPClassifier((8,), max_iter=300, tol=5e-3, n_iter_no_change=3)
    pipeline = make_pipeline(StandardScaler(), learner)
    assert check_batched_form(pipeline, *WINE, cv="1x3", tolerance=1e-12).n_runs == 3


def test_a_column_that_is_constant_or_twice_there_changes_nothing():
    X = np.column_stack([WINE[0], np.ones(178), WINE[0][:, 0]])
    pipeline = make_pipeline(StandardScaler(), MLPClassifier((8,), max_iter=40))
    assert check_batched_form(pipeline, X, WINE[1], cv="2x2", tolerance=1e-12).n_runs == 4


def test_duplicate_rows_and_classes_far_apart_are_no_exception():
    X = np.repeat(IRIS[0][:100] * 50, 2, axis=0)
    y = np.repeat(IRIS[1][:100], 2)
    assert check_batched_form(MLPClassifier((8,), max_iter=20), X, y, cv="1x2").n_runs == 2


def test_levels_and_gaps_are_filled_in_every_part():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=60), "b": list("uvvvww") * 10})
    table.loc[::7, "a"] = np.nan
    table.loc[5, "b"] = "rare"
    y = np.where(table["b"] == "v", "yes", "no")
    pipeline = learner_catalogue()["mlp"].make().set_params(learner__max_iter=15)
    agreement = check_batched_form(pipeline, table, y, cv="2x2", tolerance=1e-12)
    assert (agreement.n_runs, agreement.n_left) == (4, 0)


def test_a_class_that_a_part_lacks_gets_probability_zero():
    y = np.array([0, 1] * 30)
    y[0] = 2
    data = from_arrays(IRIS[0][:60], y)
    folds = np.tile(np.arange(60) // 2 % 2, (1, 1)).astype(np.int32)
    form = form_of(MLPClassifier((3,), max_iter=5), data.features, y, n_folds=2)
    result = form.predict(folds, np.array([[1, 2]]))
    assert (result.probabilities[0, folds[0] == 0, 2] == 0).all()
    assert (result.probabilities[0, folds[0] == 1, 2] > 0).all()
    assert result.is_done.all()


def test_a_part_of_one_class_is_left_to_the_plain_way():
    y = np.repeat([0, 1], 30)
    folds = y[None].astype(np.int32)
    folds[0, :3] = 1
    result = form_of(MLPClassifier((3,), max_iter=5), IRIS[0][:60], y, 2).predict(
        folds, np.array([[1, 2]])
    )
    assert result.is_done.tolist() == [[True, False]]


def test_weights_beyond_all_numbers_are_left_to_the_plain_way():
    learner = MLPClassifier((3,), max_iter=5, learning_rate_init=1e200)
    result = form_of(learner, *IRIS).predict(folds_of(*IRIS, "1x5"), np.ones((1, 5), dtype=int))
    assert not result.is_done.any()


def test_messages_are_those_of_the_plain_way():
    learner = MLPClassifier((3,), max_iter=4, batch_size=130, random_state=7)
    data = from_arrays(*IRIS)
    plan = make_plan(data, "1x5", random_state=0)
    result = form_of(learner, *IRIS).predict(plan.folds, np.full((1, 5), 7))
    for split in plan:
        plain = run_one(RunnableLearner("mlp", learner), data, split, seed=1)
        assert "hasn't converged" in plain.message
        assert "clipped" in plain.message
        assert result.messages[split.repeat, split.fold] == plain.message


def test_no_message_where_training_stops_in_time():
    learner = MLPClassifier((3,), max_iter=100, tol=0.5, n_iter_no_change=2)
    result = form_of(learner, *IRIS).predict(folds_of(*IRIS, "1x5"), np.ones((1, 5), dtype=int))
    assert result.messages == {}


def test_a_block_of_repeats_gives_the_bits_of_its_repeats():
    for X, y in (IRIS, WINE):
        folds = folds_of(X, y, "3x5")
        states = np.arange(15).reshape(3, 5)
        form = form_of(make_pipeline(StandardScaler(), MLPClassifier((7,), max_iter=30)), X, y)
        block = form.predict(folds, states)
        for index in range(3):
            alone = form.predict(folds[index : index + 1], states[index : index + 1])
            assert np.array_equal(alone.probabilities[0], block.probabilities[index])
            assert np.array_equal(alone.labels[0], block.labels[index])


def test_the_size_of_a_stack_changes_no_bit(monkeypatch):
    form = form_of(MLPClassifier((7,), activation="tanh", max_iter=40, tol=1e-2), *IRIS)
    folds, states = folds_of(*IRIS, "2x5"), np.arange(10).reshape(2, 5)
    many = form.predict(folds, states)
    monkeypatch.setattr(stacks, "_LARGEST_STACK", 1)
    assert np.array_equal(form.predict(folds, states).probabilities, many.probabilities)


@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(1, 1500), skipped=st.integers(0, 700))
@settings(max_examples=50, deadline=None)
def test_rows_are_shuffled_as_numpy_shuffles(seed, n_rows, skipped):
    from bestofk.batched._network_kernels import _shuffle_rows

    rng = np.random.RandomState(seed)
    rng.uniform(size=skipped)
    state = rng.get_state(legacy=False)["state"]
    rows = np.arange(n_rows)[None].copy()
    keys, indices = state["key"][None].copy(), np.array([state["pos"]])
    expected, partners = np.arange(n_rows), np.empty(n_rows, dtype=np.int64)
    for _ in range(2):
        rng.shuffle(expected)
        _shuffle_rows(rows, keys, indices, partners)
        assert np.array_equal(rows[0], expected)


def test_adam_moves_weights_as_computed_by_hand():
    from bestofk.batched._network_kernels import _adam_step

    weights, gradient = np.array([[1.0, -2.0]]), np.array([[4.0, 6.0]])
    first, second, losses = np.zeros((1, 2)), np.zeros((1, 2)), np.array([1.0])
    decay = np.array([2.0, 0.0])
    for step in (_adam_step.py_func, _adam_step):
        w, m, v, loss = weights.copy(), first.copy(), second.copy(), losses.copy()
        step(w, gradient, m, v, decay, np.array([2.0, 0.1, 0.5, 0.75, 0.0]), loss)
        assert m.tolist() == [[1.5, 1.5]]  # half of slopes (4 + 2 * 1) / 2 and 6 / 2
        assert v.tolist() == [[2.25, 2.25]]
        np.testing.assert_allclose(w, [[0.9, -2.1]], rtol=1e-15)
        assert loss.tolist() == [2.0]  # 1 + half of 2 * 1 squared


def made(n_rows, n_columns, n_classes):
    """Return rows of random numbers, of classes that depend on them a little."""
    rng = np.random.default_rng(n_rows + n_columns)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X[:, 0] + rng.normal(size=n_rows)).argsort().argsort() * n_classes // n_rows
    return X, y


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "n_classes", "n_units", "batch_size"),
    [
        (80, 8, 2, 1, 40),  # 40 training rows: whole blocks
        (82, 7, 3, 2, 41),  # one row in the second block
        (82, 9, 3, 3, 40),  # one row in the second batch
        (90, 31, 2, 2, 200),  # a row's numbers fill one entry of the table
        (90, 32, 2, 5, 200),  # and one more
        (60, 14, 3, 4, 200),  # numbers of three outputs fill more than an entry
        (20, 1, 2, 2, 40),
        (60, 3, 5, 2, 200),  # more outputs than are tabulated
        (60, 3, 2, 2, 7),  # smaller batches than are tabulated
    ],
)
def test_networks_of_one_rectified_layer_are_those_of_scikit_learn(
    n_rows, n_columns, n_classes, n_units, batch_size
):
    X, y = made(n_rows, n_columns, n_classes)
    learner = MLPClassifier(n_units, max_iter=4, batch_size=batch_size, learning_rate_init=0.05)
    agreement = check_batched_form(learner, X, y, cv="1x2", tolerance=1e-13)
    assert (agreement.n_runs, agreement.n_left, agreement.n_different) == (2, 0, 0)


def test_without_shuffling_batches_are_taken_as_they_stand():
    learner = MLPClassifier(4, max_iter=8, batch_size=50, shuffle=False, epsilon=1e-5)
    assert check_batched_form(learner, *WINE, cv="1x2", tolerance=1e-13).n_runs == 2


@pytest.mark.parametrize(
    ("settings", "n_classes", "expected"),
    [
        ({}, 2, True),
        ({}, 3, True),
        ({}, 4, False),
        ({"batch_size": 40}, 2, True),
        ({"batch_size": 39}, 2, False),
        ({"activation": "tanh"}, 2, False),
        ({"hidden_layer_sizes": (3, 2)}, 2, False),
        ({"hidden_layer_sizes": ()}, 2, False),
        ({"epsilon": 0.0}, 2, False),
    ],
)
def test_sums_over_subsets_are_for_one_rectified_layer_of_few_outputs(
    settings, n_classes, expected
):
    asked = stacks.NetworkSettings.of(MLPClassifier(**{"hidden_layer_sizes": 3, **settings}))
    assert rectified.is_rectified(asked, 15, n_classes) == expected
    assert rectified.is_rectified(asked, 16, n_classes) == (expected and n_classes == 2)


def test_how_many_epochs_are_trained_at_once_changes_no_bit(monkeypatch):
    form = form_of(MLPClassifier(5, max_iter=60, tol=1e-2, batch_size=50), *WINE, n_folds=3)
    folds, states = folds_of(*WINE, "1x3"), np.arange(3)[None]
    many = form.predict(folds, states)
    monkeypatch.setattr(rectified, "_AT_ONCE", 1)
    assert np.array_equal(form.predict(folds, states).probabilities, many.probabilities)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_blocks_and_batches_have_the_same_bits_compiled_and_not(monkeypatch, n_classes):
    from bestofk.batched import _rectified_kernels as kernels

    X, y = made(150, 13, n_classes)
    form = form_of(MLPClassifier(3, max_iter=2, batch_size=60), X, y, 2)
    folds, results = folds_of(X, y, "1x2"), []
    for way in (kernels._train_epochs.interpreted, kernels._train_epochs.compiled):
        monkeypatch.setattr(kernels, "_train_epochs", way)
        results.append(form.predict(folds, np.array([[1, 2]])).probabilities)
    assert np.array_equal(*results)


def test_saturated_outputs_are_as_certain_as_in_scikit_learn():
    from bestofk.batched._rectified_kernels import _errors_of

    outputs, slopes = np.zeros(40), np.zeros(1)
    outputs[:4] = [-800.0, 800.0, -800.0, np.inf]
    loss = _errors_of(outputs, np.array([0, 1, 1, 1]), np.arange(4), slopes)
    np.testing.assert_allclose(outputs[:4], [0, 0, -1, 0], atol=1e-300)
    assert not outputs[4:].any()
    assert slopes.tolist() == [-1.0]
    np.testing.assert_allclose(loss, -np.log(np.finfo(float).eps), rtol=1e-14)


def test_columns_are_standardized_to_the_bits_of_scikit_learn():
    rng = np.random.default_rng(0)
    values = np.column_stack([
        rng.normal(size=70), 1e9 + rng.normal(size=70), np.full(70, 0.1),
        1e9 + 1e-6 * rng.normal(size=70), rng.integers(0, 2, 70) * 1e-170,
    ])  # fmt: skip
    is_train = rng.random(70) < 0.7
    expected = StandardScaler().fit(values[is_train]).transform(values)
    assert np.array_equal(_standardized(values, is_train), expected)


@pytest.mark.parametrize(
    "setting",
    [
        {"solver": "sgd"},
        {"solver": "lbfgs"},
        {"early_stopping": True},
        {"warm_start": True},
        {"tol": 0.0},
        {"verbose": True},
        {"max_iter": -1},
        {"hidden_layer_sizes": (0,)},
        {"random_state": np.random.RandomState(0)},
    ],
)
def test_other_settings_go_the_plain_way(setting):
    assert form_of(MLPClassifier(**setting), *IRIS) is None


def test_a_subclass_goes_the_plain_way():
    class Other(MLPClassifier):
        pass

    assert form_of(Other(), *IRIS) is None


@pytest.mark.parametrize("spoiled", ["short", "huge", "infinite"])
def test_tables_that_the_form_does_not_reproduce_go_the_plain_way(spoiled):
    X = IRIS[0].copy()
    if spoiled == "short":
        X = X.astype(np.float32)
    else:
        X[0, 0] = {"huge": 1e60, "infinite": np.inf}[spoiled]
    data = from_arrays(*IRIS)
    form = batched_form(MLPClassifier(), X, data.target_array, data.y, data.classes, 5)
    assert form is None


def test_random_states_are_asked_for():
    form = form_of(MLPClassifier(), *IRIS)
    with pytest.raises(InvalidArgumentError, match="random_states must be given"):
        form.predict(folds_of(*IRIS, "1x5"))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_plain_training_on_wine_is_met_to_the_last_bit():
    X, y = WINE
    folds = folds_of(X, y, "1x3")
    result = form_of(MLPClassifier((9,), max_iter=50), X, y, 3).predict(
        folds, np.array([[4, 5, 6]])
    )
    for fold in range(3):
        rows = folds[0] == fold
        plain = MLPClassifier((9,), max_iter=50, random_state=4 + fold).fit(X[~rows], y[~rows])
        np.testing.assert_allclose(
            result.probabilities[0, rows], plain.predict_proba(X[rows]), rtol=0, atol=1e-14
        )


@pytest.mark.parametrize("name", ["zoo", "labor", "horse-colic"])
def test_given_data_agree(name):
    data = load_data(data_folder() / "uci" / f"{name}.arff")
    pipeline = learner_catalogue()["mlp"].make().set_params(learner__max_iter=20)
    agreement = batched_agreement(pipeline, data, cv="1x2")
    assert agreement.n_runs == 2
    assert agreement.n_different == 0
    assert agreement.largest_difference < 1e-11
