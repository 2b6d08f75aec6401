"""Calibration inside training rows: against scikit-learn, with rare classes, groups and weights."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from bestofk import Tuned
from bestofk.evaluation.identity.identity import identify
from bestofk.learners import learner_catalogue
from bestofk.learners.calibrated import Calibrated
from bestofk.learners.learner import UNWEIGHTED

X, Y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(len(Y))
X, Y = X[ORDER], Y[ORDER]
FEW = slice(0, 60)
SMALLER = {
    "mlp": {"learner__max_iter": 400, "learner__hidden_layer_sizes": (5,), "learner__tol": 1.0},
    "random-forest": {"learner__n_estimators": 5},
}


@parametrize_with_checks(
    [Calibrated(LogisticRegression())],
    expected_failed_checks=lambda _: {
        f"check_sample_weight_equivalence_on_{kind}_data": "folds differ once rows are repeated"
        for kind in ("dense", "sparse")
    },
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", [LinearSVC(random_state=0), KNeighborsClassifier(5)])
def test_it_is_the_calibration_of_scikit_learn(learner):
    own = Calibrated(learner).fit(X, Y).predict_proba(X)
    assert np.array_equal(own, CalibratedClassifierCV(learner).fit(X, Y).predict_proba(X))


@pytest.mark.parametrize("name", [*learner_catalogue("classification")])
def test_every_classifier_of_the_catalogue_can_be_calibrated(name):
    learner = learner_catalogue()[name].make().set_params(**SMALLER.get(name, {}))
    fitted = Calibrated(learner).fit(X[FEW], Y[FEW])
    probabilities = fitted.predict_proba(X[60:])
    assert isinstance(fitted.estimator_, CalibratedClassifierCV)
    assert probabilities.sum(axis=1) == pytest.approx(1.0)
    labels = fitted.classes_[probabilities.argmax(axis=1)]
    assert np.array_equal(fitted.predict(X[60:]), labels)


def test_a_class_with_three_rows_gets_three_folds_and_one_with_a_single_row_none():
    for n_rare in (1, 3):
        rows = np.concatenate([np.flatnonzero(Y < 2), np.flatnonzero(Y == 2)[:n_rare]])
        fitted = Calibrated(GaussianNB()).fit(X[rows], Y[rows])
        if n_rare == 3:
            assert len(fitted.estimator_.calibrated_classifiers_) == 3
            continue
        plain = GaussianNB().fit(X[rows], Y[rows])
        assert np.array_equal(fitted.predict_proba(X), plain.predict_proba(X))


def test_rows_of_a_group_stay_together():
    groups = np.arange(len(Y)) // 2
    fitted = Calibrated(GaussianNB()).fit(X, Y, groups=groups)
    splits = fitted.estimator_.cv
    assert len(splits) == 5
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])
    # one group holds all rows of class 0: no fold could do without it
    alone = np.where(Y == 0, -1, groups)
    assert isinstance(Calibrated(GaussianNB()).fit(X, Y, groups=alone).estimator_, GaussianNB)


def test_weights_reach_learner_and_calibration_and_are_warned_of_where_they_cannot():
    weights = np.where(Y == 0, 5.0, 1.0)
    own = Calibrated(GaussianNB()).fit(X, Y, sample_weight=weights).predict_proba(X)
    known = CalibratedClassifierCV(GaussianNB()).fit(X, Y, sample_weight=weights)
    assert np.array_equal(own, known.predict_proba(X))
    learner = learner_catalogue()["naive-bayes"].make()
    plain, weighted = (
        Calibrated(learner).fit(X, Y, sample_weight=w).predict_proba(X) for w in (None, weights)
    )
    assert not np.allclose(plain, weighted)
    with pytest.warns(UserWarning, match=UNWEIGHTED):
        Calibrated(learner_catalogue()["lda"].make()).fit(X, Y, sample_weight=weights)


def test_a_tuned_learner_inside_gets_the_groups():
    groups = np.arange(len(Y)) // 3
    tuned = Tuned("5nn", {"n_neighbors": [3, 5]}, inner=3)
    fitted = Calibrated(tuned).fit(X, Y, groups=groups)
    inside = fitted.estimator_.calibrated_classifiers_[0].estimator
    assert inside.choice_["setting"]["n_neighbors"] in (3, 5)


def test_identity_is_its_own():
    learners = [GaussianNB(), CalibratedClassifierCV(GaussianNB()), Calibrated(GaussianNB()),
                Calibrated(RandomForestClassifier())]  # fmt: skip
    assert len({identify("a", learner).id for learner in learners}) == 4
    again = identify("b", Calibrated(GaussianNB())).id
    assert again == identify("a", Calibrated(GaussianNB())).id
