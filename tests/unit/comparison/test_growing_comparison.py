"""Comparisons on large tables, where training rows grow in place of repeats."""

import dataclasses
import io
import json
import time

import numpy as np
import pytest
from rich.console import Console
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from bestofk import Store, compare
from bestofk.comparison import growing_comparison
from bestofk.comparison.growing_comparison import (
    GrowingComparison,
    has_growing_rows,
    hold_out_of,
)
from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import prepare_comparison
from bestofk.data import DataSet
from bestofk.data.generators import waveform
from bestofk.evaluation import Observer, evaluate
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.run_table import RunTable
from bestofk.learners import resolve_learners
from bestofk.report.progress import shown as progress
from bestofk.report.progress.shown import TerminalProgress
from bestofk.stopping import growing_rows

pytestmark = pytest.mark.usefixtures("module_in_this_process")

LEARNERS = ["majority", "nearest-mean", "logistic", "naive-bayes"]
# 2,400 training rows: 37, 150, 600, 2400; and 600 test rows
DATA = waveform(3_000)


@pytest.fixture(autouse=True)
def small_tables_are_large(monkeypatch):
    monkeypatch.setattr(growing_rows, "LARGE", 2_000)
    monkeypatch.setattr(growing_rows, "SMALLEST", 30)


class Steps(Observer):
    """Keeps what it is told, and may interrupt at a size."""

    def __init__(self, interrupt_at=None):
        self.verdicts, self.titles, self.interrupt_at = [], [], interrupt_at
        self.finished_runs = []

    def start(self, request, store, *, n_reused, snapshot):
        self.titles.append(request.title)
        self.request = request

    def finished(self, learner_index, records, store):
        self.finished_runs.append((self.request.learners[learner_index].name, self.titles[-1]))
        if self.titles[-1] == self.interrupt_at:
            raise KeyboardInterrupt

    def provisional(self, verdict):
        self.verdicts.append(verdict)


def verdict_of(result):
    """Return the JSON of a comparison without what differs from call to call."""
    content = json.loads(result.to_json())
    for key in ("runs", "cheapest_by_fit_seconds", "notes"):
        del content[key]
    for learner in content["learners"]:
        for key in ("fit_seconds", "predict_seconds", "peak_memory_bytes", "size_bytes"):
            del learner[key]
    return content


def test_the_verdict_is_that_of_a_plain_hold_out_of_those_that_went_on(store):
    steps = Steps()
    result = compare(LEARNERS, DATA, store=store, progress=steps)
    history = result.rows_history
    out = [item.learner for item in history.eliminations]
    rest = [name for name in LEARNERS if name not in out]
    plain = compare(rest, DATA, cv="holdout:0.2", store=store)
    assert plain.evaluation.n_fitted == 0  # the last size has its keys
    assert out == ["majority", "nearest-mean", "naive-bayes"]
    assert result.best == plain.best == "logistic"
    value = plain.findings.learner("logistic").mean
    assert result.findings.learner("logistic").mean == value
    assert (history.n_rows, history.n_all, history.ending) == (2_400, 2_400, "")
    assert result.stopping_history is None
    assert steps.titles[0] == "37 training rows"
    assert len(steps.verdicts) == len(steps.titles) - 1  # the last one is the verdict
    assert steps.verdicts[0].startswith("After 37 of 2,400 training rows: logistic leads, error")
    assert steps.verdicts[0].endswith("; out: none.")


def test_the_pick_is_that_of_training_all_learners_on_all_rows(store):
    names = ["nearest-mean", "logistic", "naive-bayes", "cart", "lda"]
    growing = compare(names, DATA, store=store)
    assert growing.best == compare(names, DATA, cv="holdout:0.2", store=store).best


def test_eliminated_learners_keep_a_line_with_their_rows(tmp_path):
    result = compare(LEARNERS, DATA)
    text = result.text(verbose=True)
    line = next(row for row in text.splitlines() if row.startswith("naive-bayes "))
    (item,) = [e for e in result.rows_history.eliminations if e.learner == "naive-bayes"]
    assert f"{100 * item.value:.1f}%" in line
    assert "eliminated" in line
    assert f"{item.n_rows}" in line.replace(",", "")
    said = " ".join(text.split())
    assert "Eliminated early because they could no longer win: majority (after 150 rows)" in said
    assert said.startswith("Use logistic: ")
    assert "takes no part in the verdict" not in said
    assert "No other learner took part" not in said
    assert result.findings.n_unfinished == 0
    assert set(result.to_frame()["learner"]) == {"logistic"}
    content = json.loads(result.to_json())
    assert content["provisional"] is False
    assert content["growing_rows"]["n_all"] == 2_400
    assert content["adaptive"] is None
    result.to_html(tmp_path / "page.html")
    assert "150" in (tmp_path / "page.html").read_text()
    assert "naive-bayes" in result.to_latex()
    assert "naive-bayes" in result.to_markdown()


@pytest.mark.parametrize("is_terminal", [False, True])
def test_progress_shows_the_standings_after_each_size(is_terminal, monkeypatch):
    for name in ("_SHORT_SECONDS", "_TERMINAL_SECONDS", "_LINE_SECONDS"):
        monkeypatch.setattr(progress, name, 0.0)
    monkeypatch.setattr(progress, "_SHARE", 1e9)
    file = io.StringIO()
    console = Console(
        file=file, force_terminal=is_terminal, color_system=None, highlight=False, width=200
    )
    compare(LEARNERS, DATA, progress=TerminalProgress(console))
    text = file.getvalue()
    assert "one hold-out, stratified, trained on 37 of 2,400 rows" in text
    said = "Provisional, after" if is_terminal else "After"
    assert f"{said} 37 of 2,400 training rows" in text
    assert f"{said} 600 of 2,400 training rows" in text
    assert "leading: logistic, " in text
    if is_terminal:
        assert "still running: 4" in text
        last = text[text.rindex("Provisional") :].splitlines()
        assert "still running: 1 · " in last[2]
        row = next(line for line in last if line.startswith("naive-bayes")).split()
        assert row[3:] == ["eliminated", "600", "eliminated"]


def test_another_call_gives_the_same_and_a_store_is_not_needed_for_it(tmp_path):
    first = compare(LEARNERS, DATA)
    second = compare(LEARNERS, DATA, store=tmp_path / "s.db")
    assert verdict_of(first) == verdict_of(second)
    third = compare(LEARNERS, DATA, store=tmp_path / "s.db")
    assert third.evaluation.n_fitted == 0
    assert third.evaluation.n_reused == second.evaluation.n_fitted
    assert verdict_of(first) == verdict_of(third)


def test_an_interruption_gives_the_verdict_on_the_largest_size_that_all_finished(tmp_path):
    steps = Steps(interrupt_at="600 training rows")
    path = tmp_path / "s.db"
    names = ["nearest-mean", "logistic", "lda", "naive-bayes"]
    cut = compare(names, DATA, store=path, progress=steps)
    assert (cut.rows_history.n_rows, cut.rows_history.sizes) == (150, (37, 150))
    n_on = len(names) - len(cut.rows_history.eliminations)
    assert cut.findings.n_unfinished == (n_on - 1) + n_on  # of 600 rows, and of all
    assert cut.evaluation.plan.n_train == 150
    assert cut.best is not None
    assert cut.ship_claim().reason == "learners were trained on 150 of 2,400 rows by then"
    said = " ".join(cut.text(verbose=True).split())
    assert said.startswith(f"Use {cut.best} for now, after 150 of 2,400 training rows: ")
    assert said.count("Provisional: the comparison was interrupted after 150 of 2,400") == 1
    assert "make the same call with the same store" in said
    assert json.loads(cut.to_json())["provisional"] is True
    resumed = compare(names, DATA, store=path)
    assert verdict_of(resumed) == verdict_of(compare(names, DATA))
    assert resumed.evaluation.n_reused == cut.evaluation.n_fitted
    at_once = compare(LEARNERS, DATA, progress=Steps(interrupt_at="37 training rows"))
    assert at_once.evaluation.n_fitted == 1
    assert (at_once.rows_history.sizes, at_once.rows_history.n_rows) == ((), 37)
    assert at_once.findings.n_unfinished == 3 + 3 * 4
    assert str(at_once)


def test_a_budget_ends_between_sizes_and_is_said_and_one_of_nothing_does_one_run():
    class Slow(LogisticRegression):
        """Takes longer than the whole budget at the second size, before the others have run."""

        def fit(self, X, y):
            time.sleep(0.8 if len(X) > 100 else 0.0)
            return super().fit(X, y)

    result = compare([("slow", Slow()), "lda"], DATA, budget=0.7)
    assert result.rows_history.ending == "the budget of time was spent"
    assert result.rows_history.n_rows < 2_400
    assert result.evaluation.is_out_of_time
    assert "Provisional: the budget of time was spent" in " ".join(
        result.text(verbose=True).split()
    )
    result = compare(LEARNERS, DATA, budget=1e-6)
    assert result.evaluation.n_fitted == 1


def test_a_slow_learner_stops_and_resuming_repeats_that_whatever_the_seconds(tmp_path, monkeypatch):
    names, forecasts = ["lda", "logistic", "qda"], []

    def slow_at_150(self, seconds_left):
        forecasts.append(seconds_left)
        return {"qda": 1234.4} if self.n_done == 2 else {}

    monkeypatch.setattr(growing_rows.GrowingRows, "too_slow", slow_at_150)
    path = tmp_path / "s.db"
    cut = compare(names, DATA, store=path, progress=Steps(interrupt_at="600 training rows"))
    (stop,) = [item for item in cut.rows_history.eliminations if item.learner == "qda"]
    assert (stop.n_rows, stop.seconds, stop.is_open) == (150, 1234.4, True)
    said = " ".join(cut.text(verbose=True).split())
    assert (
        "qda was trained on 150 rows at most, because more rows were forecast to take 1,234 s. It "
        "may still be the best: a larger budget or time limit would let it use more rows."
    ) in said
    monkeypatch.setattr(growing_rows.GrowingRows, "too_slow", lambda self, seconds_left: {})
    resumed = compare(names, DATA, store=path)
    assert "qda" in [item.learner for item in resumed.rows_history.eliminations]
    assert len(forecasts) == 2
    other = compare(names, DATA, store=path, budget=1_000)  # another question
    assert "qda" not in [item.learner for item in other.rows_history.eliminations]


def test_a_learner_that_raises_on_few_rows_goes_on_and_one_that_always_does_is_left_out():
    class Picky(LogisticRegression):
        def fit(self, X, y):
            if len(X) < 100:
                raise ValueError("too few rows")
            return super().fit(X, y)

    class Broken(LogisticRegression):
        def fit(self, X, y):
            raise ValueError("never")

    result = compare([("picky", Picky()), ("broken", Broken()), "nearest-mean"], DATA)
    assert result.best == "picky"
    assert result.findings.verdict.left_out["broken"] == "1 of 1 runs failed"
    assert "never" in str(result)


def test_classes_that_small_parts_lack_are_no_failure():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [1_600, 1_390, 10])
    X = rng.normal(size=(3_000, 3)) + y[:, None]
    result = compare(["nearest-mean", "logistic"], X, y, scoring=["log_loss", "error"])
    assert result.findings.n_failed == 0
    assert result.best == "logistic"


def test_squared_errors_and_auroc_decide_where_they_should():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 4))
    y = X @ [1.0, 2.0, 0.0, -1.0] + rng.normal(size=3_000)
    learners = {"line": LinearRegression(), "stump": DecisionTreeRegressor(max_depth=1)}
    result = compare(learners, X, y)
    assert result.best == "line"
    (stop,) = result.rows_history.eliminations
    assert (stop.learner, stop.is_beaten) == ("stump", True)
    rng = np.random.default_rng(0)
    y = (rng.random(3_000) < 0.1).astype(int)
    X = rng.normal(size=(3_000, 3)) + 2 * y[:, None] * [1, 1, 0]
    result = compare({"bad": DummyClassifier(strategy="stratified"), "good": "logistic"}, X, y)
    assert result.measures[0].name == "auroc"
    assert result.best == "good"
    assert [item.learner for item in result.rows_history.eliminations] == ["bad"]


@pytest.mark.parametrize(
    ("changes", "is_growing"),
    [
        ({}, True),
        ({"max_repeats": 3}, False),
        ({"stopping": "settled-pick"}, False),
        ({"prefer": "given"}, False),
        ({"cv": "2x5"}, False),
        ({"keep": "scores"}, False),
        ({"test": "paired-t"}, False),
        ({"test": "mcnemar"}, True),
        ({"budget": 5.0}, True),
    ],
)
def test_what_asks_for_repeats_gets_them(changes, is_growing):
    assert has_growing_rows(ComparisonSettings(**changes), DATA) == is_growing


def test_groups_and_small_tables_are_repeated(monkeypatch):
    grouped = dataclasses.replace(DATA, groups=np.arange(3_000) // 3)
    assert not has_growing_rows(ComparisonSettings(), grouped)
    monkeypatch.setattr(growing_rows, "LARGE", 3_000)
    assert not has_growing_rows(ComparisonSettings(), DATA)
    result = compare(["majority", "nearest-mean"], grouped, max_repeats=1)
    assert result.rows_history is None


def test_a_fifth_tests_but_not_more_than_needed_and_one_row_is_not_stratified(monkeypatch):
    assert hold_out_of(DATA, ComparisonSettings()).name == "holdout:0.2"
    monkeypatch.setattr(growing_rows, "MOST_TEST_ROWS", 100)
    plan = hold_out_of(DATA, ComparisonSettings())
    assert (plan.name, plan.n_test, plan.is_stratified) == ("holdout:0.0333", 100, True)
    y = np.array([0, 1] * 1_400 + [2])
    data = DataSet("rare", np.zeros((2_801, 1)), y, "classification")
    assert not hold_out_of(data, ComparisonSettings()).is_stratified


def test_a_lost_run_ends_it_and_the_next_call_goes_on(tmp_path, monkeypatch):
    path = tmp_path / "s.db"
    plain = compare(LEARNERS, DATA, store=tmp_path / "plain.db")

    def losing(request, store, observer):
        part = evaluate(request, store, observer)
        if not request.title.startswith("600"):
            return part
        lost = part.records[2][0]._replace(status="lost", predictions=None)
        records = [*part.records]
        records[2] = RunTable.of([lost])
        return dataclasses.replace(part, records=tuple(records))

    with monkeypatch.context() as patch:
        patch.setattr(growing_comparison, "evaluate", losing)
        result = compare(LEARNERS, DATA, store=path)
    assert result.rows_history.ending == "runs were lost"
    assert result.rows_history.n_rows == 150
    assert not result.evaluation.is_interrupted
    assert not result.evaluation.is_out_of_time
    assert result.findings.is_provisional
    again = compare(LEARNERS, DATA, store=path)
    assert again.best == plain.best
    assert again.rows_history == plain.rows_history


def test_decisions_of_other_limits_are_not_taken_over():
    def purpose(**limits):
        request = prepared.request
        request = dataclasses.replace(request, limits=Limits(**limits))
        with Store() as store:
            return GrowingComparison(request, store, None).purpose

    entered = resolve_learners(LEARNERS, DATA.task)
    prepared = prepare_comparison(entered, DATA, ComparisonSettings())
    assert purpose(seconds=5) == "growing rows, error, budget None, timeout 5"
    names = {purpose(), purpose(seconds=5), purpose(seconds=5, n_bytes=9), purpose(n_bytes=9)}
    assert len(names) == 4
