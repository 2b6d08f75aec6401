"""Tables that the papers print, as the replications keep them."""

import numpy as np
import pandas as pd
from tests.given import ROOT


def printed_table(paper: str, name: str) -> pd.DataFrame:
    """Return one table, a row for each number that is printed."""
    return pd.read_csv(ROOT / "replications" / paper / "printed" / f"{name}.csv")


def printed_areas(iteration: int) -> np.ndarray:
    """Return the AUROC of C4.5 and HDDT on each data set of Table II of Raeder et al. (2010)."""
    table = printed_table("variability_2010", "table_2")
    rows = table[table["iteration"] == iteration]
    areas = rows.pivot(index="data_set", columns="learner", values="auroc")
    return areas[["C4.5", "HDDT"]].to_numpy()
