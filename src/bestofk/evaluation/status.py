"""Status of a run: its texts, and what each of them means; no other file compares them."""

from typing import overload

import numpy as np

from bestofk.array_types import Bools, Values

OK = "ok"
ERROR = "error"
TIMEOUT = "timeout"
MEMORY = "memory"
LOST = "lost"  # its workers ended before it did, again and again; such a run is not stored
MISSING = "missing"  # there is no run
FAILURES = (ERROR, TIMEOUT, MEMORY)  # of the learner


class Meaning:
    """Meaning of a status: a condition on that of one run, or on those of many.

    Parameters
    ----------
    *texts : str
        The texts.

    Examples
    --------
    >>> has_failed("timeout"), has_failed(np.array(["ok", "error"])).tolist()
    (True, [False, True])
    """

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    @overload
    def __call__(self, status: str) -> bool: ...
    @overload
    def __call__(self, status: Values) -> Bools: ...
    def __call__(self, status: str | Values) -> bool | Bools:
        """Return whether a status is one of the texts; for an array, which are."""
        if isinstance(status, str):
            return status in self.texts
        matches: Bools = np.logical_or.reduce([status == text for text in self.texts])
        return matches

    @property
    def sql(self) -> str:
        """Condition on the rows of a store."""
        return f"status IN ({', '.join(map(repr, self.texts))})"


is_ok = Meaning(OK)
has_failed = Meaning(*FAILURES)
is_error = Meaning(ERROR)
is_out_of_time = Meaning(TIMEOUT)
is_out_of_memory = Meaning(MEMORY)
hit_a_limit = Meaning(TIMEOUT, MEMORY)
is_lost = Meaning(LOST)
is_missing = Meaning(MISSING)
is_done = Meaning(OK, *FAILURES)
