"""Examples of the sources: each against numbers by hand or by another library."""

import runpy

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.stats import binomtest
from sklearn.datasets import load_digits, load_iris, load_wine
from tests.given import ROOT

from bestofk.trees import CARTClassifier


def script(name):
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))


def test_coverage_is_that_of_all_possible_numbers_of_errors():
    coverage = script("normal_approximation")["coverage"]
    for method, other in (("wilson", "wilson"), ("clopper-pearson", "exact")):
        n, rate, total = 12, 0.3, 0.0
        for k in range(n + 1):
            low, high = binomtest(k, n).proportion_ci(method=other)
            weight = binomtest(k, n, rate)
            assert weight.k == k
            if low <= rate <= high:
                total += _binomial(n, k, rate)
        assert coverage(n, rate, method) == pytest.approx(total, abs=1e-12)
    # by hand: of 2 rows with 0, 1, 2 errors the intervals are 0, 0.5 +- 0.69 and 1
    assert coverage(2, 0.3, "normal") == pytest.approx(2 * 0.3 * 0.7)


def _binomial(n, k, p):
    from math import comb

    return comb(n, k) * p**k * (1 - p) ** (n - k)


def test_the_normal_interval_covers_too_rarely_on_few_rows():
    frame = script("normal_approximation")["table"]()
    few = frame[(frame["error rate"] == 0.1) & (frame["test rows"] <= 30)]
    assert (few["normal"] < 0.9).all()
    assert (frame["clopper-pearson"] >= 0.95).all()
    large = frame[frame["test rows"] == 1000]
    np.testing.assert_allclose(large["normal"], 0.95, atol=0.01)


def test_two_intervals_overlap_and_two_do_not_though_either_pair_differs(tmp_path, capsys):
    script("evidence_two_error_rates")["main"](tmp_path)
    printed = capsys.readouterr().out
    for verb in ("overlap", "do not overlap"):
        assert f"The intervals {verb}. The 95% interval of the difference" in printed
    assert printed.count("points: a significant difference") == 2


def test_the_second_pair_is_tested_again_under_every_open_branch():
    example = script("tree_replication")
    # tests: 2 for the first pair; below, the tree of one pair less stands twice
    for n_pairs, n_tests in ((1, 2), (2, 6), (3, 14), (4, 30)):
        row = example["replication"](n_pairs)
        assert (row["tests"], row["nodes"]) == (n_tests, 2 * n_tests + 1)
        assert row["most tests of one input"] == 2 ** (n_pairs - 1)


def test_rows_of_a_node_are_divided_by_the_branches_at_every_test():
    fragmentation = script("tree_replication")["fragmentation"]
    for n_levels in (2, 4):
        expected = [4096 / n_levels**depth for depth in range(5)]
        np.testing.assert_allclose(fragmentation(n_levels), expected, rtol=1e-12)


def test_one_wrong_label_and_an_empty_region_distort_the_boundary():
    example = script("distorted_boundaries")
    samples, wrong_area = example["samples"](), example["wrong_area"]
    X, y = samples["one noisy point"]
    assert (y != samples["clean"][1]).sum() == 1
    clean = wrong_area(*samples["clean"])
    # the one test cuts at x = cut: the area between it and the line is wrong
    tree = CARTClassifier(pruning=None).fit(*samples["clean"]).tree_
    assert clean == pytest.approx(abs(tree.threshold[0] - 0.5), abs=0.01)
    assert wrong_area(X, y) > 2 * clean
    assert wrong_area(*samples["no points in the lower right"], is_tilted=True) > 10 * clean


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_classes_are_merged_as_by_centroid_linkage(load):
    example = script("tree_search_strategies")
    X, y = load(return_X_y=True)
    means, _ = example["class_means"](X, y)
    # equal weights: scipy starts from points that count one each
    tree = example["merge"](means, np.ones(len(means)))[0][2]
    n = len(means)
    groups = {code: {code} for code in range(n)}
    expected = set()
    for number, (i, j, _, _) in enumerate(linkage(means, "centroid")):
        groups[n + number] = groups[int(i)] | groups[int(j)]
        expected.add(frozenset(groups[n + number]))

    def merged(node):
        if isinstance(node, int):
            return set()
        own = frozenset(example["leaves"](node))
        return {own}.union(*(merged(side) for _, side in node))

    assert merged(tree) == expected


def test_in_both_directions_no_more_errors_are_made_on_digits():
    errors = script("tree_search_strategies")["errors"](*load_digits(return_X_y=True))
    assert errors["both"] < errors["bottom-up"] < errors["top-down"]


def test_each_removal_is_the_best_of_all_that_are_left():
    example = script("reduced_error_curve")
    parts = example["parts_of_breast_cancer"]()
    tree = CARTClassifier(pruning=None).fit(*parts["training"]).tree_
    X, y = parts["validation"]
    errors = example["node_errors"](tree, X, y)
    steps = example["removals"](tree, errors)
    frame = example["curve"](tree, parts)

    def total(pruned):
        """Count errors by walking down to the first node that is a leaf."""

        def below(node):
            if tree.is_leaf[node] or node in pruned:
                return errors[node]
            return sum(below(c) for c in range(tree.n_nodes) if c and tree.parent[c] == node)

        return below(0)

    done = set()
    for number, node in enumerate(steps, 1):
        left = [k for k in np.flatnonzero(~tree.is_leaf).tolist() if not _is_below(tree, k, done)]
        assert total({*done, node}) == min(total({*done, k}) for k in left)
        done.add(node)
        assert frame["validation"][number] == pytest.approx(total(done) / len(y))
    assert frame["training"].is_monotonic_increasing
    assert frame["leaves"].iloc[-1] == 1
    assert frame["validation"].min() < frame["validation"].iloc[0]


def _is_below(tree, node, pruned):
    while True:
        if node in pruned:
            return True
        if node == 0:
            return False
        node = int(tree.parent[node])
