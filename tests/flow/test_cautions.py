"""Each of the fourteen cautions is raised by data that calls for it, and by no other."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from tests.edited_stores import edit

from bestofk import Tuned, compare
from bestofk.inference import CAUTIONS, Caution, procedure
from bestofk.score_tables.score_table import compare_scores

RNG = np.random.default_rng(3)
N = 120
y = np.tile([0, 1], N // 2)
X = RNG.normal(size=(N, 3)) + 1.2 * y[:, None]
PAIR = ["nearest-mean", "logistic"]


def codes(result):
    """Return the codes of a comparison, of findings or of a single result."""
    findings = getattr(result, "findings", result)
    texts = findings.cautions if hasattr(findings, "cautions") else findings.warnings
    return {text.code for text in texts if isinstance(text, Caution)}


def table(**scores):
    return compare_scores(pd.DataFrame(scores), measure="error", cv="10x2")


def noisy(mean, seed, sd=0.01):
    return mean + np.random.default_rng(seed).normal(scale=sd, size=20)


class Failing(ClassifierMixin, BaseEstimator):
    """Learns on some training sets only."""

    def fit(self, X, y):
        if X[0, 0] > 0:
            raise ValueError("no luck")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.fixture(scope="module")
def plain():
    return compare(PAIR, X, y, cv="10x10")


@pytest.fixture(scope="module")
def on_one_test_set():
    rows = np.arange(N)
    return compare(PAIR, X, y, cv=[(rows[:80], rows[80:])])


def test_few_scores(plain):
    assert "few-scores" in codes(compare(PAIR, X, y, cv="1x3"))
    assert "few-scores" not in codes(plain)
    few = procedure("wilcoxon").run([0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.4, 0.6, 0.8, 0.9])
    enough = procedure("wilcoxon").run(np.arange(8) / 10, np.arange(8) / 5 + 0.1)
    assert "few-scores" in codes(few)
    assert "few-scores" not in codes(enough)


def test_degenerate(plain):
    same = noisy(0.2, 0)
    assert "degenerate" in codes(table(a=same, b=same))
    assert "degenerate" in codes(table(a=same, b=same + 0.25))
    assert "degenerate" not in codes(table(a=same, b=noisy(0.2, 1)))
    assert "degenerate" not in codes(plain)


def test_overlap(plain):
    assert "overlap" in codes(compare(PAIR, X, y, cv="10", test="paired-t"))
    assert "overlap" not in codes(compare(PAIR, X, y, cv="2", test="paired-t"))
    assert "overlap" not in codes(plain)


def test_winners_curse(plain):
    assert "winners-curse" in codes(plain)
    assert "winners-curse" not in codes(compare(PAIR, X, y, cv="10x10", prefer="given"))
    assert "winners-curse" not in codes(compare(["logistic"], X, y, cv="10x10"))


def test_split_seed():
    assert "split-seed" in codes(table(a=noisy(0.2, 0), b=noisy(0.2, 1)))
    assert "split-seed" not in codes(table(a=noisy(0.1, 0), b=noisy(0.2, 1)))


def test_pooled_folds(plain, on_one_test_set):
    assert "pooled-folds" in codes(plain.test("mcnemar", *PAIR))
    assert "pooled-folds" in codes(plain.test("delong", *PAIR))
    assert "pooled-folds" not in codes(on_one_test_set.test("mcnemar", *PAIR))
    assert "pooled-folds" not in codes(plain.test("cv-central-limit", *PAIR))
    assert "pooled-folds" not in codes(plain)


def test_multiplicity(plain):
    assert "multiplicity" in codes(plain)
    assert "multiplicity" not in codes(compare(["logistic"], X, y, cv="10x10"))
    assert "multiplicity" not in codes(plain.test("corrected-t", *PAIR))


def test_mean_ranks():
    rng = np.random.default_rng(0)
    clear = np.arange(4) / 10 + rng.normal(scale=1e-3, size=(30, 4))
    # a beats b by a hair everywhere; only the learners between them can make that a gap of ranks
    crowd = np.column_stack([np.full(8, 0.10), np.full(8, 0.16), *(np.full(8, 0.1 + i / 100)
                             for i in range(1, 6))])  # fmt: skip
    assert "mean-ranks" in codes(procedure("nemenyi").run(crowd))
    assert "mean-ranks" not in codes(procedure("nemenyi").run(clear))


def test_not_equal(plain):
    assert "not-equal" in codes(table(a=noisy(0.2, 0), b=noisy(0.2, 1)))
    assert "not-equal" not in codes(table(a=noisy(0.1, 0), b=noisy(0.3, 1)))


def test_incomplete(plain):
    assert "incomplete" in codes(
        compare({"fails": Failing(), "logistic": "logistic"}, X, y, cv="5")
    )
    assert "incomplete" not in codes(plain)


def test_unstable_learner(plain):
    one_neighbor = KNeighborsClassifier(n_neighbors=1)
    result = compare([one_neighbor, "logistic"], X, y, cv="10x10")
    assert "unstable-learner" in codes(result)
    assert "unstable-learner" not in codes(plain)
    names = result.evaluation.names
    assert "unstable-learner" in codes(result.test("corrected-t", *names))
    assert "unstable-learner" not in codes(plain.test("corrected-t", *PAIR))


def test_different_test_sets(on_one_test_set):
    assert "different-test-sets" in codes(on_one_test_set.test("two-proportion-z", *PAIR))
    assert "different-test-sets" not in codes(on_one_test_set.test("mcnemar", *PAIR))
    assert "different-test-sets" not in codes(on_one_test_set)


def test_crowded(plain, tmp_path):
    path = tmp_path / "s.db"
    compare(PAIR, X, y, cv="5", store=path)
    assert "crowded" not in codes(compare(PAIR, X, y, cv="5", store=path))
    edit(path, ["UPDATE run SET is_crowded = 1"])
    assert "crowded" in codes(compare(PAIR, X, y, cv="5", store=path))
    assert "crowded" not in codes(plain)


def test_untuned(plain):
    tuned = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 9]}, cv=2)
    assert "untuned" in codes(plain)
    assert "untuned" not in codes(compare({"tuned": tuned}, X, y, cv="3"))


def test_partly_tuned():
    tuned = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 9]}, cv=2)
    mixed = compare({"tuned": tuned, "logistic": "logistic"}, X, y, cv="3")
    (said,) = [caution for caution in mixed.findings.cautions if caution.code == "partly-tuned"]
    assert said.startswith("logistic ran with the settings given and other learners were tuned")
    assert "untuned" not in codes(mixed)


def test_edge_of_space():
    narrow = Tuned("knn", {"n_neighbors": [2, 3, 4]}, rule="best")
    noise = np.random.default_rng(0).normal(size=(150, 3)), np.arange(150) % 3
    result = compare({"narrow": narrow, "majority": "majority"}, *noise, cv="3x3")
    (said,) = [item for item in result.findings.cautions if item.code == "edge-of-space"]
    assert said.startswith("narrow chose the lowest value of n_neighbors, 2, in ")
    wide = compare({"wide": Tuned("naive-bayes"), "majority": "majority"}, X, y, cv="3")
    assert "edge-of-space" not in codes(wide)


def test_every_caution_has_a_test():
    mine = {name.removeprefix("test_").replace("_", "-") for name in globals()}
    assert set(CAUTIONS) <= mine
