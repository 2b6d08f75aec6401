"""Comparisons that repeat until the pick is settled keep every promise of the others."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.observers import InterruptAfter

from bestofk import compare
from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.inference import Sampling, paired_test
from bestofk.learners import resolve_learners
from bestofk.resampling import make_plan

LEARNERS = ["majority", "nearest-mean", "naive-bayes", "lda", "1nn"]
STILL = {"progress": False}


def scores_of(comparison):
    """Return everything that seeds decide: scores, verdict, and how it went."""
    frame = comparison.to_frame()[["learner", "repeat", "fold", "measure", "value"]]
    content = json.loads(comparison.to_json())
    for key in ("runs", "learners", "cheapest_by_fit_seconds"):
        del content[key]
    return frame.to_csv(), content


@pytest.fixture(scope="module")
def wine():
    return compare(LEARNERS, "wine", **STILL)


def errors_of(comparison):
    return comparison.to_frame().query("measure == 'error'").groupby("learner")["value"]


def test_adaptive_is_the_default_and_ends_with_a_settled_pick(wine):
    history, verdict = wine.stopping_history, wine.findings.verdict
    assert history.is_settled
    assert history.n_folds == 5
    assert wine.best == wine.order[0] == "lda"
    assert wine.evaluation.plan.n_repeats == history.n_repeats <= 20
    assert wine.order == sorted(wine.order, key=lambda name: verdict.means[name])
    by_preference = wine.verdict(prefer="given")
    assert by_preference.best in wine.candidates
    assert sorted(by_preference.order) == sorted(LEARNERS)
    raced = replace(wine, settings=replace(wine.settings, prefer="given")).findings.warnings
    assert any("were eliminated without regard to the preference" in text for text in raced)


def test_no_learner_is_fitted_more_often_than_by_ten_times_ten_folds():
    result = compare(["nearest-mean", "naive-bayes"], "wine", rope=0, **STILL)
    assert not result.stopping_history.is_settled
    assert errors_of(result).size().tolist() == [100, 100]


def test_a_learner_that_left_has_rows_for_the_repeats_before_alone(wine):
    left = {item.learner: item.n_repeats for item in wine.stopping_history.eliminations}
    counts = errors_of(wine).size()
    assert counts["majority"] == 5 * left["majority"] < counts["lda"]
    assert wine.to_frame()["value"].notna().all()
    assert wine.findings.n_unfinished == 0
    shapes = {distribution.name: distribution for distribution in wine.distributions()}
    assert shapes["majority"].n_repeats == left["majority"]
    assert all(shape.advice() for shape in shapes.values())


def test_every_pair_is_tested_on_the_splits_that_both_have(wine):
    values = {name: part.to_numpy() for name, part in errors_of(wine)}
    train, test = wine.evaluation.plan.sizes
    for pair in wine.findings.verdict.pairs:
        n_shared = min(len(values[pair.first]), len(values[pair.second]))
        differences = values[pair.first][:n_shared] - values[pair.second][:n_shared]
        sampling = Sampling("k-fold", n_shared // 5, 5, float(np.mean(train)), float(np.mean(test)))
        wanted = paired_test("corrected-t").compare(differences[None], sampling)
        assert pair.p_value == pytest.approx(float(wanted.p_two_sided[0]), rel=1e-9)
        assert pair.difference == pytest.approx(differences.mean(), abs=1e-12)
        assert pair.df == n_shared - 1


def test_interrupted_and_resumed_it_is_the_same(wine, tmp_path):
    store = tmp_path / "s.db"
    first = compare(LEARNERS, "wine", store=store, progress=InterruptAfter(37))
    assert first.evaluation.is_interrupted
    assert first.findings.n_unfinished > 0
    again = compare(LEARNERS, "wine", store=store, **STILL)
    assert scores_of(again) == scores_of(wine)
    assert again.evaluation.n_reused > 0
    third = compare(LEARNERS, "wine", store=store, **STILL)
    assert third.evaluation.n_fitted == 0
    assert scores_of(third) == scores_of(wine)


def test_more_repeats_allowed_change_nothing_that_was_settled_before(wine):
    fewer = compare(LEARNERS, "wine", max_repeats=wine.stopping_history.n_repeats, **STILL)
    assert fewer.to_frame()["repeat"].max() <= wine.to_frame()["repeat"].max()
    shared = ["learner", "repeat", "fold", "measure"]
    both = fewer.to_frame().merge(wine.to_frame(), on=shared)
    assert np.array_equal(both["value_x"], both["value_y"])


def test_with_a_rule_of_one_learner_another_learner_changes_nothing():
    some = ["naive-bayes", "lda"]
    options = {"stopping": "rank-correlation", "max_repeats": 20, **STILL}
    two, three = compare(some, "iris", **options), compare([*some, "1nn"], "iris", **options)
    of_three = three.to_frame()[three.to_frame()["learner"].isin(some)]
    assert of_three["value"].tolist() == two.to_frame()["value"].tolist()


def test_regression_is_settled_as_well():
    result = compare(["mean", "ridge", "cart-regressor"], "diabetes", **STILL)
    assert result.best == "ridge"
    assert result.stopping_history.is_settled


def test_a_budget_ends_it_with_what_is_finished():
    result = compare(["majority", "naive-bayes", "cart"], "iris", budget=1e-3, **STILL)
    assert result.evaluation.is_out_of_time
    assert not result.stopping_history.is_settled
    assert any("budget of time is spent" in warning for warning in result.warnings)


def test_the_report_says_how_it_went(wine):
    text = " ".join(wine.text(verbose=True).split())
    n_repeats = wine.stopping_history.n_repeats
    assert f"Stopped after {n_repeats} repeats: the pick is settled." in text
    assert "could no longer win on these rows: majority" in text
    assert re.search(r"Another random seed would almost surely \(9\d%\) give the same pick\.", text)
    content = json.loads(wine.to_json())
    assert content["adaptive"]["is_settled"] is True
    assert 0.9 < content["other_seeds"]["same_best"]["value"] <= 1


def test_plans_that_are_not_adaptive_stay_as_they_are():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    groups = np.arange(60) // 30
    result = compare(["majority", "nearest-mean"], X, y, groups=groups, max_repeats=2, **STILL)
    assert result.evaluation.plan.n_folds == 2
    result = compare(["nearest-mean", "lda"], {"a": "iris", "b": "wine"}, **STILL)
    assert all(comparison.stopping_history is None for comparison in result.comparisons.values())


def test_notes_say_what_a_rule_says_of_a_learner_and_that_repeats_are_perfect():
    X = np.random.default_rng(0).normal(size=(60, 2))
    result = compare(
        ["majority", "nearest-mean"], X, np.arange(60) % 2, stopping="rank-correlation", **STILL
    )
    assert any("same mean class probabilities" in note for note in result.notes)
    X = np.repeat(np.arange(40.0)[:, None], 2, axis=1)
    result = compare(["majority", "nearest-mean"], X, X[:, 0] > 19, scoring="auroc", **STILL)
    assert any("nearest-mean: Every repeat is perfect" in note for note in result.findings.notes)


def test_what_is_tied_follows_the_question():
    result = compare(
        ["logistic", "svm"], "wine", max_repeats=5, scoring=["error", "log_loss"], **STILL
    )
    asked = ({}, {"rope": 0.0}, {"rope": 0.04}, {"scoring": "log_loss"}, {"prefer": "given"})
    ties = [result.verdict(**question).indifference for question in asked]
    lowest = min(result.verdict(scoring="log_loss").means.values())
    assert ties == pytest.approx([0.005, 0.0, 0.02, 0.01 * lowest, 0.0])
    fixed = compare(["logistic", "svm"], "wine", cv="5x3", **STILL)
    assert fixed.findings.verdict.indifference == 0.0


def test_what_else_a_store_holds_changes_nothing(wine, tmp_path):
    store = tmp_path / "s.db"
    compare(LEARNERS, "wine", cv="20x5", store=store, **STILL)
    result = compare(LEARNERS, "wine", store=store, **STILL)
    assert scores_of(result) == scores_of(wine)
    assert result.evaluation.n_fitted == 0
    counts = [learner.n_runs for learner in result.findings.learners]
    assert counts == [learner.n_runs for learner in wine.findings.learners]
    kept = tmp_path / "scores.db"
    compare(LEARNERS, "wine", cv="20x5", store=kept, keep="scores", **STILL)
    again = compare(LEARNERS, "wine", store=kept, keep="scores", **STILL)
    assert again.to_frame()["value"].tolist() == wine.to_frame()["value"].tolist()


def test_every_other_question_can_be_asked_of_the_same_runs(wine):
    n_shared = 5 * min(elimination.n_repeats for elimination in wine.stopping_history.eliminations)
    assert wine.test("corrected-t", "lda", "1nn").df == n_shared - 1
    assert wine.test("anova").p_value < 0.05
    assert set(wine.orderings().to_frame()["best"]) <= {"", *LEARNERS}
    assert wine.power("lda", "1nn", difference=0.05).smallest > 0
    assert wine.confusion_matrix("1nn").to_numpy().sum() > 0
    assert "lda" in wine.to_latex()
    assert "lda" in wine.to_markdown()
    assert wine.verdict(scoring="log_loss").best in LEARNERS
    assert wine.verdict(correction="bonferroni", alpha=0.01).best == "lda"


def test_only_plans_of_folds_end_on_the_way(wine):
    data = load_data("iris")
    request = EvaluationRequest(
        data, make_plan(data, "3xholdout"), resolve_learners(["majority"], data.task)
    )
    with Store(None) as store, pytest.raises(InvalidArgumentError, match="plan must be one of"):
        evaluate(replace(request, interim=SimpleNamespace(looks=(1,))), store)


def test_a_store_says_which_learners_ended_early_and_which_are_unfinished(tmp_path):
    path, raced = tmp_path / "s.db", ["majority", "nearest-mean", "lda"]

    def states():
        with Store(path) as store:
            return {row["learner"]: row["state"] for row in store.overview()}

    compare(raced, "wine", store=path, progress=InterruptAfter(20))
    assert set(states().values()) == {"unfinished"}
    whole = compare(raced, "wine", store=path, **STILL)
    asked = whole.stopping_history.splits_asked_for(raced, len(whole.evaluation.plan))
    expected = [f"ended early after {n} runs" for n in asked]
    assert list(states().values()) == expected
    compare(raced, "wine", store=path, **STILL)
    assert list(states().values()) == expected
    compare(raced, "wine", cv="2x3", store=path, **STILL)
    assert set(states().values()) == {"finished"}  # the later comparison comes last


def test_a_regression_in_another_unit_ends_alike_with_the_region_of_that_unit():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] + rng.normal(scale=0.8, size=120)
    learners = ["mean", "knn-regressor", "ridge"]  # which draw nothing at random
    one, other = (
        compare(learners, X, target, task="regression", max_repeats=8, **STILL)
        for target in (y, 1024 * y)
    )
    first, second = one.findings.verdict, other.findings.verdict
    assert first.rope == pytest.approx(0.02 * min(first.means[name] for name in first.order))
    assert first.indifference == pytest.approx(first.rope / 2)
    assert second.rope == pytest.approx(1024 * first.rope)
    assert [pair.answer for pair in first.pairs] == [pair.answer for pair in second.pairs]
    assert (first.order, first.candidates) == (second.order, second.candidates)
    assert one.stopping_history.eliminations == other.stopping_history.eliminations
