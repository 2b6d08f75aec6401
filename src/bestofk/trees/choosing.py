"""Choice of the attribute that a node tests, given the best test of each."""

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.trees._split_search import first_best, measure_least_worth
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import Branches
from bestofk.trees.measuring import Tests, rounded

_FREE = 1e12  # free attributes beat all others
_NOTHING = 1e-9  # worth below this is rounding


def scores(tests: Tests, rules: GrowthRules, paid: Bools) -> Floats:
    """Return the scores by which attributes are compared at each node.

    Parameters
    ----------
    tests : Tests
        The best tests.
    rules : GrowthRules
        Choice and costs.
    paid : ndarray of shape (b, d) or (b, 0), bool
        Attributes whose cost was paid in a node above.

    Returns
    -------
    ndarray of shape (b, d), float64
        Worth or ratio, weighted by cost; undefined where there is no test.
    """
    score = tests.worth
    if rules.choice != "worth":
        info = tests.split_info
        score = np.divide(score, info, out=np.zeros_like(score), where=info > 1e-6)
        score = rounded(score) if rules.in_32_bits else score
    if rules.costs is None:
        return score
    cost = np.where(paid, 0.0, rules.costs) if paid.shape[1] else rules.costs
    if rules.cost_rule == "nunez":
        return np.asarray((2.0**score - 1.0) / (cost + 1.0) ** rules.cost_weight)
    gain = score**2 if rules.cost_rule == "tan-schlimmer" else score
    return np.where(cost > 0, gain / np.where(cost > 0, cost, 1.0), gain * _FREE)


def eligible(tests: Tests, rules: GrowthRules, is_many_valued: Bools) -> Bools:
    """Return which attributes may be chosen at each node.

    Parameters
    ----------
    tests : Tests
        The best tests.
    rules : GrowthRules
        With the choice "ratio-above-average", and without costs, an attribute must reach the
        average worth (Quinlan 1993).
    is_many_valued : ndarray of shape (d,), bool
        Attributes that are left out of the average, unless their levels are grouped.

    Returns
    -------
    ndarray of shape (b, d), bool
    """
    if rules.choice != "ratio-above-average" or rules.costs is not None:
        return tests.is_valid
    may = tests.is_valid & (tests.worth >= least_worth(tests, rules, is_many_valued)[:, None])
    return may & (tests.split_info > rules.least_info) if rules.least_info > 0 else may


def least_worth(tests: Tests, rules: GrowthRules, is_many_valued: Bools) -> Floats:
    """Return the minimum worth of a test if only those above average are eligible.

    Parameters
    ----------
    tests, rules, is_many_valued
        As for `eligible`.

    Returns
    -------
    ndarray of shape (b,), float64
        Slightly below the average; infinity at nodes without tests that count.
    """
    if rules.nominal_splits == "group":
        is_many_valued = np.zeros_like(is_many_valued)
    least = np.empty(len(tests.worth))
    measure_least_worth(tests.worth, tests.is_valid & ~is_many_valued, least)
    return least


def least_score(rules: GrowthRules) -> float:
    """Return the score that a test must exceed to be better than a leaf.

    Parameters
    ----------
    rules : GrowthRules
        Rules, which may allow tests without worth.

    Returns
    -------
    float
    """
    takes_zero = rules.takes_zero or rules.takes_zero_levels
    return -np.inf if takes_zero else max(rules.tie, _NOTHING)


def choose(tests: Tests, rules: GrowthRules, is_many_valued: Bools, paid: Bools) -> Ints:
    """Return the attribute that each node tests: the first of the best, or -1 for a leaf.

    Parameters
    ----------
    tests, rules, is_many_valued, paid
        As for `scores` and `eligible`.

    Returns
    -------
    ndarray of shape (b,), int64
    """
    chosen = np.empty(len(paid), np.int64)
    score, may = scores(tests, rules, paid), eligible(tests, rules, is_many_valued)
    tie = 0.0 if rules.in_32_bits else rules.tie
    first_best(score, may, least_score(rules), tie, chosen)
    return chosen


def refused_nodes(branches: Branches, rules: GrowthRules, n_cuts: Floats) -> Bools:
    """Return which tests are refused after their branches are known."""
    n_nodes = len(branches.first)
    is_refused = np.zeros(n_nodes, np.bool_)
    if rules.alpha is not None:
        result = p_values(branches)
        if rules.bonferroni:
            result = np.minimum(result * np.maximum(n_cuts, 1.0), 1.0)
        is_refused |= (branches.first >= 0) & (result > rules.alpha)
    return is_refused


def p_values(branches: Branches) -> Floats:
    """Return for each node the p value of the difference in classes between its branches.

    Null hypothesis: at this node, branch and class are independent. Pearson's chi-squared
    test of the table branch x class, one-sided by nature.

    Parameters
    ----------
    branches : Branches
        The branches of the tests of a level; rows whose branch is unknown do not count.

    Returns
    -------
    ndarray of shape (b,), float64
        In [0, 1]; 1 for leaves, and if fewer than two branches or classes have weight.

    Notes
    -----
    df = (branches with weight - 1) * (classes present - 1). The approximation needs expected
    weights of about 5, and the p value ignores that the test was chosen among many.

    References
    ----------
    .. [1] Quinlan (1986), Induction of decision trees, Machine Learning 1, section 6.
    """
    from scipy.special import chdtrc

    table, owner = branches.known, branches.owner
    n_nodes = len(branches.first)
    by_class = np.zeros((n_nodes, table.shape[1]))
    np.add.at(by_class, owner, table)
    by_branch = table.sum(axis=1)
    total = by_class.sum(axis=1)
    expected = by_class[owner] * by_branch[:, None]
    expected /= np.where(total > 0, total, 1.0)[owner, None]
    gap = np.divide((table - expected) ** 2, expected, where=expected > 0, out=np.zeros_like(table))
    statistic = np.bincount(owner, gap.sum(axis=1), minlength=n_nodes)
    n_branches = np.bincount(owner, by_branch > 0, minlength=n_nodes)
    df = np.maximum(n_branches - 1, 0) * np.maximum((by_class > 0).sum(axis=1) - 1, 0)
    return np.where(df > 0, chdtrc(np.maximum(df, 1), statistic), 1.0)
