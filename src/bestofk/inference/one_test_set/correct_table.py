"""Table of the rows of a test set that each of K fitted classifiers got right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import learner_table
from bestofk.inference.one_test_set.rows import check_zero_one
from bestofk.inference.two_learners.single_result import USUAL_LEVEL

ALL_TIES = Caution(
    "degenerate",
    "Every row is right for all learners or wrong for all of them, so the p value is 1 by "
    "convention.",
)


def correct_table(
    correct: Any, names: Sequence[str] | None, what: str
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the table of right and wrong as whole numbers, with the names, or raise.

    Parameters
    ----------
    correct : array-like of shape (n_rows, n_learners), 0 and 1 or bool
        1 where the learner got the row right.
    names : sequence of str or None
        Names of the learners.
    what : str
        Its name in the error message.

    Returns
    -------
    correct : ndarray of shape (n_rows, n_learners), int
        The same; sums of it are exact.
    names : tuple of str
        One per learner.

    Raises
    ------
    DesignError
        If it is no table of 0 and 1 with at least two rows and two learners.
    InvalidArgumentError
        If the names do not fit.
    """
    table, labels = learner_table(correct, what, row="row", names=names)
    check_zero_one(table, what, meaning="wrong, right")
    return table.astype(np.int64), labels


def none_shown(p_value: float) -> tuple[Caution, ...]:
    """Return the caution that a high p value does not say "equal", if it is high.

    Parameters
    ----------
    p_value : float in [0, 1]
        Of a test of K learners.

    Returns
    -------
    tuple of Caution
        Empty or one.
    """
    text = (
        f"No difference between the learners is shown at {USUAL_LEVEL:g}, which does not show "
        "them to be equal."
    )
    return caution_if(p_value > USUAL_LEVEL, "not-equal", text)
