"""Tables of predictions: which columns they have, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk import apply_procedure, compare
from bestofk.errors import BestofkError
from bestofk.evaluation import Store
from bestofk.inference import cochran_q_test, mcnemar_test, permutation_test
from bestofk.score_tables.predictions import read_predictions

CELLS = {
    "row": [1, 2, 3, 1, 2, 3],
    "learner": ["a"] * 3 + ["b"] * 3,
    "truth": ["no", "yes", "yes"] * 2,
    "prediction": ["no", "no", "yes", "no", "yes", "yes"],
}
SHARES = {"no": [0.9, 0.6, 0.1, 0.8, 0.4, 0.3], "yes": [0.1, 0.4, 0.9, 0.2, 0.6, 0.7]}


def table(**changes):
    return pd.DataFrame({name: v for name, v in (CELLS | changes).items() if v is not None})


def test_without_a_prediction_the_most_probable_class_is_taken():
    expected = str(apply_procedure(table(), "cochran-q"))
    assert str(apply_procedure(table(prediction=None, **SHARES), "cochran-q")) == expected


def test_rows_may_stand_in_any_order_and_columns_have_other_names(tmp_path):
    expected = str(apply_procedure(table(**SHARES), "roc-hull"))
    mixed = table(**SHARES).sample(frac=1, random_state=0)
    renamed = mixed.rename(columns={"truth": "y_true", "row": "id", "learner": "model"})
    path = tmp_path / "renamed.csv"
    renamed.to_csv(path, index=False)
    found = apply_procedure(path, "roc-hull", "a", "b", columns={"truth": "y_true", "row": "id"})
    said = "  ! Column 'model' is read as learner."
    assert str(found).splitlines() == [*expected.splitlines(), said]


def test_numbers_with_fractions_are_no_classes():
    values = table(truth=[1.5, 2.0, 3.25] * 2, prediction=[1.0, 2.0, 3.0, 1.5, 2.5, 3.0])
    first, second = (np.array([1, 2, 3]), np.array([1.5, 2.5, 3.0]))
    truth = np.array([1.5, 2.0, 3.25])
    expected = permutation_test((first - truth) ** 2, (second - truth) ** 2)
    found = apply_procedure(values, "permutation", "a", "b")
    assert found.p_value == expected.p_value
    assert "Task: regression" in found.warnings[-1]
    with pytest.raises(BestofkError, match="task must be classification for cochran-q"):
        apply_procedure(values, "cochran-q")


def test_folds_are_told_apart_and_said_to_depend_on_each_other():
    folds = pd.concat([table().assign(fold=1), table().assign(fold=2)])
    assert "models of 2 folds" in str(apply_procedure(folds, "mcnemar", "a", "b"))
    repeats = pd.concat([table().assign(repeat=1), table().assign(repeat=2)])
    result = apply_procedure(repeats, "mcnemar", "a", "b")
    assert result.n == 3
    assert "first of 2 repeats" in result.assumptions[-1]


@pytest.mark.parametrize(
    ("changes", "options", "sentence"),
    [
        ({"row": None}, {}, "must have a column row; got learner, truth"),
        ({"truth": None}, {}, "must have a column truth"),
        ({"prediction": None}, {}, "a column prediction, one of probabilities for every"),
        ({"no": SHARES["no"]}, {}, r"Add yes\."),
        ({"row": [1, 2, 2, 1, 2, 3]}, {}, r"rows of a must be there once; got 2(\.0)? again"),
        ({"row": [1, 2, 3, 1, 2, 4]}, {}, "must predict the same rows with the same truth"),
        ({"truth": ["no", "yes", "yes", "no", "yes", "no"]}, {}, "the same truth; got others of b"),
        ({"truth": ["no", None, "yes"] * 2}, {}, "column truth of predictions must be filled"),
        (
            {**SHARES, "no": [0.9, None, 0.1] * 2, "prediction": None},
            {},
            "probabilities must be numbers on every row of a learner, .*; got others in row 2 of",
        ),
        ({**SHARES, "no": [0.9, None, 0.1, 0.8, 0.4, 0.3]}, {}, "got others in row 2 of the table"),
        ({}, {"columns": {"truht": "truth"}}, "role of a column must be"),
        ({}, {"columns": {"truth": "thruth"}}, "Did you mean 'truth'"),
        ({}, {"pos_label": "maybe"}, "pos_label must be"),
        ({}, {"method": "x"}, "method"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(changes, options, sentence):
    with pytest.raises(BestofkError, match=sentence):
        apply_procedure(table(**changes), "mcnemar", "a", "b", **options)


def test_learners_without_probabilities_are_named_only_where_they_are_needed():
    some = table(no=[0.9, 0.6, 0.1, None, None, None], yes=[0.1, 0.4, 0.9, None, None, None])
    assert apply_procedure(some, "mcnemar", "a", "b").n == 3
    with pytest.raises(BestofkError, match="probabilities or decision values of every learner"):
        apply_procedure(some, "roc-hull")


def test_classes_may_have_names_of_columns(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=40)})
    y = np.where(X["a"] + rng.normal(size=40) > 0, "learner", "row")
    path = tmp_path / "runs.db"
    compared = compare(["naive-bayes", "c45"], X, y, cv="1xholdout", store=path, progress=False)
    with Store(path) as store:
        assert str(apply_procedure(store, "delong")) == str(compared.test("delong"))


@given(st.data())
def test_any_table_gives_what_its_arrays_give(data):
    """Shuffled rows, class names of any make, learners that are right anywhere."""
    n, k = data.draw(st.integers(2, 8)), data.draw(st.integers(2, 4))
    labels = data.draw(st.sampled_from([["no", "yes"], ["a", "b", "c"], ["1", "2"], ["NA", "-"]]))
    codes = st.lists(st.integers(0, len(labels) - 1), min_size=n, max_size=n)
    truth = data.draw(codes)
    guesses = [data.draw(codes) for _ in range(k)]
    rows = [
        {"row": row, "learner": f"l{j}", "truth": labels[truth[row]],
         "prediction": labels[guesses[j][row]]}
        for j in range(k) for row in range(n)
    ]  # fmt: skip
    order = data.draw(st.permutations(range(len(rows))))
    frame = pd.DataFrame([rows[i] for i in order])
    right = (np.array(guesses) == truth).T.astype(float)
    names = [f"l{j}" for j in range(k)]
    found = apply_procedure(frame, "cochran-q", *names)
    assert found.statistic == cochran_q_test(right, names=names).statistic
    wrong = 1 - right
    pair = apply_procedure(frame, "mcnemar", "l0", "l1")
    assert pair.p_value == mcnemar_test(wrong[:, 0], wrong[:, 1]).p_value
    assert read_predictions(frame).learners == list(dict.fromkeys(frame["learner"]))
