import io

import numpy as np
import pytest
from rich.console import Console
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from bestofk.comparison.entry_point import compare
from bestofk.data import DataSet
from bestofk.evaluation import EvaluationRequest, RunRecord, Store
from bestofk.evaluation.record import OK
from bestofk.learners import resolve_learners
from bestofk.measures import get_measure
from bestofk.report import progress
from bestofk.report.progress import TerminalProgress, leader
from bestofk.resampling import make_plan

RNG = np.random.default_rng(3)
X = np.vstack([RNG.normal(0, 1, (30, 2)), RNG.normal(2, 1, (20, 2))])
ROLES = {f"x{i}": "numeric" for i in range(14)} | {"day": "date"}
DATA = DataSet(
    "two", X, np.array(["a"] * 30 + ["b"] * 20), "classification", roles=ROLES,
    notes=("Separator guessed.",), warnings=("Rows [leak].",),
)  # fmt: skip
LEARNERS = {"majority": DummyClassifier(), "near": KNeighborsClassifier(3)}


def watched(store, *, is_terminal=False, learners=LEARNERS, cv="3x2"):
    output = io.StringIO()
    console = Console(file=output, force_terminal=is_terminal, width=100, highlight=False)
    watcher = TerminalProgress(console)
    result = compare(learners, DATA, cv=cv, store=store, progress=watcher)
    return output.getvalue(), watcher, result


def test_elsewhere_guesses_plan_and_expectation_are_plain_lines():
    with Store() as store:
        text, _, _ = watched(store)
    lines = text.splitlines()
    assert lines[0] == "two: 50 rows, 2 inputs, classification"
    assert lines[1].split()[:2] == ["numeric", "14"]
    assert lines[1].endswith("x11 and 2 more")
    assert lines[2].split() == ["date", "1", "day"]
    assert lines[3:5] == ["- Separator guessed.", "! Rows [leak]."]
    assert lines[5].startswith("Plan: 3 repeats of 2-fold cross-validation, stratified")
    assert lines[5].endswith("2 learners, 12 runs.")
    assert lines[6].startswith("Expected for all 12 runs: ")
    assert lines[6].endswith("MB in memory.")
    assert len(lines) == 7


def test_what_the_store_has_is_said():
    with Store() as store:
        watched(store)
        text, _, _ = watched(store)
        more, _, _ = watched(store, learners={**LEARNERS, "five": KNeighborsClassifier(5)})
    assert "12 of 12 runs found in the store." in text
    assert "Expected" not in text
    assert "12 of 18 runs found in the store." in more


def test_what_is_expected_knows_what_each_learner_takes(monkeypatch):
    """A fast learner whose runs end first says nothing of a slow one."""
    told, output = [], io.StringIO()
    monkeypatch.setattr(progress, "_duration", lambda seconds: told.append(seconds) or "x")
    watcher = TerminalProgress(Console(file=output, width=100))
    request = EvaluationRequest(
        DATA, make_plan(DATA, "3x2"), resolve_learners(LEARNERS, DATA.task), n_jobs=1
    )
    with Store(None) as store:
        watcher.start(request, store, n_reused=[0, 0], snapshot=lambda: None)
        for learner, seconds in [(0, 0.25)] * 6 + [(1, 8.0)] * 2:
            assert "Expected" not in output.getvalue()
            watcher.finished(learner, [RunRecord(OK, None, seconds, 0.0)], store)
    assert told == [6 * 0.25 + 6 * 8.0]
    assert output.getvalue().count("Expected for all 12 runs: x") == 1


def test_a_plan_of_one_repeat_needs_no_expectation():
    with Store() as store:
        text, _, _ = watched(store, cv="2")
    assert "Expected" not in text


def test_bars_count_runs_that_are_safe_and_name_the_leader(monkeypatch):
    monkeypatch.setattr(progress, "_DRAW_SECONDS", 0.0)
    monkeypatch.setattr(progress, "_LEADER_SECONDS", 0.0)
    monkeypatch.setattr(progress, "_LEADER_SHARE", 1e9)
    seen = []
    draw = TerminalProgress._update

    def noted(self):
        draw(self)
        task = self._bars.tasks[0]
        assert task.completed <= self._store.n_written
        assert task.completed == sum(item.completed for item in self._bars.tasks[1:])
        seen.append((task.completed, task.fields["note"]))

    monkeypatch.setattr(TerminalProgress, "_update", noted)
    with Store() as store:
        text, watcher, result = watched(store, is_terminal=True)
    assert seen[-1] == (12, "leader: near")
    assert result.best == "near"
    assert "runs" in text
    assert watcher._bars is None


def test_the_leader_is_judged_on_splits_that_all_have():
    measure = get_measure("error", task="classification", classes=DATA.classes)
    with Store() as store:
        result = compare(LEARNERS, DATA, cv="3x2", store=store).evaluation
    request = EvaluationRequest(DATA, result.plan, result.learners, measures=[measure])
    assert leader(result, request) == "near"
    records = tuple((None,) * 6 for _ in LEARNERS)
    empty = type(result)(**{**vars_of(result), "records": records})
    assert leader(empty, request) == ""
    first, second = map(tuple, result.records)
    disjoint = (first[:3] + (None,) * 3, (None,) * 3 + second[3:])
    assert leader(type(result)(**{**vars_of(result), "records": disjoint}), request) == ""


def vars_of(evaluation):
    fields = evaluation.__dataclass_fields__
    return {name: getattr(evaluation, name) for name in fields if fields[name].init}


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (90, "90.0 s"), (600, "10 min"), (7200, "2.0 h")]
)
def test_durations_are_said_in_fitting_units(seconds, text):
    assert progress._duration(seconds) == text
