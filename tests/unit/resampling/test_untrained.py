"""Classes that splits test without a row to train on: refused, or counted."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from bestofk import compare
from bestofk.data import DataSet, load_data
from bestofk.errors import InvalidArgumentError
from bestofk.resampling import make_plan
from bestofk.resampling.make_plan import untrained_classes
from bestofk.resampling.partial_training import PrefixPlan


@pytest.fixture
def iris():
    return load_data("iris")  # sorted by class


def counted(data, plan):
    """Count class by class and split by split, in the plainest way."""
    weight = np.ones(data.n_samples) if data.sample_weight is None else data.sample_weight
    return np.array([
        [
            (data.y[test] == code).any() and not (data.y[train[weight[train] > 0]] == code).any()
            for code in range(len(data.classes))
        ]
        for train, test in zip(plan.train_rows, plan.test_rows, strict=True)
    ])  # fmt: skip


@pytest.mark.parametrize("cv", ["test:50", KFold(3), [(range(100), range(100, 150))]])
def test_a_plan_all_of_whose_splits_test_an_untrained_class_is_refused(iris, cv):
    with pytest.raises(InvalidArgumentError, match="must have training rows; got none of class"):
        make_plan(iris, cv)


def test_the_refusal_says_which_class_and_what_to_do(iris):
    with pytest.raises(InvalidArgumentError) as raised:
        make_plan(iris, "test:50")
    assert str(raised.value) == (
        "every class that cv tests must have training rows; got none of class 'virginica' in the "
        "only split of test:50. The rows may be sorted by the target: shuffle them, or take "
        "cv='10x10'."
    )


@pytest.mark.parametrize("cv", ["loo", 3, "5xholdout"])
def test_groups_of_one_class_each_are_refused(cv):
    y = np.repeat([0, 1, 2], 20)
    data = DataSet("d", np.zeros((60, 1)), y, "classification", groups=y)
    with pytest.raises(InvalidArgumentError, match="All rows of such a class are in one group"):
        make_plan(data, cv)


def test_classes_are_counted_as_one_by_one():
    rng = np.random.default_rng(0)
    n_lacking = 0
    for seed in range(30):
        y = np.sort(rng.integers(0, 4, size=24)) if seed % 2 else rng.integers(0, 4, size=24)
        weight = (rng.random(24) > 0.3).astype(float) if seed % 3 else None
        data = DataSet("d", np.zeros((24, 1)), y, "classification", sample_weight=weight)
        for cv in ("2x3", "loo", "4xholdout", "3xbootstrap", "test:4", KFold(4)):
            try:
                plan = make_plan(data, cv, stratify=False, random_state=seed)
            except InvalidArgumentError:
                n_lacking += 1
                continue
            assert np.array_equal(untrained_classes(data, plan), counted(data, plan))
            n_lacking += untrained_classes(data, plan).any()
    assert n_lacking > 30


def test_some_splits_without_a_class_are_a_caution(iris):
    rows = np.arange(150)
    splits = [(rows[:100], rows[100:]), (rows[::2], rows[1::2]), (rows[1::2], rows[::2])]
    result = compare(["nearest-mean", "majority"], iris, cv=splits)
    said = (
        "class virginica has no row in 1 of 3 training parts, so it cannot be predicted there. "
        "Stratify, or shuffle the rows."
    )
    assert [c.code for c in result.findings.cautions if c == said] == ["incomplete"]


def test_small_parts_of_a_training_part_are_counted_too(iris):
    base = make_plan(iris, "2xholdout", stratify=False)
    orders = tuple(train[np.argsort(iris.y[train], kind="stable")] for train in base.train_rows)
    plan = PrefixPlan.of(base, orders, 10)
    assert untrained_classes(iris, plan).tolist() == [[False, True, True]] * 2


def test_regression_has_no_classes():
    data = DataSet("d", np.zeros((9, 1)), np.arange(9.0), "regression")
    assert untrained_classes(data, make_plan(data, 3)).shape == (3, 0)
