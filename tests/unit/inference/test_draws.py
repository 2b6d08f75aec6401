import numpy as np
import pytest

from bestofk.inference._draws import add_permuted, draw_values


@pytest.mark.parametrize("n_values", [2, 3, 4, 5, 16, 17, 50, 64, 65])
def test_permuted_blocks_are_those_of_numpy(n_values: int) -> None:
    blocks = np.random.default_rng(n_values).normal(size=(7, n_values))
    ours, theirs = np.random.default_rng(3), np.random.default_rng(3)
    sums = np.zeros((20, n_values))
    for part in (sums[:13], sums[13:]):
        add_permuted(ours.bit_generator.capsule, blocks, part)
    permuted = theirs.permuted(np.broadcast_to(blocks, (20, 7, n_values)).copy(), axis=2)
    np.testing.assert_array_equal(sums, permuted.sum(axis=1))
    assert ours.random() == theirs.random()


def test_no_blocks_add_nothing() -> None:
    sums = np.zeros((3, 4))
    add_permuted(np.random.default_rng(0).bit_generator.capsule, np.zeros((0, 4)), sums)
    assert not sums.any()


@pytest.mark.parametrize("n_values", [2, 3, 101, 5_000])
def test_values_drawn_are_those_of_numpy(n_values: int) -> None:
    values = np.random.default_rng(n_values).normal(size=n_values)
    ours, theirs = np.random.default_rng(4), np.random.default_rng(4)
    drawn, n_left = np.empty(3 * n_values + 1), 0
    for part in (drawn, drawn[: 2 * n_values + 1], drawn[: n_values + 1]):
        n_left = draw_values(ours.bit_generator.capsule, values, part, n_left)
        wanted = values[theirs.integers(n_values, size=len(part) - 1)]
        np.testing.assert_array_equal(part[:-1], wanted)
        part[0] = part[-1]


def test_numbers_that_would_favor_some_values_are_drawn_again() -> None:
    # 2^32 is 341 times that and 2^22 more, so that one number in 1,024 is drawn again
    n_values = 3 * 2**22
    values = np.arange(n_values, dtype=float)
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    drawn, n_left = np.empty(9_999), 0
    for _ in range(20):
        n_left = draw_values(ours.bit_generator.capsule, values, drawn, n_left)
        np.testing.assert_array_equal(drawn[:-1], theirs.integers(n_values, size=9_998))
        drawn[0] = drawn[-1]
    if n_left:
        assert drawn[-1] == theirs.integers(n_values)
    assert ours.random() == theirs.random()
