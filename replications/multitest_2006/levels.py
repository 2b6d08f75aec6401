"""Search for the level of the pairwise tests that gives the shares of Table 2.

Errors are drawn with the printed means and standard deviations of Table 1, folds independent and
normal. So what differs from Table 2 comes from the procedures, and not from other learners.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replications.multitest_2006.experiment import Errors
from replications.multitest_2006.protocol import DATA_SETS, LEARNERS, N_FOLDS, N_REPEATS
from replications.multitest_2006.selections import ALPHA, N_PAIRS, NONE, select
from replications.multitest_2006.tables import NONE_NAME, PRINTED

# Level of the test of one pair, as the paper would write it -> that of all ten together.
PAIR_LEVELS: Final = {
    f"0.05/{divisor}": ALPHA * N_PAIRS / divisor for divisor in (1, 4, 10, 20, 40)
}
AS_PRINTED: Final = "0.05/10"
STRICTER: Final = "0.05/20"
N_DRAWS: Final = 5_000
_COLUMNS = ("data_set", "procedure", "pair_level", "n_runs", NONE_NAME, *LEARNERS)


def drawn_errors(name: str) -> Errors:
    """Return errors with the printed means and standard deviations, in shares of 1."""
    table = pd.read_csv(PRINTED / "table_1.csv")
    own = table[table["data_set"] == name].set_index("learner").loc[list(LEARNERS)]
    mean, sd = (own[column].to_numpy()[:, np.newaxis] / 100 for column in ("mean", "sd"))
    rng = np.random.default_rng(sorted(DATA_SETS).index(name))
    shape = (N_DRAWS, len(LEARNERS), N_REPEATS * N_FOLDS)
    return Errors(name, mean + sd * rng.normal(size=shape), (0, 0), 0.0)


def shares(errors: Sequence[Errors]) -> pd.DataFrame:
    """Return in what percent of runs each procedure names each learner, by level of a pair.

    Newman-Keuls has no such level; its rows say `0.05/10` alone.
    """
    rows = []
    for error in errors:
        for title, level in PAIR_LEVELS.items():
            for procedure, chosen in select(error.values, level=level).items():
                if procedure == "Anova" or (procedure == "Newman-Keuls" and title != AS_PRINTED):
                    continue
                counts = _percent(chosen)
                row = (error.name, procedure, title, len(chosen), *counts)
                rows.append(dict(zip(_COLUMNS, row, strict=True)))
    return pd.DataFrame(rows)


def _percent(chosen: NDArray[np.int64]) -> list[float]:
    counts = [np.mean(chosen == number) for number in (NONE, *range(len(LEARNERS)))]
    return [round(100 * float(count), 1) for count in counts]


def printed_shares() -> pd.DataFrame:
    """Return the printed shares of Table 2: data_set, procedure, learner, printed."""
    table = pd.read_csv(PRINTED / "table_2.csv")
    parts = [
        table[["data_set", "procedure", index, f"{index}_percent"]].set_axis(
            ["data_set", "procedure", "learner", "printed"], axis=1
        )
        for index in ("first", "second")
    ]
    return pd.concat(parts).dropna().sort_index(kind="stable").reset_index(drop=True)


def fit_of_levels(found: pd.DataFrame, limit: float) -> pd.DataFrame:
    """Return how far the shares of each level are from the printed ones.

    Parameters
    ----------
    found : DataFrame
        As `shares` returns it.
    limit : float
        Points within which a share counts as near.

    Returns
    -------
    DataFrame
        By procedure and level: mean absolute difference in points, and how many shares are near.
    """
    long = found.melt(
        ["data_set", "procedure", "pair_level", "n_runs"], var_name="learner", value_name="share"
    )
    both = long.merge(printed_shares(), on=["data_set", "procedure", "learner"])
    both["away"] = (both["share"] - both["printed"]).abs()
    both["is_near"] = both["away"] <= limit
    groups = both[both["procedure"] != "Newman-Keuls"].groupby(
        ["procedure", "pair_level"], sort=False
    )
    table = groups.agg(mean_away=("away", "mean"), n_near=("is_near", "sum"), of=("away", "size"))
    return table.reset_index().round({"mean_away": 1})


def impossible_at_one_level() -> pd.DataFrame:
    """Return the printed shares of TestFirst that exceed what MultiTest leaves for the learner.

    Where TestFirst names a learner, its mean is the lowest and all that are preferred to it are
    shown to be worse: MultiTest names it as well, on the same runs and at the same level. So at
    one level no share of TestFirst is larger than that of MultiTest.
    """
    wide = printed_shares()
    table = pd.read_csv(PRINTED / "table_2.csv").set_index(["data_set", "procedure"])
    rows = []
    for row in wide[
        (wide["procedure"] == "TestFirst") & (wide["learner"] != NONE_NAME)
    ].itertuples():
        printed = table.loc[(row.data_set, "MultiTest")]
        if row.learner == printed["first"]:
            most = printed["first_percent"]
        elif row.learner == printed["second"]:
            most = printed["second_percent"]
        else:
            most = 100 - printed[["first_percent", "second_percent"]].sum()
        if row.printed > most + 1:  # both are rounded
            rows.append((row.data_set, row.learner, int(row.printed), int(most)))
    return pd.DataFrame(rows, columns=["data_set", "learner", "testfirst", "multitest_at_most"])
