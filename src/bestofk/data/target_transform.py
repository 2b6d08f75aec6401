"""Logarithms that learners are trained on in place of a target, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError

LOG: Final = "log"


class TargetTransform(NamedTuple):
    """A function of the target that learners are trained on, in words and with its inverse."""

    title: str
    forward: Callable[[Floats], Floats]
    backward: Callable[[Floats], Floats]


TARGET_TRANSFORMS: Final = {
    LOG: TargetTransform("the logarithm of the target", np.log, np.exp),
    "log1p": TargetTransform("log(1 + target)", np.log1p, np.expm1),
}


def logarithm_of(asked: str, y: Floats, *, is_classification: bool) -> str:
    """Return the name of the logarithm that suits a target: "log", or "log1p" with values of 0.

    Parameters
    ----------
    asked : str
        What was asked for, which must be "log".
    y : ndarray of shape (n_samples,)
        The target.
    is_classification : bool
        Whether it holds classes.

    Raises
    ------
    InvalidArgumentError
        If something else was asked for, there are classes, or a value is negative.

    Examples
    --------
    >>> logarithm_of("log", np.array([0.0, 1.0, 9.0]), is_classification=False)
    'log1p'
    """
    check_known(asked, "target_transform", (LOG,))
    if is_classification:
        raise InvalidArgumentError(
            f"target_transform must be None for classification; got {asked!r}. Classes have no "
            "logarithm: leave it out (--log-target)."
        )
    lowest = y.min()
    if lowest < 0:
        raise InvalidArgumentError(
            f"target must be 0 or more in every row where target_transform is {asked!r}; got "
            f"{lowest:g}. Leave it out (--log-target), or predict another column."
        )
    return LOG if lowest > 0 else "log1p"
