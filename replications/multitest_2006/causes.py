"""Errors of other learner settings, compared with the printed errors of Table 1.

    python -m replications.multitest_2006.causes --data FOLDER --runs 4

The paper leaves open how nominal inputs are read, which of tied neighbors answers, how long LGC
is trained, and most settings of C4.5. Each setting is tried on the data sets it can change.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bestofk.data import DataSet, load_data
from bestofk.resampling import make_plan
from bestofk.trees import C45Classifier
from bestofk.trees.known_columns import KnownColumns
from replications.multitest_2006.experiment import find_data
from replications.multitest_2006.protocol import DATA_SETS, N_FOLDS, N_REPEATS
from replications.multitest_2006.tables import PRINTED
from replications.running import read_options, write_table

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Labels = NDArray[np.int64]

HERE: Final = Path(__file__).parent
# With some or all inputs nominal, and those whose error was not near.
OF_CENTERS: Final = (
    "balance", "car", "cmc", "credit", "cylinder", "dermatology", "ecoli", "flare", "hepatitis",
    "horse", "monks", "mushroom", "nursery", "tictactoe", "vote", "zoo",
)  # fmt: skip
OF_NEIGHBORS: Final = tuple(name for name in OF_CENTERS if name != "ecoli")
OF_LOGISTIC: Final = (
    "balance", "breast", "flare", "haberman", "hepatitis", "horse", "monks", "pendigits",
    "segment", "zoo",
)  # fmt: skip
OF_TREES: Final = (
    "balance", "cmc", "dermatology", "ecoli", "glass", "horse", "ionosphere", "iris", "monks",
    "pima", "wine", "yeast", "zoo",
)  # fmt: skip
# One run is enough where a half has thousands of rows.
_LARGE: Final = ("mushroom", "nursery", "pendigits", "segment")
_FAR: Final = 1e9  # from a class that no training row has


@dataclass(frozen=True)
class Inputs:
    """A data set as arrays, rows in the order of the file.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples, n_numeric)
        Standardized; missing values are the mean.
    raw : ndarray of shape (n_samples, n_numeric)
        As they are; missing values are the mean.
    codes : ndarray of shape (n_samples, n_nominal)
        Levels by their place in the declaration; a missing value is the most frequent level.
    with_missing : ndarray of shape (n_samples, n_nominal)
        The same, a missing value being a level of its own.
    y : ndarray of shape (n_samples,)
        Classes, numbered by their first appearance in the file.
    """

    numbers: Floats
    raw: Floats
    codes: Codes
    with_missing: Codes
    y: Labels


Predict = Callable[[Inputs, Codes, Codes, np.random.Generator], Labels]


def inputs_of(data: DataSet) -> Inputs:
    """Read a data set."""
    raw, codes, with_missing = [], [], []
    for _, column in data.features.items():
        if not hasattr(column, "cat"):
            values = column.to_numpy(dtype=float)
            raw.append(np.where(np.isnan(values), np.nanmean(values), values))
            continue
        levels = column.cat.codes.to_numpy().astype(np.int64)
        is_missing = levels < 0
        codes.append(np.where(is_missing, np.bincount(levels[~is_missing]).argmax(), levels))
        with_missing.append(np.where(is_missing, levels.max() + 1, levels))
    numbers = [_standardized(values) for values in raw]
    in_order = {label: index for index, label in enumerate(dict.fromkeys(data.y.tolist()))}
    n_rows = len(data.y)
    return Inputs(
        numbers=_stacked(numbers, n_rows, np.float64),
        raw=_stacked(raw, n_rows, np.float64),
        codes=_stacked(codes, n_rows, np.int64),
        with_missing=_stacked(with_missing, n_rows, np.int64),
        y=np.array([in_order[label] for label in data.y.tolist()]),
    )


def _stacked(columns: Sequence[NDArray[Any]], n_rows: int, dtype: Any) -> NDArray[Any]:
    return np.array(columns, dtype=dtype).reshape(len(columns), n_rows).T


def _standardized(values: NDArray[Any]) -> Floats:
    return np.asarray((values - values.mean(axis=0)) / np.maximum(values.std(axis=0), 1e-12))


def one_of_n(codes: Codes) -> Floats:
    """Return a column of 0 and 1 for each level of each column."""
    sizes = (codes.max(axis=0) + 1).tolist() if codes.size else []
    parts = [np.eye(size)[codes[:, j]] for j, size in enumerate(sizes)]
    return np.hstack([np.zeros((len(codes), 0)), *parts])


def as_numbers(given: Inputs) -> Floats:
    """Return all inputs as numbers, levels by their place, standardized."""
    return np.hstack([given.numbers, _standardized(given.codes.astype(float))])


def distances_to_centers(
    numbers: Floats, codes: Codes, y: Labels, train: Codes, test: Codes
) -> Floats:
    """Return the squared distance of test rows to each class, shape (n_test, n_classes).

    A class is known by the mean of its numbers and the most frequent level of each nominal
    input, the first of equally frequent ones. A level that differs adds 1.
    """
    result = np.full((len(test), y.max() + 1), _FAR)
    for k in np.unique(y[train]):
        rows = train[y[train] == k]
        modes = np.array([np.bincount(column).argmax() for column in codes[rows].T], dtype=int)
        squares = ((numbers[test] - numbers[rows].mean(axis=0)) ** 2).sum(axis=1)
        result[:, k] = squares + (codes[test] != modes).sum(axis=1)
    return result.round(9)


def distances_to_rows(numbers: Floats, codes: Codes, train: Codes, test: Codes) -> Floats:
    """Return the squared distance of test to training rows; a level that differs adds 1."""
    matrix = np.hstack([numbers, one_of_n(codes) / np.sqrt(2)])
    squares = (matrix**2).sum(axis=1)
    products = matrix[test] @ matrix[train].T
    return np.asarray((squares[test][:, np.newaxis] - 2 * products + squares[train]).round(9))


def _no_codes(given: Inputs) -> Codes:
    return np.zeros((len(given.y), 0), dtype=np.int64)


def _modes(given: Inputs, train: Codes, test: Codes, _: np.random.Generator) -> Labels:
    return _nearest_center(given, given.numbers, given.codes, train, test)


def _centers_of_numbers(given: Inputs, train: Codes, test: Codes, _: np.random.Generator) -> Labels:
    return _nearest_center(given, as_numbers(given), _no_codes(given), train, test)


def _centers_unscaled(given: Inputs, train: Codes, test: Codes, _: np.random.Generator) -> Labels:
    matrix = np.hstack([given.raw, one_of_n(given.codes)])
    return _nearest_center(given, matrix, _no_codes(given), train, test)


def _nearest_center(
    given: Inputs, numbers: Floats, codes: Codes, train: Codes, test: Codes
) -> Labels:
    result = distances_to_centers(numbers, codes, given.y, train, test).argmin(axis=1)
    return np.asarray(result)


def _first_row(given: Inputs, train: Codes, test: Codes, _: np.random.Generator) -> Labels:
    distances = distances_to_rows(given.numbers, given.codes, train, test)
    return np.asarray(given.y[train][distances.argmin(axis=1)])  # training rows are sorted


def _drawn_row(given: Inputs, train: Codes, test: Codes, rng: np.random.Generator) -> Labels:
    return _drawn(given, distances_to_rows(given.numbers, given.codes, train, test), train, rng)


def _drawn_row_of_numbers(
    given: Inputs, train: Codes, test: Codes, rng: np.random.Generator
) -> Labels:
    return _drawn(
        given, distances_to_rows(as_numbers(given), _no_codes(given), train, test), train, rng
    )


def _drawn(given: Inputs, distances: Floats, train: Codes, rng: np.random.Generator) -> Labels:
    is_nearest = distances <= distances.min(axis=1, keepdims=True)
    taken = (is_nearest * rng.random(distances.shape)).argmax(axis=1)
    return np.asarray(given.y[train][taken])


def _logistic(strength: float, reading: str = "levels") -> Predict:
    def predict(given: Inputs, train: Codes, test: Codes, _: np.random.Generator) -> Labels:
        from sklearn.linear_model import LogisticRegression

        codes = given.with_missing if reading == "missing" else given.codes
        is_number = reading == "numbers"
        matrix = as_numbers(given) if is_number else np.hstack([given.numbers, one_of_n(codes)])
        learner = LogisticRegression(C=strength, max_iter=5_000)
        return np.asarray(learner.fit(matrix[train], given.y[train]).predict(matrix[test]))

    return predict


# By learner: title of a setting, and what it predicts. C4.5 takes tables: see `_TREES`.
SETTINGS: Final[dict[str, dict[str, Predict]]] = {
    "NMC": {
        "modes": _modes,
        "numbers": _centers_of_numbers,
        "unscaled": _centers_unscaled,
    },
    "NN": {
        "first tied row": _first_row,
        "drawn tied row": _drawn_row,
        "numbers": _drawn_row_of_numbers,
    },
    "LGC": {
        "C = 0.1": _logistic(0.1),
        "C = 1": _logistic(1),
        "C = 100": _logistic(100),
        "numbers": _logistic(10, "numbers"),
        "missing as level": _logistic(10, "missing"),
    },
}
_TREES: Final[dict[str, dict[str, Any]]] = {
    "gain": {"criterion": "gain"},
    "binary": {"nominal_splits": "binary"},
    "leaves of 1": {"min_samples_leaf": 1},
    "leaves of 5": {"min_samples_leaf": 5},
    "nodes of 20": {"min_samples_split": 20},
    "Release 8": {"flavor": "r8"},
    "no penalty of thresholds": {"mdl_correction": False},
    "5 % prune": {"pruning_fraction": 0.05},
    "40 % prune": {"pruning_fraction": 0.4},
    "missing as mode": {"missing_values": "most-frequent"},
    "error-based": {"pruning": "error-based", "pruning_fraction": None},
}
_OF_LEARNERS: Final = {"NMC": OF_CENTERS, "NN": OF_NEIGHBORS, "LGC": OF_LOGISTIC, "C4.5": OF_TREES}


def causes(folder: Path, n_runs: int, names: Sequence[str] = tuple(DATA_SETS)) -> pd.DataFrame:
    """Return mean and standard deviation of the error in percent, by data set and setting.

    Parameters
    ----------
    folder : Path
        Holds ``uci/*.arff``.
    n_runs : int
        Runs of five times two halves; 1 where a half has thousands of rows.
    names : sequence of str
        Data sets by their names in the paper.
    """
    printed = pd.read_csv(PRINTED / "table_1.csv").set_index(["data_set", "learner"])
    rows = []
    for name in names:
        data, n = load_data(find_data(name, folder)), 1 if name in _LARGE else n_runs
        for learner, setting, errors in _errors(name, data, n):
            target = printed.loc[(name, learner)]
            rows.append(
                {
                    "data_set": name, "learner": learner, "setting": setting, "n_runs": n,
                    "printed_mean": target["mean"], "mean": 100 * float(np.mean(errors)),
                    "printed_sd": target["sd"], "sd": 100 * float(np.std(errors, ddof=1)),
                }
            )  # fmt: skip
        sys.stderr.write(f"{name}: done\n")
    return pd.DataFrame(rows).round(2)


def _errors(name: str, data: DataSet, n_runs: int) -> Iterator[tuple[str, str, list[float]]]:
    plan = make_plan(data, f"{N_REPEATS * n_runs}x{N_FOLDS}", stratify=False, random_state=0)
    splits = [(split.train_rows, split.test_rows) for split in plan]
    given, rng = inputs_of(data), np.random.default_rng(0)
    for learner, settings in SETTINGS.items():
        for title, predict in settings.items() if name in _OF_LEARNERS[learner] else ():
            if title == "missing as level" and not np.any(given.codes != given.with_missing):
                continue
            if title == "numbers" and not given.codes.size:
                continue
            yield (
                learner,
                title,
                [
                    float((predict(given, train, test, rng) != given.y[test]).mean())
                    for train, test in splits
                ],
            )
    for title, changed in _TREES.items() if name in OF_TREES else ():
        yield (
            "C4.5",
            title,
            [
                _error_of_tree(data, changed, train, test, seed)
                for seed, (train, test) in enumerate(splits)
            ],
        )


def _error_of_tree(
    data: DataSet, changed: dict[str, Any], train: Codes, test: Codes, seed: int
) -> float:
    usual = {"pruning": "reduced-error", "pruning_fraction": 0.2}
    tree, known = C45Classifier(**(usual | changed), random_state=seed), KnownColumns()
    tree.fit(known.fit_transform(data.feature_rows(train)), data.y[train])
    predicted = tree.predict(known.transform(data.feature_rows(test)))
    return float((predicted != data.y[test]).mean())


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all settings, and write what came out."""
    options = read_options(
        arguments,
        home=HERE,
        description="Other settings of the learners of Yildiz & Alpaydin (2006)",
        n_runs=4,
        run_title="runs of 5x2",
        names=list(DATA_SETS),
    )
    options.results.mkdir(parents=True, exist_ok=True)
    write_table(causes(options.data, options.runs, options.sets), options.results / "causes.csv")
    return 0


if __name__ == "__main__":
    sys.exit(main())
