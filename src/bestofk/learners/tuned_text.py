"""Tuned learners as written: ``tuned(svm)``, ``tuned(svm(C=10),rule=best)``."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from bestofk.errors import InvalidArgumentError
from bestofk.learners.written_learners import WrittenLearner, split_at_commas

_TUNED = re.compile(r"\s*tuned\s*\((.*)\)\s*", re.DOTALL)


class TunedText(NamedTuple):
    """The learner that is tuned, and how.

    Parameters
    ----------
    learner : WrittenLearner
        What stands first in the brackets.
    options : WrittenLearner
        What follows: parameters of `bestofk.tuning.Tuned`.
    """

    learner: WrittenLearner
    options: WrittenLearner

    @classmethod
    def read(cls, text: str) -> TunedText | None:
        """Return the parts of a text; None where it names no tuned learner.

        Raises
        ------
        InvalidArgumentError
            If the brackets are empty, or hold what is no learner or no setting.

        Examples
        --------
        >>> str(TunedText.read("tuned( svm(C=10), rule = best )"))
        'tuned(svm(C=10),rule=best)'
        """
        match = _TUNED.fullmatch(text)
        if not match:
            return None
        first, *rest = split_at_commas(match[1])
        if not first:
            raise InvalidArgumentError(
                f"tuned(...) must hold a learner; got {text.strip()!r}. Write tuned(NAME), as "
                "tuned(svm)."
            )
        return cls(WrittenLearner.read(first), WrittenLearner.read(f"tuned({','.join(rest)})"))

    def __str__(self) -> str:
        """Return the text without blanks."""
        options = str(self.options).removeprefix("tuned").strip("()")
        return f"tuned({self.learner}{',' * bool(options)}{options})"


def base_name(text: str) -> str:
    """Return the name of the catalogue that a written learner begins with.

    Examples
    --------
    >>> base_name("svm(C=10)"), base_name("tuned(svm)")
    ('svm', 'svm')
    """
    tuned = TunedText.read(text)
    return WrittenLearner.read(text).base if tuned is None else tuned.learner.base


def written_form(text: str) -> str:
    """Return a written learner without blanks, values in one form: its name in tables."""
    return str(TunedText.read(text) or WrittenLearner.read(text))


def as_tuned(estimator: Any, options: dict[str, Any]) -> Any:
    """Return a learner that tunes an estimator.

    Raises
    ------
    InvalidArgumentError
        If there is no such option.
    """
    from importlib import import_module

    from bestofk.learners.entry import set_parameters

    tuned = import_module("bestofk.tuning").Tuned(estimator)
    set_parameters(tuned, {**options}, "tuned")
    return tuned
