"""Every tree with every way to divide levels, levels in an order, and numbers.

The ways are those of the slides on trees (Tan, Steinbach & Kumar 2006, section 4.3.3): several
branches, two subsets, an order that is kept; intervals of equal width, of equal frequency, and
clusters. A tree takes a way and its first test is the best one, which is found here by trying
all; or the way is refused with a reason, and the page of options has that reason.
"""

import re
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.given import ROOT
from tests.published.source_data import CHEAT, TAX

from bestofk.errors import InvalidArgumentError
from bestofk.learners import resolve_learners
from bestofk.trees import (
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
    grow_from_file,
)

PAGE = (ROOT / "docs" / "learners" / "trees" / "options.md").read_text()
TREES = {
    "id3": ID3Classifier(),
    "c45": C45Classifier(pruning=None, collapse=False, mdl_correction=False, min_samples_leaf=1),
    "c45 r8": C45Classifier(flavor="r8", pruning=None, collapse=False, mdl_correction=False),
    "c45rules": C45RulesClassifier(collapse=False, mdl_correction=False, min_samples_leaf=1),
    "cart": CARTClassifier(pruning=None),
    "simplecart": CARTClassifier(flavor="simplecart", pruning=None),
    "hddt": HellingerTreeClassifier(min_samples_leaf=1),
}
# Why a tree refuses a way: words of the message and of the page.
GROUPS = "whose subsets of levels are groups"
NO_SUBSETS = "which does not search subsets of levels"
TWO_BRANCHES = "a test of CART has two branches"
NOTHING_ELSE = "Weka's SimpleCart has no other"
OF_CART = {"cart": TWO_BRANCHES, "simplecart": TWO_BRANCHES}
NOMINAL = {
    "multiway": OF_CART,
    "binary": OF_CART,
    "subset": dict.fromkeys(["c45", "c45 r8", "c45rules"], GROUPS) | {"hddt": NO_SUBSETS},
}
ORDINAL = {"cut": {}, "multiway": OF_CART}
# Edges of ten incomes in five intervals.
EDGES = {
    "equal-width": (92.0, 124.0, 156.0, 188.0),
    "equal-frequency": (72.5, 87.5, 97.5, 122.5),
    "kmeans": (80 + 5 / 12, 107.5, 171.25),
}
LEVELS = ["low", "middle", "high", "top"]
# Rows of each class by level: the best two subsets break the order, and no single level is best.
COUNTS = {"low": (8, 1), "middle": (1, 7), "high": (7, 2), "top": (2, 8)}
Branches = set[frozenset[str]]


def levels() -> tuple[pd.DataFrame, list[str]]:
    rows = [(level, c) for level, pair in COUNTS.items() for c in (0, 1) for _ in range(pair[c])]
    return pd.DataFrame({"size": [level for level, _ in rows]}), ["ny"[c] for _, c in rows]


def entropy(counts: np.ndarray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def gini(counts: np.ndarray) -> float:
    return float(1 - ((counts / counts.sum()) ** 2).sum())


def decrease(impurity: Callable[[np.ndarray], float]) -> Callable[[np.ndarray], float]:
    """Return what branches (rows: branches, columns: classes) lower an impurity by."""

    def worth(branches: np.ndarray) -> float:
        after = sum(part.sum() * impurity(part) for part in branches) / branches.sum()
        return impurity(branches.sum(axis=0)) - after

    return worth


def hellinger(branches: np.ndarray) -> float:
    first, second = (branches / branches.sum(axis=0)).T
    return float(np.sqrt(((np.sqrt(first) - np.sqrt(second)) ** 2).sum()))


def worth_of(name: str) -> Callable[[np.ndarray], float]:
    if name == "hddt":
        return hellinger
    return decrease(gini if "cart" in name else entropy)


def best(name: str, divisions: Iterable[Iterable[Iterable[str]]]) -> Branches:
    """Return the branches that are worth most to a tree."""
    worth = worth_of(name)

    def of(division: Branches) -> float:
        return worth(np.array([np.sum([COUNTS[x] for x in part], axis=0) for part in division]))

    return max(({frozenset(part) for part in division} for division in divisions), key=of)


def halves(sizes: Iterable[int]) -> list[list[set[str]]]:
    pairs = [combinations(LEVELS, size) for size in sizes]
    return [[set(part), set(LEVELS) - set(part)] for parts in pairs for part in parts]


def expected(name: str, way: str) -> Branches:
    divisions = {
        "multiway": [[{level} for level in LEVELS]],
        "binary": halves([1]),
        "subset": halves([1, 2]),
        "cut": [[LEVELS[:k], LEVELS[k:]] for k in (1, 2, 3)],
    }
    return best(name, divisions[way])


def children(learner: Any, X: pd.DataFrame, y: Any) -> np.ndarray:
    """Return which branch of the root each row goes down."""
    path = clone(learner).fit(X, y)
    below = path.tree_.children(0)
    return path.decision_path(X).toarray()[:, list(below)].argmax(axis=1)


def first_branches(learner: Any, X: pd.DataFrame, y: Any) -> Branches:
    """Return which levels go down each branch of the root."""
    return {frozenset(part) for part in X["size"].groupby(children(learner, X, y)).unique()}


def assert_refused(learner: Any, X: pd.DataFrame, y: Any, reason: str) -> None:
    with pytest.raises(InvalidArgumentError, match=re.escape(reason)):
        clone(learner).fit(X, y)
    assert reason in PAGE


@pytest.mark.parametrize("way", NOMINAL)
@pytest.mark.parametrize("name", TREES)
def test_levels_are_divided_in_the_best_way_or_a_reason_is_given(name, way):
    learner = clone(TREES[name]).set_params(nominal_splits=way)
    if name in NOMINAL[way]:
        assert_refused(learner, *levels(), NOMINAL[way][name])
    else:
        assert first_branches(learner, *levels()) == expected(name, way)


@pytest.mark.parametrize("way", ORDINAL)
@pytest.mark.parametrize("name", TREES)
def test_an_order_of_levels_is_kept_or_a_reason_is_given(name, way):
    order = {"ordinal_features": {"size": LEVELS}, "ordinal_splits": way}
    if way == "multiway" and name not in OF_CART:
        order["nominal_splits"] = "multiway"
    learner = clone(TREES[name]).set_params(**order)
    if name in ORDINAL[way]:
        assert_refused(learner, *levels(), ORDINAL[way][name])
    else:
        assert first_branches(learner, *levels()) == expected(name, way)


@pytest.mark.parametrize("name", ["id3", "c45", "c45 r8", "c45rules", "hddt"])
def test_branches_of_an_order_come_with_branches_of_all_levels(name):
    learner = clone(TREES[name]).set_params(nominal_splits="binary", ordinal_splits="multiway")
    assert_refused(learner, *levels(), "levels without an order must, too")


@pytest.mark.parametrize("at", ["table", "node"])
@pytest.mark.parametrize("way", EDGES)
@pytest.mark.parametrize("name", TREES)
def test_numbers_are_divided_into_the_intervals_of_the_slides_or_a_reason_is_given(name, way, at):
    X, learner = TAX[["income"]], clone(TREES[name])
    learner.set_params(discretization=way, n_bins=5, discretize_at=at)
    if name == "simplecart":
        assert_refused(learner, X, CHEAT, NOTHING_ELSE)
        return
    intervals = np.digitize(X["income"], EDGES[way], right=True)
    if at == "table":
        assert learner.fit(X, CHEAT).attributes_[0].edges == pytest.approx(EDGES[way])
    if at == "table" and name in ("cart", "hddt"):  # an interval is a level in an order
        classes = pd.get_dummies(pd.Series(CHEAT)).to_numpy(float)
        sides = [intervals <= k for k in range(intervals.max())]
        worth = [worth_of(name)(np.array([classes[x].sum(0), classes[~x].sum(0)])) for x in sides]
        wanted = ~sides[int(np.argmax(worth))]
    else:
        wanted = np.unique(intervals, return_inverse=True)[1]
    branch = np.unique(children(learner, X, CHEAT), return_inverse=True)[1]
    assert branch.tolist() == wanted.astype(int).tolist()


@pytest.mark.parametrize("name", ["sklearn-cart", "cart-regressor"])
@pytest.mark.parametrize("option", ["nominal_splits=multiway", "discretization=kmeans"])
def test_trees_of_scikit_learn_take_none_of_these(name, option):
    task = "regression" if name == "cart-regressor" else "classification"
    with pytest.raises(InvalidArgumentError, match="must be those of DecisionTree"):
        resolve_learners(f"{name}({option})", task)
    assert "scikit-learn's trees cut numbers alone" in PAGE


def test_trees_of_a_file_are_cut_at_thresholds(tmp_path):
    file = tmp_path / "tax.parquet"
    TAX.assign(cheat=CHEAT).to_parquet(file)
    with pytest.raises(InvalidArgumentError, match="must be None for a table on disk"):
        grow_from_file(file, "cheat", learner=C45Classifier(discretization="kmeans"))
    assert "a table on disk has its numbers sorted" in PAGE
