"""Claims about other seeds hold for comparisons made afresh; benchmarks/seed_reliability.py."""

import numpy as np
import pytest

from bestofk import compare

LEARNERS = ["nearest-mean", "naive-bayes", "lda", "qda", "1nn", "5nn"]
DATA = ["iris", "wine", "twonorm:120:1", "threenorm:150:2", "ringnorm:100:3", "waveform:150:4"]


@pytest.mark.slow
@pytest.mark.parametrize("cv", ["adaptive", "10x3", "5x2"])
def test_fresh_seeds_agree_as_often_as_is_claimed(cv):
    """Six data sets, sixteen seeds each: claims of a pick against the share of the others."""
    stated, true = [], []
    for data in DATA:
        results = [
            compare(LEARNERS, data, cv=cv, scoring="error", random_state=seed, progress=False)
            for seed in range(1, 17)
        ]
        picks = [item.best for item in results]
        claims = [item.findings.reseeding.best for item in results]
        for pick, claim in zip(picks, claims, strict=True):
            if claim is not None:  # too unsure to be stated
                stated.append(claim.value)
                true.append((picks.count(pick) - 1) / (len(picks) - 1))
    stated, true = np.array(stated), np.array(true)
    # six data sets: a standard error of some five points
    assert abs(stated.mean() - true.mean()) < 0.1
    assert true[stated >= 0.95].mean() > 0.92
