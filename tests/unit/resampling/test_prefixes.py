"""Nested parts of training rows: sizes, shares of classes, identities, what is refused."""

import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.resampling import make_plan
from bestofk.resampling.partial_training import PrefixPlan, curve_sizes, prefix_orders


def data_of(counts, seed=0):
    y = np.repeat(np.arange(len(counts)), counts)
    rng = np.random.default_rng(seed)
    y = rng.permutation(y)
    return from_arrays(rng.normal(size=(len(y), 2)), y)


def plans_of(data, cv, sizes, **options):
    base = make_plan(data, cv, **options)
    orders = prefix_orders(data, base)
    return base, [PrefixPlan.of(base, orders, size) for size in sizes]


def test_parts_are_nested_and_never_tested_by_their_own_split():
    data = data_of([40, 25, 10])
    base, plans = plans_of(data, "2x5", [5, 12, 30, 60])
    for index, split in enumerate(base):
        parts = [plan.split(split.repeat, split.fold) for plan in plans]
        for smaller, larger in itertools.pairwise(parts):
            assert set(smaller.train_rows) < set(larger.train_rows)
        for plan, part in zip(plans, parts, strict=True):
            assert len(part.train_rows) == plan.size == plan.sizes[0][index]
            assert set(part.train_rows) <= set(split.train_rows)
            assert not set(part.train_rows) & set(split.test_rows)
            n_test = len(split.test_rows)
            assert part.test_rows[:n_test].tolist() == split.test_rows.tolist()
            assert part.test_rows[n_test:].tolist() == part.train_rows.tolist()
            assert len(part.test_rows) == plan.sizes[1][index]
            assert np.all(np.diff(part.train_rows) > 0)


@given(
    st.lists(st.integers(6, 40), min_size=2, max_size=4), st.integers(2, 5), st.integers(0, 1000)
)
def test_every_part_has_each_class_within_two_rows_of_its_share(counts, n_folds, seed):
    data = data_of(counts, seed)
    base = make_plan(data, n_folds, random_state=seed)
    for split, order in zip(base, prefix_orders(data, base), strict=True):
        assert sorted(order) == split.train_rows.tolist()
        whole = np.bincount(data.y[order], minlength=len(counts))
        for size in range(1, len(order) + 1):
            part = np.bincount(data.y[order[:size]], minlength=len(counts))
            shares = size * whole / len(order)
            assert np.all(np.abs(part - shares) < 2)


def test_parts_of_plans_without_strata_are_plain_draws():
    data = data_of([30, 30])
    base = make_plan(data, "1x3", stratify=False)
    orders = prefix_orders(data, base)
    halves = [np.bincount(data.y[order[:10]], minlength=2).tolist() for order in orders]
    assert halves[0] != [5, 5] or halves[1] != [5, 5] or halves[2] != [5, 5]


def test_orders_come_from_names():
    data = data_of([20, 20])
    few, many = make_plan(data, "1x4", random_state=3), make_plan(data, "3x4", random_state=3)
    for order, other in zip(prefix_orders(data, few), prefix_orders(data, many), strict=False):
        np.testing.assert_array_equal(order, other)
    other_seed = make_plan(data, "1x4", random_state=4)
    assert any(
        prefix_order.tolist() != other.tolist()
        for prefix_order, other in zip(
            prefix_orders(data, few), prefix_orders(data, other_seed), strict=True
        )
    )


def test_sizes_have_identities_of_their_own():
    _, plans = plans_of(data_of([30, 30]), "1x3", [10, 20, 40])
    _, again = plans_of(data_of([30, 30]), "1x3", [10, 20, 40])
    assert len({plan.id for plan in plans}) == 3
    assert [plan.id for plan in plans] == [plan.id for plan in again]
    assert len({split.id for plan in plans for split in plan}) == 9


@pytest.mark.parametrize(
    ("given_sizes", "n_train", "options", "wanted"),
    [
        (4, 640, {"n_classes": 2}, [10, 40, 160, 640]),
        (3, 90, {"n_classes": 4}, [20, 42, 90]),
        (3, 90, {"schedule": "arithmetic"}, [10, 50, 90]),
        (5, 8, {}, [8]),
        (5, 12, {}, [10, 11, 12]),
        ([0.1, 0.5, 1.0], 135, {}, [14, 68, 135]),
        ([10, 20, 135], 135, {}, [10, 20, 135]),
        ([1], 135, {}, [1]),
        ([1.0], 135, {}, [135]),
        (np.array([0.001, 0.002]), 100, {}, [1]),
    ],
)
def test_sizes_by_number_shares_and_rows(given_sizes, n_train, options, wanted):
    assert curve_sizes(given_sizes, n_train, **options).tolist() == wanted


@pytest.mark.parametrize(
    ("given_sizes", "message"),
    [
        (1, "train_sizes must be at least two sizes; got 1"),
        (0, "train_sizes must be at least two sizes; got 0"),
        ([], "train_sizes must be a number of sizes or a list of them"),
        ("many", "train_sizes must be a number of sizes or a list of them; got 'many'"),
        ([[10, 20]], "train_sizes must be a number of sizes or a list of them"),
        ([10, float("nan")], "train_sizes must be a number of sizes or a list of them"),
        ([0, 10], "train_sizes must be above 0 and strictly ascending; got 0, 10"),
        ([-0.5, 1.0], "train_sizes must be above 0 and strictly ascending"),
        ([20, 10], "train_sizes must be above 0 and strictly ascending; got 20, 10"),
        ([0.5, 10], "train_sizes must be all shares up to 1 or all whole numbers of rows"),
        ([10, 136], "at most the training rows of the smallest split .135.; got 10, 136"),
    ],
)
def test_sizes_that_make_no_curve_are_told(given_sizes, message):
    with pytest.raises(InvalidArgumentError, match=message):
        curve_sizes(given_sizes, 135)


def test_an_unknown_schedule_is_told():
    with pytest.raises(
        InvalidArgumentError, match=r"schedule must .* Known: geometric, arithmetic"
    ):
        curve_sizes(5, 100, schedule="log")
