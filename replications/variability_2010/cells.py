"""Printed values of the five tables that can be measured here, and reasons for differences.

    python -m replications.variability_2010.cells

reads the results that are kept, writes `cells.csv`, lists the values outside their tolerance, and
counts them on the page of the paper. It needs no data.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import ndtr

from replications.cells import NOT_EXPLAINED, Tolerance, listing, summary, write_section
from replications.running import write_table
from replications.variability_2010.causes import SEEDS_OF_THREENORM
from replications.variability_2010.tables import printed

HERE: Final = Path(__file__).parent
PAGE: Final = HERE.parents[1] / "docs" / "papers" / "variability-2010.md"

CANONICAL_RANK: Final = Tolerance(
    "I", "canonical rank", 0.4, "two standard errors of the mean of 18 ranks drawn at random"
)
STEADY_RANK: Final = Tolerance(
    "I", "steady rank", 0.25, "seeds hardly matter, but two of 20 data sets are missing or reduced"
)
ITERATION: Final = Tolerance(
    "II", "AUROC of one iteration", 3,
    "standard deviations of one iteration around the mean of 500 by 10 folds",
)  # fmt: skip
R: Final = Tolerance(
    "III", "R", 0.25, "two standard errors of a difference, 50 orders each, where R is 0.8"
)
RANK: Final = Tolerance(
    "III", "iterations under Rank", 1.25, "the mean of 50 orders varies by a few percent",
    is_ratio=True,
)  # fmt: skip
KS: Final = Tolerance(
    "III", "iterations under KS", 1.5, "an order may end after 20 or 500; three standard errors",
    is_ratio=True,
)  # fmt: skip
CANONICAL: Final = Tolerance(
    "IV", "canonical AUROC", 0.02, "one seed of few iterations on data with 3 to 7 % positives"
)
STEADY: Final = Tolerance("V", "steady AUROC", 0.01, "50 iterations leave 0.003 to chance")
TOLERANCES: Final = (CANONICAL_RANK, STEADY_RANK, ITERATION, R, RANK, KS, CANONICAL, STEADY)


def cells(folder: Path) -> pd.DataFrame:
    """Return every printed value of Tables I to V that has one measured here.

    Parameters
    ----------
    folder : Path
        Holds the tables that were written, and `causes.csv`.
    """
    tried = pd.read_csv(folder / "causes.csv")
    rows = [*_table_1(folder), *_table_2(folder), *_table_3(folder, tried), *_last_tables(folder)]
    return pd.DataFrame(rows)


def _table_1(folder: Path) -> Iterator[dict[str, Any]]:
    for row in pd.read_csv(folder / "table_1.csv").itertuples():
        tolerance = STEADY_RANK if row.kind == "steady" else CANONICAL_RANK
        name = f"{row.learner}, {row.n_folds} folds"
        yield tolerance.cell(name, row.printed_rank, row.rank, NOT_EXPLAINED)


def _table_2(folder: Path) -> Iterator[dict[str, Any]]:
    keys = ["data_set", "learner", "n_folds"]
    estimates = pd.read_csv(folder / "estimates.csv").set_index(keys)
    for row in printed("table_2").itertuples():
        here = estimates.loc[(row.data_set, row.learner, 10)]
        name = f"{row.data_set}, iteration {row.iteration}, {row.learner}"
        yield ITERATION.cell(name, row.auroc, here["mean"], NOT_EXPLAINED, unit=here["sd"])


def _table_3(folder: Path, tried: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for row in pd.read_csv(folder / "table_3_reproducibility.csv").itertuples():
        name = f"{row.data_set}, {row.n_folds} folds, {row.first} and {row.second}, {row.rule}"
        was = row.printed_reproducibility
        cause = NOT_EXPLAINED
        if row.first == "C4.5":
            cause = _cause(R, was, tried, (row.data_set, row.n_folds, "R", row.rule))
        yield R.cell(name, was, row.reproducibility, cause)
    for row in pd.read_csv(folder / "table_3_iterations.csv").itertuples():
        tolerance = RANK if row.rule == "Rank" else KS
        name = f"{row.data_set}, {row.n_folds} folds, {row.learner}, {row.rule}"
        key = (row.data_set, row.n_folds, f"iterations of {row.learner}", row.rule)
        cause = _cause(tolerance, row.printed_iterations, tried, key)
        yield tolerance.cell(name, row.printed_iterations, row.iterations, cause)


def _cause(
    tolerance: Tolerance, was: float, tried: pd.DataFrame, key: tuple[str, int, str, str]
) -> str:
    """Return the setting that gives the printed value; of draws, how many of them do."""
    data_set, n_folds, what, rule = key
    own = tried[
        (tried["data_set"] == data_set) & (tried["n_folds"] == n_folds)
        & (tried["what"] == what) & (tried["rule"] == rule)
    ]  # fmt: skip
    near = own[np.array([tolerance.accepts(was, value) for value in own["value"]], dtype=bool)]
    draws = near["cause"].str.startswith("draw").sum()
    if draws:
        return f"another draw of the rows: near in {draws} of {len(SEEDS_OF_THREENORM)}"
    if len(near):
        nearest = near.loc[(near["value"] - was).abs().idxmin()]
        return f"{nearest['cause']}: {nearest['value']:g}"
    return NOT_EXPLAINED


def _last_tables(folder: Path) -> Iterator[dict[str, Any]]:
    for number, tolerance in ((4, CANONICAL), (5, STEADY)):
        for row in pd.read_csv(folder / f"table_{number}.csv").itertuples():
            folds = row.n_folds if row.n_folds == "test set" else f"{row.n_folds} folds"
            name = f"{row.data_set}, {row.learner}, {folds}"
            yield tolerance.cell(name, row.printed_auroc, row.auroc, NOT_EXPLAINED)


def reproducibility_by_areas(folder: Path) -> pd.DataFrame:
    """Return R of C4.5 and HDDT under both fixed rules, by means of folds and by pooled areas.

    Worked out from means and standard deviations of single iterations, taken as normal and
    independent: the runs themselves are not needed.

    Returns
    -------
    DataFrame
        Columns n_folds, data_set, rule, printed, mean, mean_pooled.
    """
    keys = ["data_set", "learner", "n_folds"]
    estimates = pd.read_csv(folder / "estimates.csv").set_index(keys)
    table = pd.read_csv(folder / "table_3_reproducibility.csv")
    table = table[(table["first"] == "C4.5") & table["rule"].str.startswith("Fixed")]
    rows = []
    for row in table.itertuples():
        both = [estimates.loc[(row.data_set, name, row.n_folds)] for name in ("C4.5", "HDDT")]
        n_runs = int(row.rule.removeprefix("Fixed-"))
        results = {"n_folds": row.n_folds, "data_set": row.data_set, "rule": row.rule,
                 "printed": row.printed_reproducibility}  # fmt: skip
        for mean, sd in (("mean", "sd"), ("mean_pooled", "sd_pooled")):
            spread = np.hypot(both[0][sd], both[1][sd]) / np.sqrt(n_runs)
            results[mean] = abs(2 * ndtr((both[0][mean] - both[1][mean]) / spread) - 1)
        rows.append(results)
    return pd.DataFrame(rows).round(2)


def main() -> int:
    """Write the cells, and the counts of the page."""
    folder = HERE / "results"
    result = cells(folder)
    write_table(result, folder / "cells.csv")
    write_table(reproducibility_by_areas(folder), folder / "reproducibility_by_areas.csv")
    write_section(PAGE, summary(result, TOLERANCES))
    sys.stdout.write(listing(result, TOLERANCES) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
