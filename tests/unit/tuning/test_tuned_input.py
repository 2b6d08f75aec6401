"""What is refused of tuned learners before anything is trained, and in which words."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bestofk import compare
from bestofk.errors import InvalidArgumentError
from bestofk.learners import resolve_learners
from bestofk.tuning import Tuned

X, Y = load_iris(return_X_y=True)
PIPELINE = make_pipeline(StandardScaler(), SVC())


@pytest.mark.parametrize(
    ("learner", "space", "message"),
    [
        (None, None, "learner of Tuned must be an estimator; got None"),
        (3, None, "learner of Tuned must be an estimator; got 3"),
        (KNeighborsClassifier, None, "learner of Tuned must be an estimator; got <class"),
        ("knn", {3: [1]}, "parameters of a space must be those of the learner; got 3"),
        ("knn", {"n_neighbors": np.array(3)}, "values of 'n_neighbors' must be a list"),
        (PIPELINE, {"standardscaler__with_men": [True]}, "mean 'standardscaler__with_mean'"),
        (PIPELINE, {"svc__CC": [1]}, "Did you mean 'svc__C'"),
        (PIPELINE, {"gama": [1]}, "Did you mean 'gamma'"),
    ],
)
def test_learners_and_spaces_that_are_none_are_refused(learner, space, message):
    with pytest.raises(InvalidArgumentError, match=message):
        Tuned(learner, space).fit(X, Y)


@pytest.mark.parametrize("tune", ["yes", 5, ["5nn"]])
def test_tune_is_a_choice_of_two(tune):
    with pytest.raises(InvalidArgumentError, match="tune must be True or False; got"):
        compare("5nn,majority", "iris", cv="1x2", tune=tune)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tuned(knn,5nn)", r"Write tuned\(NAME,option=value\), such as tuned\(knn,inner=3\)"),
        ("tuned(tuned(knn))", r"Write tuned\(NAME,option=value\), such as tuned\(knn,inner=3\)"),
        ("tuned(knn,iner=3)", "'iner'. Did you mean 'inner'. Known: space, inner, rule, measure"),
        ("tuned(knn,learner=svm)", "options of .* got 'learner'"),
        ("tuned(kn)", "got 'kn'. Did you mean 'knn'"),
    ],
)
def test_written_forms_that_are_wrong_are_refused_with_the_right_one(text, message):
    with pytest.raises(InvalidArgumentError, match=message):
        resolve_learners(text, "classification")


def test_tuned_may_have_a_capital():
    [learner] = resolve_learners("Tuned(knn)", "classification")
    assert learner.name == "tuned(knn)"


def test_scores_are_accuracy_and_r2():
    classifier = Tuned(KNeighborsClassifier(), {"n_neighbors": [1]}).fit(X, Y)
    assert classifier.score(X, Y) == (classifier.predict(X) == Y).mean()
    regressor = Tuned("ridge").fit(X[:, 1:], X[:, 0])
    assert regressor.score(X[:, 1:], X[:, 0]) == pytest.approx(
        regressor.learner_.score(X[:, 1:], X[:, 0])
    )


def test_weights_that_the_learner_does_not_take_are_left_out_and_it_is_said(monkeypatch):
    weight = np.ones(150)
    with pytest.warns(UserWarning, match="takes no sample_weight; fitted without weights"):
        weighted = Tuned("lda").fit(X, Y, sample_weight=weight)
    assert weighted.choice_ == Tuned("lda").fit(X, Y).choice_
    learners = "tuned(lda),naive-bayes"
    result = compare(learners, X, Y, cv="1x2", sample_weight=weight)
    assert "tuned(lda): fitted without the weights" in " ".join(result.findings.warnings)
