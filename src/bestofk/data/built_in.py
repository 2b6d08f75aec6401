"""Data sets that ship with the package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bestofk.data.table import Table


@dataclass(frozen=True)
class BuiltIn:
    """A data set that comes with the package or with scikit-learn.

    Parameters
    ----------
    loader : str
        Name of a function of `sklearn.datasets`; empty for the file in this package.
    description : str
        One line for a listing.
    """

    loader: str
    description: str


BUILT_IN = {
    "play-tennis": BuiltIn("", "14 days, 4 inputs: play tennis or not (Quinlan 1986)"),
    "iris": BuiltIn("load_iris", "150 flowers, 4 inputs: which of 3 species (Fisher 1936)"),
    "wine": BuiltIn("load_wine", "178 wines, 13 inputs: which of 3 cultivars (Forina 1988)"),
    "breast_cancer": BuiltIn(
        "load_breast_cancer", "569 tumors, 30 inputs: malignant or benign (Wolberg 1995)"
    ),
    "digits": BuiltIn("load_digits", "1797 images of 8x8: which digit (Alpaydin 1998)"),
    "diabetes": BuiltIn(
        "load_diabetes", "442 patients, 10 inputs: progression, regression (Efron 2004)"
    ),
}


def read_built_in(key: str, name: str) -> Table:
    """Return one of `BUILT_IN` as a table; classes have names, not numbers."""
    loader = BUILT_IN[key].loader
    if not loader:
        path = Path(__file__).with_name("play_tennis.csv")
        return Table.from_frame(name, pd.read_csv(path, dtype=str).astype("category"))
    from sklearn import datasets

    bunch = getattr(datasets, loader)(as_frame=True)
    frame = bunch.frame
    if key in ("iris", "wine", "breast_cancer"):
        frame = frame.assign(target=bunch.target_names[frame["target"]])
    return Table.from_frame(name, frame, target="target", note=f"{key} as in scikit-learn.")
