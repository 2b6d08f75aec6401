"""Plans: what each form of cv gives, their identity, and what is refused."""

import pickle

import numpy as np
import pytest
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)

from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.resampling import choose_cv, make_plan


def tiny(n=30, groups=None, n_classes=3):
    X = np.arange(n * 2.0).reshape(n, 2)
    return from_arrays(X, np.arange(n) % n_classes, groups=groups)


def splits_are_disjoint(plan):
    return all(not set(s.train_rows) & set(s.test_rows) for s in plan)


@pytest.mark.parametrize(
    ("n", "cv"),
    [(150, "10x10"), (5000, "10x10"), (5001, "10x3"), (50_000, "10x3"), (50_001, "3x3")],
)
def test_auto_looks_at_the_number_of_rows_alone(n, cv):
    assert choose_cv(n) == cv


def test_auto_says_what_it_took():
    plan = make_plan(tiny(60), "auto")
    assert plan.name == "10x10"
    assert plan.notes[0] == "cv='auto' chose 10x10 for 60 rows."


@pytest.mark.parametrize(
    ("cv", "scheme", "n_repeats", "n_folds"),
    [
        ("5x2", "k-fold", 5, 2),
        ("10", "k-fold", 1, 10),
        (4, "k-fold", 1, 4),
        ("30xholdout", "hold-out", 30, 1),
        ("holdout:0.2", "hold-out", 1, 1),
        ("loo", "leave-one-out", 1, 30),
        ("7xbootstrap", "bootstrap", 7, 1),
        ("test:0.3", "test-set", 1, 1),
        ("test:9", "test-set", 1, 1),
    ],
)
def test_every_form_of_cv_gives_its_plan(cv, scheme, n_repeats, n_folds):
    plan = make_plan(tiny(), cv)
    assert (plan.scheme, plan.n_repeats, plan.n_folds) == (scheme, n_repeats, n_folds)
    assert len(list(plan)) == len(plan) == n_repeats * n_folds
    assert splits_are_disjoint(plan)
    train, test = plan.sizes
    assert [len(s.train_rows) for s in plan] == train.tolist()
    assert [len(s.test_rows) for s in plan] == test.tolist()


def test_the_second_half_of_5x2_is_the_first_one_swapped():
    plan = make_plan(tiny(), "5x2", stratify=False)
    for repeat in range(5):
        first, second = plan.split(repeat, 0), plan.split(repeat, 1)
        np.testing.assert_array_equal(first.train_rows, second.test_rows)


def test_a_fixed_test_set_is_the_last_rows():
    plan = make_plan(tiny(10), "test:3")
    assert plan.split(0, 0).test_rows.tolist() == [7, 8, 9]


def test_bootstrap_trains_on_as_many_draws_as_rows_and_tests_the_rest():
    for split in make_plan(tiny(), "5xbootstrap"):
        assert len(split.train_rows) == 30
        assert set(split.train_rows) | set(split.test_rows) == set(range(30))


def test_stratified_bootstrap_draws_every_class_as_often_as_it_occurs():
    data = tiny()
    for split in make_plan(data, "5xbootstrap"):
        assert np.bincount(data.y[split.train_rows]).tolist() == [10, 10, 10]


@pytest.mark.parametrize("cv", ["3x3", "4xholdout", "4xbootstrap", "loo"])
def test_groups_are_kept_together(cv):
    groups = np.repeat(np.arange(10), 3)
    plan = make_plan(tiny(groups=groups), cv)
    assert plan.is_grouped
    for split in plan:
        assert not set(groups[split.train_rows]) & set(groups[split.test_rows])


def test_the_same_seed_gives_the_same_plan_and_another_seed_another():
    first, again = make_plan(tiny(), "5x2"), make_plan(tiny(), "5x2")
    assert first.id == again.id
    assert first.id != make_plan(tiny(), "5x2", random_state=1).id
    assert first.id != make_plan(tiny(), "5x2", stratify=False).id


def test_a_longer_plan_shares_its_splits_with_the_shorter():
    short, long = make_plan(tiny(), "2x3"), make_plan(tiny(), "4x3")
    assert [s.id for s in short] == [s.id for s in long][:6]


@pytest.mark.parametrize(
    ("cv", "scheme", "n_repeats", "n_folds"),
    [
        (KFold(5), "k-fold", 1, 5),
        (StratifiedKFold(5, shuffle=True), "k-fold", 1, 5),
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0), "k-fold", 4, 3),
        (ShuffleSplit(6, test_size=0.25), "hold-out", 6, 1),
        (LeaveOneOut(), "leave-one-out", 1, 30),
        (PredefinedSplit([-1] * 20 + [0] * 10), "test-set", 1, 1),
    ],
)
def test_any_scikit_learn_splitter_is_recognised(cv, scheme, n_repeats, n_folds):
    plan = make_plan(tiny(), cv)
    assert (plan.scheme, plan.n_repeats, plan.n_folds) == (scheme, n_repeats, n_folds)
    assert splits_are_disjoint(plan)


def test_a_splitter_without_a_seed_gets_a_derived_one_and_is_not_changed():
    cv = StratifiedKFold(3, shuffle=True)
    assert make_plan(tiny(), cv).id == make_plan(tiny(), cv).id
    assert cv.random_state is None


def test_the_same_rows_have_the_same_identity_whoever_split_them():
    cv = [(s.train_rows, s.test_rows) for s in make_plan(tiny(), "5x2")]
    assert [s.id for s in make_plan(tiny(), cv)] == [s.id for s in make_plan(tiny(), "5x2")]


@pytest.mark.parametrize(
    "cv",
    ["10y10", "", "x", None, True, 3.5, "test:0", "holdout:1.5", "9" * 5000, "9" * 5000 + "x2"],
)
def test_an_unknown_cv_is_refused_with_the_forms_there_are(cv):
    with pytest.raises(InvalidArgumentError, match=r"must be (one of|from 1)"):
        make_plan(tiny(), cv)


def test_splits_that_overlap_are_empty_or_out_of_range_are_refused():
    with pytest.raises(InvalidArgumentError, match="split 0 of cv must not test rows"):
        make_plan(tiny(), [([0, 1, 2], [2, 3])])
    with pytest.raises(InvalidArgumentError, match="split 0 of cv must have training and test"):
        make_plan(tiny(), [([0, 1, 2], [])])
    with pytest.raises(InvalidArgumentError, match="rows of a split must be from 0 to 29"):
        make_plan(tiny(), [([0, 1], [30])])
    with pytest.raises(InvalidArgumentError, match="at least one split"):
        make_plan(tiny(), [])


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (([0.5, 1], [2]), "rows of a split must be whole numbers or truth values; got float64"),
        (([[0], [1, 2]], [3]), "rows of a split must be whole numbers or truth values; got list"),
        (([2**70], [3]), "rows of a split must be whole numbers or truth values; got object"),
        ((np.ma.array([0, 1], mask=[0, 1]), [3]), "must be whole numbers .* got masked"),
        (([True, False], [3]), r"truth values of a split must be one per row \(30\); got 2"),
        (([0, 1], [2, 3, 2]), "split 0 of cv must test each row once; got row 2 several times"),
        (([0, 1],), r"cv must give pairs of \(train, test\) rows; got tuple"),
        (7, r"cv must give pairs of \(train, test\) rows; got int"),
    ],
)
def test_splits_that_are_no_rows_are_refused(split, message):
    with pytest.raises(InvalidArgumentError, match=message):
        make_plan(tiny(), [split])


def test_training_rows_may_repeat_as_in_a_bootstrap():
    (split,) = make_plan(tiny(), [([0, 0, 1], [3, 4])])
    assert split.train_rows.tolist() == [0, 0, 1]


def test_a_splitter_that_cannot_split_these_rows_is_refused_with_its_reason():
    with pytest.raises(
        InvalidArgumentError, match=r"cv must split .* got ValueError of KFold.*n_splits=40"
    ):
        make_plan(tiny(), KFold(40))


def test_a_hold_out_that_cannot_be_stratified_is_refused():
    data = from_arrays(np.zeros((4, 1)), np.array([0, 0, 1, 1]))
    with pytest.raises(InvalidArgumentError, match="rows of every class on both sides"):
        make_plan(data, "holdout:0.1")


def test_rare_classes_are_noted():
    data = from_arrays(np.arange(22.0).reshape(-1, 1), np.array(["a"] * 20 + ["b"] * 2))
    assert "b (2)" in make_plan(data, "2x5").notes[0]


def test_a_plan_prints_what_it_does_and_lists_its_splits():
    plan = make_plan(tiny(), "2x3")
    assert str(plan).startswith("2 repeats of 3-fold cross-validation, stratified: 6 splits of")
    frame = plan.to_frame()
    assert list(frame.columns) == ["repeat", "fold", "split", "n_train", "n_test"]
    assert frame["n_test"].tolist() == [10] * 6


def test_a_plan_leaves_what_it_computed_behind_when_it_is_sent():
    plan = make_plan(tiny(), "3x5")
    plan.test_rows, plan.split_ids, plan.id  # noqa: B018  # computed once and kept
    sent = pickle.loads(pickle.dumps(plan))
    assert "test_rows" not in vars(sent)
    assert (sent.id, sent.split_ids) == (plan.id, plan.split_ids)
