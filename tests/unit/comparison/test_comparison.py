"""Comparisons: nothing is fitted twice, and every way to look at the same runs."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from tests.observers import InterruptAfter

from bestofk import compare
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.evaluation.queue.runner import Runner
from bestofk.inference import corrected_resampled_t_test

pytestmark = pytest.mark.usefixtures("module_in_this_process")

X, y = load_iris(return_X_y=True)
FITS: list[str] = []


class Counted(KNeighborsClassifier):
    """A nearest-neighbor learner that notes every fit."""

    def __init__(self, name="a", n_neighbors=1):
        super().__init__(n_neighbors=n_neighbors)
        self.name = name

    def fit(self, X, y):
        FITS.append(self.name)
        return super().fit(X, y)


FIVE = {name: Counted(name, k) for name, k in zip("abcde", (1, 5, 15, 31, 61), strict=True)}


@pytest.fixture(autouse=True)
def count_anew():
    FITS.clear()


def hits_score(true, predicted):
    return float(np.mean(true == predicted))


def test_five_learners_on_5x2_are_50_fits_and_another_question_costs_none(store):
    result = compare(FIVE, X, y, cv="5x2", store=store)
    assert len(FITS) == 50
    assert (result.evaluation.n_fitted, result.evaluation.n_reused) == (50, 0)
    for question in (
        {"test": "5x2cv-t"},
        {"correction": "bonferroni"},
        {"alpha": 0.2},
        {"prefer": "given"},
        {"prefer": "fit-time"},
        {"prefer": None},
        {"scoring": "auroc"},
        {"scoring": hits_score},
    ):
        assert result.verdict(**question).best in FIVE
        again = compare(FIVE, X, y, cv="5x2", store=store, **question)
        assert (again.evaluation.n_fitted, again.evaluation.n_reused) == (0, 50)
    assert len(result.pairs()) == 10
    assert result.table is not None
    assert result.to_json()
    assert result.confusion_matrix("a") is not None
    assert len(FITS) == 50


def test_each_change_costs_its_own_runs_alone(store):
    def fits_of(learners, data=X, **options):
        FITS.clear()
        compare(learners, data, y, store=store, **{"cv": "5x2"} | options)
        return FITS.copy()

    fits_of(FIVE)
    assert fits_of(FIVE | {"f": Counted("f", 9)}) == ["f"] * 10
    assert len(fits_of(FIVE, cv="6x2")) == 10
    alone = {"a": FIVE["a"]}
    assert len(fits_of(alone, random_state=1)) == len(fits_of(alone, X + 1)) == 10
    assert fits_of({"z": FIVE["a"]}) == []  # known by content and not by name


@pytest.fixture(scope="module")
def iris():
    return compare(["majority", "nearest-mean", "logistic", "cart"], X, y, cv="5x2")


# -- another verdict ------------------------------------------------------------------------


def test_what_is_left_out_of_verdict_keeps_its_setting(iris):
    preferred = compare(["majority", "logistic"], X, y, cv="5x2", prefer="given", alpha=0.1)
    verdict = preferred.verdict(test="5x2cv-t")
    assert verdict.has_preference
    assert (verdict.test, verdict.alpha, verdict.correction) == ("5x2cv-t", 0.1, "holm")
    assert not preferred.verdict(prefer=None).has_preference
    assert iris.verdict().best == iris.best


def test_the_verdict_of_another_test_is_that_of_asking_for_it_at_once(iris):
    names = iris.evaluation.names
    for options in ({"test": "5x2cv-t", "prefer": "given"}, {"scoring": "brier"}, {"alpha": 0.5}):
        at_once = compare(names, X, y, cv="5x2", **options).verdict()
        later = iris.verdict(**options)  # the cheapest is told by the clock
        assert replace(later, alternative=None) == replace(at_once, alternative=None)


def test_the_pairs_are_those_of_the_test_alone(iris):
    pair = next(item for item in iris.verdict().pairs if item.first == "nearest-mean")
    errors = iris.to_frame()[iris.to_frame().measure == "error"].set_index("learner").value
    expected = corrected_resampled_t_test(
        errors[pair.first].to_numpy(), errors[pair.second].to_numpy(), n_train=75, n_test=75
    )
    assert pair.p_value == pytest.approx(expected.p_value)
    assert pair.difference == pytest.approx(errors[pair.first].mean() - errors[pair.second].mean())


def test_verdicts_that_cannot_be_given_are_refused(iris):
    with pytest.raises(DesignError, match="Usable here: corrected-t, 5x2cv-t"):
        iris.verdict(test="paired-t")
    with pytest.raises(InvalidArgumentError, match="prefer must be a known word"):
        iris.verdict(prefer="price")
    with pytest.raises(InvalidArgumentError, match="correction"):
        iris.verdict(correction="none")
    with pytest.raises(InvalidArgumentError, match="alpha"):
        iris.verdict(alpha=2)
    with pytest.raises(InvalidArgumentError, match="acuracy"):
        iris.verdict(scoring="acuracy")


# -- numbers --------------------------------------------------------------------------------


def test_the_frame_has_a_row_per_learner_split_and_measure(iris):
    frame = iris.to_frame()
    names = ["error", "accuracy", "balanced_accuracy", "auroc", "log_loss"]
    assert frame.measure.unique().tolist() == names
    assert len(frame) == 4 * 10 * len(names)
    columns = ["dataset", "learner", "repeat", "fold", "measure", "value"]
    assert list(frame.columns[:6]) == columns
    item = frame.query("learner == 'majority' and measure == 'error'")
    assert item.value.tolist() == pytest.approx([2 / 3] * 10)
    assert (item.n_train == 75).all()
    assert (item.status == "ok").all()
    assert len(iris.pairs()) == 6


def test_the_confusion_matrix_counts_every_row_in_every_repeat(iris):
    counts = iris.confusion_matrix("majority")
    assert counts.to_numpy().sum() == 5 * 150
    assert counts.sum(axis=1).tolist() == [250] * 3
    assert (counts.index.name, counts.columns.name) == ("true", "predicted")
    by_hand = (iris.confusion_matrix("cart").to_numpy().diagonal().sum()) / 750
    errors = iris.to_frame().query("measure == 'error' and learner == 'cart'").value
    assert by_hand == pytest.approx(1 - errors.mean())


def test_confusion_matrices_are_refused_where_there_are_none(iris):
    with pytest.raises(InvalidArgumentError, match="learner must be one of those compared"):
        iris.confusion_matrix("svm")
    regression = compare(["mean"], X[:, :3], X[:, 3], cv="1x2")
    with pytest.raises(InvalidArgumentError, match="must be classification for a confusion matrix"):
        regression.confusion_matrix("mean")


def test_every_face_shows_the_same_verdict(iris, tmp_path):
    result = json.loads(iris.to_json())
    assert (result["best"], result["order"], result["candidates"]) == (
        iris.best, iris.order, iris.candidates,
    )  # fmt: skip
    iris.to_html(tmp_path / "page.html")
    for text in (
        str(iris), iris.text(), repr(iris), iris.to_markdown(), iris.to_latex(),
        iris._repr_html_(), (tmp_path / "page.html").read_text(encoding="utf-8"),
    ):  # fmt: skip
        assert iris.best in text
    assert iris.to_csv().count("\n") == len(iris.to_frame()) + 1
    with pytest.raises(InvalidArgumentError, match="exist"):
        iris.to_html(tmp_path / "page.html")


# -- failures and gaps ----------------------------------------------------------------------


def mark(rows):
    """Return a number that tells sets of rows apart."""
    return float((rows**3 @ [1.0, 2.0, 3.0, 4.0]).sum())


class FailsOn(DummyClassifier):
    """Fails on the sets of rows that have one of the marks."""

    def __init__(self, marks=()):
        super().__init__()
        self.marks = marks

    def fit(self, X, y, sample_weight=None):
        if any(abs(mark(X) - item) < 1e-6 for item in self.marks):
            raise ValueError("not these rows")
        return super().fit(X, y)


def failing(plan, *places):
    return FailsOn([mark(X[plan.split(*index).train_rows]) for index in places])


@pytest.fixture(scope="module")
def plan():
    return compare(["majority"], X, y, cv="2x10").evaluation.plan


def test_a_tenth_of_failures_leaves_these_splits_out_for_all(plan):
    result = compare(
        {"odd": failing(plan, (0, 3), (1, 5)), "lda": "lda", "nb": "naive-bayes"}, X, y, cv="2x10"
    )
    assert result.verdict().n_splits == 18
    assert result.best in ("lda", "nb")
    kept = result.to_frame().query("measure == 'error' and learner == 'lda'")
    is_kept = ~((kept.repeat == 0) & (kept.fold == 3) | (kept.repeat == 1) & (kept.fold == 5))
    assert result.findings.learner("lda").mean == pytest.approx(kept.value[is_kept].mean())
    assert any(
        text.startswith("The verdict rests on 18 of 20 splits, those for which every learner has a")
        for text in result.findings.warnings
    )


def test_more_failures_leave_out_the_learner(plan):
    learners = {"odd": failing(plan, (0, 0), (0, 3), (1, 5)), "lda": "lda", "nb": "naive-bayes"}
    result = compare(learners, X, y, cv="2x10", prefer=["odd", "lda", "nb"])
    assert result.verdict().n_splits == 20
    assert result.verdict().left_out == {"odd": "3 of 20 runs failed"}
    assert "odd" not in [*result.order, *result.candidates]
    assert result.verdict().preference == "Preference as listed: lda, nb."


class NeverFits(FailsOn):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("never")


def test_a_learner_that_always_fails_takes_no_part_and_where_all_do_every_face_says_so():
    result = compare({"odd": FailsOn(), "never": NeverFits()}, X, y, cv="1x2")
    assert (result.best, result.order) == ("odd", ["odd"])
    assert result.verdict().left_out == {"never": "2 of 2 runs failed"}
    result = compare({"one": NeverFits(), "two": NeverFits((1,))}, X, y, cv="1x2")
    assert result.best is None
    assert (result.order, result.candidates) == ([], [])
    assert any("no verdict is possible" in text for text in result.findings.warnings)
    assert json.loads(result.to_json())["best"] is None
    assert len(result.table) == 2
    assert "never" in str(result)
    assert result.text()
    assert result._repr_html_()


def test_a_baseline_that_is_left_alone_is_no_verdict(monkeypatch):
    from bestofk.learners import Learner

    entered = [Learner("majority", FailsOn(), is_baseline=True), Learner("odd", NeverFits())]
    monkeypatch.setattr("bestofk.comparison.entry_point.resolve_learners", lambda *_: entered)
    result = compare(None, X, y, cv="1x3")
    assert (result.best, result.candidates) == (None, [])
    assert result.text()
    assert str(result)


def test_an_interrupted_comparison_judges_the_splits_that_all_have_finished(monkeypatch):
    # two learners, five folds: the first repeat is done, and of the second all of the first
    monkeypatch.setattr(Runner, "taken_seconds", 0.0)  # an observer hears of each run at once
    options = {"cv": "3x5", "batched": "never", "progress": InterruptAfter(16)}
    result = compare(["lda", "majority"], X, y, **options)
    assert result.verdict().n_splits == 6
    assert result.best == "lda"
    assert "Interrupted: 14 of 30 runs were not done." in result.findings.warnings
    assert result.findings.resume
    result = compare(["lda", "majority"], X, y, cv="3x5", progress=InterruptAfter(4))
    assert (result.best, result.order) == ("lda", ["lda"])
    assert result.verdict().left_out == {"majority": "no run was finished"}


@pytest.mark.parametrize(("cv", "test"), [("5x2", "5x2cv-t"), ("1x10", "paired-t")])
@pytest.mark.parametrize("n_runs", [1, 7, 12, 19])
def test_an_interrupted_comparison_never_fails_for_its_test(cv, test, n_runs):
    result = compare(
        ["lda", "majority"], X, y, cv=cv, test=test, prefer="given", progress=InterruptAfter(n_runs)
    )
    assert result.best in ("lda", None)
    assert str(result)
    assert result.text()
