"""The hierarchical posterior against brute force over a grid of all its parameters."""

import numpy as np
import pytest
from scipy import stats

from bestofk.inference.many_data_sets.posteriors import hierarchical_bayes
from bestofk.inference.sampling import Sampling

NOISE = np.array([-0.02, -0.01, 0.0, 0.01, 0.02])
MEANS = np.array([0.0, 0.01, 0.05, 0.02, 0.03])


def by_grid(means, error, df):
    """Return mean of mu and predictive probabilities of the regions with limits +-0.01."""
    delta = np.linspace(-0.35, 0.4, 751)
    mu = np.linspace(-0.13, 0.17, 61)
    likelihood = stats.t.pdf((means[:, None] - delta) / error, df)
    rates, shapes = np.meshgrid(np.linspace(0.01, 0.1, 31), np.linspace(1, 2, 21))
    total, center, region = 0.0, 0.0, np.zeros(3)
    for sigma in np.geomspace(0.0015, 0.6, 25):
        for nu in 1 + np.geomspace(0.02, 500, 12):
            kernel = stats.t.pdf((delta[:, None] - mu) / sigma, nu) / sigma
            prior = stats.gamma.pdf(nu - 1, shapes, scale=1 / rates).mean() * (nu - 1) * sigma
            weight = prior * (likelihood @ kernel).prod(axis=0)
            total += weight.sum()
            center += weight @ mu
            below, above = (
                stats.t.cdf((-0.01 - mu) / sigma, nu),
                stats.t.cdf((mu - 0.01) / sigma, nu),
            )
            region += weight @ np.column_stack([below, 1 - below - above, above])
    return center / total, region / total


def test_the_chains_agree_with_a_grid():
    sampling = Sampling("k-fold", 1, 5, n_train=80, n_test=20)
    result = hierarchical_bayes([NOISE + mean for mean in MEANS], samplings=sampling, rope=0.01)
    error = np.sqrt((1 / 5 + 1 / 4) * NOISE.var(ddof=1))
    center, region = by_grid(MEANS, error, 4)
    assert result.estimate == pytest.approx(center, abs=1e-3)
    results = [result.next_less, result.next_rope, result.next_greater]
    np.testing.assert_allclose(results, region, atol=0.01)
