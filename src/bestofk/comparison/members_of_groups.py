"""Members of groups that are tried on a table; a learner that the user named always is."""

import math
from collections.abc import Sequence

from bestofk.data import DataSet
from bestofk.inference import Caution
from bestofk.learners import Learner, named_learner
from bestofk.learners.catalogue import LEARNERS
from bestofk.learners.operations import MOST_OPERATIONS, TableShape
from bestofk.measures import Measure
from bestofk.words import listing

# Boosted trees of few leaves are at least as accurate below this many rows, at a fifth of the time
# (`benchmarks/default_choice.py`).
FEW_ROWS = 3000


def learners_to_try(
    learners: Sequence[Learner],
    data: DataSet,
    measure: Measure,
    *,
    is_growing: bool,
    is_raced: bool,
) -> tuple[list[Learner], tuple[str, ...]]:
    """Return the learners that suit a table, and a sentence for what is not as entered.

    Parameters are those of `without_hopeless`.
    """
    kept, notes = without_hopeless(
        learners, data, measure, is_growing=is_growing, is_raced=is_raced
    )
    names = {item.name for item in learners}
    for index, item in enumerate(kept if data.n_samples < FEW_ROWS else ()):
        other = LEARNERS[item.name].on_few_rows if item.is_optional else ""
        if other and other not in names:
            kept[index] = Learner(other, named_learner(other), is_optional=True)
            notes += (
                f"On fewer than {FEW_ROWS:,} rows {other} takes the place of {item.name}; name "
                "that to try it.",
            )
    return kept, notes


def without_hopeless(
    learners: Sequence[Learner],
    data: DataSet,
    measure: Measure,
    *,
    is_growing: bool = False,
    is_raced: bool = False,
) -> tuple[list[Learner], tuple[str, ...]]:
    """Return learners without members of groups that would fail, take too long or lack a score.

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
    is_raced : bool, default=False
        Whether repeats go on until the pick is settled: members that are not worth their time on
        few rows are left out then.

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
    shape, reasons, dear = TableShape.of(data), dict[str, list[str]](), ""
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
        elif is_raced and data.n_samples < entry.fewest_rows:
            why = dear = (
                f"which on fewer than {entry.fewest_rows} rows takes most of the time and is "
                "seldom best; name it to try it"
            )
        else:
            continue
        reasons.setdefault(why, []).append(entry.name)
    left_out = {name for names in reasons.values() for name in names}
    if all(item.is_baseline or item.name in left_out for item in learners):
        return list(learners), ()
    kept = [item for item in learners if item.name not in left_out]
    notes = {why: f"Not tried: {listing(names)}, {why}." for why, names in reasons.items()}
    return kept, tuple(
        note if why == dear else Caution("incomplete", note) for why, note in notes.items()
    )
