"""Complete part of a table of scores with gaps: the learners and data sets that count."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Bools
from bestofk.words import grouped

Reasons = Mapping[tuple[str, str], str]  # by data set and learner

_FEWEST = 2  # learners, and data sets, of a verdict
MOST_NAMES = 3  # that a sentence names


@dataclass(frozen=True)
class CompleteScores:
    """Learners and data sets of which every score is there.

    Parameters
    ----------
    learners, data_sets : list of int
        Their positions in the table.
    """

    learners: list[int]
    data_sets: list[int]

    @property
    def is_enough(self) -> bool:
        """Whether a verdict is possible."""
        return min(len(self.learners), len(self.data_sets)) >= _FEWEST

    @property
    def n_scores(self) -> int:
        """Scores that count."""
        return len(self.learners) * len(self.data_sets)


def most_scores(is_missing: Bools, control: int | None = None) -> CompleteScores:
    """Choose learners and data sets without gaps, so that most scores count.

    A data set on which a learner has no score is left out for all learners, or that learner takes
    no part.  Learners are left out in the order of their gaps, most gaps first and of equal ones
    the one listed last, and as many of them as make the most scores count: learners times data
    sets.  Where two choices are alike, more learners take part.

    Parameters
    ----------
    is_missing : ndarray of shape (n_data_sets, n_learners), bool
        Where there is no score.
    control : int, optional
        A learner that always takes part.

    Returns
    -------
    CompleteScores
        Of all learners, where none of the choices is enough for a verdict.

    Examples
    --------
    Leaving the second learner out keeps 2 x 6 scores, leaving out 3 data sets 3 x 3:

    >>> is_missing = np.zeros((6, 3), dtype=bool)
    >>> is_missing[:3, 1] = True
    >>> most_scores(is_missing)
    CompleteScores(learners=[0, 2], data_sets=[0, 1, 2, 3, 4, 5])
    """
    n_learners = is_missing.shape[1]
    n_gaps = is_missing.sum(axis=0)
    going = sorted((i for i in range(n_learners) if i != control), key=lambda i: (-n_gaps[i], -i))
    choices = [
        _without(is_missing, going[:n_out]) for n_out in range(max(n_learners - _FEWEST, 0) + 1)
    ]
    enough = [choice for choice in choices if choice.is_enough]
    return max(enough, key=lambda choice: choice.n_scores) if enough else choices[0]


def other_choice(
    is_missing: Bools, chosen: CompleteScores, control: int | None = None
) -> CompleteScores | None:
    """Return the choice at the other extreme; None where there is none that is enough.

    Parameters
    ----------
    is_missing, control
        As for `most_scores`.
    chosen : CompleteScores
        From `most_scores`.

    Returns
    -------
    CompleteScores or None
        All learners, where some are left out; else only learners that have most data sets.
    """
    n_learners = is_missing.shape[1]
    going: list[int] = []
    if len(chosen.learners) == n_learners:
        n_gaps = is_missing.sum(axis=0)
        going = [i for i in range(n_learners) if n_gaps[i] > n_gaps.min() and i != control]
    other = _without(is_missing, going)
    return other if other.is_enough and other != chosen else None


def _without(is_missing: Bools, left_out: Sequence[int]) -> CompleteScores:
    learners = [i for i in range(is_missing.shape[1]) if i not in left_out]
    return CompleteScores(learners, np.flatnonzero(~is_missing[:, learners].any(axis=1)).tolist())


def reasons_left_out(
    is_missing: Bools, chosen: CompleteScores, names: Sequence[str], data_sets: Sequence[str]
) -> dict[str, str]:
    """Return the learners and data sets that do not count, each with its reason."""
    n_sets = len(data_sets)
    reasons = {
        names[i]: f"no score on {int(is_missing[:, i].sum())} of {n_sets} data sets"
        for i in range(len(names))
        if i not in chosen.learners
    }
    for row in sorted(set(range(n_sets)) - set(chosen.data_sets)):
        lacking = [names[i] for i in chosen.learners if is_missing[row, i]]
        reasons[data_sets[row]] = f"no score of {_lacking(lacking, chosen)}"
    return reasons


def gap_sentences(
    is_missing: Bools,
    chosen: CompleteScores,
    names: Sequence[str],
    data_sets: Sequence[str],
    reasons: Reasons,
) -> list[str]:
    """Return a sentence per learner left out, and one for each kind of data set left out.

    Parameters
    ----------
    is_missing, chosen
        As above.
    names, data_sets : sequence of str
        Of columns and rows.
    reasons : mapping of (str, str) to str
        Why a learner has no score on a data set; may be empty.

    Returns
    -------
    list of str
        At most three names of each kind.
    """
    sentences = []
    for i in (i for i in range(len(names)) if i not in chosen.learners):
        rows = np.flatnonzero(is_missing[:, i]).tolist()
        why = _why(reasons.get((data_sets[row], names[i]), "") for row in rows)
        which = first_names([data_sets[row] for row in rows])
        sentences.append(
            f"{names[i]} takes no part: no score on {len(rows)} of {len(data_sets)} data sets"
            f" ({'; '.join(filter(None, (why, which)))})."
        )
    left_out = sorted(set(range(len(data_sets))) - set(chosen.data_sets))
    alike = grouped(
        (tuple(i for i in chosen.learners if is_missing[row, i]), row) for row in left_out
    )
    for lacking, rows in alike.items():
        cells = [(data_sets[row], names[i]) for row in rows for i in lacking]
        why = _why(reasons.get(cell, "") for cell in cells)
        shown = [data_sets[row] for row in rows]
        which = f"{shown[0]} is left out for all learners"
        if len(rows) > 1:
            which = f"{len(rows)} data sets are left out for all learners ({first_names(shown)})"
        lacking_names = _lacking([names[i] for i in lacking], chosen)
        sentences.append(f"{which}: no score of {lacking_names}{f' ({why})' if why else ''}.")
    return sentences


def first_names(names: Sequence[str]) -> str:
    """Return at most three names, and how many more there are.

    Examples
    --------
    >>> first_names(["cart", "1nn"]), first_names(["a", "b", "c", "d", "e"])
    ('cart, 1nn', 'a, b, c + 2 more')
    """
    more = f" + {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(names[:MOST_NAMES])}{more}"


def first_of(texts: Sequence[str]) -> str:
    """Return the first three texts, and how many more there are."""
    more = f"; and {len(texts) - MOST_NAMES} more" if len(texts) > MOST_NAMES else ""
    return f"{'; '.join(texts[:MOST_NAMES])}{more}"


def _lacking(names: Sequence[str], chosen: CompleteScores) -> str:
    return "any learner" if len(names) == len(chosen.learners) else first_names(names)


def _why(reasons: Iterable[str]) -> str:
    """Return the reasons, with counts where there are several; empty where none is known."""
    counts = Counter(reason for reason in reasons if reason)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{reason} {count}" for reason, count in counts.most_common())
