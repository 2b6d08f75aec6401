"""Every kind of pruning by every tree, against all trees that pruning could make."""

from itertools import product
from math import lgamma, log, log2, pi

import numpy as np
import pandas as pd
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.learners import is_unstable
from bestofk.trees import C45Classifier, CARTClassifier, HellingerTreeClassifier, ID3Classifier
from bestofk.trees.json_form import tree_to_json
from bestofk.trees.pruning_methods import split_by_folds
from bestofk.trees.tree_structure import LOOKUP, THRESHOLD

LEARNERS = [
    C45Classifier(collapse=False, threshold="midpoint"),
    CARTClassifier(),
    CARTClassifier(flavor="simplecart", min_samples_leaf=6),
    ID3Classifier(),
    ID3Classifier(nominal_splits="binary"),
    ID3Classifier(nominal_splits="subset"),
    HellingerTreeClassifier(),
]
EACH = pytest.mark.parametrize("learner", LEARNERS, ids=str)


def a_table(seed, n_rows=80):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n_rows).astype(float),
            "level": pd.Categorical.from_codes(rng.integers(0, 3, n_rows), ["u", "v", "w"]),
            "b": rng.normal(size=n_rows),
        }
    )
    y = (X["a"] + 2 * (X["level"] == "u") + 2 * rng.normal(size=n_rows) > 3.5).astype(int)
    return X, y.to_numpy()


def with_options(learner, **options):
    depth = {} if getattr(learner, "flavor", "") == "simplecart" else {"max_depth": 3}
    return type(learner)(**{**learner.get_params(), "random_state": 0, **depth, **options})


def all_prunings(tree, node=0):
    """Yield the leaves of each tree that pruning makes of the subtree below a node."""
    yield (node,)
    if not tree.is_leaf[node]:
        for chosen in product(*(list(all_prunings(tree, child)) for child in tree.children(node))):
            yield tuple(leaf for leaves in chosen for leaf in leaves)


def cheapest(tree, cost_of_leaves):
    """Return the leaves of the cheapest pruned tree, the fewest of equals."""
    costs = [(round(cost_of_leaves(x), 9), len(x), x) for x in all_prunings(tree)]
    return sorted(min(costs)[2])


def leaves_kept(whole, pruned):
    """Return which nodes of the whole tree are the leaves of a pruned one."""
    pairs, result = [(0, 0)], []
    while pairs:
        old, new = pairs.pop()
        np.testing.assert_array_equal(whole.class_weights[old], pruned.class_weights[new])
        if pruned.is_leaf[new]:
            result.append(old)
        else:
            pairs += zip(whole.children(old), pruned.children(new), strict=True)
    return sorted(result)


def errors_as_leaf(tree, node):
    return float(tree.class_weights[node].sum() - tree.class_weights[node].max())


def above(tree, leaves):
    """Return the tests above some leaves."""
    nodes = set()
    for leaf in leaves:
        while leaf:
            leaf = int(tree.parent[leaf])
            nodes.add(leaf)
    return sorted(nodes)


@EACH
@pytest.mark.parametrize("seed", range(3))
def test_pessimistic_and_mdl_pruning_leave_the_cheapest_of_all_prunings(learner, seed):
    X, y = a_table(seed)
    whole = with_options(learner, pruning=None).fit(X, y).tree_
    pruned = with_options(learner, pruning="pessimistic").fit(X, y).tree_
    expected = cheapest(whole, lambda x: sum(errors_as_leaf(whole, leaf) + 0.5 for leaf in x))
    assert leaves_kept(whole, pruned) == expected
    pruned = with_options(learner, pruning="mdl").fit(X, y).tree_

    def bits(leaves):
        tests = sum(1 + bits_of_test(whole, node, X) for node in above(whole, leaves))
        return tests + sum(1 + bits_of_labels(whole.class_weights[leaf]) for leaf in leaves)

    assert leaves_kept(whole, pruned) == cheapest(whole, bits)


@EACH
@pytest.mark.parametrize("alpha", [0.0, 0.004, 0.02])
def test_cost_complexity_pruning_leaves_the_fewest_errors_and_paid_leaves(learner, alpha):
    X, y = a_table(3)
    whole = with_options(learner, pruning=None).fit(X, y).tree_
    fitted = with_options(learner, pruning="cost-complexity", ccp_alpha=alpha).fit(X, y)
    price = alpha * len(y)
    expected = cheapest(whole, lambda x: sum(errors_as_leaf(whole, leaf) + price for leaf in x))
    assert leaves_kept(whole, fitted.tree_) == expected
    assert fitted.ccp_alpha_ == alpha


@EACH
@pytest.mark.parametrize("seed", range(3))
def test_reduced_error_pruning_leaves_the_fewest_errors_on_rows_kept_away(learner, seed):
    X, y = a_table(seed, n_rows=90)
    growing, kept = split_by_folds(y, 3)
    pruned = with_options(learner, pruning="reduced-error").fit(X, y)
    grown = with_options(learner, pruning=None).fit(X.iloc[growing], y[growing])
    whole, path = grown.tree_, grown.decision_path(X.iloc[kept]).toarray()
    majority = whole.majority
    wrong = [path[:, t] @ (y[kept] != majority[t]) for t in range(whole.n_nodes)]
    expected = cheapest(whole, lambda x: sum(wrong[leaf] for leaf in x))
    assert leaves_kept(whole, pruned.tree_) == expected


def bits_of_labels(weights):
    """Return the bits of labels, by the gamma function; two classes."""
    n = sum(weights)
    told = sum(lgamma(w + 0.5) for w in weights) - log(pi) - lgamma(n + 1)
    return -told / log(2)


def bits_of_test(tree, node, X):
    a = int(tree.attribute[node])
    result = log2(len(tree.attributes))
    if tree.kind[node] == THRESHOLD:
        result += log2(X.iloc[:, a].nunique() - 1)
    elif tree.kind[node] == LOOKUP:  # three levels in two groups: two sizes, three ways each
        result += log2(2) + log2(3)
    return result


@EACH
def test_the_price_of_a_leaf_comes_from_cross_validation(learner):
    X, y = a_table(5, n_rows=150)
    folds = np.arange(150) % 5
    pairs = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(5)]
    options = {"pruning": "cost-complexity", "one_standard_error": False}
    chosen = with_options(learner, cv=pairs, **options).fit(X, y)
    whole = with_options(learner, **options, ccp_alpha=0.0).fit(X, y)
    alphas = [0.0]
    while whole.get_n_leaves() > 1:  # to the next smaller tree, by bisection
        low, high = alphas[-1], 1.0
        for _ in range(50):
            middle = (low + high) / 2
            tree = with_options(learner, **options, ccp_alpha=middle).fit(X, y)
            is_same = tree.get_n_leaves() == whole.get_n_leaves()
            low, high = (middle, high) if is_same else (low, middle)
        alphas.append(high)
        whole = with_options(learner, **options, ccp_alpha=high).fit(X, y)
    middles = [np.sqrt(a * b) for a, b in zip(alphas, [*alphas[1:], np.inf], strict=True)]
    errors = [0] * len(alphas)
    for k, middle in enumerate(middles):
        for growing, held in pairs:
            part = with_options(learner, **options, ccp_alpha=min(middle, 1e9))
            part.fit(X.iloc[growing], y[growing])
            errors[k] += int((part.predict(X.iloc[held]) != y[held]).sum())
    best = max(k for k, e in enumerate(errors) if e == min(errors))
    assert chosen.ccp_alpha_ == pytest.approx(alphas[best], abs=1e-9)


@EACH
def test_a_share_drawn_at_random_prunes_instead_of_folds(learner):
    X, y = a_table(1, n_rows=120)
    options = {"pruning": "reduced-error", "pruning_fraction": 0.3}
    trees = [with_options(learner, **options, random_state=s).fit(X, y).tree_ for s in (0, 0, 1)]
    assert tree_to_json(trees[0]) == tree_to_json(trees[1]) != tree_to_json(trees[2])
    assert trees[0].weight[0] == 84


@EACH
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"pruning": "rep"}, "pruning of {} must be a known one; got 'rep'"),
        ({"pruning_folds": 1}, "pruning_folds of {} must be a whole number from 2 up; got 1"),
        ({"pruning_fraction": 1}, "pruning_fraction of {} must be a number above 0 and below 1"),
        ({"ccp_alpha": -1}, "ccp_alpha of {} must be a number from 0 up or None; got -1"),
        ({"cv": 1}, "cv of {} must be a whole number from 2 up; got 1"),
        ({"one_standard_error": 1}, "one_standard_error of {} must be True or False; got 1"),
    ],
)
def test_wrong_parameters_of_pruning_are_refused(learner, options, text):
    X, y = a_table(0)
    with pytest.raises(InvalidArgumentError, match=text.format(type(learner).__name__)):
        with_options(learner, **options).fit(X, y)


@EACH
def test_none_as_a_word_prunes_nothing(learner):
    X, y = a_table(1)
    as_word, as_none = (with_options(learner, pruning=value).fit(X, y) for value in ("none", None))
    assert tree_to_json(as_word.tree_) == tree_to_json(as_none.tree_)
    assert not as_word.is_pruned
    assert is_unstable(as_word.set_params(max_depth=None))
