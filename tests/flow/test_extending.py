"""A newcomer adds a learner, a measure and a paired test, each in a file outside the package."""

import importlib
import json

import numpy as np
import pandas as pd
import pytest
from tests.calls import printed
from tests.registries import registries_kept

from bestofk import apply_procedure, compare
from bestofk.data import load_data
from bestofk.data.load import READERS
from bestofk.data.table import Table
from bestofk.errors import DesignError
from bestofk.inference import Sampling
from bestofk.measures import PredictionBatch
from bestofk.recommendation import RECOMMENDERS, get_recommender
from bestofk.recommendation.fixed_orders import RandomOrder
from bestofk.testing import check_learner, check_measure, check_paired_test
from bestofk.verdict import ORDERINGS
from bestofk.verdict.orderings import orderings
from bestofk.verdict.rules import Ordering, Pick

LEARNER = '''
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bestofk.learners import LearnerEntry, register_learner


class NearestMedian(ClassifierMixin, BaseEstimator):
    """Classifier by the nearest median of a class, distances summed over columns."""

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        self.classes_ = np.unique(y)
        self.medians_ = np.array([np.median(X[y == label], axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        distances = np.abs(X[:, None] - self.medians_).sum(axis=2)
        return self.classes_[distances.argmin(axis=1)]


ENTRY = LearnerEntry(
    name="nearest-median",
    task="classification",
    title="nearest class median",
    description="The class of the nearest median. Numeric columns standardized, nominal 1-of-n.",
    estimator=f"{__name__}.NearestMedian",
    columns="standardized",
)
'''
MEASURE = '''
import numpy as np

from bestofk.measures import Measure, register_measure


class WorstRecall(Measure):
    """Recall of the class that is recognized worst."""

    name = "worst_recall"
    title = "recall of the worst class"

    def _values(self, batch):
        bounds = zip(batch.starts[:-1], batch.starts[1:], strict=True)
        return np.array([self._worst(batch.y_true[i:j], batch.is_hit[i:j]) for i, j in bounds])

    def _worst(self, y_true, is_hit):
        return min(is_hit[y_true == label].mean() for label in set(y_true))


MEASURE = WorstRecall()
'''
TEST = '''
import numpy as np

from bestofk.inference import PairedTest, paired_test, register_paired_test


class RepeatMeansT(PairedTest):
    """The paired t test of the means of repeats."""

    name = "repeat-means-t"
    title = "t test of means of repeats"
    question = "Do two learners differ, judged by the mean of every repeat?"
    needs_all_splits = True

    def refuse(self, sampling):
        return "repeat-means-t needs repeats." if sampling.n_repeats < 2 else None

    def warnings(self, sampling):
        return ("Repeats share their rows.",)

    def compare(self, differences, sampling, *, scale=None):
        parts = np.split(differences, sampling.n_repeats, axis=-1)
        means = np.stack([part.mean(axis=-1) for part in parts], axis=-1)
        return paired_test("paired-t").compare(means, sampling, scale=scale)


TEST = RepeatMeansT()
'''


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Return a function that writes a module outside the package and imports it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def write(name, source):
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        monkeypatch.delitem(importlib.sys.modules, name, raising=False)
        return importlib.import_module(name)

    with registries_kept():
        yield write


def test_a_learner_is_compared_by_its_name(added, capsys):
    check_learner(added("nearest_median", f"{LEARNER}register_learner(ENTRY)\n").ENTRY)
    result = compare(["majority", "nearest-median"], "iris", cv="5x2")
    assert result.best == "nearest-median"
    assert result.table.set_index("learner").loc["nearest-median", "accuracy"] > 0.8
    assert "nearest class median" in printed(capsys, "learners")
    line = ("compare", "iris", "--cv", "5x2", "--learners", "majority,nearest-median", "--json")
    assert json.loads(printed(capsys, *line))["best"] == "nearest-median"


def test_a_file_is_enough_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nearest_median.py").write_text(LEARNER, encoding="utf-8")
    learners = "majority,nearest_median.py:NearestMedian"
    line = ("compare", "iris", "--cv", "5x2", "--learners", learners, "--json")
    assert json.loads(printed(capsys, *line))["best"] == "NearestMedian"


def test_a_measure_decides_by_its_name(added, capsys):
    module = added("worst_recall", f"{MEASURE}register_measure(MEASURE)\n")
    y = np.array([0, 1, 1, 0, 1, 1])
    batch = PredictionBatch(
        y, np.array([0, 0, 1, 0, 1, 0]), np.array([0, 2, 6]), np.array(["no", "yes"])
    )
    check_measure(module.MEASURE, batch)
    assert module.MEASURE.compute(batch).tolist() == [0, 2 / 3]
    result = compare(["majority", "lda"], "iris", cv="5x2", scoring="worst_recall")
    assert "highest recall of the worst class" in " ".join(result.text(verbose=True).split())
    assert result.scores[0].values.min(axis=1) == pytest.approx([0, 0.84])
    assert result.best == "lda"
    line = ("compare", "iris", "--cv", "5x2", "--learners", "majority,lda")
    shown = printed(capsys, *line, "--scoring", "worst_recall", "--verbose")
    assert "Measure: recall of the worst class" in shown


def test_a_paired_test_compares_learners(added):
    module = added("repeat_means_t", f"{TEST}register_paired_test(TEST)\n")
    check_paired_test(module.TEST, Sampling("k-fold", 5, 2))
    result = compare(["nearest-mean", "lda", "1nn"], "iris", cv="5x2", test="repeat-means-t")
    assert result.best == "lda"
    assert "t test of means of repeats" in str(result)
    by_name = result.test("repeat-means-t", "nearest-mean", "lda")
    assert by_name.df == 4
    assert result.verdict(test="repeat_means_t").best == "lda"
    with pytest.raises(DesignError, match="repeat-means-t needs repeats"):
        compare(["nearest-mean", "lda"], "iris", cv="1x5", test="repeat-means-t")


def test_what_else_is_asked_for_by_name_is_registered_too(tmp_path):
    def last(given):
        return Pick(len(given.names) - 1, "The last one.")

    def read(path, name):
        return Table.from_frame(name, pd.DataFrame({"x": [0, 1] * 5, "class": list("ab") * 5}))

    with registries_kept():
        ORDERINGS.register("last", Ordering("last", "the last", last, test=""))
        RECOMMENDERS.register("greedy", RandomOrder())
        READERS.register(".two", read)
        losses = [[0.3, 0.2], [0.33, 0.22]]
        two_folds = Sampling("k-fold", 1, 2, n_train=5, n_test=5)
        table = orderings(losses, sampling=two_folds, names=["a", "b"], only=["last"])
        assert (table.rows[0].best, table.rows[0].title) == ("b", "the last")
        assert get_recommender("greedy").title == RandomOrder.title
        (tmp_path / "mine.two").write_text("anything")
        assert load_data(tmp_path / "mine.two").n_samples == 10
    assert "last" not in ORDERINGS


def test_a_paired_test_is_applied_to_scores_of_others(added):
    added("repeat_means_t", f"{TEST}register_paired_test(TEST)\n")
    tree, lda = np.array([[0.16, 0.18, 0.2, 0.2, 0.1, 0.2], [0.2, 0.2, 0.24, 0.2, 0.16, 0.22]])
    table = pd.DataFrame({"tree": tree, "lda": lda})
    result = apply_procedure(table, "repeat-means-t", measure="error", cv="3x2")
    means = (tree - lda).reshape(3, 2).mean(axis=1)
    assert result.statistic == pytest.approx(means.mean() / (means.std(ddof=1) / np.sqrt(3)))
