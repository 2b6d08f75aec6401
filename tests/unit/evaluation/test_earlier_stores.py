"""Runs of stores that did not keep what code made them: which are reused, and what is printed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from bestofk import compare
from bestofk.evaluation import Observer, Store, request_runs
from bestofk.evaluation.identity import BATCHED_MARK, LearnerIdentity, identify
from bestofk.learners.majority_classifier import MajorityClassifier

X, y = load_iris(return_X_y=True)
LEARNERS = {
    "tree": DecisionTreeClassifier(max_depth=2),  # plain, of an installed package
    "bayes": GaussianNB(),  # of an installed package, its runs by a form of ours
    "majority": MajorityClassifier(),  # ours
}


class Counting(Observer):
    """Keeps the events it receives."""

    def __init__(self):
        self.n_outdated = 0

    def start(self, request, store, *, n_reused, snapshot):
        self.n_reused = list(n_reused)

    def passed_over(self, n_runs):
        self.n_outdated += n_runs


def earlier_identity(name, estimator):
    """Return an identity as it was before stores kept what code made runs."""
    identity = identify(name, estimator)
    return replace(identity, id=identity.id.partition("-")[0], earlier_id="")


def earlier_batched(identity, code):
    return replace(identity, id=f"{identity.id}{BATCHED_MARK}0.1.0")


def run(store, learners=LEARNERS, **options):
    counting = Counting()
    result = compare(learners, X, y, cv="2x5", store=store, progress=counting, **options)
    return json.loads(result.to_json())["notes"], counting


@pytest.fixture
def earlier(tmp_path, monkeypatch):
    """Return a store as an earlier version would have left it."""
    path = tmp_path / "runs.db"
    with monkeypatch.context() as patch:
        patch.setattr(request_runs, "identify", earlier_identity)
        patch.setattr(LearnerIdentity, "batched_identity", earlier_batched)
        run(path)
    return path


def test_the_earlier_id_of_a_learner_of_an_installed_package_is_known():
    version = f"sklearn {sklearn.__version__}"
    parameters = [["constant", None], ["random_state", None], ["strategy", "prior"]]
    content = ["estimator", ["class", "sklearn.dummy.DummyClassifier", version], *parameters]
    expected = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]
    identity = identify("prior", DummyClassifier())
    assert identity.earlier_id == expected
    assert identity.id.startswith(f"{expected}-")


def test_code_of_ours_has_no_earlier_id():
    assert identify("majority", MajorityClassifier()).earlier_id == ""


def test_plain_runs_of_installed_packages_are_reused_and_others_fitted_again(earlier):
    text = "20 stored runs were not reused: another version of the code made them."
    notes, counting = run(earlier)
    assert (counting.n_reused, counting.n_outdated) == ([10, 0, 0], 20)
    assert text in notes
    notes, counting = run(earlier)
    assert (counting.n_reused, counting.n_outdated) == ([10, 10, 10], 0)
    assert text not in notes


def test_the_status_of_an_earlier_comparison_stays(earlier):
    with Store(earlier) as store:
        before = store.overview()
    run(earlier)
    with Store(earlier) as store:
        after = [row for row in store.overview() if row["comparison"] == before[0]["comparison"]]
    assert after == before


def test_runs_of_the_other_way_are_not_outdated(tmp_path):
    path = tmp_path / "runs.db"
    run(path)
    _, counting = run(path, {"bayes": GaussianNB()}, batched="never")
    assert (counting.n_reused, counting.n_outdated) == ([1], 0)  # the run that took its cost
