"""Runs out of memory, lost runs and crowded runs in the results of a comparison."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests.edited_stores import edit

from bestofk import Store, compare
from bestofk.comparison.run_remarks import run_warnings
from bestofk.evaluation.run_table import RunTable
from bestofk.report.sections import learner_table

LEARNERS = ["nearest-mean", "lda", "cart"]


@pytest.fixture(scope="module")
def whole():
    return compare(LEARNERS, "iris", cv="5x2", batched="never", progress=False)


def changed(result, changes):
    """Return a comparison of which some runs are others: fields by learner and split."""
    evaluation = result.evaluation
    records = [list(row) for row in evaluation.records]
    for (name, split), fields in changes.items():
        index = evaluation.names.index(name)
        records[index][split] = records[index][split]._replace(**fields)
    evaluation = replace(evaluation, records=tuple(map(RunTable.of, records)))
    warnings = run_warnings(evaluation, None)
    return replace(result, evaluation=evaluation, warnings=warnings, resume="Call it again.")


def failed(status, message=""):
    nan = float("nan")
    return {"status": status, "predictions": None, "predict_seconds": nan, "message": message}


def everywhere(name, **fields):
    return {(name, split): fields for split in range(10)}


OUT_OF_MEMORY = failed("memory", "needed more than 1 GB of memory: 1.04 GB at its peak")


@pytest.mark.parametrize("status", ["error", "timeout", "memory"])
def test_a_failure_is_counted_whatever_it_ran_into(whole, status):
    result = changed(whole, {("lda", 3): failed(status, "it ended")})
    findings = result.findings
    assert (findings.n_failed, findings.learner("lda").n_failed) == (1, 1)
    assert (findings.learner("lda").n_runs, findings.n_unfinished) == (10, 0)
    assert findings.learner("lda").failure == "it ended"
    assert "lda failed in 1 of 10 runs; repeat 1, fold 1: it ended." in findings.warnings
    assert findings.verdict.n_splits == 9
    assert result.to_frame().query("learner == 'lda' and fold == 1 and repeat == 1")[
        "status"
    ].tolist() == [status] * len(result.scores)


def test_limit_and_peak_of_memory_are_said_and_the_learner_is_left_out(whole):
    result = changed(whole, {("lda", split): OUT_OF_MEMORY for split in range(2)})
    text = " ".join(result.text(verbose=True).split())
    assert result.findings.verdict.left_out == {"lda": "2 of 10 runs failed"}
    assert "lda failed in 2 of 10 runs; repeat 0, fold 0: needed more than 1 GB of memory: " in text
    assert "1.04 GB at its peak. [incomplete]" in text


def test_lost_runs_are_no_failures_and_are_done_by_the_next_call(whole):
    result = changed(whole, {("lda", 3): failed("lost"), ("cart", 0): failed("lost")})
    findings = result.findings
    assert (findings.n_failed, findings.n_unfinished) == (0, 2)
    assert findings.is_provisional
    assert findings.learner("lda").n_runs == 9
    assert findings.verdict.left_out == {}
    assert findings.verdict.n_splits == 8
    assert findings.resume == "Call it again."
    assert (
        "2 runs were lost, because the processes that did them ended. Call again to do them."
    ) in findings.warnings
    said = [
        text for text in changed(whole, {("lda", 3): failed("lost")}).warnings if "lost" in text
    ]
    assert said == ["1 run was lost, because the processes that did it ended. Call again to do it."]


def test_without_crowded_runs_nothing_is_said_of_them(whole):
    assert whole.evaluation.timing == whole.findings.timing == ""
    assert "crowded" not in whole.text(verbose=True)
    assert all("longer than alone" not in text for text in whole.warnings)


def crowded(whole, alone):
    """Return runs of 5 s that were crowded, but for a first run alone of 1 s of some learners."""
    changes = {}
    for name in LEARNERS:
        changes |= everywhere(name, is_crowded=True, train_cpu_seconds=5.0, predict_cpu_seconds=0.5)
        if name in alone:
            fields = {"is_crowded": False, "train_cpu_seconds": 1.0, "predict_cpu_seconds": 0.1}
            changes |= {(name, 0): fields}
    return changed(whole, changes)


def test_costs_are_those_of_runs_timed_alone_where_every_learner_has_one(whole):
    result = crowded(whole, alone=LEARNERS)
    assert result.evaluation.timing == "alone"
    assert result.evaluation.median_seconds["train_cpu_seconds"].tolist() == [1.0] * 3
    assert [row.tolist() for row in result.evaluation.own_seconds("predict_cpu_seconds")] == [
        [0.1]
    ] * 3
    assert {item.fit_seconds for item in result.findings.learners} == {1.0}
    assert all("longer than alone" not in text for text in result.warnings)
    text = " ".join(result.text(verbose=True).split())
    assert "- Seconds are from runs timed alone; the others ran in parallel (" in text


def test_costs_are_those_of_all_runs_where_a_learner_was_never_timed_alone(whole):
    result = crowded(whole, alone=LEARNERS[:2])
    assert result.evaluation.timing == "crowded"
    assert result.evaluation.median_seconds["train_cpu_seconds"].tolist() == [5.0] * 3
    assert [len(row) for row in result.evaluation.own_seconds("train_seconds")] == [10] * 3
    (caution,) = [item for item in result.findings.cautions if item.code == "crowded"]
    assert caution == (
        "Seconds are longer than alone, because other runs shared the machine. Not every learner "
        "has a run that was timed alone."
    )
    text = " ".join(result.text(verbose=True).split())
    assert "- Seconds are crowded: the runs ran in parallel with others." in text
    assert "has a run that was timed alone. [crowded]" in text


def test_a_run_alone_that_failed_measures_no_cost_and_who_always_failed_needs_none(whole):
    result = changed(crowded(whole, alone=LEARNERS), {("cart", 0): failed("memory")})
    assert result.evaluation.timing == "crowded"
    two = crowded(whole, alone=LEARNERS[:2])
    evaluation = changed(two, everywhere("cart", **failed("error"))).evaluation
    assert evaluation.timing == "alone"
    assert evaluation.median_seconds["train_cpu_seconds"].tolist() == [1.0, 1.0, 5.0]


def test_the_preferred_order_by_measured_time_rests_on_runs_alone(whole):
    seconds = {"nearest-mean": (90.0, 100.0), "lda": (9.0, 10.0), "cart": (1.0, 1000.0)}
    changes = {}
    for name, (alone, next_to_others) in seconds.items():
        changes |= everywhere(name, is_crowded=True, train_cpu_seconds=next_to_others)
        changes |= {(name, 0): {"is_crowded": False, "train_cpu_seconds": alone}}
    result = changed(whole, changes)
    order = result.verdict(prefer="fit-time").preference
    assert "cart, lda, nearest-mean" in order
    changes |= everywhere("cart", is_crowded=True, train_cpu_seconds=1000.0)
    order = changed(whole, changes).verdict(prefer="fit-time").preference
    assert "lda, nearest-mean, cart" in order


def test_batched_learners_cost_what_the_run_alone_took(tmp_path):
    path = tmp_path / "s.db"
    compare(["nearest-mean", "lda"], "iris", cv="3x2", store=path, batched="always", progress=False)
    edit(path, ["UPDATE run SET is_crowded = 1 WHERE way = 'joint'"])
    alone = compare(["nearest-mean", "lda"], "iris", cv="3x2", store=path, batched="always")
    assert alone.evaluation.n_fitted == 0
    assert alone.evaluation.timing == ""  # no crowded run counts for the costs
    edit(path, ["UPDATE run SET is_crowded = 1"])
    with_others = compare(["nearest-mean", "lda"], "iris", cv="3x2", store=path, batched="always")
    assert with_others.evaluation.timing == "crowded"


def test_the_most_memory_of_each_learner_is_shown(whole, tmp_path):
    changes = everywhere("lda", peak_bytes=1_000_000) | everywhere("cart", peak_bytes=None)
    changes |= {("lda", 4): {"peak_bytes": 613_000_000}, ("nearest-mean", 0): {"peak_bytes": 9}}
    for split in range(1, 10):
        changes[("nearest-mean", split)] = {"peak_bytes": None}
    result = changed(whole, changes)
    np.testing.assert_array_equal(result.evaluation.largest_peak_bytes, [9, 613_000_000, np.nan])
    assert result.evaluation.peak_bytes.shape == (3, 10)
    table = learner_table(result.findings, verbose=True)
    column = list(table.heads).index("memory") - 1
    assert {row.name: row.cells[column] for row in table.rows} == {
        "nearest-mean": "9 B", "lda": "613 MB", "cart": "-",
    }  # fmt: skip
    assert "memory" not in learner_table(result.findings).heads
    assert "- lda took the most memory: 613 MB at the peak of a run.\n" in result.to_markdown()
    learners = json.loads(result.to_json())["learners"]
    assert {item["name"]: item["peak_memory_bytes"] for item in learners} == {
        "nearest-mean": 9.0, "lda": 613_000_000.0, "cart": None,
    }  # fmt: skip
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    costs = page[page.index('id="costs-title"') :]
    assert costs.index(">predict<") < costs.index(">memory<") < costs.index(">613 MB<")
    assert "Memory: the most that a run took." in costs
    frame = result.to_frame().query("learner == 'lda'").groupby("repeat")["peak_bytes"].max()
    assert frame.tolist() == [1e6, 1e6, 613_000_000, 1e6, 1e6]


def test_a_little_memory_is_no_detail_and_an_unknown_peak_no_column(whole):
    for peak, is_told in ((99_000_000, False), (100_000_000, True)):
        page = changed(whole, everywhere("lda", peak_bytes=peak)).to_markdown()
        assert ("the most memory" in page) is is_told
    result = changed(whole, {(n, s): {"peak_bytes": None} for n in LEARNERS for s in range(10)})
    assert "memory" not in learner_table(result.findings, verbose=True).heads
    assert "memory" not in result.to_markdown()


def test_a_store_gives_back_what_was_measured(tmp_path):
    with Store(tmp_path / "s.db") as store:
        compare(LEARNERS, "iris", cv="1x2", store=store, batched="never", progress=False)
    edit(tmp_path / "s.db", ["UPDATE run SET peak_bytes = 7000 + rowid, is_crowded = 1"])
    result = compare(LEARNERS, "iris", cv="1x2", store=tmp_path / "s.db", batched="never")
    assert result.evaluation.n_fitted == 0
    assert result.evaluation.peak_bytes.min() > 7000
    assert result.to_frame()["is_crowded"].all()
    assert result.findings.timing == "crowded"


class Greedy(DummyClassifier):
    """Majority of the classes, for which it needs 400 MB."""

    def fit(self, X, y, sample_weight=None):
        np.ones(50_000_000).sum()
        return super().fit(X, y, sample_weight)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is not limited by the system elsewhere")
def test_a_run_out_of_memory_is_done_again_under_a_larger_limit_alone(tmp_path):
    def status_under(memory):
        learners = {"greedy": Greedy(), "nearest-mean": "nearest-mean"}
        options = {"store": tmp_path / "s.db", "memory": memory, "batched": "never"}
        evaluation = compare(learners, "iris", cv="1x2", progress=False, **options).evaluation
        return evaluation.n_fitted, evaluation.status.tolist()

    assert status_under("200MB") == (4, [["memory"] * 2, ["ok"] * 2])
    assert status_under("100MB") == (0, [["memory"] * 2, ["ok"] * 2])
    with Store(tmp_path / "s.db") as store:
        assert [row["memory"] for row in store.overview()] == [2, 0]
    assert status_under("2GB") == (2, [["ok"] * 2, ["ok"] * 2])
