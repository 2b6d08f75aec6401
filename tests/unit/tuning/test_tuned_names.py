"""Which learners of a comparison are tuned, from which default, and under which names."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bestofk.comparison.tuned_learners import tuned_learners
from bestofk.data.arrays import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.learners import learner_catalogue, resolve_learners
from bestofk.measures import get_measure
from bestofk.tuning import Tuned
from bestofk.tuning.paths.catalogue import SETTING_PATHS
from bestofk.tuning.spaces import is_tuned_by_default


def tuned(learners, *, tune=True):
    """Return the tuned learners and notes of a comparison of classifiers."""
    data = from_arrays(np.arange(3.0)[:, None], np.arange(3), task="classification")
    measure = get_measure("error", task="classification", classes=data.classes)
    entered = resolve_learners(learners, "classification")
    return tuned_learners(entered, measure, data, tune=tune)


def test_a_learner_with_a_name_of_the_catalogue_is_tuned_as_given():
    own = make_pipeline(MinMaxScaler(), SVC(C=100, kernel="poly"))
    learners, _ = tuned({"svm": own, "logistic": KNeighborsClassifier(3, p=1)})
    assert [learner.name for learner in learners] == ["tuned(svm)", "tuned(logistic)"]
    svm, neighbors = (learner.estimator.learner for learner in learners)
    assert isinstance(svm[0], MinMaxScaler)
    assert (svm[1].C, svm[1].kernel) == (100, "poly")
    assert (neighbors.n_neighbors, neighbors.p) == (3, 1)


def test_settings_of_a_learner_are_its_default_under_the_name_given():
    [learner], _ = tuned({"5nn": "5nn(n_neighbors=9)"})
    assert learner.name == "tuned(5nn)"
    assert learner.estimator.learner.get_params()["learner__n_neighbors"] == 9


def test_learners_of_the_catalogue_with_equal_spaces_are_one():
    learners, notes = tuned("1nn,naive-bayes,5nn")
    assert [learner.name for learner in learners] == ["tuned(knn)", "tuned(naive-bayes)"]
    assert notes == (
        "1nn, 5nn are tuned over the same space, so they count as one learner, tuned(knn).",
    )


def test_learners_whose_tests_were_not_found_to_hold_are_tuned_where_they_are_named():
    own = {"5nn": "5nn", "lda": "lda", "mine": DecisionTreeClassifier(), "t": Tuned("lda")}
    learners, notes = tuned(own)
    assert [learner.name for learner in learners] == ["tuned(knn)", "lda", "mine", "t"]
    assert notes == (
        "Left untuned: lda and mine. Tests of them, once tuned, are not known to be wrong in "
        "about as many cases as their level says. Write tuned(NAME) to tune one all the same.",
    )


def test_tuning_by_default_follows_the_measured_level():
    entries = learner_catalogue().values()
    shared = {
        entry.name: entry for entry in entries if entry.estimator in SETTING_PATHS and entry.space
    }
    levels = [(0.029, False), (0.03, True), (0.07, True), (0.071, False), (None, False)]
    for level, is_tuned in levels:
        assert is_tuned_by_default(replace(shared["lda"], tuned_level=level)) is is_tuned
    assert not is_tuned_by_default(shared["gradient-boosting"])
    assert all(is_tuned_by_default(entry) for entry in entries if entry.name not in shared)


@pytest.mark.parametrize("tune", [True, False])
def test_equal_tuned_learners_that_are_written_twice_are_one(tune):
    learners, notes = tuned("tuned(knn),tuned(5nn),tuned(1nn),tuned(5nn,inner=3)", tune=tune)
    names = ["tuned(knn)", "tuned(1nn)", "tuned(5nn,inner=3)"]
    assert [learner.name for learner in learners] == names
    assert "tuned(knn), tuned(5nn) are tuned over the same space" in " ".join(notes)


def test_equal_tuned_learners_with_names_of_their_own_stay_apart():
    learners, notes = tuned({"a": Tuned("knn"), "b": Tuned("knn")}, tune=False)
    assert ([learner.name for learner in learners], notes) == (["a", "b"], ())


def test_two_tuned_learners_of_one_name_are_refused():
    with pytest.raises(InvalidArgumentError, match="must differ once they are tuned"):
        tuned({"mine": SVC(), "tuned(mine)": Tuned("lda")})
