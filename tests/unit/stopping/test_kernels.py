from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestofk.stopping import _distance_kernels, _rank_kernels

WAYS = ["interpreted", "compiled"]


def loop(kernel: object, way: str) -> object:
    return getattr(kernel, way)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 2**62), max_size=200), st.integers(0, 200))
def test_numbers_near_and_far_from_their_places_are_sorted(
    way: str, numbers: list[int], n_sorted: int
) -> None:
    packed = np.array(sorted(numbers[:n_sorted]) + numbers[n_sorted:], dtype=np.int64)
    expected = np.sort(packed)
    loop(_rank_kernels.sort_nearly_sorted, way)(packed, np.empty_like(packed))
    np.testing.assert_array_equal(packed, expected)
    packed = np.array(numbers, dtype=np.int64)
    loop(_rank_kernels.merge_sort, way)(packed, np.empty_like(packed))
    np.testing.assert_array_equal(packed, expected)


@pytest.mark.parametrize("way", WAYS)
def test_numbers_are_put_in_order_by_their_uppermost_digit_and_else_left(way: str) -> None:
    source = np.array([0x0203, 0x0102, 0x0201, 0x0101], dtype=np.int64)
    target, counts = np.empty_like(source), np.empty(4, dtype=np.int64)
    loop(_rank_kernels.scatter, way)(source, target, 8, counts)
    assert target.tolist() == [0x0102, 0x0101, 0x0203, 0x0201]


@pytest.mark.parametrize("n", [1, 2, 1_000, 100_000, 1 << 23])
def test_the_uppermost_digit_of_every_mean_has_a_count(n: int) -> None:
    n_digits, shift = _rank_kernels.digit_of(n)
    highest = (int(_rank_kernels.DECIMALS) << _rank_kernels.PLACE_BITS) | (n - 1)
    assert n_digits // 2 <= highest >> shift < n_digits <= max(4 * n, 1 << 16)


def test_ranks_and_distances_have_the_same_bits_interpreted_and_compiled() -> None:
    rng = np.random.default_rng(5)
    columns = rng.integers(0, 30, (6, 90)) / 29
    results = []
    for way in WAYS:
        products, distances = np.empty((6, 2)), np.empty(90)
        n_digits, shift = _rank_kernels.digit_of(90)
        ranks, counts = np.zeros(90), np.empty(n_digits, dtype=np.int64)
        loop(_rank_kernels.follow_ranks, way)(
            columns, 0, np.zeros(90), np.arange(90), *np.empty((2, 90), dtype=np.int64), shift,
            counts, ranks, products,
        )  # fmt: skip
        names, placed, weights, leaves = np.zeros((4, 90), dtype=np.int64)
        m = loop(_distance_kernels.place_scores, way)(columns[0], 0, np.zeros(90), names, placed)
        loop(_distance_kernels.follow_distance, way)(
            placed, 0, names[:m], weights, np.zeros((64, 3), dtype=np.int64), leaves, distances
        )
        results.append(products.tobytes() + ranks.tobytes() + distances.tobytes())
    assert results[0] == results[1]
