"""Hellinger trees against a plain recursion written from the formulas."""

import math
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bestofk.trees import HellingerTreeClassifier

TIE = 1e-9


def distance(parts_a: list[float], parts_b: list[float]) -> float:
    """Distance of two classes, given their weight in each branch."""
    a, b = sum(parts_a), sum(parts_b)
    pairs = zip(parts_a, parts_b, strict=True)
    return math.sqrt(sum((math.sqrt(x / a) - math.sqrt(z / b)) ** 2 for x, z in pairs))


def worth(branches: list[list[float]], rule: str) -> float:
    """Worth of a test: branches hold the weight of each class; absent classes are in no pair."""
    n_classes = len(branches[0])
    by_class = [[branch[k] for branch in branches] for k in range(n_classes)]
    if rule == "mean-over-pairs":
        sides = [(by_class[a], by_class[b]) for a, b in combinations(range(n_classes), 2)]
    else:
        sides = [
            (own, [sum(branch) - x for branch, x in zip(branches, own, strict=True)])
            for own in by_class
        ]
    results = [distance(a, b) for a, b in sides if sum(a) > 0 and sum(b) > 1e-12]
    if not results:
        return 0.0
    return max(results) if rule == "max-over-rest" else sum(results) / len(results)


class Naive:
    """The tree as nested dictionaries; rows are (values, class, weight)."""

    def __init__(self, n_levels: list[int], n_classes: int, least: float, rule: str, multi: bool):
        self.n_levels, self.n_classes = n_levels, n_classes
        self.least, self.rule, self.multi = least, rule, multi

    def counts(self, rows: list[Any]) -> list[float]:
        return [sum(w for _, k, w in rows if k == c) for c in range(self.n_classes)]

    def grow(self, rows: list[Any]) -> dict[str, Any]:
        counts = self.counts(rows)
        total = sum(counts)
        node = {"counts": counts, "children": []}
        if total - max(counts) <= 1e-6 or total < 2 * self.least - 1e-6:
            return node
        best = None
        for a, n_levels in enumerate(self.n_levels):
            known = [row for row in rows if not math.isnan(row[0][a])]
            share = sum(w for _, _, w in known) / total
            mine = None
            for sides in self.divisions(known, a, n_levels):
                parts = [self.counts([r for r in known if side(r[0][a])]) for side in sides]
                heavy = sum(sum(part) >= self.least - 1e-6 for part in parts)
                if heavy < 2 or any(sum(part) <= 0 for part in parts if len(parts) == 2):
                    continue
                result = worth(parts, self.rule) * share
                if mine is None or result > mine[0] + TIE:
                    mine = (result, a, sides)
            if mine and (best is None or mine[0] > best[0] + TIE):
                best = mine
        if best is None:
            return node
        _, a, sides = best
        node["test"] = (a, sides)
        known = [[r for r in rows if side(r[0][a])] for side in sides]
        unknown = [r for r in rows if math.isnan(r[0][a])]
        weights = [sum(w for _, _, w in part) for part in known]
        for part, weight in zip(known, weights, strict=True):
            share = weight / sum(weights)
            parts = [(x, k, w * share) for x, k, w in unknown] if share > 1e-6 else []
            node["children"].append(self.grow(part + parts))
        return node

    def divisions(self, known: list[Any], a: int, n_levels: int) -> list[Any]:
        if n_levels and self.multi:
            return [[lambda v, level=level: v == level for level in range(n_levels)]]
        if n_levels:
            levels = range(1 if n_levels == 2 else n_levels)
            return [
                [lambda v, level=level: v == level, lambda v, level=level: v >= 0 and v != level]
                for level in levels
            ]
        values = sorted({row[0][a] for row in known})
        cuts = [(low + high) / 2 for low, high in pairwise(values)]
        return [[lambda v, cut=cut: v <= cut, lambda v, cut=cut: v > cut] for cut in cuts]

    def answer(self, node: dict[str, Any], x: list[float], above: list[float]) -> np.ndarray:
        counts = node["counts"] if sum(node["counts"]) > 0 else above
        if not node["children"]:
            return (np.array(counts) + 1) / (sum(counts) + self.n_classes)
        a, sides = node["test"]
        for side, child in zip(sides, node["children"], strict=True):
            if side(x[a]):
                return self.answer(child, x, counts)
        weights = [sum(child["counts"]) for child in node["children"]]
        return sum(
            weight / sum(weights) * self.answer(child, x, counts)
            for weight, child in zip(weights, node["children"], strict=True)
        )


def leaves(node: dict[str, Any]) -> list[list[float]]:
    if not node["children"]:
        return [node["counts"]]
    return [leaf for child in node["children"] for leaf in leaves(child)]


def sizes(node: dict[str, Any]) -> int:
    return 1 + sum(sizes(child) for child in node["children"])


def table(seed: int, n: int, n_classes: int, missing: float, rare: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.integers(0, 12, n) / 4,
            rng.normal(size=n).round(2),
            rng.integers(0, 4, n),
            rng.integers(0, 2, n),
            rng.integers(0, 3, n),
        ]
    )
    signal = X[:, 0] + X[:, 1] + (X[:, 2] == 1) - (X[:, 4] == 2) + rng.normal(scale=0.6, size=n)
    if rare:
        y = (signal >= np.sort(signal)[-max(n // 100, 2)]).astype(int)
    else:
        y = np.searchsorted(np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]), signal)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def as_frame(X: Any) -> pd.DataFrame:
    named = pd.DataFrame(X, columns=list("abcde"))
    for name, n_levels in zip("cde", (4, 2, 3), strict=True):
        codes = named[name].fillna(-1).astype(int)
        named[name] = pd.Categorical.from_codes(codes, [str(v) for v in range(n_levels)])
    return named


CASES = [
    # seed, rows, classes, missing, rare class, class rule, multiway, least weight
    (0, 150, 2, 0.0, False, "mean-over-pairs", False, 1),
    (1, 150, 2, 0.0, False, "mean-over-rest", True, 2),
    (2, 150, 3, 0.0, False, "mean-over-pairs", False, 2),
    (3, 150, 4, 0.0, False, "max-over-rest", False, 2),
    (4, 150, 3, 0.0, False, "mean-over-rest", True, 3),
    (5, 400, 2, 0.0, True, "mean-over-pairs", False, 1),
    (6, 400, 2, 0.05, True, "mean-over-pairs", False, 2),
    (7, 120, 2, 0.1, False, "max-over-rest", True, 2),
    (8, 120, 3, 0.1, False, "mean-over-pairs", False, 2),
    (9, 120, 3, 0.1, False, "max-over-rest", False, 2),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tree_equals_the_plain_recursion(case):
    seed, n, n_classes, missing, rare, rule, multi, least = case
    X, y = table(seed, n, n_classes, missing, rare)
    naive = Naive([0, 0, 4, 2, 3], n_classes, least, rule, multi)
    root = naive.grow([(x, k, 1.0) for x, k in zip(X.tolist(), y.tolist(), strict=True)])
    learner = HellingerTreeClassifier(
        nominal_splits="multiway" if multi else "binary", multiclass=rule, min_samples_leaf=least
    ).fit(as_frame(X), y)
    tree = learner.tree_
    assert tree.n_nodes == sizes(root)
    ours = sorted(np.round(tree.class_weights[tree.is_leaf], 6).tolist())
    theirs = sorted(np.round(leaves(root), 6).tolist())
    np.testing.assert_allclose(ours, theirs, atol=2e-6)
    asked, _ = table(seed + 100, 60, n_classes, 0.1, rare)
    wanted = [naive.answer(root, x, root["counts"]) for x in asked.tolist()]
    np.testing.assert_allclose(learner.predict_proba(as_frame(asked)), wanted, atol=1e-9)


@pytest.mark.parametrize("rule", ["mean-over-pairs", "mean-over-rest", "max-over-rest"])
def test_pure_test_is_worth_the_maximum_for_every_rule(rule):
    assert worth([[5, 0], [0, 3]], rule) == pytest.approx(math.sqrt(2))
