"""Learners of groups that cannot run on a table, which are left out before anything is trained."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bestofk.data import DataSet
from bestofk.inference import Caution
from bestofk.learners import Learner
from bestofk.learners.catalogue import LEARNERS
from bestofk.learners.operations import MOST_OPERATIONS, TableShape
from bestofk.words import listing


def without_hopeless(
    learners: Sequence[Learner], data: DataSet
) -> tuple[list[Learner], tuple[str, ...]]:
    """Return learners without those of groups whose fits would fail or take too long.

    The forecast rests on the shape of the table alone, so the same are left out on all machines.

    Parameters
    ----------
    learners : sequence of Learner
        As entered.
    data : DataSet
        What they would be trained on.

    Returns
    -------
    learners : list of Learner
        In the same order; one that the user named stays, and all do where no other would.
    notes : tuple of str
        A sentence for each reason to leave some out.
    """
    counts = {item.name: LEARNERS[item.name].n_operations for item in learners if item.is_optional}
    known = {name: count for name, count in counts.items() if count is not None}
    if not known:
        return list(learners), ()
    shape = TableShape.of(data)
    operations = {name: count(shape) for name, count in known.items()}
    fail = [name for name, count in operations.items() if math.isinf(count)]
    slow = [name for name, count in operations.items() if MOST_OPERATIONS < count < math.inf]
    left_out = {*fail, *slow}
    if all(item.is_baseline or item.name in left_out for item in learners):
        return list(learners), ()
    notes = []
    if fail:
        text = (
            f"Not tried: {listing(fail)}, which would fail: the rarest class has "
            f"{shape.n_rarest:,} rows to train on for {shape.n_columns:,} columns."
        )
        notes.append(Caution("incomplete", text))
    if slow:
        most = max(operations[name] for name in slow) / MOST_OPERATIONS
        text = (
            f"Not tried: {listing(slow)}, as a fit would take up to {most:,.1f} times the "
            "operations of the longest that is tried unasked. Name one to try it."
        )
        notes.append(Caution("incomplete", text))
    return [item for item in learners if item.name not in left_out], tuple(notes)
