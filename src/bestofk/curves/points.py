"""Shared parts of all curves: tests at every point, standard errors, failures, fixed plans."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation
from bestofk.evaluation.record import ERROR, TIMEOUT
from bestofk.inference import Sampling
from bestofk.inference.adjust import adjust_p_values
from bestofk.inference.pair_evidence import compare_on_splits

if TYPE_CHECKING:
    import pandas as pd

TEST, CORRECTION = "corrected-t", "holm"


def check_fixed(cv: Any) -> None:
    """Refuse plans that end at different repeats at different points of a curve."""
    if isinstance(cv, str) and cv.strip().lower() == "adaptive":
        raise InvalidArgumentError(
            "cv of a curve must be a fixed plan; got 'adaptive'. Every point needs the same "
            "splits; write '10x3'."
        )


def tests_at_points(
    name: str,
    points: Sequence[Any] | NDArray[Any],
    losses: NDArray[np.float64],
    learners: Sequence[str],
    sampling: Sampling,
    alpha: float,
) -> pd.DataFrame:
    """Return the corrected resampled t test of every pair at every point, one family by Holm.

    Parameters
    ----------
    name : str
        Of the column that holds the points.
    points : sequence
        Sizes or fractions.
    losses : ndarray of shape (n_points, n_learners, n_splits)
        Lower is better. A learner with a nan at a point is not compared there.
    learners : sequence of str
        Names.
    sampling : Sampling
        How the splits were made.
    alpha : float
        Level of the family.

    Returns
    -------
    DataFrame
        Columns `name`, first, second, difference (of losses), p_value, p_adjusted, shown.
    """
    import pandas as pd

    rows = [
        (point, *row)
        for point, at_point in zip(points, losses, strict=True)
        for row in _tests(at_point, learners, sampling)
    ]
    frame = pd.DataFrame(rows, columns=[name, "first", "second", "difference", "p_value"])
    p_values = frame["p_value"].to_numpy(dtype=float)
    frame["p_adjusted"] = adjust_p_values(p_values, CORRECTION) if len(frame) else p_values
    return frame.assign(shown=frame["p_adjusted"] <= alpha)


def _tests(
    losses: NDArray[np.float64], learners: Sequence[str], sampling: Sampling
) -> list[tuple[str, str, float, float]]:
    whole = np.flatnonzero(~np.isnan(losses).any(axis=1))
    if len(whole) < 2:
        return []
    evidence = compare_on_splits(losses[whole], TEST, sampling, is_complete=True)
    if evidence is None:
        return []
    compared = evidence.compared
    return [
        (learners[whole[i]], learners[whole[j]],
         float(compared.mean[i, j]), float(compared.p_two_sided[i, j]))
        for i, j in combinations(range(len(whole)), 2)
    ]  # fmt: skip


def mean_of_known(values: NDArray[np.float64]) -> float:
    """Return the mean of what is not nan; nan if nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def error_of_mean(values: NDArray[np.float64], n_repeats: int) -> float:
    """Return the standard error over repeats of a mean over splits; nan with one repeat."""
    means = np.array([mean_of_known(item) for item in values.reshape(n_repeats, -1)])
    means = means[~np.isnan(means)]
    if len(means) < 2:
        return float("nan")
    return float(means.std(ddof=1) / len(means) ** 0.5)


def interruption(where: str, resume: str, *, is_first: bool) -> str:
    """Say at which point runs were interrupted, and how to go on.

    A point that is not finished is left out, since those who were not done look like losers;
    but the first is kept, for there is no other.
    """
    left_out = "" if is_first else "; what was done there is left out"
    return f"Interrupted {where}{left_out}. {resume}"


def failures(found: Evaluation, where: str) -> list[str]:
    """Say of each learner how many of its runs failed at a point, and the first reason."""
    notes = []
    for name, status, row in zip(found.names, found.status, found.records, strict=True):
        failed = np.flatnonzero(np.isin(status, [ERROR, TIMEOUT]))
        if len(failed):
            first = row[failed[0]]
            why = first.message.rstrip(".") if first is not None else ""
            notes.append(f"{name} failed in {len(failed)} of {len(row)} runs {where}: {why}.")
    return notes
