from __future__ import annotations

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.ordering.multitest import multitest_edges, multitest_order

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
def test_the_orders_of_the_paper_come_out(
    n_learners: int, pairs: list[tuple[int, int]], order: list[int]
) -> None:
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
    with pytest.raises(InvalidArgumentError, match=f"got one from {pair[0]} to {pair[1]}"):
        multitest_order(graph(3, [pair]))
