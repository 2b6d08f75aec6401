"""Model sizes: measured once and kept in the store."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris

from bestofk import compare
from bestofk.data import from_arrays
from bestofk.evaluation import Store
from bestofk.evaluation.run import run_one
from bestofk.learners import learner_catalogue
from bestofk.learners.learner import Learner
from bestofk.resampling import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

X, y = load_iris(return_X_y=True)
DATA = from_arrays(X, y)
SPLIT = make_plan(DATA, "1x2").split(0, 0)
LEARNERS = ["nearest-mean", "logistic"]


def compared(store, learners=LEARNERS, batched="never"):
    return compare(learners, "iris", cv="2x3", store=store, batched=batched).evaluation


def test_a_run_counts_its_model_where_it_is_asked_to():
    learner = Learner("logistic", learner_catalogue()["logistic"].make())
    record = run_one(learner, DATA, SPLIT, seed=1, measure_size=True)
    assert (record.complexity, record.complexity_unit) == (15, "parameters")
    record = run_one(learner, DATA, SPLIT, seed=1)
    assert (record.complexity, record.complexity_unit) == (None, "")


class Awkward(ClassifierMixin, BaseEstimator):
    """Model that raises, and warns, when its coefficients are read."""

    def __init__(self, error=None):
        self.error = error

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    @property
    def coef_(self):
        warnings.warn("coef_ is deprecated", FutureWarning, stacklevel=2)
        if self.error is not None:
            raise self.error
        return np.zeros(3)

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("error", [RuntimeError("no"), AttributeError("no"), None])
def test_a_model_that_cannot_be_counted_is_no_failure(error):
    learner = Learner("awkward", Awkward(error))
    record = run_one(learner, DATA, SPLIT, seed=1, measure_size=True)
    assert (record.status, record.message) == ("ok", "")
    expected = (3, "parameters") if error is None else (None, "")
    assert (record.complexity, record.complexity_unit) == expected


@pytest.mark.parametrize("batched", ["never", "auto"])
def test_what_was_counted_is_found_again(tmp_path, batched):
    learners = [*LEARNERS, "5nn", ("awkward", Awkward(RuntimeError))]  # its content can be read
    with Store(tmp_path / "s.db") as store:
        first = compared(store, learners, batched)
    with Store(tmp_path / "s.db") as store:
        second = compared(store, learners, batched)
    assert second.n_fitted == 0
    for item in (first, second):
        np.testing.assert_array_equal(item.complexity, [12, 15, 100, np.nan])
        assert item.complexity_units == ["parameters", "parameters", "rows kept", ""]


def test_batched_runs_have_the_count_of_the_run_that_measured_the_costs():
    result = compared(None, ["nearest-mean"], "always")
    assert {record.fit_mode for record in result.records[0]} == {"batched"}
    assert all(record.complexity is None for record in result.records[0])
    assert result.complexity.tolist() == [result.cost_runs[0].complexity] == [12]
