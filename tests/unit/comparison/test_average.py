"""The average of the plausible learners as one more learner."""

import dataclasses
import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import VotingRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from bestofk import BestOfK, compare
from bestofk.comparison.average import with_average
from bestofk.errors import InvalidArgumentError

TABLE = load_diabetes(return_X_y=True)
FITTED = [("squares", LinearRegression()), ("ridge", Ridge(0.1)), ("tree", DecisionTreeRegressor())]
FLOWERS = load_iris(return_X_y=True)
CLASSIFIERS = ["lda", "logistic", ("silent", LinearSVC())]


@pytest.fixture(scope="module")
def numbers():
    return compare(FITTED, *TABLE, cv="2x3", average=True)


@pytest.fixture(scope="module")
def classes():
    return compare(CLASSIFIERS, *FLOWERS, cv="2x5", average=True, rope=0.05)


def test_it_is_the_mean_of_the_predictions_on_every_split(numbers):
    evaluation = numbers.evaluation
    assert evaluation.names == ["squares", "ridge", "tree", "average-of-2"]
    assert evaluation.learners[-1].members == ("squares", "ridge")
    first, second, _, average = evaluation.records
    for split, rows in enumerate(evaluation.test_rows):
        mean = (first[split].predictions.labels + second[split].predictions.labels) / 2
        np.testing.assert_allclose(average[split].predictions.labels, mean)
        error = np.sqrt(np.mean((mean - TABLE[1][rows]) ** 2))
        assert numbers.scores[0].values[-1, split] == pytest.approx(error)
    seconds = evaluation.median_seconds["train_cpu_seconds"]
    assert seconds[3] == pytest.approx(seconds[0] + seconds[1])


def test_no_repeat_chooses_its_own_members(numbers):
    before = compare(FITTED, *TABLE, cv="2x3")
    scores = before.scores
    values = scores[0].values.copy()
    values[1, :3] *= 1.3  # ridge is no match in the first repeat
    values[2] = values[0]  # and the tree is in both
    before.__dict__["scores"] = [dataclasses.replace(scores[0], values=values), *scores[1:]]
    after = with_average(dataclasses.replace(before, settings=before.settings))
    assert after.evaluation.names[-1] == "average-of-2"  # the scores are read anew
    after = with_average(before)
    assert after.evaluation.learners[-1].members == ("squares", "tree")
    predicted = [[record.predictions.labels for record in row] for row in after.evaluation.records]
    for split in range(6):
        members = (0, 1, 2) if split < 3 else (0, 2)  # by the other repeat
        mean = np.mean([predicted[index][split] for index in members], axis=0)
        np.testing.assert_allclose(predicted[-1][split], mean)


def test_probabilities_are_averaged_and_sum_to_one(classes):
    evaluation = classes.evaluation
    assert evaluation.learners[-1].members == ("lda", "logistic")
    for lda, logistic, _, average in zip(*evaluation.records, strict=True):
        mean = (lda.predictions.probabilities + logistic.predictions.probabilities) / 2
        np.testing.assert_allclose(average.predictions.probabilities, mean)
        np.testing.assert_allclose(average.predictions.probabilities.sum(axis=1), 1)
        np.testing.assert_array_equal(average.predictions.labels, mean.argmax(axis=1))
    said = " ".join(classes.text(verbose=True).split())
    assert "average-of-2 is the mean of what lda and logistic predict." in said
    assert "its members are the learners that predict probabilities and are within" in said
    assert "30 runs." in said
    assert "average-of-2 averages the predictions of lda and logistic" in (
        classes.methods_paragraph()
    )


def test_runs_from_a_store_give_the_same_average(tmp_path, numbers):
    tables = []
    for n_fitted in (18, 0):
        result = compare(FITTED, *TABLE, cv="2x3", average=True, store=tmp_path / "runs.db")
        assert result.evaluation.n_fitted == n_fitted
        tables.append(result.scores[0].values)
    np.testing.assert_array_equal(*tables)
    np.testing.assert_array_equal(tables[0][:2], numbers.scores[0].values[:2])


def test_it_is_fitted_as_the_mean_of_its_fitted_members(numbers):
    X, y = TABLE
    model = numbers.fit("average-of-2")
    each = [numbers.fit(name).predict(X) for name in ("squares", "ridge")]
    np.testing.assert_allclose(model.predict(X), np.mean(each, axis=0))
    again = model.fit(X[:50], y[:50]).predict(X)
    alone = [LinearRegression().fit(X[:50], y[:50]), Ridge(0.1).fit(X[:50], y[:50])]
    np.testing.assert_allclose(again, np.mean([item.predict(X) for item in alone], axis=0))


@pytest.mark.parametrize("name", ["a__b", "weights", "estimators"])
def test_members_may_have_any_name(name):
    result = compare(
        {name: Ridge(0.1), "squares": LinearRegression()}, *TABLE, cv="2x3", average=True
    )
    each = [result.fit(item).predict(TABLE[0]) for item in (name, "squares")]
    np.testing.assert_allclose(result.fit("average-of-2").predict(TABLE[0]), np.mean(each, axis=0))


def test_members_that_were_trained_on_logarithms_are_so_again():
    X, y = TABLE
    result = compare(FITTED[:2], X, y, cv="2x3", average=True, target_transform="log")
    model = result.fit("average-of-2")
    each = [result.fit(name).predict(X) for name in ("squares", "ridge")]
    np.testing.assert_allclose(model.predict(X), np.mean(each, axis=0))
    logarithms = [LinearRegression().fit(X, np.log(y)), Ridge(0.1).fit(X, np.log(y))]
    mean = np.mean([np.exp(item.predict(X)) for item in logarithms], axis=0)
    np.testing.assert_allclose(model.fit(X, y).predict(X), mean)


def test_members_are_fitted_with_the_weights_of_rows():
    X, y = TABLE
    weights = np.linspace(0.1, 5, len(y))
    result = compare(FITTED[:2], X, y, cv="2x3", average=True, sample_weight=weights)
    fits = [item.fit(X, y, weights).predict(X) for item in (LinearRegression(), Ridge(0.1))]
    model = result.fit("average-of-2")
    np.testing.assert_allclose(model.predict(X), np.mean(fits, axis=0))


def test_best_of_k_predicts_with_it_where_it_is_best():
    X, y = TABLE
    near = [("tree", DecisionTreeRegressor(max_depth=3)), ("flat", Ridge(5.0))]
    model = BestOfK(near, average=True, cv="5x3", task="regression").fit(X, y)
    assert model.best_name_ == "average-of-2"
    assert isinstance(model.best_estimator_, VotingRegressor)
    each = [model.comparison_.fit(name).predict(X) for name in ("tree", "flat")]
    np.testing.assert_allclose(model.predict(X), np.mean(each, axis=0))


def test_class_labels_come_back(classes):
    X, y = FLOWERS
    names = np.array(["a", "b", "c"])[y]
    model = BestOfK(["lda", "logistic"], average=True, cv="2x3").fit(X, names)
    average = model.comparison_.fit(model.comparison_.evaluation.names[-1])
    assert average.classes_.tolist() == ["a", "b", "c"]
    assert set(average.predict(X)) == {"a", "b", "c"}
    np.testing.assert_allclose(average.predict_proba(X).sum(axis=1), 1)


def test_nothing_is_claimed_about_it_and_every_format_shows_it(classes, tmp_path):
    claim = classes.ship_claim("average-of-2")
    assert claim.probability is None
    assert claim.reason == "such claims were checked only for single learners in the verdict"
    name = "average-of-2"
    assert name in classes.to_csv()
    assert name in {row["name"] for row in json.loads(classes.to_json())["learners"]}
    classes.to_html(tmp_path / "page.html")
    assert name in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert classes.verdict(prefer="given").best == "lda"


@pytest.mark.parametrize(
    ("learners", "options"),
    [
        (FITTED, {"cv": 3}),
        (FITTED[::2], {"cv": "2x3"}),
        (["mean", "ridge"], {"cv": "2x3"}),
    ],
)
def test_where_there_is_none_a_sentence_says_why(learners, options):
    result = compare(learners, *TABLE, average=True, **options)
    assert not any(learner.members for learner in result.evaluation.learners)
    said = "at least two repeats, and two learners that are within 5.4"
    assert f"No average of learners: it takes all planned runs, {said}" in " ".join(
        result.text(verbose=True).split()
    )


@pytest.mark.parametrize("options", [{"keep": "labels"}, {"prefer": "given"}])
def test_what_cannot_go_with_it_is_refused(options):
    with pytest.raises(InvalidArgumentError, match="average must be False where a preference"):
        compare(FITTED, *TABLE, average=True, **options)
    with pytest.raises(InvalidArgumentError, match="average must be False with many data sets"):
        compare(["lda", "logistic"], {"iris": "iris", "wine": "wine"}, average=True)
