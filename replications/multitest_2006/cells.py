"""Printed values of the three tables, and reasons for those not reproduced.

    python -m replications.multitest_2006.cells

reads the results that are kept, writes `levels.csv` and `cells.csv`, lists the values outside
their tolerance, and counts them on the page of the paper. It needs no data.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from replications.cells import NOT_EXPLAINED, Tolerance, listing, summary, write_section
from replications.multitest_2006.levels import (
    AS_PRINTED,
    STRICTER,
    drawn_errors,
    fit_of_levels,
    printed_shares,
    shares,
)
from replications.multitest_2006.protocol import DATA_SETS, LEARNERS
from replications.multitest_2006.tables import BARS, NONE_NAME
from replications.running import write_table

HERE: Final = Path(__file__).parent
PAGE: Final = HERE.parents[1] / "docs" / "papers" / "multitest-2006.md"

_WHY: Final = {
    "MAX": "it depends on rows and classes alone; 10,000 halves leave 0.1 to chance",
    "NMC": "nothing is drawn or trained; missing values are filled in another way",
    "NN": "as for NMC",
    "LGC": "how long it is trained is not known",
    "C4.5": "how the pruning rows are drawn, and most of its settings, are not known",
}
MEANS: Final = {
    learner: Tolerance("1", f"{learner} mean", bar, _WHY[learner]) for learner, bar in BARS.items()
}
SPREAD: Final = Tolerance(
    "1", "standard deviation", 0.5, "1,000 runs leave 0.1 to chance; the rest is for small halves"
)
SHARE: Final = Tolerance(
    "2", "share of a learner", 7, "three standard errors of the difference of shares of 1,000 runs"
)
COUNT: Final = Tolerance(
    "3", "runs of 30,000", 370, "three standard errors of the difference of two such counts"
)
TOLERANCES: Final = (*MEANS.values(), SPREAD, SHARE, COUNT)
# Settings of `causes` that may be named as a cause: none of C4.5 is near on all data sets.
_NAMED: Final = {
    "NMC": ("modes", "numbers", "unscaled"),
    "NN": ("first tied row", "numbers", "drawn tied row"),
    "LGC": ("numbers", "C = 100", "C = 1", "C = 0.1", "missing as level"),
}


def cells(folder: Path, simulated: pd.DataFrame) -> pd.DataFrame:
    """Return every printed value of Tables 1 to 3, in percent and runs.

    Parameters
    ----------
    folder : Path
        Holds the tables that were written, and `causes.csv`.
    simulated : DataFrame
        Shares with the printed errors, as `levels.shares` returns them.
    """
    return pd.DataFrame(
        [*_table_1(folder), *_table_2(folder, simulated), *_table_3(folder, simulated)]
    )


def _table_1(folder: Path) -> Iterator[dict[str, Any]]:
    tried = pd.read_csv(folder / "causes.csv").set_index(["data_set", "learner", "setting"])
    for row in pd.read_csv(folder / "table_1.csv").to_dict("records"):
        name, learner = row["data_set"], row["learner"]
        for tolerance, column in ((MEANS[learner], "mean"), (SPREAD, "sd")):
            printed = row[f"printed_{column}"]
            keys = [(name, learner, setting) for setting in _NAMED.get(learner, ())]
            results = {key[2]: float(tried.loc[key, column]) for key in keys if key in tried.index}
            cell = f"{name} {learner}" if column == "sd" else name
            cause = _nearest(tolerance, printed, results)
            yield tolerance.cell(cell, printed, row[column], cause)


def _table_2(folder: Path, simulated: pd.DataFrame) -> Iterator[dict[str, Any]]:
    table = pd.read_csv(folder / "table_2.csv").fillna({"level": "", "second": ""})
    table = table[table["level"].isin(["", "0.05 in all"])].set_index(["data_set", "procedure"])
    keys = ["data_set", "procedure", "pair_level"]
    drawn = simulated.set_index(keys)
    runs = pd.read_csv(folder / "shares_by_level.csv").set_index(keys)
    for row in printed_shares().itertuples():
        key = (row.data_set, row.procedure)
        results = {
            f"{title}{at}": float(item.loc[(*key, level), row.learner])
            for title, item in (("errors of Table 1", drawn), ("runs here", runs))
            for at, level in _levels_of(row.procedure)
            if (*key, level) in item.index
        }
        here = share_here(table.loc[key], row.learner, row.printed)
        cause = _nearest(SHARE, row.printed, results)
        yield SHARE.cell(f"{', '.join(key)}, {row.learner}", row.printed, here, cause)


def share_here(row: pd.Series, learner: str, printed: float) -> float:
    """Return the share of a learner; if it is not among the two kept, the most favorable one."""
    for index in ("first", "second"):
        if row[index] == learner:
            return float(row[f"{index}_percent"])
    known = np.nan_to_num([row["first_percent"], row["second_percent"]])
    return float(min(printed, known[1], 100 - known.sum()))


def _table_3(folder: Path, simulated: pd.DataFrame) -> Iterator[dict[str, Any]]:
    table = pd.read_csv(folder / "table_3.csv").fillna({"level": ""})
    is_here = (table["source"] == "here") & table["level"].isin(["", "0.05 in all"])
    here = table[is_here].set_index("procedure")
    titles = [NONE_NAME, *LEARNERS]
    sums = (10 * simulated.groupby(["procedure", "pair_level"])[titles].sum()).round()
    for row in table[table["source"] == "printed"].to_dict("records"):
        procedure = row["procedure"]
        for title in titles:
            results = {
                f"errors of Table 1{at}": float(sums.loc[(procedure, level), title])
                for at, level in _levels_of(procedure)
                if (procedure, level) in sums.index
            }
            cause = _nearest(COUNT, row[title], results)
            yield COUNT.cell(f"{procedure}, {title}", row[title], here.loc[procedure, title], cause)


def _levels_of(procedure: str) -> list[tuple[str, str]]:
    """Return what a cause says of a level, and the level: that of the text, and a stricter one."""
    text = [("", AS_PRINTED)]
    return [*text, (f" at {STRICTER}", STRICTER)] if procedure == "MultiTest" else text


def _nearest(tolerance: Tolerance, printed: float, found: dict[str, float]) -> str:
    """Return the setting that comes nearest to the printed value, if it is inside."""
    near = {title: value for title, value in found.items() if tolerance.accepts(printed, value)}
    if not near:
        return NOT_EXPLAINED
    title = min(near, key=lambda key: abs(near[key] - printed))
    return f"{title}: {near[title]:g}"


def main() -> int:
    """Write the cells, the fit of each level, and the counts of the page."""
    folder = HERE / "results"
    simulated = shares([drawn_errors(name) for name in DATA_SETS])
    result = cells(folder, simulated)
    write_table(fit_of_levels(simulated, SHARE.limit), folder / "levels.csv")
    write_table(result, folder / "cells.csv")
    write_section(PAGE, summary(result, TOLERANCES))
    sys.stdout.write(listing(result, TOLERANCES) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
