"""Chi-squared tests of branch and class, for all nodes of a level at once."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bestofk.trees import C45Classifier
from bestofk.trees.choosing import p_values
from bestofk.trees.level import Branches


def branches_of(*tables):
    """Return the branches of some nodes; None is a leaf."""
    sizes = np.array([0 if table is None else len(table) for table in tables])
    last = np.cumsum(sizes)
    first = np.where(sizes > 0, last - sizes, -1)
    known = np.concatenate([table for table in tables if table is not None]).astype(np.float64)
    unknown = np.ones((len(tables), known.shape[1]))
    return Branches(np.empty(0, np.int16), first, last, known, unknown)


@pytest.mark.parametrize("seed", range(5))
def test_p_values_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    tables = [rng.random((rng.integers(2, 5), 3)) * 10 for _ in range(4)]
    wanted = [chi2_contingency(table, correction=False).pvalue for table in tables]
    np.testing.assert_allclose(p_values(branches_of(*tables)), wanted, rtol=1e-10)


def test_p_values_of_special_tables_are_those_by_hand():
    # 30 rows: the sum of (observed - expected)^2 / expected is 4 * 25 / 7.5 = 13.333.
    result = p_values(branches_of([[12.5, 2.5], [2.5, 12.5]]))
    assert result[0] == pytest.approx(0.00026073, abs=1e-8)
    table = np.array([[6.0, 0, 2], [0, 0, 0], [3, 0, 9]])
    wanted = chi2_contingency(table[np.ix_([0, 2], [0, 2])], correction=False).pvalue
    assert p_values(branches_of(table))[0] == pytest.approx(wanted, rel=1e-12)
    single_branch = [[3, 4], [0, 0]]
    single_class = [[3, 0], [4, 0]]
    result = p_values(branches_of(single_branch, None, single_class, [[0, 0], [0, 0]]))
    np.testing.assert_array_equal(result, [1, 1, 1, 1])


def noisy_table(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    return X, ((X[:, 0] > 0) ^ (rng.random(200) < 0.2)).astype(int)


def test_a_tree_held_to_significance_ends_where_noise_begins():
    X, y = noisy_table(0)
    free = {"pruning": None, "collapse": False, "mdl_correction": False}
    tree = C45Classifier(**free, chi_squared_alpha=1e-6).fit(X, y).tree_
    assert (tree.n_leaves, int(tree.attribute[0])) == (2, 0)
    assert C45Classifier(**free).fit(X, y).get_n_leaves() > 10


def test_a_cut_pays_for_the_cuts_it_was_chosen_from():
    X = np.arange(20.0)[:, None]
    y = np.array([0] * 8 + [1, 0] * 2 + [1] * 8)
    free = {"pruning": None, "mdl_correction": False, "max_depth": 1}
    # 17 cuts leave two rows on both sides at least; the best has a p value of 2.6e-4.
    alpha = 0.001
    plain = C45Classifier(**free, chi_squared_alpha=alpha).fit(X, y)
    assert plain.get_n_leaves() == 2
    paying = C45Classifier(**free, chi_squared_alpha=alpha, chi_squared_bonferroni=True).fit(X, y)
    assert paying.get_n_leaves() == 1
    dearer = {"chi_squared_alpha": 20 * alpha, "chi_squared_bonferroni": True}
    assert C45Classifier(**free, **dearer).fit(X, y).get_n_leaves() == 2
