"""Parts of the texts of curves: scores, leaders at each level, tests and notes."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from bestofk.inference import Caution
from bestofk.inference.two_learners.catalogue import paired_test
from bestofk.measures.ties import at_most, tied_values
from bestofk.measures.words import better_side, short_title, value_cell
from bestofk.report.parts import Row, Sections, Table
from bestofk.verdict.complete_scores import first_names
from bestofk.words import grouped, listing

_DIGITS: Final = re.compile(r"\d[\d,.]*")


class Standing(NamedTuple):
    """The learner with the best mean at a level of a curve, and the others there.

    Attributes
    ----------
    leaders : list of int
        Candidates with the best mean; several where they tie up to rounding.
    value : float
        That mean.
    undecided, worse : list of str
        Others that were tested: not significantly different, significantly worse.
    """

    leaders: list[int]
    value: float
    undecided: list[str]
    worse: list[str]


def standing(curve: Any, index: int) -> Standing | None:
    """Return the leaders of a `LearnersCurve` at a level; None where no candidate has a mean."""
    losses = curve.candidate_losses()[index]
    if np.isnan(losses).all():
        return None
    leaders = np.flatnonzero(at_most(losses, np.nanmin(losses))).tolist()
    pick, tied = curve.learners[leaders[0]], {curve.learners[k] for k in leaders}
    undecided: list[str] = []
    worse: list[str] = []
    for row in curve.pairs().itertuples():
        if row[1] == curve.levels[index] and pick in (row.first, row.second):
            other = row.second if row.first == pick else row.first
            if other not in tied:
                (worse if row.shown else undecided).append(other)
    return Standing(leaders, float(curve.means()[index, leaders[0]]), undecided, worse)


def _others_in_words(at: Standing) -> str:
    """Return which learners cannot be ruled out and which are worse; empty without a test."""
    texts = []
    if at.undecided:
        texts.append(f"Cannot be ruled out: {first_names(at.undecided)}.")
    if at.worse:
        texts.append(f"Significantly worse: {first_names(at.worse)}.")
    return " ".join(texts)


def _changes_in_words(curve: Any, index: int, where: Callable[[Sequence[Any]], str]) -> str:
    """Return at which levels another learner leads than at one of them, and whether by chance.

    Parameters
    ----------
    curve : LearnersCurve
        The curve.
    index : int
        The level where the pick is made.
    where : callable
        Makes of levels "with 10 and 20 rows", or the like.
    """
    here = standing(curve, index)
    if here is None or len(curve.levels) < 2:
        return ""
    pick = curve.learners[here.leaders[0]]
    surely: dict[str, list[Any]] = {}
    perhaps: dict[str, list[Any]] = {}
    for level in range(len(curve.levels)):
        there = standing(curve, level)
        if there is None or here.leaders[0] in there.leaders:
            continue
        leader = curve.learners[there.leaders[0]]
        group = surely if pick in there.worse else perhaps
        group.setdefault(leader, []).append(curve.levels[level])
    texts = [f"{name} is significantly better {where(at)}." for name, at in surely.items()]
    if perhaps:
        levels = [level for at in perhaps.values() for level in at]
        have = "has" if len(perhaps) == 1 else "have"
        texts.append(
            f"{listing(perhaps)} {have} a better mean {where(sorted(levels))}, which may be chance."
        )
    return " ".join(texts)


def subject(curve: Any) -> str:
    """Return the data, the measure and its direction, as details begin."""
    measure = curve.measure
    return f"{curve.data_name}: {short_title(measure)} ({better_side(measure)} is better)"


def others_at(curve: Any, index: int, where: Callable[[Sequence[Any]], str]) -> str:
    """Return which others are plausible at a level or worse, and where another one leads."""
    at = standing(curve, index)
    if at is None:
        return "No learner can be picked."
    reason = without_test(curve)
    untested = f"Nothing was tested: {reason}." if reason else ""
    changes = _changes_in_words(curve, index, where)
    return " ".join(filter(None, [untested, _others_in_words(at), changes]))


def span(levels: Sequence[Any], known: Sequence[Any], written: Callable[[Any], str]) -> str:
    """Return levels in words: "10, 20 and 30", or "10 to 40" where none between is missing.

    Examples
    --------
    >>> span([10, 20, 40], [10, 20, 40, 80], str), span([10, 40], [10, 20, 40], str)
    ('10 to 40', '10 and 40')
    """
    first = list(known).index(levels[0])
    if len(levels) > 2 and list(known)[first : first + len(levels)] == list(levels):
        return f"{written(levels[0])} to {written(levels[-1])}"
    return listing([written(level) for level in levels])


def level_table(curve: Any, corner: str, heads: Sequence[str], index: int) -> Table:
    """Return the means of every learner, a column per level; best first at one of them."""
    measure, means = curve.measure, curve.means()
    at = standing(curve, index)
    losses = np.where(np.isnan(curve.candidate_losses()[index]), np.inf, 0) + np.nan_to_num(
        measure.loss(means)[index], nan=np.inf
    )
    rows = [
        Row(
            curve.learners[k],
            "best" if at is not None and k == at.leaders[0] else "",
            tuple(value_cell(measure, value) for value in means[:, k]),
        )
        for k in np.argsort(tied_values(losses), kind="stable")
    ]
    return Table([corner, *heads], rows)


def without_test(curve: Any) -> str:
    """Return why no two learners of a curve were tested; empty where some were."""
    if len(curve.learners) < 2 or len(curve.pairs()):
        return ""
    complete = (~np.isnan(curve.test_values).any(axis=2)).sum(axis=1)
    if (complete >= 2).any():
        return (
            "one split does not show what is chance"
            if curve.test_values.shape[2] == 1
            else f"the plan does not allow the {paired_test(curve.test).title}"
        )
    return "no two learners have a score in every run"


def pair_tests_in_words(curve: Any, levels: str) -> str:
    """Return how many tests there were, and how many are significant; empty without a test."""
    pairs = curve.pairs()
    if not len(pairs):
        return ""
    return family_in_words(
        len(pairs), int(pairs["shown"].sum()), f"all pairs at all {levels}", curve.alpha, curve.test
    )


def family_in_words(
    n_tests: int, n_shown: int, what: str, alpha: float, test: str = "corrected-t"
) -> str:
    """Return how many tests a family has, and how many of them are significant."""
    text = (
        f"{n_tests} {paired_test(test).title}s of {what} at a nominal {100 * alpha:g}% "
        f"family-wise level (Holm): {n_shown} significant."
    )
    return text if n_shown == n_tests else f'{text} "Can\'t tell" does not mean "equal".'


def error_in_words(curve: Any) -> str:
    """Return what standard errors of one repeat rest on; empty with several repeats."""
    if curve.n_repeats > 1 or curve.sampling.n_folds < 2:
        return ""
    return (
        "With one repeat, standard errors are over its folds. These share training rows, which "
        "makes them too small."
    )


def distinct(notes: Iterable[str]) -> list[str]:
    """Return notes without repetition: those that differ only in numbers count as one.

    Examples
    --------
    >>> distinct(["a failed in 3 of 3 runs with 10 rows.", "a failed in 3 of 3 runs with 20 rows."])
    ['a failed in 3 of 3 runs with 10 rows. (2 times)']
    """
    groups = grouped((_DIGITS.sub("#", note), note) for note in notes)
    return [group[0] if len(group) == 1 else _counted(group) for group in groups.values()]


def _counted(group: Sequence[str]) -> str:
    text = f"{group[0]} ({len(group)} times)"
    return Caution(group[0].code, text) if isinstance(group[0], Caution) else text


def curve_sections(
    curve: Any, *, answer: tuple[str, str, str], tables: Sequence[Table], details: Iterable[str]
) -> Sections:
    """Return the report of a curve: its notes are caveats where they have a code, else details.

    Parameters
    ----------
    curve : Curve
        Gives name, notes, and how the data were read.
    answer : tuple of three str
        What to do, what else is plausible or changes it, and how sure that is.
    tables : sequence of Table
        The table of scores first.
    details : iterable of str
        What the table shows first; empty ones are left out.
    """
    notes = distinct(curve.notes)
    caveats = [note for note in notes if isinstance(note, Caution)]
    others = [note for note in notes if not isinstance(note, Caution)]
    return Sections(
        title=f"{curve.data_name}: {curve.title}",
        answer=answer,
        tables=tables,
        details=[*filter(None, details), *others],
        caveats=[f"{note.rstrip('.')}. [{note.code}]" for note in caveats],
        guessed=distinct(curve.guessed),
    )
