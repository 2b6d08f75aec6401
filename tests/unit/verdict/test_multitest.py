from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.errors import InvalidArgumentError
from bestofk.verdict.rules import (
    multitest_best,
    multitest_edges,
    multitest_order,
    multitest_orders,
)

P = np.array([[np.nan, 0.9, 0.02], [np.nan, np.nan, 0.016], [np.nan] * 3])


def graph(n_learners: int, pairs: list[tuple[int, int]]) -> np.ndarray:
    edges = np.zeros((n_learners, n_learners), dtype=bool)
    for i, j in pairs:
        edges[i, j] = True
    return edges


def test_holm_draws_an_edge_more_and_the_best_changes() -> None:
    few, p_few = multitest_edges(P, alpha=0.05, correction="bonferroni")
    more, p_more = multitest_edges(P, alpha=0.05, correction="holm")
    assert np.argwhere(few).tolist() == [[1, 2]]
    assert np.argwhere(more).tolist() == [[0, 2], [1, 2]]
    assert (multitest_order(few), multitest_order(more)) == ([0, 2, 1], [2, 0, 1])
    np.testing.assert_allclose(p_few[np.triu_indices(3, 1)], [1, 0.06, 0.048])
    np.testing.assert_allclose(p_more[np.triu_indices(3, 1)], [0.9, 0.048, 0.048])
    assert np.isnan(p_few[np.tril_indices(3)]).all()


@pytest.mark.parametrize(
    ("n_learners", "pairs", "order"),
    [
        (4, [(0, 1), (0, 2), (0, 3), (1, 2)], [2, 1, 3, 0]),
        (
            5,
            [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4)],
            [4, 2, 3, 1, 0],
        ),
        (3, [], [0, 1, 2]),
        (1, [], [0]),
    ],
)
def test_the_orders_of_the_paper_come_out(n_learners, pairs, order):
    assert multitest_order(graph(n_learners, pairs)) == order


def test_one_learner_has_no_edges() -> None:
    edges, adjusted = multitest_edges([[1.0]], alpha=0.05, correction="holm")
    assert edges.tolist() == [[False]]
    assert np.isnan(adjusted).all()


@pytest.mark.parametrize("values", [[0.1, 0.2], [[0.1, 0.2]], np.zeros((0, 0))])
def test_arrays_that_are_not_square_are_refused(values: object) -> None:
    with pytest.raises(InvalidArgumentError, match="must be a square array; got shape"):
        multitest_edges(values, alpha=0.05, correction="holm")  # type: ignore[arg-type]


def test_a_pair_without_a_p_value_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="must be numbers from 0 to 1; got nan"):
        multitest_edges(np.full((2, 2), np.nan), alpha=0.05, correction="holm")


@pytest.mark.parametrize("pair", [(2, 0), (1, 1)])
def test_an_edge_against_the_preference_is_refused(pair: tuple[int, int]) -> None:
    with pytest.raises(
        InvalidArgumentError, match=f"multitest_order must .*got one from {pair[0]} to {pair[1]}"
    ):
        multitest_order(graph(3, [pair]))


def one_after_the_other(edges: np.ndarray) -> list[int]:
    """Return the textbook order: the first without an edge among those that remain."""
    order: list[int] = []
    remaining = list(range(len(edges)))
    while remaining:
        order.append(next(i for i in remaining if not edges[i, remaining].any()))
        remaining.remove(order[-1])
    return order


@settings(deadline=None, max_examples=30)
@given(
    p_values=arrays(
        float,
        st.tuples(st.integers(0, 3), st.integers(1, 4), st.integers(1, 6)).map(
            lambda n: (n[0], n[1], n[2], n[2])
        ),
        elements=st.integers(0, 60).map(lambda count: count / 60),
    )
)
def test_many_comparisons_at_once_are_those_one_by_one(p_values: np.ndarray) -> None:
    for correction in ("bonferroni", "holm"):
        edges, adjusted = multitest_edges(p_values, alpha=0.3, correction=correction)
        best, orders = multitest_best(edges), multitest_orders(edges)
        assert orders.shape == p_values.shape[:-1]
        for index in np.ndindex(p_values.shape[:2]):
            item, its_p = multitest_edges(p_values[index], alpha=0.3, correction=correction)
            np.testing.assert_array_equal(edges[index], item)
            np.testing.assert_array_equal(adjusted[index], its_p)
            assert orders[index].tolist() == one_after_the_other(item) == multitest_order(item)
            assert best[index] == orders[index][0]


def test_orders_leave_the_edges_as_they_were() -> None:
    edges = graph(3, [(0, 2), (1, 2)])
    assert multitest_orders(edges).tolist() == [2, 0, 1]
    assert np.argwhere(edges).tolist() == [[0, 2], [1, 2]]


@pytest.mark.parametrize("run", [multitest_best, multitest_orders])
def test_one_bad_graph_among_many_is_refused(run: Callable[..., object]) -> None:
    edges = np.zeros((4, 3, 3), dtype=bool)
    edges[2, 1, 0] = True
    with pytest.raises(InvalidArgumentError, match="got one from 1 to 0"):
        run(edges)
    with pytest.raises(InvalidArgumentError, match="must be a square array"):
        run(np.zeros((4, 2, 3)))


def test_a_single_order_takes_a_single_graph() -> None:
    with pytest.raises(InvalidArgumentError, match="must be a square array"):
        multitest_order(np.zeros((2, 3, 3)))
