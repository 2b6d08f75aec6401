"""Ranking and probabilities of learners whose training classes were brought to one size."""

import importlib.util
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from bestofk import compare
from bestofk.curves import imbalance as imbalance_text
from bestofk.curves.imbalance import CalibrationInTheLarge, imbalance_effect
from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.inference.adjust import adjust_p_values
from bestofk.learners.majority_classifier import MajorityClassifier
from bestofk.measures.measure import PredictionBatch

pytestmark = pytest.mark.usefixtures("module_in_this_process")

FIGURES = ["auroc", "balanced_accuracy", "log_loss", "brier", "calibration_in_the_large"]
X, Y = make_classification(
    200, weights=[0.9], class_sep=0.8, flip_y=0, n_features=6, random_state=0
)


def rows_of(effect, method):
    frame = effect.to_frame()
    return frame[frame["method"] == method].reset_index(drop=True)


def with_figures(effect, **changes):
    """Put other figures into the table of an effect, to see what its text makes of them."""
    effect.__dict__["_frame"] = effect.to_frame().assign(**changes)
    return " ".join(effect.sections().details)


@pytest.fixture(scope="module")
def effect():
    return imbalance_effect(["logistic", "lda", "svm"], X, Y, cv="2x4")


def test_class_shares_as_probabilities_become_halves():
    y = np.repeat(["rare", "common"], [20, 180])
    table = imbalance_effect(["majority"], np.zeros((200, 1)), y, cv="2x5").to_frame()
    assert table["method"].tolist() == ["none", "over", "under", "weights"]
    entropy = -(0.1 * np.log(0.1) + 0.9 * np.log(0.9))
    expected = [[0.5, 0.5, entropy, 0.09, 0.0]] + [[0.5, 0.5, np.log(2), 0.25, 0.4]] * 3
    np.testing.assert_allclose(table[FIGURES], expected, atol=1e-12)
    np.testing.assert_allclose(table[[f"{name}_se" for name in FIGURES[:-1]]], 0, atol=1e-12)


def naive_figures(model, plan):
    """Fit and score split by split with scikit-learn: means and standard errors of repeats."""
    result = np.empty((plan.n_repeats, plan.n_folds, 5))
    for split in plan:
        train, test = split.train_rows, split.test_rows
        p = model.fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
        result[split.repeat, split.fold] = (
            roc_auc_score(Y[test], p),
            balanced_accuracy_score(Y[test], model.predict(X[test])),
            log_loss(Y[test], p),
            brier_score_loss(Y[test], p),
            p.mean() - Y[test].mean(),
        )
    of_repeats = result.mean(axis=1)
    return of_repeats.mean(axis=0), of_repeats.std(axis=0, ddof=1) / np.sqrt(plan.n_repeats)


@pytest.mark.parametrize(("method", "class_weight"), [("none", None), ("weights", "balanced")])
def test_figures_are_those_of_a_naive_loop(method, class_weight):
    learners = [("logit", LogisticRegression())]
    effect = imbalance_effect(learners, X, Y, methods=("none", "weights"), cv="3x4")
    model = LogisticRegression(class_weight=class_weight)
    means, errors = naive_figures(model, effect.comparison.evaluation.plan)
    result = rows_of(effect, method)
    np.testing.assert_allclose(result[FIGURES].iloc[0], means, rtol=1e-4, atol=1e-5)
    names = [f"{name}_se" for name in FIGURES[:-1]]
    np.testing.assert_allclose(result[names].iloc[0], errors[:-1], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("method", ["over", "under"])
def test_resampled_runs_are_those_of_a_fit_on_drawn_training_rows(method):
    class OneNearest(DecisionTreeClassifier):
        """Remembers the rows that it was fitted to in its only prediction."""

        def fit(self, X, y):
            self.rows = np.sort(X[:, 0].astype(int))
            self.share = np.mean(y)
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            assert not set(X[:, 0].astype(int)) & set(self.rows)
            return np.zeros(len(X), dtype=int)

        def predict_proba(self, X):
            # the number of the test row, so that order and completeness can be seen
            share = X[:, 0] / 1000 if self.share == 0.5 else np.full(len(X), self.share)
            return np.column_stack([1 - share, share])

    rows = np.arange(200.0)[:, np.newaxis]
    result = imbalance_effect([("m", OneNearest())], rows, Y, methods=("none", method), cv="2x5")
    evaluation = result.comparison.evaluation
    assert (evaluation.status == "ok").all(), evaluation.messages(0)
    given = evaluation.repeat_probabilities(1)
    np.testing.assert_allclose(given[:, :, 1], np.tile(np.arange(200) / 1000, (2, 1)))


def test_all_methods_share_one_plan_whose_test_rows_are_whole(effect):
    evaluation = effect.comparison.evaluation
    for repeat in range(2):
        rows = np.concatenate(evaluation.test_rows[4 * repeat : 4 * repeat + 4])
        np.testing.assert_array_equal(np.sort(rows), np.arange(200))
    for index, name in enumerate(evaluation.names):
        given = evaluation.repeat_probabilities(index)
        assert (given is None) == name.startswith("svm")
        assert given is None or np.isfinite(given).all()


def test_a_learner_without_weights_is_left_out_with_a_note(effect):
    assert ("lda", "weights") not in effect.arms
    assert ("lda", "over") in effect.arms
    note = "lda takes no sample_weight and is left out for method 'weights'."
    assert effect.notes[0] == note
    assert note in effect.text()


def test_a_learner_without_probabilities_has_gaps_that_are_told(effect):
    svm = effect.to_frame().query("learner == 'svm'")
    assert svm[["log_loss", "brier", "calibration_in_the_large"]].isna().all(axis=None)
    assert svm["auroc"].between(0.5, 1).all()
    assert (
        "Without a value for svm, svm (over), svm (under), svm (weights): log loss, Brier score, "
        "calibration in the large: log_loss needs probabilities; this learner gives none."
    ) in effect.sections().details


def test_probabilities_of_logistic_regression_move_and_the_text_says_so(effect):
    frame = effect.to_frame().query("learner == 'logistic'").set_index("method")
    gaps = frame["calibration_in_the_large"]
    assert abs(gaps["none"]) < 0.03
    assert (gaps[["over", "under", "weights"]] > 0.05).all()
    fact = "data: class 1 holds 19 of 200 rows (9.5%); 2 repeats of 4-fold cross-validation"
    assert effect.sections().details[0].startswith(fact)
    text = " ".join(effect.text().split())
    assert "moved away from the observed one in 5 of 5 cases. Most for " in text


def test_a_second_call_with_the_same_store_fits_nothing(tmp_path):
    def again(methods=("none", "over", "under")):
        given = {"methods": methods, "cv": "2x3", "store": tmp_path / "s.db"}
        return imbalance_effect(["naive-bayes", "lda"], X, Y, **given)

    first, second = again(), again()
    assert first.comparison.evaluation.n_fitted == 36
    assert second.comparison.evaluation.n_fitted == 0
    pd.testing.assert_frame_equal(first.to_frame(), second.to_frame())
    assert again(("under", "none")).comparison.evaluation.n_fitted == 0
    plain = compare(["lda"], X, Y, cv="2x3", scoring="auroc", store=tmp_path / "s.db")
    assert plain.evaluation.n_fitted == 0


def test_figures_do_not_depend_on_the_other_methods_and_learners(effect):
    alone = imbalance_effect(["lda"], X, Y, methods=("over", "none"), cv="2x4")
    for method in ("none", "over"):
        expected = effect.to_frame().query("learner == 'lda' and method == @method")
        result = rows_of(alone, method)
        pd.testing.assert_frame_equal(result, expected.reset_index(drop=True))


class Failing(LogisticRegression):
    """Fails where the first training rows are equally many of each class and row 0 is tested."""

    def fit(self, X, y, sample_weight=None):
        if np.mean(y) == 0.5 and not (X[:, 0] == self.C).any():
            raise ValueError("row 0 is missing")
        return super().fit(X, y)


def test_a_split_that_one_method_lacks_is_left_out_for_all_and_told():
    # with 20 splits two failures are a tenth
    learners = [("f", Failing(C=float(abs(X[0, 0])))), ("g", LogisticRegression())]
    features = X.copy()
    features[0, 0] = abs(features[0, 0])
    effect = imbalance_effect(learners, features, Y, methods=("none", "over"), cv="2x10")
    evaluation = effect.comparison.evaluation
    failed = np.flatnonzero(evaluation.status[1] == "error")
    assert [sorted(evaluation.test_rows[i])[0] for i in failed] == [0, 0]
    counting = np.setdiff1d(np.arange(20), failed)
    scores = {score.measure.name: score for score in effect.comparison.scores}
    expected = scores["log_loss"].values[:, counting].mean(axis=1)
    np.testing.assert_allclose(effect.to_frame()["log_loss"], expected, rtol=1e-14)
    text = " ".join(effect.text().split())
    assert "2 splits left out of AUROC" in text
    assert "f (over) failed in 2 of 20 runs; repeat 0" in text


def test_a_method_that_always_fails_is_a_gap_with_its_reason():
    class Never(MajorityClassifier):
        def fit(self, X, y, sample_weight=None):
            if np.mean(y) == 0.5:
                raise ValueError("halves are refused")
            return super().fit(X, y)

    effect = imbalance_effect([("n", Never())], X, Y, methods=("none", "over"), cv="2x4")
    assert effect.to_frame()[FIGURES].isna().all(axis=1).tolist() == [False, True]
    assert "n (over) failed in 8 of 8 runs" in effect.text()
    assert "moved" not in effect.text()


def test_of_many_classes_the_rarest_is_looked_at():
    y = np.repeat(["a", "b", "c"], [60, 30, 10])
    effect = imbalance_effect(["majority"], np.zeros((100, 1)), y, cv="2x5")
    assert effect.rarer_class == "c"
    gaps = effect.to_frame()["calibration_in_the_large"]
    np.testing.assert_allclose(gaps, [0, *[1 / 3 - 0.1] * 3], atol=1e-12)


def test_calibration_in_the_large_is_mean_predicted_minus_observed_share():
    batch = PredictionBatch(
        y_true=np.array([0, 1, 1, 0, 0]),
        labels=np.array([0, 1, 1, 0, 0]),
        starts=np.array([0, 2, 5]),
        classes=np.array(["a", "b"]),
        probabilities=np.array([[0.2, 0.8], [0.4, 0.6], [0.9, 0.1], [1.0, 0.0], [0.5, 0.5]]),
    )
    # of class b: (0.8 + 0.6) / 2 - 1 / 2 and (0.1 + 0.0 + 0.5) / 3 - 1 / 3
    np.testing.assert_allclose(CalibrationInTheLarge(1).compute(batch), [0.2, -2 / 15])
    np.testing.assert_allclose(CalibrationInTheLarge(0).compute(batch), [-0.2, 2 / 15])


def two_rows():
    return imbalance_effect(["majority"], X, Y, methods=("none", "over"), cv="2x4")


def test_the_ranking_is_said_to_be_kept_only_where_it_is():
    figures = {"auroc": [0.80, 0.806], "calibration_in_the_large": [0.001, 0.3], "brier": 0.1}
    kept = with_figures(two_rows(), **figures)
    assert "from +0.001 to +0.300" in kept
    assert "In 1 of these 1 cases AUROC changed by at most 0.006" in kept
    lost = with_figures(two_rows(), auroc=[0.80, 0.70], calibration_in_the_large=[0.001, 0.3])
    assert "AUROC changed" not in lost


def test_probabilities_that_do_not_move_away_are_not_said_to():
    same = with_figures(two_rows(), auroc=0.8, calibration_in_the_large=[0.010, -0.015])
    assert "came to differ from the observed one by at most 0.005 more" in same
    better = with_figures(two_rows(), auroc=0.8, calibration_in_the_large=[-0.2, 0.05])
    assert "moved towards the observed one in 1 of 1 cases" in better
    for text in (same, better):
        assert "van den Goorbergh" not in text
        assert "moved away" not in text


def test_none_alone_has_a_table_and_nothing_to_say():
    effect = imbalance_effect(["majority"], X, Y, methods=["none"], cv="1x4")
    assert effect.answer[0] == "Nothing was balanced: 'none' is the only method."
    assert effect.to_frame()["auroc_se"].isna().all()
    assert repr(effect).startswith("<ImbalanceEffect of majority on data>\n")


def test_every_method_is_tested_against_none_in_one_family(effect):
    tests = effect.pairs()
    scores = {score.measure.name: score for score in effect.comparison.scores}
    names = effect.comparison.evaluation.names
    # three methods of logistic and svm, two of lda; svm has no log loss
    assert tests["measure"].value_counts().to_dict() == {
        "auroc": 8, "balanced_accuracy": 8, "log_loss": 5,
    }  # fmt: skip
    for row in tests.itertuples():
        values = scores[row.measure].values
        d = values[names.index(row.case)] - values[names.index(row.case.partition(" ")[0])]
        assert row.change == pytest.approx(d.mean())
        t = d.mean() / np.sqrt((1 / 8 + 50 / 150) * d.var(ddof=1))
        assert row.p_value == pytest.approx(2 * stats.t.sf(abs(t), 7))
    np.testing.assert_allclose(tests["p_adjusted"], adjust_p_values(tests["p_value"], "holm"))


def test_a_change_that_is_significant_is_better_or_worse_and_others_cannot_be_told(effect):
    tests = effect.pairs().assign(shown=False)
    text = " ".join(imbalance_text._ranking(effect, tests).split())
    assert text.startswith("Leave the classes as they are: no method makes the ranking")
    is_lda = (tests["case"] == "lda (over)") & (tests["measure"] == "auroc")
    better = tests.assign(shown=is_lda, before=0.5, after=0.75, change=0.25)
    assert imbalance_text._ranking(effect, better) == (
        "Balance the classes for lda (over): the ranking gets significantly better, from AUROC "
        "0.500 to 0.750. Leave the others as they are."
    )
    worse = tests.assign(shown=tests["measure"] == "log_loss", change=0.3)
    assert imbalance_text._others(worse).endswith(
        "Log loss is significantly worse in 5 of 5 cases: do not read those probabilities as risks."
    )


def test_one_split_leads_to_no_conclusion():
    effect = imbalance_effect(["lda"], X, Y, methods=["none", "over"], cv="holdout")
    assert effect.answer == (
        "Can't tell whether to balance the classes: one split does not show what is chance.",
        "No score was tested.",
        "No claim about new data: nothing was tested.",
    )
    assert "van den Goorbergh" not in effect.text()


def test_any_two_rows_of_the_table_can_be_tested(effect):
    result = effect.comparison.test("corrected-t", "logistic", "logistic (over)")
    frame = effect.to_frame()
    means = frame.query("learner == 'logistic'").set_index("method")["auroc"]
    assert result.estimate == pytest.approx(means["none"] - means["over"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "over"}, "methods must be a list of names; got 'over'"),
        ({"methods": ["none", "ovr"]}, r"got 'ovr'\. Did you mean 'over'\?"),
        ({"methods": ["over"]}, "must name 'none', .* got over"),
        ({"methods": []}, "got none at all"),
        ({"methods": ["none", "over", "over"]}, "and each one once; got none, over, over"),
        ({"cv": "adaptive"}, "cv of a curve must be a fixed plan; got 'adaptive'"),
        ({"y": np.linspace(0, 1, 200)}, "must be classification; got regression"),
        ({"y": np.zeros(200, int)}, "two classes"),
        ({"learners": ["no-such"]}, "got 'no-such'"),
        ({"random_state": None}, "random_state must be a whole number from -2"),
    ],
)
def test_what_cannot_work_is_refused(options, message):
    given = {"learners": ["majority"], "X": X, "y": Y} | options
    with pytest.raises(InvalidArgumentError, match=message):
        imbalance_effect(**given)


def test_weighted_data_are_refused():
    data = from_arrays(X, Y, sample_weight=np.ones(200))
    with pytest.raises(InvalidArgumentError, match="must have no weights; got weighted rows"):
        imbalance_effect(["majority"], data)


def test_without_imbalanced_learn_smote_is_refused_before_anything_is_trained(monkeypatch):
    monkeypatch.setitem(sys.modules, "imblearn.over_sampling", None)
    monkeypatch.setitem(sys.modules, "imblearn", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'bestofk\[imbalance\]'"):
        imbalance_effect(["majority"], X, Y, methods=("none", "smote"))


@pytest.mark.skipif(
    importlib.util.find_spec("imblearn") is None,
    reason="imbalanced-learn is not installed: pip install 'bestofk[imbalance]'",
)
def test_smote_trains_on_halves_and_keeps_its_test_rows():
    effect = imbalance_effect(["majority"], X, Y, methods=("none", "smote"), cv="2x4")
    gaps = effect.to_frame()["calibration_in_the_large"]
    np.testing.assert_allclose(gaps, [0, 0.5 - 19 / 200], atol=1e-12)


def test_sentences_leave_out_baselines():
    effect = imbalance_effect(["majority", "naive-bayes"], X, Y, methods=["none", "over"], cv="1x2")
    assert effect.baselines == ("majority",)
    text = " ".join(effect.text().split())
    assert "A case is a learner with a method; majority counts for none." in text
    assert "of 2 cases" not in text
    counted = " ".join(replace(effect, baselines=()).text().split())
    assert "of 2 cases" in counted
    assert effect.to_frame()["learner"].tolist() == ["majority"] * 2 + ["naive-bayes"] * 2
