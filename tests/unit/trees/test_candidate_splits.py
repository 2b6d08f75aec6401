"""The table of all splits, by brute force, and impurities: worked numbers, and scipy."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import log2

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError
from bestofk.trees import (
    CARTClassifier,
    ID3Classifier,
    classification_error,
    entropy,
    gain_ratio,
    gini,
    information_gain,
    split_table,
)
from bestofk.trees.candidate_splits import impurity_decrease, split_information

TEMPERATURE = pd.DataFrame({"temperature": [40, 48, 60, 72, 80, 90]})
PLAY = ["no", "no", "yes", "yes", "yes", "no"]


def naive_impurities(labels):
    """Return entropy, Gini impurity and error rate of labels, from their definitions."""
    shares = [Fraction(labels.count(k), len(labels)) for k in set(labels)]
    bits = -sum(p * log2(p) for p in shares)
    return np.array([bits, float(1 - sum(p * p for p in shares)), float(1 - max(shares))])


def naive_measures(branches, n_unknown):
    """Return gain, split information, ratio, Gini and error decrease of lists of labels."""
    known = [label for branch in branches for label in branch]
    total = len(known) + n_unknown
    decrease = naive_impurities(known)
    for branch in branches:
        decrease = decrease - len(branch) / len(known) * naive_impurities(branch)
    decrease = decrease * len(known) / total
    sizes = [len(branch) for branch in branches] + [n_unknown] * (n_unknown > 0)
    info = -sum(size / total * log2(size / total) for size in sizes)
    return decrease[0], info, decrease[0] / info, decrease[1], decrease[2]


def naive_splits(values, labels, kind):
    """Return all splits of a column: thresholds or None, and the labels of each branch."""
    known = [(v, k) for v, k in zip(values, labels, strict=True) if v is not None]
    distinct = sorted({v for v, _ in known})
    splits = []
    if kind == "numeric":
        for low, high in pairwise(distinct):
            near = {k for v, k in known if v in (low, high)}
            if len(near) > 1:
                sides = [[k for v, k in known if v <= low], [k for v, k in known if v > low]]
                splits.append(((low + high) / 2, sides))
        return splits
    if len(distinct) > 1:
        splits.append((None, [[k for v, k in known if v == level] for level in distinct]))
    for size in range(1, len(distinct)):
        for chosen in combinations(distinct, size):
            if distinct[0] in chosen and len(distinct) > 2:
                inside = [k for v, k in known if v in chosen]
                splits.append((None, [inside, [k for v, k in known if v not in chosen]]))
    return splits


def random_column(rng, kind, n_rows):
    if kind == "numeric":
        values = rng.integers(0, 8, n_rows).tolist()
    else:
        values = [f"level {v}" for v in rng.integers(0, 5, n_rows)]
    return [None if rng.random() < 0.1 else v for v in values]


@pytest.mark.parametrize("seed", range(200))
def test_the_table_is_what_brute_force_finds(seed):
    rng = np.random.default_rng(seed)
    n_rows, kind = int(rng.integers(4, 15)), ("numeric", "nominal")[seed % 2]
    labels = rng.integers(0, 3, n_rows).tolist()
    labels[:2] = [0, 1]
    values = random_column(rng, kind, n_rows)
    values[0] = 3 if kind == "numeric" else "level 3"
    dtype = float if kind == "numeric" else object
    table = split_table(pd.DataFrame({"x": pd.Series(values, dtype=dtype)}), labels)
    expected = naive_splits(values, labels, kind)
    names = ["information_gain", "split_information", "gain_ratio"]
    found = table[["threshold", *names, "gini_decrease", "error_decrease"]].to_numpy(np.float64)
    n_unknown = values.count(None)
    wanted = [(t or np.nan, *naive_measures(sides, n_unknown)) for t, sides in expected]
    wanted = np.array(wanted).reshape(-1, 6)
    assert len(found) == len(wanted)
    key = np.round(found, 9), np.round(wanted, 9)
    order = [np.lexsort(np.nan_to_num(numbers).T) for numbers in key]
    np.testing.assert_allclose(found[order[0]], wanted[order[1]], atol=1e-12)


def test_all_cuts_are_listed_on_demand_and_weights_are_rows_counted_more_than_once():
    table = split_table(TEMPERATURE["temperature"], PLAY, all_cuts=True)
    np.testing.assert_array_equal(table["threshold"], [44, 54, 66, 76, 85])
    assert table["information_gain"].idxmax() == table["gini_decrease"].idxmax() == 1
    weight = np.array([1, 2, 1, 3, 1, 1])
    repeated = np.repeat(np.arange(6), weight)
    weighted = split_table(TEMPERATURE, PLAY, sample_weight=weight)
    table = split_table(TEMPERATURE.iloc[repeated], np.array(PLAY)[repeated])
    pd.testing.assert_frame_equal(weighted, table)


def test_levels_of_tennis_have_branches_and_subsets():
    data = load_data("play-tennis")
    table = split_table(data.features, data.target)
    outlook = table[table["column"] == "outlook"]
    assert outlook["kind"].tolist() == ["multiway", "subset", "subset", "subset"]
    assert outlook["branches"].tolist() == [
        "= overcast | = rainy | = sunny",
        "!= sunny | = sunny",
        "!= rainy | = rainy",
        "= overcast | != overcast",
    ]


def test_levels_in_order_are_cut_after_a_level():
    sizes = pd.DataFrame({"size": ["S", "M", "L", "XL"]})
    table = split_table(sizes, [0, 1, 0, 0], ordinal_features={"size": ["S", "M", "L", "XL"]})
    assert table["branches"].tolist() == ["= S | = M | = L | = XL", "<= S | > S", "<= M | > M"]
    assert table["threshold"].isna().all()
    ordered = sizes.astype(pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True))
    pd.testing.assert_frame_equal(split_table(ordered, [0, 1, 0, 0]), table)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_the_table_is_what_the_trees_test_first(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.integers(0, 9, 60), "level": rng.choice(list("abcdefghijkl"), 60)})
    y = (X["x"] + rng.integers(0, 9, 60) + (X["level"] < "e") * 4 > 9).to_numpy()
    table = split_table(X, y)
    shallow = {"max_depth": 1, "pruning": None}
    root = ID3Classifier(**shallow).fit(X, y).node_table(0, X, y)["gain"]
    usual = table[table["kind"] != "subset"].groupby("column")["information_gain"].max()
    np.testing.assert_allclose(usual[root.index], root, atol=1e-12)
    root = CARTClassifier(**shallow).fit(X, y).node_table(0, X, y)["gain"]
    binary = table[table["kind"] != "multiway"].groupby("column")["gini_decrease"].max()
    np.testing.assert_allclose(binary[root.index], root, atol=1e-12)


def test_a_column_of_one_value_has_no_split_and_labels_of_other_rows_are_refused():
    table = split_table(pd.DataFrame({"same": [1.0, 1.0], "text": ["a", "a"]}), [0, 1])
    assert table.empty
    assert table.columns[0] == "column"
    with pytest.raises(InvalidArgumentError, match=r"y must have one label for .*; got 1\."):
        split_table(pd.DataFrame({"x": [1, 2]}), ["a"])


COUNTS = arrays(np.float64, (3, 4), elements=st.integers(0, 20).map(float))
# Two classes of six people by city, car and age, as worked on the slides of a lecture.
CITY, CAR, AGE = [[3, 0], [1, 2]], [[0, 1], [2, 1], [2, 0]], [[1, 0]] * 4 + [[0, 1]] * 2


def test_gini_and_error_of_nine_against_five():
    assert gini([9, 5]) == pytest.approx(1 - (81 + 25) / 196)
    assert classification_error([9, 5]) == pytest.approx(5 / 14)


def test_rows_without_a_value_count_as_in_c45():
    # Refund: 3 yes without cheating, 6 no with 2 cheats, and one cheat of unknown refund.
    counts = [[0, 3], [2, 4]]
    assert information_gain(counts, unknown=1) == pytest.approx(0.136807, abs=5e-7)
    assert split_information(counts, unknown=1) == pytest.approx(1.295462, abs=5e-7)
    assert gain_ratio(counts, unknown=1) == pytest.approx(0.105604, abs=5e-7)


@given(COUNTS)
def test_entropy_is_that_of_scipy_and_gini_the_chance_of_two_classes(counts):
    for row in counts[counts.sum(axis=1) > 0]:
        assert entropy(row) == pytest.approx(scipy.stats.entropy(row, base=2), abs=1e-12)
        chance = sum(a * b for i, a in enumerate(row) for j, b in enumerate(row) if i != j)
        assert gini(row) == pytest.approx(chance / row.sum() ** 2, abs=1e-12)


@given(COUNTS)
def test_gain_is_the_mutual_information_of_branch_and_class(counts):
    n = max(counts.sum(), 1.0)
    expected = 0.0
    for branch in range(3):
        for k in range(4):
            if counts[branch, k] > 0:
                independent = counts[branch].sum() * counts[:, k].sum() / n
                expected += counts[branch, k] / n * np.log2(counts[branch, k] / independent)
    assert information_gain(counts) == pytest.approx(expected, abs=1e-12)


@given(COUNTS)
def test_many_splits_at_once_are_measured_one_by_one(counts):
    both = np.stack([counts, counts[::-1] + 1])
    for measure in (information_gain, gain_ratio, split_information):
        np.testing.assert_array_equal(measure(both), [measure(counts) for counts in both])
    for impurity in (entropy, gini, classification_error):
        np.testing.assert_array_equal(impurity(counts), [impurity(row) for row in counts])
        assert 0 <= impurity_decrease(counts, impurity) <= impurity(counts.sum(axis=0)) + 1e-12


def test_no_rows_are_pure_and_one_branch_has_no_ratio():
    assert (entropy([0, 0]), gini([0, 0]), classification_error([0, 0])) == (0.0, 0.0, 0.0)
    assert (entropy([]), gini([]), classification_error([])) == (0.0, 0.0, 0.0)
    assert information_gain([[0, 0], [0, 0]]) == 0.0
    assert np.isnan(gain_ratio([[3, 4], [0, 0]]))


@pytest.mark.parametrize("counts", [[1, -1], [1, np.nan], [1, np.inf], "x", [[1, 2], [3]]])
def test_what_is_no_count_is_refused(counts):
    with pytest.raises(InvalidArgumentError, match="must be finite numbers from 0 upwards"):
        entropy(counts)
    with pytest.raises(InvalidArgumentError, match=r"of shape \(\.\.\., n_branches, n_classes\)"):
        gain_ratio([1, 2])
