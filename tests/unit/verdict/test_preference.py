import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.verdict.preference import coarse_order, order_by_preference

NAMES = ["cart", "1nn", "majority"]


@pytest.mark.parametrize(
    ("costs", "order"),
    [
        ([1.0, 1.9, 1.2], [0, 1, 2]),
        ([1.9, 1.0, 2.1], [0, 1, 2]),
        ([2.1, 1.9, 1.0], [1, 2, 0]),
        ([8.0, 4.1, 2.0, 1.0], [2, 3, 0, 1]),
        ([0.0, 1e-9, 0.0], [0, 2, 1]),
        ([np.nan, 3.0, np.nan, 1.0], [3, 1, 0, 2]),
        ([np.inf, 1.0], [1, 0]),
        ([], []),
    ],
)
def test_costs_within_a_factor_of_two_stay_as_given(costs: list[float], order: list[int]) -> None:
    assert coarse_order(costs) == order


def test_a_factor_of_one_compares_exactly() -> None:
    assert coarse_order([1.9, 1.0, 1.2], factor=1) == [1, 2, 0]


@pytest.mark.parametrize("costs", [[1.0, -1.0], [[1.0]]])
def test_costs_are_one_number_per_learner_and_not_negative(costs: list[float]) -> None:
    with pytest.raises(InvalidArgumentError, match="one number per learner, none negative"):
        coarse_order(costs)


@pytest.mark.parametrize("factor", [0.5, float("nan")])
def test_a_factor_below_one_is_refused(factor: float) -> None:
    with pytest.raises(
        InvalidArgumentError, match="factor of coarse_order must be a number from 1"
    ):
        coarse_order([1.0], factor=factor)


def test_the_given_order_is_kept() -> None:
    assert order_by_preference(NAMES, "given") == (
        [0, 1, 2],
        "Preference as given: cart, 1nn, majority.",
    )


def test_a_list_of_names_is_followed() -> None:
    assert order_by_preference(NAMES, ("majority", "cart", "1nn")) == (
        [2, 0, 1],
        "Preference as listed: majority, cart, 1nn.",
    )


@pytest.mark.parametrize("word", ["fit-time", "fit_time"])
def test_a_measured_cost_is_compared_coarsely(word: str) -> None:
    order, sentence = order_by_preference(NAMES, word, {"fit-time": [0.9, 1.0, 0.1]})
    assert order == [2, 0, 1]
    assert sentence == (
        "Preference by measured fit time, cheapest first (costs within a factor of 2 count as "
        "equal and keep their order): majority, cart, 1nn."
    )


def test_what_was_not_measured_comes_last_and_is_said() -> None:
    order, sentence = order_by_preference(NAMES, "size", {"size": np.array([np.nan, 500.0, 10.0])})
    assert order == [2, 1, 0]
    assert sentence.endswith(": majority, 1nn, cart. Not measured, so last: cart.")


@pytest.mark.parametrize(
    ("prefer", "message"),
    [
        (["cart", "1nn"], "got a list without majority"),
        (["cart", "1nn", "major"], "got 'major'. Did you mean 'majority'"),
        (["cart", "1nn", "majority", "1nn"], "got 1nn more than once"),
        ("fit-tme", "got 'fit-tme'. Did you mean 'fit-time'"),
        ("predict-time", "must be a cost that was measured; got 'predict-time'"),
        ("size", r"costs of 'size' must be one number per learner; got shape \(2,\)"),
    ],
)
def test_a_preference_that_cannot_be_followed_is_refused(prefer, message):
    with pytest.raises(InvalidArgumentError, match=message):
        order_by_preference(NAMES, prefer, {"size": [1.0, 2.0]})


@pytest.mark.parametrize("kind", ["parameters", "feature-cost"])
def test_a_counted_cost_is_compared_as_it_is(kind: str) -> None:
    order, sentence = order_by_preference(NAMES, kind, {kind: [12.0, np.nan, 11.0]})
    assert order == [2, 0, 1]
    assert (
        "(equal costs keep their order): majority, cart, 1nn. Not known, so last: 1nn." in sentence
    )


def test_a_table_of_costs_is_compared_as_it_is() -> None:
    assert order_by_preference(NAMES, {"1nn": 1, "cart": 1.001, "majority": np.float64(1)}) == (
        [1, 2, 0],
        "Preference by a table of costs, cheapest first (equal costs keep their order): 1nn, "
        "majority, cart.",
    )


@pytest.mark.parametrize(
    ("prefer", "message"),
    [
        ({"cart": 1, "1nn": 2}, "must give a cost of every learner; got a table without majority"),
        ({"cart": 1, "1nn": 2, "major": 0}, "got 'major'. Did you mean 'majority'"),
        (
            {"cart": 1, "1nn": 2, "majority": -1},
            "prefer of 'majority' .* from 0 up; got -1",
        ),
        ({"cart": 1, "1nn": 2, "majority": "cheap"}, "prefer of 'majority' .* got 'cheap'"),
    ],
)
def test_a_table_that_is_none_is_refused(prefer: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        order_by_preference(NAMES, prefer)
