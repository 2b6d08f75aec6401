"""Learners and splits that a verdict is based on, the same splits for all learners.

A failed run is never dropped from one learner alone.  A learner that failed too often
takes no part; a split that any remaining learner lacks is left out for all of them.  A learner
that shares too few splits with the others for any comparison takes no part either: an
interruption costs its own result, not the verdict on the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.inference import Caution

# A learner that failed on more than this share of its splits takes no part in the verdict.
MAX_FAILED_SHARE = 0.1
# Splits that learners must share, where some have so many: one score says nothing of its spread.
_FEWEST_SHARED = 2


@dataclass(frozen=True, eq=False)
class ActiveLearners:
    """The learners and splits that a verdict rests on.

    Parameters
    ----------
    learners : list of int
        Positions of the learners that take part.
    splits : ndarray of int64
        Positions of the splits that count, the same for every learner.
    left_out : dict of str to str
        Learners that take no part, and why.
    warnings : tuple of str
        How failures and gaps were treated.
    was_asked : ndarray of shape (n_learners, n_splits), bool
        The splits that each learner was to be run on.
    """

    learners: list[int]
    splits: Ints
    left_out: dict[str, str]
    warnings: tuple[str, ...]
    was_asked: Bools


def choose_active_learners(
    names: Sequence[str],
    values: Floats,
    has_failed: Bools,
    reasons: dict[str, str],
    *,
    needs_all_splits: bool,
    n_splits_of: Sequence[int] | None = None,
) -> ActiveLearners:
    """Choose the learners and splits that a verdict is based on.

    Parameters
    ----------
    names : sequence of str
        Learners.
    values : ndarray of shape (n_learners, n_splits)
        Scores; nan where there is none.
    has_failed : ndarray of shape (n_learners, n_splits), bool
        Runs that raised, or ran out of time or memory.
    reasons : dict of str to str
        Why a learner has no value, where that is no failure, or was to be run on no split.
    needs_all_splits : bool
        Whether the test cannot do without any split.
    n_splits_of : sequence of int, optional
        The splits that each learner was to be run on, the first ones; all where not given.

    Returns
    -------
    ActiveLearners
        Possibly without learners or splits. A learner has no score on those of the splits that
        it was not to be run on.
    """
    asked = np.full(len(names), values.shape[1]) if n_splits_of is None else list(n_splits_of)
    was_asked = np.arange(values.shape[1]) < np.asarray(asked)[:, None]
    left_out: dict[str, str] = {}
    warnings: list[str] = []

    def leave_out(name: str, reason: str, rule: str = "") -> None:
        left_out[name] = reason
        text = f"{name} takes no part in the verdict: {reason}{rule}."
        warnings.append(Caution("incomplete", text))

    taking_part = []
    for index, name in enumerate(names):
        failed, n_splits = int(has_failed[index].sum()), int(asked[index])
        if failed > (0 if needs_all_splits else MAX_FAILED_SHARE * n_splits):
            rule = (
                "the test needs every split"
                if needs_all_splits
                else f"a learner may lack at most {100 * MAX_FAILED_SHARE:.0f}% of the splits"
            )
            reason = f"{failed} of {n_splits} runs failed"
            kept = ". Its finished runs are kept" if failed < n_splits else ""
            leave_out(name, reason, f", and {rule}{kept}")
        elif n_splits == 0:
            left_out[name] = reasons.get(name, "it was eliminated before")
        elif np.isnan(values[index]).all() and name in reasons:
            leave_out(name, reasons[name])
        else:
            taking_part.append(index)
    n_scores = (~np.isnan(values)).sum(axis=1)
    fewest = min(_FEWEST_SHARED, int(n_scores[taking_part].max(initial=0)))
    splits = _shared_splits(values, was_asked, taking_part)
    while len(splits) < fewest:
        last = min(reversed(taking_part), key=lambda position: n_scores[position])
        taking_part.remove(last)
        splits = _shared_splits(values, was_asked, taking_part)
        n_failed = int(has_failed[last].sum())
        leave_out(names[last], _too_few(int(n_scores[last]), n_failed, asked[last]))
    if taking_part and len(splits) < values.shape[1]:
        warnings.append(_gap_warning(names, values, has_failed, taking_part, splits))
    return ActiveLearners(taking_part, splits, left_out, tuple(warnings), was_asked)


def _shared_splits(values: Floats, was_asked: Bools, learners: list[int]) -> Ints:
    """Return the splits on which every learner has a score that was to have one."""
    is_lacking = np.isnan(values[learners]) & was_asked[learners]
    return np.flatnonzero(~is_lacking.any(axis=0)).astype(np.int64)


def _too_few(n_scores: int, n_failed: int, n_asked: int) -> str:
    """Say why a learner has too few scores to be compared."""
    if n_scores:
        return f"only {n_scores} of {n_asked} runs gave a score"
    if n_failed:
        return f"{n_failed} of {n_asked} runs failed, and no other was finished"
    return "no run was finished"


def _gap_warning(
    names: Sequence[str], values: Floats, has_failed: Bools, taking_part: list[int], splits: Ints
) -> str:
    n_splits = values.shape[1]
    failing = [names[i] for i in taking_part if has_failed[i].any()]
    cause = f": runs of {', '.join(failing)} failed" if failing else ""
    return Caution(
        "incomplete",
        f"The verdict rests on {len(splits)} of {n_splits} splits, those for which every learner "
        f"has a score{cause}.",
    )
