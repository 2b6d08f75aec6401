"""Problems of a study, collected so that all of them are named at once."""

from collections.abc import Iterator
from contextlib import contextmanager

from bestofk.errors import BestofkError, InvalidArgumentError

_MOST_SHOWN = 100  # mistakes; a file may have thousands of one kind


class StudyMistakesError(InvalidArgumentError):
    """Several mistakes of a study: how many, then each with its key in the file."""


class Problems:
    """Everything that is wrong with a study, each with its key in the file.

    Parameters
    ----------
    of : str
        What the study is called, such as its file.

    Examples
    --------
    >>> problems = Problems("study.toml")
    >>> with problems.noted("cv"):
    ...     raise InvalidArgumentError("n_folds must be at least 2; got 1. Write 5x2.")
    >>> problems.refuse()
    Traceback (most recent call last):
    bestofk.errors.InvalidArgumentError: study.toml, cv: n_folds must be at least 2; got 1. \
Write 5x2.
    """

    def __init__(self, of: str) -> None:
        self.of = of
        self.texts: dict[str, None] = {}  # a set in the order of what was noted

    @contextmanager
    def noted(self, where: str) -> Iterator[None]:
        """Note what is raised in the block, under its key in the file, and go on."""
        try:
            yield
        except (BestofkError, OSError) as error:
            self.note(f"{where}: {error}")

    def note(self, text: str) -> None:
        """Note a problem; the same text counts once."""
        self.texts[text] = None

    def refuse(self) -> None:
        """Raise InvalidArgumentError with all problems, each on a line of its own if several."""
        if len(self.texts) == 1:
            raise InvalidArgumentError(f"{self.of}, {next(iter(self.texts))}")
        if self.texts:
            shown = [f"- {text}" for text in list(self.texts)[:_MOST_SHOWN]]
            if len(self.texts) > _MOST_SHOWN:
                shown.append(f"- and {len(self.texts) - _MOST_SHOWN:,} more")
            raise StudyMistakesError(
                f"{self.of} must have no mistakes; got {len(self.texts)}. Correct each:", *shown
            )
