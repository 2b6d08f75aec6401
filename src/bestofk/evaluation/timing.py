"""Choice of the runs whose seconds are compared: timed alone, or crowded by others."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

ALONE, CROWDED = "alone", "crowded"


def timing_of(runs: Iterable[tuple[ArrayLike, ArrayLike]]) -> str:
    """Return which runs of some learners give the seconds by which they are compared.

    Parameters
    ----------
    runs : iterable of tuple
        For each learner, which of its runs were crowded and which were finished, both array-like
        of bool.

    Returns
    -------
    {"", "alone", "crowded"}
        Empty if none was crowded; "alone" if some were, but each learner with finished runs has
        one that was not; else "crowded", so that all runs count.

    Examples
    --------
    >>> timing_of([([True, False], [True, True]), ([False, True], [True, False])])
    'alone'
    >>> timing_of([([True, False], [True, True]), ([True, True], [True, True])])
    'crowded'
    """
    known = [(np.asarray(crowded, bool), np.asarray(finished, bool)) for crowded, finished in runs]
    if not any(crowded.any() for crowded, _ in known):
        return ""
    has_alone = [(is_ok & ~crowded).any() or not is_ok.any() for crowded, is_ok in known]
    return ALONE if all(has_alone) else CROWDED
