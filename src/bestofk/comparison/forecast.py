"""Learners of groups that cannot run on a table, which are left out before anything is trained."""

import math
from collections.abc import Sequence

from bestofk.data import DataSet
from bestofk.inference import Caution
from bestofk.learners import Learner
from bestofk.learners.catalogue import LEARNERS
from bestofk.learners.operations import MOST_OPERATIONS, TableShape
from bestofk.measures import Measure
from bestofk.words import listing


def without_hopeless(
    learners: Sequence[Learner], data: DataSet, measure: Measure, *, is_growing: bool = False
) -> tuple[list[Learner], tuple[str, ...]]:
    """Return learners without those of groups that would fail, take too long or have no score.

    The forecast rests on the shape of the table alone, so the same are left out on all machines.

    Parameters
    ----------
    learners : sequence of Learner
        As entered.
    data : DataSet
        What they would be trained on.
    measure : Measure
        The deciding one.
    is_growing : bool, default=False
        Whether training rows grow, so that slow learners stop by themselves.

    Returns
    -------
    learners : list of Learner
        In the same order; one that the user named stays, and all do where no other would.
    notes : tuple of str
        A sentence for each reason to leave some out.
    """
    entries = [LEARNERS[item.name] for item in learners if item.is_optional]
    if not entries:
        return list(learners), ()
    shape, reasons = TableShape.of(data), dict[str, list[str]]()
    for entry in entries:
        count = 0.0 if entry.n_operations is None else entry.n_operations(shape)
        if measure.needs == "probabilities" and not entry.gives_probabilities:
            why = f"without the probabilities that {measure.name} needs"
        elif math.isinf(count):
            why = (
                f"which would fail: the rarest class has {shape.n_rarest:,} rows to train on for "
                f"{shape.n_columns:,} columns"
            )
        elif count > MOST_OPERATIONS and not is_growing:
            why = (
                f"as a fit on {shape.n_rows:,} rows and {shape.n_columns:,} columns takes long; "
                "name a learner to try it"
            )
        else:
            continue
        reasons.setdefault(why, []).append(entry.name)
    left_out = {name for names in reasons.values() for name in names}
    if all(item.is_baseline or item.name in left_out for item in learners):
        return list(learners), ()
    kept = [item for item in learners if item.name not in left_out]
    notes = (f"Not tried: {listing(names)}, {why}." for why, names in reasons.items())
    return kept, tuple(Caution("incomplete", note) for note in notes)
