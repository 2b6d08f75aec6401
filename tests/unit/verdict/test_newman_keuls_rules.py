import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.verdict.classical_rules import newman_keuls_best


@pytest.mark.parametrize(
    ("order", "underlines", "best"),
    [
        ([3, 5, 4, 2, 1], [], 3),
        ([3, 5, 4, 2, 1], [[3, 5, 4, 2, 1]], 1),
        ([0], [], 0),
    ],
)
def test_all_none_or_one_learner_underlined(order, underlines, best):
    assert newman_keuls_best(order, underlines) == best


@pytest.mark.parametrize("line", [[5], [], [3, 4], [4, 5], [1, 7]])
def test_a_line_that_is_no_run_is_refused(line: list[int]) -> None:
    with pytest.raises(InvalidArgumentError, match="must be runs of at least two of the order"):
        newman_keuls_best([3, 5, 4, 2, 1], [line])


@pytest.mark.parametrize("order", [[], [1, 2, 1]])
def test_an_order_holds_every_learner_once(order: list[int]) -> None:
    with pytest.raises(InvalidArgumentError, match="must hold every learner once"):
        newman_keuls_best(order, [])
