"""Arithmetic of a table: its means, ranks and bold face, and values that are impossible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from bestofk.array_types import Floats
from bestofk.audits.claim import Claim
from bestofk.audits.published_table import PublishedTable
from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_data_sets.paired_tests import wilcoxon_test
from bestofk.inference.many_data_sets.rank_omnibus import friedman_test, iman_davenport_test
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.score_tables.score_column_names import same_name
from bestofk.words import listing, some_of

_SLACK: Final = 1e-9
_number = "{:.6g}".format  # as printed, but for zeros at the end


def arithmetic_faults(table: PublishedTable) -> Iterator[str]:
    """Yield a sentence for each printed value that the others contradict.

    Parameters
    ----------
    table : PublishedTable
        As printed; what may be rounded is granted its rounding.
    """
    yield from _wrong_bold(table)
    yield from _wrong_ranks(table)
    yield from _wrong_means(table)


def _wrong_bold(table: PublishedTable) -> Iterator[str]:
    losses, faults = table.losses, []
    for i, bold in enumerate(table.is_bold):
        if not bold.any() or bold.all():
            continue
        best = int(np.argmin(losses[i]))
        if losses[i, bold].min() > losses[i, best] + _SLACK:
            marked = int(np.flatnonzero(bold)[0])
            faults.append(
                f"{table.data_sets[i]} ({table.learners[marked]} "
                f"{_number(table.values[i, marked])}, but {table.learners[best]} "
                f"{_number(table.values[i, best])})"
            )
    if faults:
        yield f"Bold face misses the best value on {some_of(faults)}."


def _wrong_ranks(table: PublishedTable) -> Iterator[str]:
    if table.ranks is None:
        return
    low, high = _rank_bounds(table)
    wrong = ((table.ranks < low - _SLACK) | (table.ranks > high + _SLACK)).any(axis=1)
    if wrong.any():
        names = [table.data_sets[i] for i in np.flatnonzero(wrong)]
        yield f"Printed ranks are not those of the values on {some_of(names)}."


def _rank_bounds(table: PublishedTable) -> tuple[Floats, Floats]:
    """Return the least and the greatest rank of each value inside the rounding."""
    low, high = table.losses - table.steps / 2, table.losses + table.steps / 2
    surely_before = (high[:, None, :] < low[:, :, None] - _SLACK).sum(axis=2)
    surely_after = (low[:, None, :] > high[:, :, None] + _SLACK).sum(axis=2)
    return surely_before + 1.0, table.losses.shape[1] - surely_after.astype(float)


def _wrong_means(table: PublishedTable) -> Iterator[str]:
    ranks = mid_ranks(table.losses)
    low, high = _rank_bounds(table)
    expected = {
        "mean": (table.values, table.values - table.steps / 2, table.values + table.steps / 2),
        "rank": (ranks, np.minimum(low, ranks), np.maximum(high, ranks)),
    }
    for kind, printed in table.summaries.items():
        exact, lowest, highest = (values.mean(axis=0) for values in expected[kind])
        half = printed[1] / 2 + _SLACK
        wrong = (printed[0] < lowest - half) | (printed[0] > highest + half)
        if wrong.any():
            faults = [
                f"{table.learners[j]} (printed {_number(printed[0, j])}, recomputed "
                f"{_number(float(exact[j]))})"
                for j in np.flatnonzero(wrong)
            ]
            what = "means" if kind == "mean" else "mean ranks"
            yield f"Printed {what} are not those of the values for {some_of(faults)}."


def impossible_values(table: PublishedTable, n_repeats: int, n_folds: int) -> tuple[str, ...]:
    """Return the shares of rows that no count of errors gives; empty if the digits do not suffice.

    A mean over equal folds of n rows in R repeats is a multiple of 1 / (n R); with unequal folds
    it is one of a / size + b / (size + 1), over folds.

    Parameters
    ----------
    table : PublishedTable
        Of accuracies or error rates, as shares or percentages; with `n_rows`.
    n_repeats, n_folds : int
        Of the cross-validation.
    """
    if table.n_rows is None or not table.steps.all():
        return ()
    percent = 100.0 if table.values.max() > 1.5 else 1.0
    impossible = []
    for i, n in enumerate(table.n_rows):
        grid = _grid(int(n), n_repeats, n_folds, float(table.steps[i].max()) / percent)
        if grid is None:
            continue
        for j, value in enumerate(table.values[i] / percent):
            if np.abs(grid - value).min() > table.steps[i, j] / percent / 2 + _SLACK:
                impossible.append(
                    f"{_number(table.values[i, j])} of {table.learners[j]} on {table.data_sets[i]}"
                )
    return tuple(impossible)


def _grid(n: int, n_repeats: int, n_folds: int, step: float) -> Floats | None:
    """Return the means that are possible, if they are further apart than the printed digits."""
    short, n_long = divmod(n, n_folds)
    if short == 0 or 1 / (n * n_repeats) < step:
        return None
    if n_long == 0:
        return np.arange(n * n_repeats + 1) / (n * n_repeats)
    many = np.arange(n_repeats * n_long * (short + 1) + 1) / (short + 1)
    few = np.arange(n_repeats * (n_folds - n_long) * short + 1) / short
    grid = np.unique((many[:, None] + few[None, :]).ravel()) / (n_folds * n_repeats)
    return grid if np.diff(grid).max(initial=0.0) > step else None


def recomputed_statistics(
    claim: Claim, table: PublishedTable, printed: Mapping[str, float]
) -> Iterator[str]:
    """Yield a sentence for each printed statistic that no usual variant gives.

    Parameters
    ----------
    claim : Claim
        Whose learner the p values are about.
    table : PublishedTable
        What they were computed from.
    printed : mapping of str to float
        "friedman": chi2 (ties corrected or not) or F; the name of another learner: the p value
        of Wilcoxon's test against it (exact or normal, continuity, zeros).
    """
    for name, value in printed.items():
        variants = _friedman(table) if name == "friedman" else _wilcoxon(claim, table, name)
        digits = max(len(f"{value!r}".partition(".")[2]), 1)
        if not any(abs(v - value) <= 0.5001 * 10.0**-digits for v in variants.values()):
            shown = listing(f"{_number(v)} ({how})" for how, v in variants.items())
            yield f"Printed {name} {_number(value)} is none of the usual variants: {shown}."


def _friedman(table: PublishedTable) -> dict[str, float]:
    found = {}
    tables = {"": table.losses} | (
        {} if table.ranks is None else {" of printed ranks": table.ranks}
    )
    for whose, losses in tables.items():
        for how, is_corrected in (("", False), (", corrected for ties", True)):
            for name, test in (("chi2", friedman_test), ("F", iman_davenport_test)):
                result = test(losses, names=table.learners, correct_ties=is_corrected)
                found[name + whose + how] = float(result.statistic)
    return found


def _wilcoxon(claim: Claim, table: PublishedTable, name: str) -> dict[str, float]:
    other = same_name(name, table.learners)
    if other is None or other not in table.learners:
        raise InvalidArgumentError(
            f"printed statistics must be of friedman, or of a learner; got {name!r} with "
            f"{listing(table.learners)}."
        )
    pair = table.losses[:, claim.learner], table.losses[:, table.learners.index(other)]
    options: dict[str, dict[str, Any]] = {
        "exact": {"method": "exact"},
        "normal": {"method": "normal"},
        "normal, with continuity": {"method": "normal", "continuity": True},
        "zeros ranked": {"method": "normal", "zeros": "pratt"},
        "zeros split": {"method": "normal", "zeros": "zsplit"},
    }
    found = {how: wilcoxon_test(*pair, **given).p_value for how, given in options.items()}
    return found | {"exact, one side": found["exact"] / 2}
