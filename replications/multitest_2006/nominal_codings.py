"""Which reading of nominal inputs comes near the printed errors of the nearest mean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bestofk.data import DataSet, load_data
from bestofk.design import make_plan
from bestofk.learners.columns import column_texts, table_columns
from replications.multitest_2006.experiment import find_data
from replications.multitest_2006.tables import PRINTED

# Data sets of the paper that have nominal inputs alone.
NOMINAL = ("balance", "car", "flare", "monks", "mushroom", "nursery", "tictactoe", "vote")
_CV = "5x2"


def nominal_codings(data_folder: Path) -> pd.DataFrame:
    """Return the error of the nearest class center in percent, by data set and reading.

    `one_of_n`: a column of 0 and 1 for each level, as in the other tables; `numbers`: levels
    by their place in the alphabet, standardized; `modes`: the most frequent level of each
    column stands for a class, the distance is the number of columns that differ, and of
    classes equally near the first or the last is taken. A missing value is a level.
    """
    table = pd.read_csv(PRINTED / "table_1.csv")
    printed = table[table["learner"] == "NMC"].set_index("data_set")["mean"]
    rows = []
    for name in NOMINAL:
        data = load_data(find_data(name, data_folder))
        row = {"data_set": name, "printed": printed[name]}
        rows.append(row | {how: 100 * error for how, error in _errors(data).items()})
    return pd.DataFrame(rows).round(2)


def _errors(data: DataSet) -> dict[str, float]:
    codes = level_codes(data)
    sizes = codes.max(axis=0) + 1
    one_of_n = np.hstack([np.eye(size)[codes[:, j]] for j, size in enumerate(sizes.tolist())])
    numbers = (codes - codes.mean(axis=0)) / np.maximum(codes.std(axis=0), 1e-12)
    found: dict[str, list[float]] = {}
    n_classes = len(data.classes)
    for split in make_plan(data, _CV, stratify=False, random_state=0):
        train, test = split.train_rows, split.test_rows
        distances = {
            "one_of_n": distances_to_means(one_of_n, data.y, train, test, n_classes),
            "numbers": distances_to_means(numbers, data.y, train, test, n_classes),
            "modes_first": distances_to_modes(codes, data.y, train, test, n_classes),
        }
        chosen = {how: one.argmin(axis=1) for how, one in distances.items()}
        backward = distances["modes_first"][:, ::-1].argmin(axis=1)
        chosen["modes_last"] = n_classes - 1 - backward
        for how, labels in chosen.items():
            found.setdefault(how, []).append(float((labels != data.y[test]).mean()))
    return {how: float(np.mean(errors)) for how, errors in found.items()}


def level_codes(data: DataSet) -> NDArray[np.int64]:
    """Return each column as places of its levels in the alphabet, shape (n_samples, n_columns)."""
    texts = [column_texts(column).astype(str) for column in table_columns(data.features)]
    codes = [np.unique(column, return_inverse=True)[1] for column in texts]
    return np.column_stack(codes).astype(np.int64)


def distances_to_means(
    matrix: NDArray[np.float64],
    y: NDArray[np.int64],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    n_classes: int,
) -> NDArray[np.float64]:
    """Return the squared distance to each class mean, shape (n_test, n_classes)."""
    found = np.full((len(test), n_classes), np.inf)
    for k in np.unique(y[train]):
        center = matrix[train[y[train] == k]].mean(axis=0)
        found[:, k] = ((matrix[test] - center) ** 2).sum(axis=1)
    return found


def distances_to_modes(
    codes: NDArray[np.int64],
    y: NDArray[np.int64],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    n_classes: int,
) -> NDArray[np.float64]:
    """Return how many columns differ from each class's modes, shape (n_test, n_classes)."""
    found = np.full((len(test), n_classes), np.inf)
    for k in np.unique(y[train]):
        rows = codes[train[y[train] == k]]
        modes = np.array([np.bincount(column).argmax() for column in rows.T])
        found[:, k] = (codes[test] != modes).sum(axis=1)
    return found
