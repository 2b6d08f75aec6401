"""One more cause for each of the largest differences of Tables 1 and 2.

    python -m replications.multitest_2006.largest --data FOLDER --runs 100

takes the ten cells of each table that are farthest from print, and the ten farthest without a
cause. Of Table 1 it tries other halves, and what the paper leaves open of a learner; of Table 2
the runs here moved to the printed errors, other levels, and another rule for ties. It writes
`largest.csv`, and prints what that says of each cell.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from bestofk.data import DataSet, load_data
from bestofk.resampling import make_plan
from bestofk.trees import C45Classifier
from bestofk.trees.known_columns import KnownColumns
from bestofk.trees.prediction import reaching_weights
from bestofk.trees.pruning_methods import prune_bottom_up
from bestofk.trees.tree import Tree
from replications.cells import NOT_EXPLAINED, Tolerance, read_cells
from replications.multitest_2006.causes import (
    SETTINGS,
    Codes,
    Floats,
    Inputs,
    Labels,
    Predict,
    distances_to_centers,
    distances_to_rows,
    inputs_of,
    one_of_n,
)
from replications.multitest_2006.cells import TOLERANCES
from replications.multitest_2006.experiment import find_data, run_data_set
from replications.multitest_2006.levels import AS_PRINTED, PAIR_LEVELS, STRICTER
from replications.multitest_2006.protocol import DATA_SETS, LEARNERS, N_FOLDS, N_REPEATS, learners
from replications.multitest_2006.selections import NONE, select
from replications.multitest_2006.tables import NONE_NAME, PRINTED
from replications.running import read_options, write_table

HERE: Final = Path(__file__).parent
N_CELLS: Final = 10  # of each table, and as many without a cause
# Runs of Table 1; one where a half has thousands of rows.
N_RUNS: Final = 20
_LARGE: Final = ("nursery",)
_RARE: Final = 0.05  # a column is nearly constant if fewer rows have another value
_COLUMNS: Final = ("table", "cell", "values", "printed", "here", "cause", "tried", "gives",
                   "is_inside")  # fmt: skip


def chosen_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of Tables 1 and 2 for which one more cause is tried, farthest first."""
    away = (cells["printed"] - cells["here"]).abs()
    parts = []
    for table in ("1", "2"):
        is_outside = (cells["table"] == table) & ~cells["is_inside"]
        ordered = cells[is_outside].loc[away[is_outside].sort_values(kind="stable").index[::-1]]
        unexplained = ordered[ordered["cause"] == NOT_EXPLAINED]
        kept = ordered.index[:N_CELLS].union(unexplained.index[:N_CELLS])
        parts.append(ordered[ordered.index.isin(kept)])
    return pd.concat(parts)


class TogetherTree(C45Classifier):
    """C4.5 that draws its pruning rows from all classes together."""

    def pruning_split(self, y: Codes) -> tuple[Codes, Codes]:
        """Return growing and pruning rows."""
        rows = np.random.default_rng(self.random_state).permutation(len(y))
        n_pruning = int(np.ceil(self.pruning_fraction * len(y)))
        return np.sort(rows[n_pruning:]), np.sort(rows[:n_pruning])


class LastFifthTree(C45Classifier):
    """C4.5 that prunes by the last rows of a half, in the order of the file."""

    def pruning_split(self, y: Codes) -> tuple[Codes, Codes]:
        """Return growing and pruning rows."""
        n_growing = len(y) - int(np.ceil(self.pruning_fraction * len(y)))
        return np.split(np.arange(len(y)), [n_growing])


class HalfErrorTree(TogetherTree):
    """The same, half an error more for each leaf on the pruning rows."""

    def _grow_and_prune(self, columns: Any, y: Codes, rules: Any, weight: Any) -> Tree:
        growing, pruning = self.pruning_split(y)
        tree = self.grow_on(columns, y, rules, weight, growing)
        reached = reaching_weights(tree, columns.matrix()[pruning], y[pruning], None)
        errors = reached.sum(axis=1) - reached[np.arange(tree.n_nodes), tree.majority]
        return self._pruned(tree, errors)

    def _pruned(self, tree: Tree, errors: Floats) -> Tree:
        return prune_bottom_up(tree, errors + 0.5)


class NodeByNodeTree(HalfErrorTree):
    """The same, but a node is held against its own branches alone, each of them as a leaf."""

    def _pruned(self, tree: Tree, errors: Floats) -> Tree:
        inner = np.flatnonzero(~tree.is_leaf)
        is_pruned = np.zeros(tree.n_nodes, dtype=bool)
        below = [errors[list(tree.children(int(node)))].sum() for node in inner]
        is_pruned[inner] = errors[inner] <= below
        return tree.pruned(is_pruned)


def _without_constants(given: Inputs, train: Codes, test: Codes, _: Any) -> Labels:
    others = [np.mean(column != _usual_value(column)) for column in given.raw.T]
    numbers = given.numbers[:, np.array(others) >= _RARE]
    return _nearest(distances_to_centers(numbers, given.codes, given.y, train, test))


def _usual_value(column: Floats) -> float:
    values, counts = np.unique(column, return_counts=True)
    return float(values[counts.argmax()])


def _nearest(distances: Floats) -> Labels:
    return np.asarray(distances.argmin(axis=1))


def _missing_as_level(given: Inputs, train: Codes, test: Codes, _: Any) -> Labels:
    return given.y[train][
        _nearest(distances_to_rows(given.numbers, given.with_missing, train, test))
    ]


def _from_0_to_1(given: Inputs, train: Codes, test: Codes, _: Any) -> Labels:
    low, high = given.raw.min(axis=0), given.raw.max(axis=0)
    numbers = (given.raw - low) / (high - low)
    return given.y[train][_nearest(distances_to_rows(numbers, given.codes, train, test))]


def _descent(n_steps: int) -> Predict:
    """Return multinomial logistic regression by that many steps of gradient descent."""

    def predict(given: Inputs, train: Codes, test: Codes, _: Any) -> Labels:
        matrix = np.hstack([np.ones((len(given.y), 1)), given.numbers, one_of_n(given.codes)])
        answers = np.eye(given.y.max() + 1)[given.y[train]]
        weights = np.zeros((matrix.shape[1], answers.shape[1]))
        for _step in range(n_steps):
            scores = np.exp(matrix[train] @ weights)
            shares = scores / scores.sum(axis=1, keepdims=True)
            weights -= 0.1 * matrix[train].T @ (shares - answers) / len(train)
        return np.asarray((matrix[test] @ weights).argmax(axis=1))

    return predict


_ARRAYS: Final[dict[str, dict[str, Predict]]] = {
    "NMC": {"without nearly constant columns": _without_constants},
    "NN": {"missing as level": _missing_as_level, "numbers from 0 to 1": _from_0_to_1},
    "LGC": {f"{n_steps} steps of descent": _descent(n_steps) for n_steps in (20, 100, 500)},
}
_TREES: Final = {
    "pruning rows of all classes together": TogetherTree,
    "last rows prune": LastFifthTree,
    "together, half an error a leaf": HalfErrorTree,
    "together, node by node": NodeByNodeTree,
}
STRATIFIED: Final = "stratified halves"


@cache
def errors_of(name: str, learner: str, setting: str, folder: Path) -> pd.DataFrame:
    """Return mean and standard deviation of the error in percent, a row for each cause tried.

    Parameters
    ----------
    name, learner : str
        Data set and learner by their names in the paper.
    setting : str
        Of `causes`, if one explains the cell; other halves are tried with it. Else empty.
    folder : Path
        Holds ``uci/*.arff``.
    """
    data = load_data(find_data(name, folder))
    given = inputs_of(data)
    n_runs = 1 if name in _LARGE else N_RUNS
    splits, stratified = (_splits(data, n_runs, is_stratified) for is_stratified in (False, True))
    errors = {}
    usual = SETTINGS[learner][setting] if setting else None
    rng = np.random.default_rng(0)
    if usual is not None:
        errors[f"{setting}, {STRATIFIED}"] = [
            _error(usual(given, *s, rng), given.y[s[1]]) for s in stratified
        ]
    else:
        errors[STRATIFIED] = _errors_of_estimator(dict(learners())[learner], data, stratified)
        for title, predict in _ARRAYS.get(learner, {}).items():
            errors[title] = [_error(predict(given, *s, rng), given.y[s[1]]) for s in splits]
        for title, tree in _TREES.items() if learner == "C4.5" else ():
            errors[title] = _errors_of_tree(tree, data, splits)
    rows = {title: (np.mean(item), np.std(item, ddof=1)) for title, item in errors.items()}
    return 100 * pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "sd"])


def _splits(data: DataSet, n_runs: int, is_stratified: bool) -> list[tuple[Codes, Codes]]:
    plan = make_plan(data, f"{N_REPEATS * n_runs}x{N_FOLDS}", stratify=is_stratified)
    return [(split.train_rows, split.test_rows) for split in plan]


def _error(predicted: NDArray[Any], y: NDArray[Any]) -> float:
    return float((np.asarray(predicted) != y).mean())


def _errors_of_estimator(
    estimator: Any, data: DataSet, splits: Sequence[tuple[Codes, Codes]]
) -> list[float]:
    result = []
    for seed, (train, test) in enumerate(splits):
        fitted = clone(estimator)
        if "learner__random_state" in fitted.get_params():
            fitted.set_params(learner__random_state=seed)
        fitted.fit(data.feature_rows(train), data.y[train])
        result.append(_error(fitted.predict(data.feature_rows(test)), data.y[test]))
    return result


def _errors_of_tree(
    tree: type[C45Classifier], data: DataSet, splits: Sequence[tuple[Codes, Codes]]
) -> list[float]:
    result = []
    for seed, (train, test) in enumerate(splits):
        learner = tree(pruning="reduced-error", pruning_fraction=0.2, random_state=seed)
        known = KnownColumns()
        learner.fit(known.fit_transform(data.feature_rows(train)), data.y[train])
        result.append(
            _error(learner.predict(known.transform(data.feature_rows(test))), data.y[test])
        )
    return result


def moved(values: Floats, name: str) -> Floats:
    """Return errors of runs, moved and stretched to the printed means and standard deviations.

    What the learners have in common on a half, and the shape of their errors, stay.

    Parameters
    ----------
    values : ndarray of shape (n_runs, n_learners, 10), float
        Shares of 1.
    name : str
        Of the data set.
    """
    table = pd.read_csv(PRINTED / "table_1.csv")
    own = table[table["data_set"] == name].set_index("learner").loc[list(LEARNERS)]
    mean, sd = (own[column].to_numpy()[:, np.newaxis] / 100 for column in ("mean", "sd"))
    center = values.mean(axis=(0, 2))[:, np.newaxis]
    spread = values.std(axis=(0, 2), ddof=1)[:, np.newaxis]
    return np.asarray(mean + sd * (values - center) / spread)


_MOVED: Final = "moved errors"
# By procedure: title -> whether errors are moved, and options of `select`.
_SELECTIONS: Final[dict[str, dict[str, tuple[bool, dict[str, Any]]]]] = {
    "MultiTest": {
        f"{_MOVED}, {title}": (True, {"level": PAIR_LEVELS[title]})
        for title in (AS_PRINTED, STRICTER, "0.05/40")
    },
    "TestFirst": {
        **{
            f"{_MOVED}, {title}": (True, {"level": PAIR_LEVELS[title]})
            for title in ("0.05/4", AS_PRINTED)
        },
        "last of ties": (False, {"last_of_ties": True}),
    },
    "Newman-Keuls": {
        _MOVED: (True, {}),
        "level 0.01": (False, {"alpha": 0.01}),
        f"{_MOVED}, level 0.01": (True, {"alpha": 0.01}),
    },
}


@cache
def _runs(name: str, folder: Path, work: Path, n_runs: int) -> Floats:
    errors = run_data_set(name, folder, work, n_runs)
    if errors is None:
        raise KeyboardInterrupt
    return errors.values


def _shares(values: Floats, name: str, procedure: str, learner: str) -> dict[str, float]:
    """Return in what percent of runs a procedure names a learner, by what was tried."""
    number = NONE if learner == NONE_NAME else LEARNERS.index(learner)
    return {
        title: 100 * float(np.mean(
            select(moved(values, name) if is_moved else values, **options)[procedure] == number
        ))
        for title, (is_moved, options) in _SELECTIONS[procedure].items()
    }  # fmt: skip


def _tried(cell: pd.Series, folder: Path, work: Path, n_runs: int) -> dict[str, float]:
    """Return the value of a cell with each cause tried."""
    if cell["table"] == "2":
        name, procedure, learner = cell["cell"].split(", ")
        return _shares(_runs(name, folder, work, n_runs), name, procedure, learner)
    words = cell["cell"].split(" ")
    is_spread = len(words) == 2
    learner = words[1] if is_spread else cell["values"].removesuffix(" mean")
    setting = "" if cell["cause"] == NOT_EXPLAINED else cell["cause"].rpartition(": ")[0]
    found = errors_of(words[0], learner, setting, folder)
    return dict(found["sd" if is_spread else "mean"])


def largest(cells: pd.DataFrame, folder: Path, work: Path, n_runs: int) -> pd.DataFrame:
    """Return a row for each chosen cell and each cause tried, with what came out.

    Parameters
    ----------
    cells : DataFrame
        As `cells.csv` has them.
    folder, work : Path
        Data, and where runs are kept.
    n_runs : int
        Runs for Table 2.
    """
    limits = {(item.table, item.values): item for item in TOLERANCES}
    rows = []
    for _, cell in chosen_cells(cells).iterrows():
        limit: Tolerance = limits[cell["table"], cell["values"]]
        for title, gives in _tried(cell, folder, work, n_runs).items():
            is_inside = limit.accepts(cell["printed"], gives)
            kept = [cell[column] for column in _COLUMNS[:6]]
            rows.append([*kept, title, round(gives, 2), is_inside])
        sys.stderr.write(f"{cell['cell']}, {cell['values']}: done\n")
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def conclusions(found: pd.DataFrame) -> pd.Series:
    """Return what all that was tried says of each cell, by table, cell and values."""
    return found.groupby(["table", "cell", "values"], sort=False).apply(
        _conclusion, include_groups=False
    )


def _conclusion(rows: pd.DataFrame) -> str:
    """Return what is known of a cell, by what comes nearest to the printed value."""
    first = rows.iloc[0]
    away = (rows["gives"] - first["printed"]).abs()
    best = rows.loc[away.idxmin()]
    if best["is_inside"] and first["cause"] != NOT_EXPLAINED:
        return "the cause stands"
    if best["is_inside"]:
        return f"inside by {best['tried']}"
    if away.min() < abs(first["here"] - first["printed"]):
        return f"{NOT_EXPLAINED}; nearest by {best['tried']}"
    return f"{NOT_EXPLAINED}; nothing tried is nearer"


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all causes, and write what came out."""
    options = read_options(
        arguments,
        home=HERE,
        description="More causes of the largest differences from Yildiz & Alpaydin (2006)",
        n_runs=100,
        run_title="runs of 5x2 for Table 2",
        names=list(DATA_SETS),
    )
    options.work.mkdir(parents=True, exist_ok=True)
    cells = read_cells(HERE / "results" / "cells.csv")
    found = largest(cells, options.data, options.work, options.runs)
    write_table(found, options.results / "largest.csv")
    for key, conclusion in conclusions(found).items():
        sys.stdout.write(f"Table {', '.join(map(str, key))}: {conclusion}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
