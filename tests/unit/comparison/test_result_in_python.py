"""What a result offers in Python: completion, table, explanation, pictures, the fitted pick."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from bestofk import Store, compare, compare_scores, load_data
from bestofk.errors import InvalidArgumentError
from bestofk.report import Findings

LEARNERS = ["nearest-mean", "lda", "majority"]


@pytest.fixture(scope="module")
def wine():
    return compare(LEARNERS, "wine", cv="5x2")


@pytest.fixture(scope="module")
def diabetes():
    return compare(["ridge", "knn-regressor", "mean"], "diabetes", cv="2x3")


@pytest.fixture(scope="module")
def across():
    data = {name: name for name in ("iris", "wine", "breast_cancer", "play-tennis")}
    return compare(LEARNERS, data, cv="2x2")


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """A file with what real ones have: decimal commas, dates, words, gaps and an identifier."""
    rng = np.random.default_rng(3)
    n = 60
    age = rng.integers(20, 80, n)
    stays = age + rng.normal(0, 8, n) > 50
    frame = pd.DataFrame(
        {
            "patient_id": np.arange(1000, 1000 + n),
            "admitted": [f"{1 + i % 28}.{1 + i % 12}.2024" for i in range(n)],
            "age": [str(a) if i % 9 else "n.a." for i, a in enumerate(age)],
            "crp": [f"{v:.1f}".replace(".", ",") for v in rng.uniform(1, 60, n)],
            "smoker": np.where(rng.random(n) < 0.4, "Yes", "no"),
            "complaint": rng.choice(["cough", "pain", "fever"], n),
            "outcome": np.where(stays, "stays", "home"),
        }
    )
    path = tmp_path_factory.mktemp("data") / "patients.csv"
    frame.to_csv(path, sep=";", index=False)
    return path


@pytest.fixture(scope="module")
def of_patients(patients):
    return compare(["lda", "nearest-mean"], patients, target="outcome", cv="3x3")


def test_a_result_completes_to_what_a_newcomer_looks_for(wine, across):
    public = {name for name in dir(wine) if not name.startswith("_")}
    wanted = "best table pairs plot explain test fit score to_html to_json to_latex to_markdown"
    wanted += " methods_paragraph bibtex ship_claim verdict to_frame candidates order"
    assert set(wanted.split()) <= public
    assert len(public) <= 24
    # parts are there, but do not stand in the way
    assert public.isdisjoint({"evaluation", "settings", "findings", "course", "summary"})
    assert wine.evaluation.data.name == "wine"
    assert {"best", "table", "pairs", "plot", "test"} <= set(dir(across))


def test_the_table_has_the_pick_first_and_the_answers_with_differences_on_shared_splits(wine):
    table = wine.table
    assert table["learner"].tolist() == ["lda", "nearest-mean", "majority"]
    assert table["versus_pick"].tolist() == ["pick", "can't tell", "worse"]
    error = wine.to_frame().query("measure == 'error'").groupby("learner")["value"]
    np.testing.assert_allclose(table["error"], error.mean()[table["learner"]])
    np.testing.assert_allclose(table["difference"], table["error"] - table["error"][0])
    assert table["repeats"].tolist() == [5, 5, 5]
    assert (table["low"] <= table["difference"]).all()


def test_differences_in_the_table_are_in_the_unit_of_a_measure_that_shall_be_high(wine):
    table = wine.decided_by("accuracy").table.set_index("learner")
    assert table.columns[0] == "accuracy"
    assert "accuracy" not in table.columns[1:]
    difference = table.loc["majority", "accuracy"] - table.loc["lda", "accuracy"]
    assert table.loc["majority", "difference"] == pytest.approx(difference)
    assert difference < 0
    assert table.loc["majority", "low"] < difference < table.loc["majority", "high"]


def test_a_learner_that_failed_is_in_the_table_with_the_reason(in_this_process):
    broken = ("broken", FailingClassifier())
    table = compare([*LEARNERS, broken], "iris", cv="2x2").table.set_index("learner")
    assert table.index[-1] == "broken"
    assert table.loc["broken", "versus_pick"] == "4 of 4 runs failed"
    assert np.isnan(table.loc["broken", "difference"])
    assert table.loc["broken", "n_failed"] == 4


class FailingClassifier(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("no")


def test_an_explanation_holds_means_answer_and_repeats_and_mirrors_itself(wine):
    explanation = wine.explain("lda", "majority")
    error = wine.to_frame().query("measure == 'error'").set_index("learner")["value"]
    assert explanation.answer == "better"
    assert explanation.first_score == pytest.approx(error["lda"].mean())
    assert explanation.difference == pytest.approx(error["lda"].mean() - error["majority"].mean())
    assert explanation.low < explanation.difference < explanation.high < 0
    assert (explanation.n_repeats, explanation.n_first_ahead) == (5, 5)
    pair = wine.pairs().query("first == 'lda' and second == 'majority'").iloc[0]
    assert explanation.p_adjusted == pair["p_adjusted"]
    text = str(explanation)
    assert text.startswith("lda is better than majority.\n")
    assert "repeats: lda ahead in 5 of 5, majority in 0." in text
    assert repr(explanation) == text
    assert len(text.splitlines()) <= 10
    one, other = wine.explain("lda", "nearest-mean"), wine.explain("nearest-mean", "lda")
    assert other.difference == -one.difference
    assert (other.low, other.high) == (-one.high, -one.low)
    assert other.p_first_better == one.p_second_better
    assert (other.n_first_ahead, other.n_second_ahead) == (one.n_second_ahead, one.n_first_ahead)
    assert (one.answer, other.answer) == ("undecided", "undecided")
    assert str(one).startswith("Can't tell whether lda or nearest-mean is better.")
    assert wine.explain("majority", "lda").answer == "worse"


def test_rows_on_which_one_learner_errs_are_those_of_the_first_repeat(wine):
    explanation = wine.explain("lda", "nearest-mean")
    evaluation = wine.evaluation
    a, b = (evaluation.predictions(evaluation.names.index(n)) for n in ("lda", "nearest-mean"))
    first = np.arange(evaluation.data.n_samples)  # the rows of two folds
    rows = np.concatenate(evaluation.test_rows[:2])
    alone = a.is_hit[first] != b.is_hit[first]
    assert explanation.rows["row"].tolist() == sorted(rows[alone].tolist())
    for row in explanation.rows.to_dict("records"):
        assert row["true"] == evaluation.data.target_array[row["row"]]
        assert row[row["only_wrong"]] != row["true"]
    assert explanation.n_rows == 178


def test_an_explanation_of_a_measure_that_shall_be_high_has_its_sign(wine):
    explanation = wine.decided_by("accuracy").explain("lda", "majority")
    assert explanation.answer == "better"
    assert explanation.low < explanation.difference < explanation.high
    assert explanation.difference > 0
    assert "95% interval +" in str(explanation)


def test_an_explanation_of_regression_has_no_rows(diabetes):
    explanation = diabetes.explain("ridge", "mean")
    assert explanation.rows.empty
    assert "rows:" not in str(explanation)
    assert explanation.answer == "better"
    assert "scores: root mean squared error 54.4 against root mean squared error 77.0" in str(
        explanation
    )


def test_an_explanation_of_equal_learners_says_that_they_have_the_same_scores():
    learners = [("a", GaussianNB()), ("b", GaussianNB())]
    explanation = compare(learners, "wine", cv="5x2").explain("a", "b")
    assert explanation.answer == "equivalent"
    assert str(explanation).startswith("a and b have the same scores.")
    assert (explanation.n_first_ahead, explanation.n_second_ahead) == (0, 0)
    assert "5 tied" in str(explanation)


def test_an_explanation_of_a_baseline_says_whether_the_other_beats_it():
    result = compare(None, "play-tennis", cv="2x2")
    explanation = result.explain("majority", result.best)
    beaten = result.verdict().baselines["majority"][result.best]
    assert explanation.answer == ("worse" if beaten else "undecided")
    said = "is better" if beaten else "is not better"
    assert f"majority is a baseline; {result.best} {said}" in str(explanation)


@pytest.mark.parametrize("names", [("lda", "lda"), ("lda", "ldb")])
def test_an_explanation_needs_two_known_learners(wine, names):
    with pytest.raises(InvalidArgumentError, match=r"two different ones|Did you mean 'lda'"):
        wine.explain(*names)


def test_an_explanation_of_one_split_says_why_there_is_no_evidence():
    result = compare(["ridge", "knn-regressor"], "diabetes", cv="holdout", scoring="r2")
    explanation = result.explain("ridge", "knn-regressor")
    assert np.isnan(explanation.p_value)
    assert "why: no test is possible with this plan." in str(explanation)


def test_tests_without_a_name_are_those_that_fit(wine):
    tests = wine.test().set_index("name")
    assert {"5x2cv-t", "corrected-t", "mcnemar", "anova"} <= set(tests.index)
    assert {"paired-t", "wilcoxon", "delong"}.isdisjoint(tests.index)
    assert tests.loc["5x2cv-f", "doubts"] == ""
    assert "rejects too often" in tests.loc["anova", "doubts"]
    assert tests.loc["mcnemar", "fits"] == "test rows of the first repeat"
    for name in tests.index:
        two = tests.loc[name, "compares"] == "two learners"
        assert wine.test(name, *(["lda", "nearest-mean"] if two else [])).procedure


@pytest.mark.parametrize(
    ("kind", "display"),
    [
        ("pairs", "DifferencesDisplay"),
        ("scores", "ScoreDistributionDisplay"),
        ("ranking", "RejectionGraphDisplay"),
        ("time", "TimesDisplay"),
        ("rejections", "RejectionsAndErrorsDisplay"),
        ("running-means", "RunningMeansDisplay"),
        ("other-seeds", "ReproducibilityMatrixDisplay"),
        ("repeats", "EstimateDistributionsDisplay"),
        ("roc", "RocHullDisplay"),
        ("calibration", "CalibrationDisplay"),
        ("confusion", "ConfusionDisplay"),
        ("importance", "ImportanceDisplay"),
    ],
)
def test_every_kind_of_plot_is_a_display_that_was_drawn(wine, kind, display):
    drawn = wine.plot(kind)
    assert type(drawn).__name__ == display
    assert drawn.ax_.figure is drawn.figure_
    assert len(drawn.to_frame())


def test_importance_is_measured_on_rows_that_were_not_trained_on(wine):
    drawn = wine.plot("importance")
    split = next(iter(wine.evaluation.plan))
    assert f"On the {len(split.test_rows)} test rows of the first split" in drawn.rows
    assert drawn.learner == wine.best
    assert sorted(drawn.names) == sorted(wine.evaluation.data.feature_names)
    assert wine.plot("importance").to_frame().equals(drawn.to_frame())  # seeded by names
    nothing = wine.plot("importance", learner="majority").to_frame()
    assert not nothing["growth"].any()  # it does not look at the inputs


def test_a_plot_is_of_the_class_and_the_learner_that_are_named(wine):
    assert wine.plot().to_frame()["learner"].tolist() == wine.table["learner"].tolist()
    assert wine.plot("confusion", learner="majority").learner == "majority"
    calibration = wine.plot("calibration", learner="lda", label="class_2")
    assert calibration.event == "the class is 'class_2'"
    assert list(calibration.curves) == ["lda"]
    # lda separates the third class, so that its curve passes the corner
    roc = wine.plot("roc", learner="lda", label="class_2")
    assert roc.area("lda") == pytest.approx(1, abs=0.01)
    assert roc.ax_.get_ylabel() == "true positive rate of 'class_2'"


def test_plots_of_predicted_numbers_have_every_row_once(diabetes):
    target = load_data("diabetes").target
    for kind in ("predicted", "residuals"):
        frame = diabetes.plot(kind).to_frame()
        assert sorted(frame["true"]) == sorted(target)
        np.testing.assert_allclose(frame["residual"], frame["true"] - frame["predicted"])
    of_mean = diabetes.plot("residuals", learner="mean")
    assert of_mean.learner == "mean"
    errors = of_mean.tenths["rmse"]
    assert errors.argmax() == 9  # the mean misses the highest values most
    squares = of_mean.to_frame()["residual"] ** 2
    weights = [len(part) for part in np.array_split(target, 10)]
    assert np.average(errors**2, weights=weights) == pytest.approx(squares.mean())


def test_plots_that_do_not_fit_are_refused_in_one_sentence(wine, diabetes, across):
    with pytest.raises(InvalidArgumentError, match=r"got 'pair'\. Did you mean 'pairs'\? Known"):
        wine.plot("pair")
    for kind in ("roc", "calibration", "confusion"):
        with pytest.raises(InvalidArgumentError, match="classes, and the target is a number"):
            diabetes.plot(kind)
    with pytest.raises(InvalidArgumentError, match="numbers, and the target is a class"):
        wine.plot("residuals")
    with pytest.raises(InvalidArgumentError, match="is of one data set"):
        across.plot("scores")
    with pytest.raises(InvalidArgumentError, match="label must be a class"):
        wine.plot("roc", label="class_9")
    with pytest.raises(InvalidArgumentError, match="Did you mean 'lda'"):
        wine.plot("confusion", learner="lad")


def test_plots_and_tests_over_data_sets_are_those_that_fit(across):
    names = set(across.test()["name"])
    assert {"wilcoxon", "nemenyi", "hierarchical-bayes"} <= names
    assert "mcnemar" not in names
    assert type(across.plot()).__name__ == "MultiComparisonMatrixDisplay"
    assert type(across.plot("ranking")).__name__ == "CriticalDifferenceDisplay"


def test_reprs_of_a_result_and_its_parts_are_short(wine, across):
    assert repr(wine).splitlines()[0].startswith("Use lda: ")
    assert len(repr(wine).splitlines()) == 3
    assert len(repr(across).splitlines()) == 3
    assert len(str(wine).splitlines()) > 10
    evaluation = wine.evaluation
    parts = [wine.verdict(), wine.findings, evaluation, evaluation.plan, wine.orderings()]
    parts += [wine.ship_claim(), across.verdict(), across.findings, Store(None), wine.plot("time")]
    for part in parts:
        assert 1 <= len(repr(part).splitlines()) <= 10, part
        assert len(repr(part)) < 400
    assert repr(wine.verdict()).splitlines() == [
        "<Verdict: lda is best>",
        "  order: lda, nearest-mean, majority",
        "  candidates: nearest-mean, lda",
        "  pairs: 2 better, 1 undecided",
        "  test: corrected resampled t test, Holm, alpha 0.05; 10 splits",
    ]
    assert repr(wine.plot("time")) == "<TimesDisplay: plot() draws it, to_frame() has its 3 rows>"


def test_scores_that_were_given_have_the_same_face():
    table = pd.DataFrame({"tree": [0.21, 0.25, 0.19, 0.22], "lda": [0.11, 0.14, 0.12, 0.1]})
    result = compare_scores(table, measure="error", cv="2x2")
    assert isinstance(result, Findings)
    public = {name for name in dir(result) if not name.startswith("_")}
    assert public == {
        "best", "bibtex", "candidates", "methods_paragraph", "order", "orderings", "pairs", "plot",
        "table", "to_frame", "to_html", "to_json", "to_latex", "to_markdown", "verdict",
    }  # fmt: skip
    assert repr(result).splitlines()[0] == "Use lda: 11.8% error."
    assert result.table["difference"].tolist() == pytest.approx([0, 0.1])
    assert type(result.plot()).__name__ == "DifferencesDisplay"
    with pytest.raises(InvalidArgumentError, match="got 'time', which needs measured seconds"):
        result.plot("time")
    with pytest.raises(InvalidArgumentError, match="needs the runs of a comparison"):
        result.plot("confusion")


def test_the_pick_is_fitted_to_all_rows_of_the_frame(wine):
    data = load_data("wine")
    model = wine.fit()
    frame = data.features.assign(extra=1)[["extra", *reversed(data.feature_names)]]
    plain = wine.evaluation.learners[1].estimator.fit(data.features, data.target)
    np.testing.assert_array_equal(model.predict(frame), plain.predict(data.features))
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(data.features))
    assert is_classifier(model)
    assert wine.fit("majority").predict(frame.head(1)).tolist() == ["class_1"]
    assert cross_val_score(wine.fit(), data.features, data.target, cv=3).min() > 0.9
    with pytest.raises(InvalidArgumentError, match="Did you mean 'lda'"):
        wine.fit("ldb")


def test_a_fitted_pick_of_a_file_reads_rows_as_they_are_written(of_patients, patients):
    data = of_patients.evaluation.data
    expected = of_patients.fit().estimator_.predict(data.features)
    texts = pd.read_csv(patients, sep=";", dtype=str, keep_default_na=False)
    typed = pd.read_csv(patients, sep=";", decimal=",", na_values="n.a.", parse_dates=["admitted"],
                        date_format="%d.%m.%Y")  # fmt: skip
    for frame in (texts, typed, data.features):
        model = pickle.loads(pickle.dumps(of_patients.fit()))
        np.testing.assert_array_equal(model.predict(frame), expected)
        assert model.predict(frame.head(2)).tolist() == expected[:2].tolist()


def test_the_score_on_held_out_rows_is_that_of_scikit_learn(patients):
    frame = pd.read_csv(patients, sep=";")
    trained, held_out = frame[:40], frame[40:]
    result = compare(["nearest-mean", "lda"], trained, target="outcome", cv="3x3")
    scores = result.score(held_out, "outcome", learner="lda")
    model = result.fit("lda")
    accuracy = accuracy_score(held_out["outcome"], model.predict(held_out))
    assert scores.index[0] == "error"
    assert scores["error"] == pytest.approx(1 - accuracy)
    stays = list(model.classes_).index("stays")
    area = roc_auc_score(held_out["outcome"] == "stays", model.predict_proba(held_out)[:, stays])
    assert scores["auroc"] == pytest.approx(area)
    without_target = held_out.drop(columns="outcome")
    pd.testing.assert_series_equal(
        scores, result.score(without_target, held_out["outcome"], learner="lda")
    )


def test_the_score_of_regression_is_that_of_scikit_learn(diabetes):
    data = load_data("diabetes")
    scores = diabetes.score(data.features, data.target)
    assert scores["r2"] == pytest.approx(
        r2_score(data.target, diabetes.fit().predict(data.features))
    )
    assert is_regressor(diabetes.fit())
    assert not hasattr(diabetes.fit(), "predict_proba")
    assert not hasattr(diabetes.fit(), "classes_")
    for target in (["x"] * 442, [np.nan] * 442):
        with pytest.raises(InvalidArgumentError, match="y_test must be finite numbers"):
            diabetes.score(data.features, target)


def test_labels_of_another_type_are_those_of_the_target():
    data = load_data("wine")
    codes = np.unique(data.target, return_inverse=True)[1]
    result = compare(["lda", "nearest-mean"], data.features, codes, cv="2x2")
    np.testing.assert_array_equal(
        result.score(data.features, codes), result.score(data.features, codes.astype(str))
    )


def test_a_fitted_pick_of_arrays_takes_arrays_of_the_same_width():
    X, y = np.arange(80.0).reshape(40, 2), np.repeat(["a", "b"], 20)
    model = compare(["1nn", "majority"], X, y, cv="2x2").fit()
    assert model.predict([[0.0, 1.0], [78.0, 79.0]]).tolist() == ["a", "b"]
    with pytest.raises(InvalidArgumentError, match="X must have rows of 2 values"):
        model.predict(X[:, :1])
    with pytest.raises(InvalidArgumentError, match="X must have rows of 2 values"):
        model.predict(X[0])


def test_a_fitted_pick_of_polars_takes_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"size": [1.0, 2.0] * 20, "kind": ["a", "b"] * 20})
    model = compare(["1nn", "majority"], frame, target="kind", cv="2x2").fit()
    assert model.predict(frame.head(2)).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "target", "message"),
    [
        (lambda f: f.drop(columns="age"), "outcome", r"'age' is missing\."),
        (lambda f: f.drop(columns=["age", "crp"]), "outcome", r"'age' and 1 more are missing\."),
        (lambda f: f, "outcom", r"y_test must be a column of X_test; got 'outcom'. Did you mean"),
        (lambda f: f, ["home"] * 3, r"y_test must have as many values as X_test has rows \(60\)"),
        (lambda f: f, ["here"] * 60, r"got 'here'\. Known: home, stays\."),
        (lambda f: f, [["home"]] * 60, "one value for each row of X_test"),
        (lambda f: f.to_numpy(), ["home"] * 60, "X must be a data frame with the columns"),
        (lambda f: f.assign(crp="high"), "outcome", r"'crp' must hold numbers.*got 'high'"),
        (lambda f: f.assign(admitted="1/2/24"), "outcome", r"'admitted' must hold dates"),
    ],
)
def test_rows_that_cannot_be_scored_are_refused_in_one_sentence(
    of_patients, patients, change, target, message
):
    with pytest.raises(InvalidArgumentError, match=message):
        of_patients.score(change(pd.read_csv(patients, sep=";")), target)
