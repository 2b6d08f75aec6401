"""Chi-squared tests of independence of classes and branches, for whole levels."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.trees.level import Branches


def p_values(branches: Branches) -> Floats:
    """Return for each node how likely its branches differ as much in classes by chance.

    Null hypothesis: at this node, branch and class are independent. Pearson's chi-squared
    test of the table branch x class, one-sided by nature.

    Parameters
    ----------
    branches : Branches
        The branches of the tests of a level; rows whose branch is unknown do not count.

    Returns
    -------
    ndarray of shape (b,), float64
        In [0, 1]; 1 for leaves, and where fewer than two branches or classes have weight.

    Notes
    -----
    df = (branches with weight - 1) * (classes present - 1). When not to trust it: the
    approximation needs expected weights of about 5, and the p value ignores that the test was
    chosen among many.

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
