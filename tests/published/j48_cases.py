"""Reference trees from a file, and the same values measured with our learners.

A file holds `meta`, `data` (ARFF texts, compressed; without one the rows are made, see
`small_data_sets`) and `results`, one record for each data set, scheme and options. Classes are
passed as their positions in the header, so that ties go to the class declared first.
"""

from __future__ import annotations

import base64
import json
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.given import reference_file
from tests.published.small_data_sets import SMALL_DATA_SETS

from bestofk.data.arff_file import read_arff
from bestofk.trees import C45Classifier, CARTClassifier, ID3Classifier, RuleSet

SWITCH, WHOLE, REAL = None, int, float
# option: parameter, and its value (a switch) or how its text is read
OPTIONS: dict[str, dict[str, tuple[str, Any, Callable[[str], Any] | None]]] = {
    "J48": {
        "-U": ("pruning", None, SWITCH),
        "-O": ("collapse", False, SWITCH),
        "-S": ("subtree_raising", False, SWITCH),
        "-A": ("laplace", True, SWITCH),
        "-B": ("nominal_splits", "binary", SWITCH),
        "-J": ("mdl_correction", False, SWITCH),
        "-doNotMakeSplitPointActualValue": ("threshold", "midpoint", SWITCH),
        "-R": ("pruning", "reduced-error", SWITCH),
        "-N": ("pruning_folds", 3, WHOLE),
        "-Q": ("random_state", 1, WHOLE),
        "-C": ("confidence", 0.25, REAL),
        "-M": ("min_samples_leaf", 2, WHOLE),
    },
    "C4.5 r8": {
        "-s": ("nominal_splits", "group", SWITCH),
        "-g": ("criterion", "gain", SWITCH),
        "-m": ("min_samples_leaf", 2, WHOLE),
        "-c": ("confidence", 0.25, lambda text: float(text) / 100),
    },
    "SimpleCart": {
        "-U": ("pruning", None, SWITCH),
        "-A": ("one_standard_error", True, SWITCH),
        "-M": ("min_samples_leaf", 2, WHOLE),
        "-N": ("cv", 5, WHOLE),
        "-S": ("random_state", 1, WHOLE),
    },
    "Id3": {},
}
OPTIONS["C4.5 r8+c4.5rules"] = OPTIONS["C4.5 r8"]
WORDS = {"dataset", "scheme", "options", "implementation", "command", "note", "random_internals"}
COUNTS = {"n", "nominal", "numeric", "missing_cells", "classes"}
WEKA = {"leaves", "tree_size", "train_errors", "train_unclassified", "train_sum_p_true"}
WEKA_FOLD = {"leaves", "tree_size", "test_errors", "test_sum_p_true"}
CROSS_VALIDATED = {
    "cv10_accuracy_pct_by_seed",
    "cv10_accuracy_pct_mean",
    "cv10_accuracy_pct_sd",
    "cv10_weighted_auc_mean",
}
R8 = {"unpruned_size", "unpruned_train_errors", "size", "train_errors", "estimate_pct"}
R8_FOLD = R8 | {"unpruned_test_errors", "test_errors"}
RULES = {"rules_train_errors", "n_rules_final", "dropped"}
RULES_FOLD = RULES | {"rules_test_errors"}
# What differs between versions of Weka, by the beginning of `implementation`.
VERSION_PARAMETERS: dict[str, dict[str, Any]] = {
    "weka 3.6": {"threshold": "value-within-1e-6"},
}
N_FOLDS = 10
# Standard normal deviates at error rates, as Release 8 interpolates them (Documenta Geigy).
R8_RATES = [0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00]
R8_DEVIATES = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0]


@dataclass(frozen=True)
class Given:
    """Rows of one data set: features, position of the class, how many classes are declared."""

    X: pd.DataFrame
    y: np.ndarray
    n_classes: int

    def counts(self) -> dict[str, int]:
        """Return what a record says about its data."""
        n_nominal = len(self.X.select_dtypes("category").columns)
        return {
            "n": len(self.y),
            "nominal": n_nominal,
            "numeric": self.X.shape[1] - n_nominal,
            "missing_cells": int(self.X.isna().to_numpy().sum()),
            "classes": self.n_classes,
        }

    def without(self, names: list[str]) -> Given:
        """Return the rows without some columns."""
        return Given(self.X.drop(columns=names), self.y, self.n_classes)

    def take(self, rows: np.ndarray) -> Given:
        """Return some of the rows."""
        return Given(self.X.iloc[rows], self.y[rows], self.n_classes)

    def folds(self) -> list[tuple[Given, Given]]:
        """Return training and test part of each fold: row i is tested in fold i mod 10."""
        fold = np.arange(len(self.y)) % N_FOLDS
        return [
            (self.take(np.flatnonzero(fold != k)), self.take(np.flatnonzero(fold == k)))
            for k in range(N_FOLDS)
        ]


@cache
def read_file() -> dict[str, Any]:
    """Return the whole file."""
    return json.loads(reference_file("j48.json").read_text(encoding="utf-8"))


@cache
def read_rows(name: str) -> Given:
    """Return the rows of a data set of the file."""
    return parse_rows(name, read_file()["data"][name])


def parse_rows(name: str, entry: dict[str, Any]) -> Given:
    """Return the rows of an entry of `data`; rows without a class are left out."""
    if "arff_zlib_b64" not in entry:
        return Given(*SMALL_DATA_SETS[name]())
    text = zlib.decompress(base64.b64decode(entry["arff_zlib_b64"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.arff"
        path.write_bytes(text)
        columns = list(read_arff(path, "data").columns.items())
    target = columns[-1][1]
    has_class = target.notna().to_numpy()
    X = pd.DataFrame(dict(columns[:-1]))[has_class].reset_index(drop=True)
    return Given(
        X, target.cat.codes.to_numpy()[has_class].astype(np.int64), len(target.cat.categories)
    )


def parse_options(scheme: str, text: str) -> dict[str, Any]:
    """Return the parameters that the options mean, in any order; refuse unknown ones."""
    known = OPTIONS[scheme]
    parameters: dict[str, Any] = {}
    words = iter(text.split())
    for word in words:
        if word not in known:
            raise ValueError(f"options of {scheme} must be among {sorted(known)}; got {word!r}.")
        name, value, read = known[word]
        parameters[name] = value if read is SWITCH else read(next(words))
    return parameters


def make_learner(record: dict[str, Any], n_classes: int, **more: Any) -> Any:
    """Return our learner for the scheme and the options of a record."""
    scheme = record["scheme"]
    parameters = {**parse_options(scheme, record["options"]), **more}
    parameters["classes"] = tuple(range(n_classes))
    if scheme == "Id3":
        return ID3Classifier(empty_branches="none", **parameters)
    if scheme == "SimpleCart":
        defaults = {"flavor": "simplecart", "min_samples_leaf": 2, "one_standard_error": False}
        defaults["random_state"] = 1
        return CARTClassifier(**{**defaults, **parameters})
    if scheme == "J48":
        for version, differing in VERSION_PARAMETERS.items():
            if record["implementation"].startswith(version):
                parameters = {**differing, **parameters}
        if parameters.get("pruning") == "reduced-error":
            parameters = {"random_state": 1, **parameters, "collapse": False}
        return C45Classifier(flavor="j48", **parameters)
    return C45Classifier(flavor="r8", **parameters)


def measure(record: dict[str, Any], given: Given) -> dict[str, Any]:
    """Return our values of the fields of a record but those of cross-validation."""
    if record["scheme"] in ("J48", "Id3", "SimpleCart"):
        measured = _measure_weka(record, *with_values(given, given), "train")
        folds = [_measure_weka(record, *with_values(*parts), "test") for parts in given.folds()]
        for fold in folds:
            del fold["test_unclassified"]
    else:
        measured = _measure_r8(record, with_values(given, given)[0], None)
        folds = [_measure_r8(record, *with_values(*parts)) for parts in given.folds()]
    return {**given.counts(), **measured, "interleaved10": folds}


def with_values(train: Given, test: Given) -> tuple[Given, Given]:
    """Return both parts without columns that have no value in training, which we refuse."""
    empty = train.X.columns[train.X.isna().all()].tolist()
    return (train.without(empty), test.without(empty)) if empty else (train, test)


def _measure_weka(record: dict[str, Any], train: Given, test: Given, part: str) -> dict[str, float]:
    learner = make_learner(record, train.n_classes).fit(train.X, train.y)
    share = learner.predict_proba(test.X)
    return {
        "leaves": learner.get_n_leaves(),
        "tree_size": learner.tree_.n_nodes,
        f"{part}_errors": int((share.argmax(axis=1) != test.y).sum()),
        f"{part}_unclassified": int((share.sum(axis=1) == 0).sum()),
        f"{part}_sum_p_true": float(share[np.arange(len(test.y)), test.y].sum()),
    }


def _measure_r8(record: dict[str, Any], train: Given, test: Given | None) -> dict[str, float]:
    unpruned = make_learner(record, train.n_classes, pruning=None).fit(train.X, train.y)
    pruned = make_learner(record, train.n_classes).fit(train.X, train.y)
    confidence = parse_options(record["scheme"], record["options"]).get("confidence", 0.25)
    estimate = r8_estimate(pruned.tree_.class_weights[pruned.tree_.is_leaf], confidence)
    measured = {
        "unpruned_size": unpruned.tree_.n_nodes,
        "unpruned_train_errors": _errors(unpruned, train),
        "size": pruned.tree_.n_nodes,
        "train_errors": _errors(pruned, train),
        "estimate_pct": 100 * estimate / len(train.y),
    }
    if test:
        measured["unpruned_test_errors"] = _errors(unpruned, test)
        measured["test_errors"] = _errors(pruned, test)
    if record["scheme"].endswith("c4.5rules"):
        rules = RuleSet.from_tree(unpruned, train.X, train.y, confidence=confidence, random_state=1)
        measured["n_rules_final"] = len(rules)
        measured["rules_train_errors"] = _errors(rules, train)
        if test:
            measured["rules_test_errors"] = _errors(rules, test)
    return measured


def _errors(learner: Any, given: Given) -> int:
    return int((np.asarray(learner.predict(given.X)) != given.y).sum())


def r8_estimate(leaves: np.ndarray, confidence: float) -> float:
    """Return the errors that Release 8 expects of leaves with these class weights."""
    z = float(np.interp(confidence, R8_RATES, R8_DEVIATES))
    weights = leaves.sum(axis=1)
    return sum(
        float(e) + _extra(float(n), float(e), confidence, z)
        for n, e in zip(weights, weights - leaves.max(axis=1), strict=True)
        if n > 0
    )


def _extra(n: float, e: float, confidence: float, z: float) -> float:
    without = n * (1 - confidence ** (1 / n))
    if e < 1e-6:
        return without
    if e < 0.9999:
        return without + e * (_extra(n, 1.0, confidence, z) - without)
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    f = e + 0.5
    return n * (f + z * z / 2 + z * np.sqrt(f * (1 - f / n) + z * z / 4)) / (n + z * z) - e


def differences(record: dict[str, Any], measured: dict[str, Any]) -> list[str]:
    """Return the fields of a record that we do not reproduce: counts exactly, sums to 1e-3."""
    result = _differing("all rows", record, measured)
    folds = zip(record["interleaved10"], measured["interleaved10"], strict=True)
    for k, (wanted, got) in enumerate(folds):
        result += _differing(f"fold {k}", wanted, got)
    return result


def _differing(where: str, wanted: dict[str, Any], got: dict[str, Any]) -> list[str]:
    return [
        f"{where}: {name} {wanted[name]}, got {got[name]}"
        for name in wanted
        if name in got and name != "interleaved10"
        if not is_equal(name, wanted[name], got[name])
    ]


def is_equal(name: str, wanted: float, got: float) -> bool:
    """Return whether two values of a field are the same."""
    if name.endswith("sum_p_true"):
        return abs(wanted - got) <= 1e-3
    if name == "estimate_pct":  # one decimal is printed
        return abs(wanted - got) <= 0.05 + 1e-6
    return wanted == got


def weka_folds(y: np.ndarray, seed: int, n_folds: int = 10) -> list[np.ndarray]:
    """Return the test rows of each fold of Weka's stratified cross-validation."""
    order = list(range(len(y)))
    draw = _java_integers(seed)
    for last in range(len(y) - 1, 0, -1):
        other = draw(last + 1)
        order[last], order[other] = order[other], order[last]
    return np.array_split(np.array(_stratified(order, y, n_folds)), n_folds)


def _stratified(order: list[int], y: np.ndarray, n_folds: int) -> list[int]:
    """Group the rows by class, each swapped to the end of its group, then take every n-th."""
    index = 1
    while index < len(order):
        group = y[order[index - 1]]
        for row in range(index, len(order)):
            if y[order[row]] == group:
                order[index], order[row] = order[row], order[index]
                index += 1
        index += 1
    return [row for start in range(n_folds) for row in order[start::n_folds]]


def _java_integers(seed: int) -> Callable[[int], int]:
    """Return a function that draws an integer below a bound as java.util.Random does."""
    state = [(seed ^ 0x5DEECE66D) & (2**48 - 1)]

    def bits() -> int:
        state[0] = (state[0] * 0x5DEECE66D + 0xB) & (2**48 - 1)
        return state[0] >> 17

    def draw(bound: int) -> int:
        if bound & (bound - 1) == 0:
            return (bound * bits()) >> 31
        while True:
            drawn = bits()
            if drawn - drawn % bound + bound - 1 < 2**31:
                return drawn % bound

    return draw
