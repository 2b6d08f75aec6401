"""Choice of the best learner by the underlines of Newman-Keuls."""

from __future__ import annotations

from collections.abc import Sequence

from bestofk.errors import InvalidArgumentError
from bestofk.inference import newman_keuls
from bestofk.inference.many_learners.range_tests import NEWMAN_KEULS_TITLE
from bestofk.verdict.ordering import Ordering, OrderingInput, Pick


def newman_keuls_best(order: Sequence[int], underlines: Sequence[Sequence[int]]) -> int | None:
    """Return the best learner by the four rules for underlines, None where none applies.

    The learner with the lowest mean is best if no line starts at it. Else it is the most
    preferred learner of that line, unless this one lies in another line too.

    Parameters
    ----------
    order : sequence of int
        Learners from the lowest mean loss to the highest, numbered in decreasing preference.
    underlines : sequence of sequence of int
        Runs of `order` whose learners cannot be distinguished, each of at least two learners.

    Returns
    -------
    int or None
        A learner of `order`. None where the most preferred of the first line lies in two lines:
        it may equal a learner that is better than those preferred to it [1]_.

    Raises
    ------
    InvalidArgumentError
        If `order` is empty or names a learner twice, or a line is no run of it.

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> newman_keuls_best([5, 2, 4, 3, 1], [[5, 2, 4], [4, 3]])
    2
    >>> print(newman_keuls_best([5, 4, 2, 1, 3], [[5, 4, 2], [2, 1]]))
    None
    """
    ascending = [int(learner) for learner in order]
    if not ascending or len(set(ascending)) < len(ascending):
        raise InvalidArgumentError(
            f"order of newman_keuls_best must hold every learner once; got {ascending}. "
            "List the learners from the lowest mean loss to the highest."
        )
    lines = [[int(learner) for learner in line] for line in underlines]
    for line in lines:
        _check_run(line, ascending)
    first = next((line for line in lines if line[0] == ascending[0]), ascending[:1])
    simplest = min(first)
    return simplest if sum(simplest in line for line in lines) <= 1 else None


def _check_run(line: list[int], order: list[int]) -> None:
    start = order.index(line[0]) if line and line[0] in order else 0
    if len(line) < 2 or order[start : start + len(line)] != line:
        raise InvalidArgumentError(
            f"underlines of newman_keuls_best must be runs of at least two of the order {order}; "
            f"got {line}. Leave single learners out, and list each line as the order does."
        )


def _pick(given: OrderingInput) -> Pick:
    result = newman_keuls(given.losses, names=given.names, alpha=given.alpha)
    if result.flags:  # no test without variance
        return Pick(0, "No difference is shown, so the most preferred is taken.")
    best = newman_keuls_best(result.order, result.underlines)
    lines = "; ".join(given.list_names(line) for line in result.underlines)
    why = f"Underlined together: {lines}." if lines else "No underlines: all means differ."
    return Pick(best, why)


ORDERING = Ordering("newman-keuls", "Newman-Keuls rules", _pick, NEWMAN_KEULS_TITLE)
