"""Sizes of subsamples for which a data set gives the truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestofk.calibration.claim_case import ClaimCase
from bestofk.calibration.subsamples import class_sizes
from bestofk.data import DataSet
from bestofk.errors import DesignError

# Largest standard error of the truth, and the fewest rows with which one discordant row keeps it.
TRUTH_ERROR = 0.0025
_FEWEST_REST = round(1 / TRUTH_ERROR)
_MOST_NAMED = 5  # classes


def possible_sizes(
    data: DataSet, sizes: Sequence[int], n_subsamples: int
) -> tuple[list[int], list[str]]:
    """Return the sizes that leave rows for the truth, and what to know of them.

    Parameters
    ----------
    data : DataSet
        All rows.
    sizes : sequence of int
        Sizes that are asked for.
    n_subsamples : int
        Subsamples of each.

    Returns
    -------
    kept : list of int
        Sizes, in ascending order.
    notes : list of str
        Why others are skipped, which rare classes subsamples lack, and where they share rows.

    Raises
    ------
    DesignError
        If no size is left.
    """
    kept: list[int] = []
    sizes_of: dict[str, list[int]] = {}  # by what is to be said of them
    for size in sorted(set(map(int, sizes))):
        is_possible, remarks = _possible(data, size, n_subsamples)
        if is_possible:
            kept.append(size)
        for remark in remarks:
            sizes_of.setdefault(remark, []).append(size)
    notes = [
        f"Subsamples of {', '.join(f'{size:,}' for size in of)} rows {remark}"
        for remark, of in sizes_of.items()
    ]
    if not kept:
        raise DesignError(
            f"data must have many more rows than a subsample; got {data.n_samples:,} rows. "
            f"{notes[0]} Use a larger data set, or a generator such as twonorm:20000."
        )
    return kept, notes


def _possible(data: DataSet, size: int, n_subsamples: int) -> tuple[bool, list[str]]:
    """Return whether subsamples of a size can be drawn, and remarks on them."""
    if data.n_samples - size < _FEWEST_REST:
        return False, [f"are skipped: at least {_FEWEST_REST} other rows are needed."]
    is_rare = np.zeros(0, dtype=bool)
    if data.is_classification:
        is_rare = class_sizes(data.class_counts, size) == 0
    if is_rare.any() and (~is_rare).sum() < 2:
        return False, ["are skipped: too few rows of every class but one."]
    remarks = []
    if is_rare.any():
        remarks.append(
            f"lack {_named(data.classes[is_rare].tolist())}: too rare. In the rest, their rows are "
            "errors of every learner."
        )
    if size * n_subsamples > data.n_samples:
        remarks.append(f"share rows: there are only {data.n_samples:,}.")
    return True, remarks


def precise_sizes(sizes: Sequence[int], pilots: Sequence[ClaimCase]) -> tuple[list[int], list[str]]:
    """Return the sizes whose truth is precise.

    Parameters
    ----------
    sizes : sequence of int
        Sizes of the pilots.
    pilots : sequence of ClaimCase
        The first subsamples of each.

    Returns
    -------
    kept : list of int
        Sizes where the truth has a standard error of at most 0.25 points on average.
    notes : list of str
        How many rows the others need.

    Raises
    ------
    DesignError
        If no size is left.
    """
    kept, notes = [], []
    for size in sizes:
        cases = [case for case in pilots if case.n_rows == size and case.truth_error is not None]
        error = float(np.mean([case.truth_error for case in cases])) if cases else 0.0
        if error <= TRUTH_ERROR:
            kept.append(size)
            continue
        needed = cases[0].n_rest * (error / TRUTH_ERROR) ** 2
        notes.append(
            f"Subsamples of {size:,} rows are skipped: on the {cases[0].n_rest:,} other rows the "
            f"truth has a standard error of {100 * error:.2f} points, and at most "
            f"{100 * TRUTH_ERROR:.2f} is wanted. About {float(f'{needed:.2g}'):,.0f} rows would do."
        )
    if not kept:
        raise DesignError(
            f"data must have enough rows for a precise truth; got too few. {' '.join(notes)}"
        )
    return kept, notes


def _named(classes: Sequence[object]) -> str:
    more = len(classes) - _MOST_NAMED
    names = ", ".join(map(str, classes[:_MOST_NAMED]))
    return f"{names} and {more} more classes" if more > 0 else names
