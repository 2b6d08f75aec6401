"""Tuned learners as written: ``tuned(svm)``, ``tuned(svm(C=10),rule=best)``."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.learners.written_learners import WrittenLearner, split_at_commas
from bestofk.registry import FROM_ABOVE

_TUNED = re.compile(r"\s*tuned\s*\((.*)\)\s*", re.DOTALL | re.IGNORECASE)
_OPTIONS = ("space", "inner", "rule", "measure")
_FORM = "Write tuned(NAME,option=value), as tuned(knn,inner=3)."


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
            If the brackets are empty, or hold what is no learner or no option.

        Examples
        --------
        >>> str(TunedText.read("tuned( svm(C=10), rule = best )"))
        'tuned(svm(C=10),rule=best)'
        """
        match = _TUNED.fullmatch(text)
        if not match:
            return None
        first, *rest = split_at_commas(match[1])
        if not first or _TUNED.fullmatch(first) or not all("=" in part for part in rest):
            raise InvalidArgumentError(
                f"tuned(...) must hold a learner, and options after it; got {text.strip()!r}. "
                f"{_FORM}"
            )
        options = WrittenLearner.read(f"tuned({','.join(rest)})")
        for name in set(options.settings).difference(_OPTIONS):
            raise InvalidArgumentError(
                f"options of tuned(...) must be known ones; got {name!r}. "
                f"{nearest_name(name, _OPTIONS)}"
            )
        return cls(WrittenLearner.read(first), options)

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
    written = as_written(text)
    return written.learner.base if isinstance(written, TunedText) else written.base


def as_written(text: str) -> TunedText | WrittenLearner:
    """Return the parts of a text; as a text again, without blanks, they are a name in tables."""
    return TunedText.read(text) or WrittenLearner.read(text)


def as_tuned(estimator: Any, options: dict[str, Any]) -> Any:
    """Return a learner that tunes an estimator."""
    return FROM_ABOVE["tuned"](estimator, **options)
