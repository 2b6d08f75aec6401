"""Learners whose settings share work do so on the tables they are met with."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine
from threadpoolctl import threadpool_limits

from bestofk import Tuned
from bestofk.learners import learner_catalogue
from bestofk.tuning import inner_losses
from bestofk.tuning.paths.catalogue import SETTING_PATHS

ENTRIES = {n: entry for n, entry in learner_catalogue().items() if entry.estimator in SETTING_PATHS}
BOOSTED_SPACE = {"learning_rate": [0.1, 0.5], "max_iter": [2, 5]}
SPACES = {name: BOOSTED_SPACE for name in ENTRIES if "boosting" in name}


def mixed_table(X):
    """Return a table of numbers and levels, with gaps in both."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame(X[:, :4]).add_prefix("x")
    table["level"] = rng.choice(list("abc"), len(X))
    return table.mask(rng.random(table.shape) < 0.05)


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
@pytest.mark.parametrize("name", ENTRIES)
def test_no_setting_is_trained_by_itself(name, kind, monkeypatch):
    tasks = {"classification": load_wine, "regression": load_diabetes}
    X, y = tasks[ENTRIES[name].task](return_X_y=True)
    X, y = X[::2], y[::2]
    X = X[:, :4] if kind == "numbers" else mixed_table(X)

    def plain(*_):
        raise AssertionError("a setting was trained by itself")

    monkeypatch.setattr(inner_losses, "_plain", plain)
    with threadpool_limits(1):
        tuned = Tuned(name, SPACES.get(name), inner=3, random_state=0).fit(X, y)
    assert np.isfinite(tuned.choice_["losses"]).all()
