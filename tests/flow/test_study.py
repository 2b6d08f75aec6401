"""Studies from the file to the verdict: run, resumed, divided, retried, counted."""

import json
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from tests.calls import printed, refused
from tests.store_content import without_costs

from bestofk import Store, Study, compare, load_data, merge_stores
from bestofk.cli import main
from bestofk.evaluation import Observer
from bestofk.studies.study import prepare_study

FILE = """
data = ["iris", "wine", "play-tennis"]
learners = ["cart", "nearest-mean", "majority"]
cv = "2x2"
engine = "serial"
"""
FAILING = FILE.replace('"majority"', '"svm(C=-1)"')


@pytest.fixture
def study(tmp_path):
    """Write a study of three data sets, with more lines where a test asks for them."""

    def write(more="", *, text=FILE, name="study.toml"):
        path = tmp_path / name
        path.write_text(text + more)
        return path

    return write


def run(path, **options):
    return Study.read(path).run(progress=False, **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The study that is run on one machine at once: its folder, and its result."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "study.toml").write_text(FILE)
    return folder, run(folder / "study.toml")


@pytest.fixture
def done(whole, tmp_path):
    """A copy of the file and the store of that study."""
    shutil.copytree(whole[0], tmp_path, dirs_exist_ok=True)
    return tmp_path / "study.toml"


def test_a_study_is_the_comparison_on_its_data_sets(done, whole, tmp_path):
    _, result = whole
    data = {name: load_data(name) for name in ("iris", "wine", "play-tennis")}
    expected = compare(
        ["cart", "nearest-mean", "majority"], data, cv="2x2", store=tmp_path / "other.db"
    )
    assert result.to_frame()["value"].equals(expected.to_frame()["value"])
    assert result.answer == expected.answer
    assert without_costs(tmp_path / "study.db") == without_costs(tmp_path / "other.db")
    again = run(done)
    assert (again.findings.n_fitted, again.findings.n_reused) == (0, 36)


def test_an_adaptive_study_repeats_as_each_comparison_does_alone(study, tmp_path):
    adaptive = FILE.replace('cv = "2x2"', 'cv = "adaptive"')
    path = study(text=adaptive)
    result = run(path)
    n_runs = {}
    for name in ("iris", "wine", "play-tennis"):
        alone = compare(["cart", "nearest-mean", "majority"], name)
        assert alone.best == result[name].best
        assert alone.to_frame()["value"].equals(result[name].to_frame()["value"])
        n_runs[name] = int((alone.evaluation.status == "ok").sum())
    assert len(set(n_runs.values())) > 1
    assert run(path).findings.n_fitted == 0
    status = Study.read(path).status()
    assert {name: status.count("done", data_set=name) for name in n_runs} == n_runs
    assert status.count("missing") == 0


@pytest.mark.usefixtures("done")
def test_engine_jobs_and_budget_change_no_key(study):
    more = run(study('\nn_jobs = 2\nbudget = "1h"'), engine="processes")
    assert more.findings.n_fitted == 0


def test_a_budget_ends_a_call_and_the_next_goes_on(study):
    part = run(study(), budget=1e-9)
    assert 0 < part.findings.n_fitted < 36
    rest = run(study())
    assert part.findings.n_fitted + rest.findings.n_fitted == 36


def test_three_shards_merge_to_the_store_and_the_verdict_of_one_machine(study, tmp_path, whole):
    folder, result = whole
    path = study()
    parts = []
    for number in (1, 2, 3):
        run(path, shard=f"{number}/3")
        parts.append(tmp_path / f"study.shard-{number}-of-3.db")
    merge_stores(parts, tmp_path / "study.db")
    assert without_costs(tmp_path / "study.db") == without_costs(folder / "study.db")
    merged = Study.read(path).result()
    assert (merged.findings.n_fitted, merged.findings.n_reused) == (0, 36)
    assert merged.to_frame()["value"].equals(result.to_frame()["value"])
    assert merged.answer == result.answer


def test_the_status_counts_what_the_store_has(study, tmp_path):
    path = study(text=FAILING)
    run(path)
    with Store(tmp_path / "study.db") as store, store.transaction() as connection:
        # of 4 runs of cart on iris, one did not end in time and one was lost
        connection.execute(
            "UPDATE run SET status = 'timeout' WHERE rowid = (SELECT min(rowid) FROM run "
            "WHERE data_set = 1 AND learner = (SELECT learner FROM comparison_learner "
            "WHERE comparison = 1 AND position = 0))"
        )
        connection.execute(
            "DELETE FROM run WHERE rowid = (SELECT max(rowid) FROM run "
            "WHERE data_set = 1 AND learner = (SELECT learner FROM comparison_learner "
            "WHERE comparison = 1 AND position = 0))"
        )
    status = Study.read(path).status()
    rows = status.to_frame().set_index(["data_set", "learner"])
    assert rows.loc[("iris", "cart")].tolist() == [4, 2, 0, 1, 0, 1]
    assert rows.loc[("wine", "svm(C=-1)")].tolist() == [4, 0, 4, 0, 0, 0]
    assert rows.loc[("play-tennis", "nearest-mean")].tolist() == [4, 4, 0, 0, 0, 0]
    assert [status.count(state) for state in ("planned", "done", "error", "timeout", "missing")] \
        == [36, 22, 12, 1, 1]  # fmt: skip
    seconds = [cell.seconds for cell in status.cells if (cell.data_set, cell.learner)
               == ("iris", "cart")]  # fmt: skip
    assert status.seconds_left == seconds[0] > 0
    assert status.not_begun == ()


def test_a_status_before_the_first_run_counts_the_runs_that_are_planned(study, capsys):
    path = study()
    assert main(["study", "status", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    n_planned = Study.read(path).status().count("planned")
    assert lines[-2].startswith(f"0 of {n_planned} runs done; 0 of ")
    assert lines[-1] == f"Go on: bestofk study run {path}"
    Study.read(path).run(engine="serial", progress=False)
    after = Study.read(path).status()
    assert (after.count("done"), after.count("planned")) == (n_planned, n_planned)


@pytest.mark.usefixtures("done")
def test_a_data_set_that_was_added_is_not_begun(study):
    status = Study.read(study(text=FILE.replace('"iris"', '"iris", "breast_cancer"'))).status()
    assert (status.not_begun, status.count("done")) == (("breast_cancer",), 36)


class Counter(Observer):
    """Number of runs that were done."""

    n_done = 0

    def finished(self, learner_index, records, store):
        self.n_done += len(records)


def test_failed_runs_are_done_again_by_retry_alone(study):
    path = study(text=FAILING)
    assert run(path).findings.n_failed == 12
    assert run(path).findings.n_fitted == 0
    again = Study.read(path).retry(progress=False)
    assert (again.findings.n_failed, again.findings.n_fitted) == (12, 12)


def test_retries_of_the_file_follow_a_call_that_did_runs(study):
    path = study("\nretries = 2\n", text=FAILING)
    for n_done in (36 + 2 * 12, 0):
        counter = Counter()
        assert Study.read(path).run(progress=counter).findings.n_failed == 12
        assert counter.n_done == n_done


def test_every_problem_is_named_before_anything_is_trained(study, tmp_path):
    (tmp_path / "one.csv").write_text("a,y\n1,u\n2,u\n3,u\n4,u\n")
    (tmp_path / "numbers.csv").write_text("a,y\n" + "".join(f"{i % 7},{i}.5\n" for i in range(40)))
    path = study(
        text="""
data = ["iris", "irs", "gone.csv", "*.arff", "one.csv", {file = "iris", name = "twice"},
        "numbers.csv"]
learners = ["cart", "cartt", "gone.py:Mine"]
"""
    )
    with pytest.raises(ValueError, match=r"study\.toml must have no mistakes") as caught:
        run(path)
    text = str(caught.value)
    for part in (
        "data, item 2 (irs): ", "Did you mean 'iris'",
        "data, item 3: file of a data set must exist; got gone.csv",
        "data, item 4: pattern of data sets must fit a file; got *.arff",
        "data, item 5 (one.csv): ", "got the same rows as iris and twice",
        "data sets must have one task; got classification: iris, twice; regression: numbers",
    ):  # fmt: skip
        assert part in text, part
    assert not (tmp_path / "study.db").exists()
    path = study(text='data = ["iris", "wine"]\nlearners = ["cartt", "gone.py:Mine", "lda"]')
    with pytest.raises(ValueError, match=r"(?s)item 1: .*'cart'.*item 2: file of learner"):
        run(path)


def test_a_pattern_names_files_in_the_folder_of_the_study(study, tmp_path, monkeypatch):
    for folder, shift in (("a", 0), ("b", 1)):
        (tmp_path / folder).mkdir()
        rows = "".join(f"{i + shift},{'uv'[i % 2]}\n" for i in range(12))
        (tmp_path / folder / "x.csv").write_text("a,kind\n" + rows)
    monkeypatch.chdir("/")
    path = study(
        text="""
data = [{file = "*/x.csv", target = "kind"}, "iris"]
learners = ["nearest-mean", {name = "small tree", learner = "cart", parameters = {max_depth = 1}}]
cv = "2x2"
engine = "serial"
"""
    )
    result = run(path)
    assert list(result.comparisons) == ["a/x.csv", "b/x.csv", "iris"]
    assert result.findings.learners == ("nearest-mean", "small tree")
    tree = result["iris"].evaluation.learners[1].estimator
    assert tree.get_params()["learner__max_depth"] == 1
    assert Study.read(path).status().count("done") == 24


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_bytes(study, tmp_path):
    learners = FILE.replace('"2x2"', '"40x3"').replace('"majority"', '"c45", "1nn"')
    whole = run(study(text=learners, name="whole.toml"))
    path = study(text=learners)
    command = [sys.executable, "-m", "bestofk", "study", "run", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    store = tmp_path / "study.db"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if store.exists() and Study.read(path).status().count("done"):  # while it runs
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    n_done = Study.read(path).status().count("done")
    rest = run(path)
    assert rest.findings.n_fitted == 3 * 120 * 4 - n_done
    assert rest.to_frame()["value"].equals(whole.to_frame()["value"])
    assert without_costs(store) == without_costs(tmp_path / "whole.db")


def test_the_commands_lead_from_a_file_to_a_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["study", "init", "trees.toml", "iris", "wine"]) == 0
    text = (tmp_path / "trees.toml").read_text()
    capsys.readouterr()
    assert "which exists" in refused(capsys, "study", "init", "trees.toml")
    (tmp_path / "trees.toml").write_text(text.replace('"5x2"', '"2x2"'))
    first = printed(capsys, "study", "run", "trees.toml", "--engine", "serial", "-q")
    assert first.startswith("Use ")
    again = json.loads(printed(capsys, "study", "run", "trees.toml", "--json"))
    assert again["runs"]["fitted"] == 0
    lines = printed(capsys, "study", "status", "trees.toml").splitlines()
    assert lines[0].split() == ["learner", "done", "error", "timeout", "memory", "missing"]
    assert lines[-2].split() == ["all", "48", "0", "0", "0", "0"]
    assert lines[-1] == "48 of 48 runs done; 2 of 2 data sets finished."
    status = json.loads(printed(capsys, "study", "status", "trees.toml", "--json"))
    assert status["runs"]["done"] == 48
    assert "trees.html" in printed(capsys, "study", "report", "trees.toml")
    assert "<!DOCTYPE html>" in (tmp_path / "trees.html").read_text()
    assert main(["study", "report", "trees.toml"]) == 2
    shard = printed(capsys, "study", "run", "trees.toml", "--shard", "1/2")
    assert "trees.shard-1-of-2.db" in shard


def test_a_task_of_openml_gives_data_set_and_target(study, monkeypatch):
    def data_set(number):
        data = load_data({1: "iris", 2: "wine"}[number])
        labels = data.classes[data.y]
        frame = data.features.assign(kind=labels, other=range(len(labels)))
        record = SimpleNamespace(name=f"set-{number}", default_target_attribute="other")
        record.ignore_attribute = record.row_id_attribute = None
        record.get_data = lambda: (frame, None, None, list(frame))
        return record

    def task(number):
        return SimpleNamespace(dataset_id=number - 30, target_name="kind")

    def suite(number):
        return SimpleNamespace(tasks=[31, 32] if number == 99 else [])

    package = SimpleNamespace(
        tasks=SimpleNamespace(get_task=task),
        study=SimpleNamespace(get_suite=suite),
        datasets=SimpleNamespace(get_dataset=data_set),
    )
    monkeypatch.setitem(sys.modules, "openml", package)
    text = FILE[FILE.index("learners") :]
    result = run(study(text="data = [{openml_suite = 99}]\n" + text))
    assert list(result.comparisons) == ["set-1", "set-2"]
    assert result["set-1"].evaluation.data.roles["kind"] == "target"
    path = study(text="data = [{openml_task = 31}, 'play-tennis']\n" + text)
    assert run(path).findings.n_fitted == 12  # play-tennis is new
    with pytest.raises(ValueError, match="openml_suite must have tasks; got 7 with none"):
        run(study(text="data = [{openml_suite = 7}]\n" + text))


def test_results_made_elsewhere_join_as_means_per_data_set(done, whole, tmp_path, capsys):
    path, (_, alone) = done, whole
    rows = "".join(
        f"{data_set},net,0,{fold},error,{value}\n"
        for data_set, values in {"iris": (0.0, 0.02), "wine": (0.5, 0.7), "new": (0.1, 0.3)}.items()
        for fold, value in enumerate(values)
    )
    rows += "new,cart,0,0,error,0.25\nnew,cart,0,1,error,0.35\n"
    (tmp_path / "theirs.csv").write_text("dataset,learner,repeat,fold,measure,value\n" + rows)
    assert main(["study", "add", str(path), str(tmp_path / "theirs.csv")]) == 0
    assert "study run" in capsys.readouterr().out
    both = run(path)
    table = both.table
    assert table.loc["iris", "net"] == pytest.approx(0.01)
    assert table.loc["wine", "net"] == pytest.approx(0.6)
    assert table.loc["new", ["cart", "net"]].tolist() == pytest.approx([0.3, 0.2])
    assert table.loc["new"].isna().sum() == 2
    assert table.loc["play-tennis"].isna().tolist() == [False, False, False, True]
    learners = ["cart", "nearest-mean", "majority"]
    assert table.loc[alone.table.index, learners].equals(alone.table)
    assert set(both.findings.verdict.data_sets) <= {"iris", "wine", "play-tennis"}
    assert any("net and cart were made elsewhere (theirs.csv)" in t for t in both.findings.warnings)
    assert both.findings.n_fitted == 0
    with pytest.raises(ValueError, match="made elsewhere"):
        both.test("hierarchical-bayes", "cart", "net")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("learner,value\nnet,0.1\n", "must have a column dataset"),
        ("dataset,learner,measure,value\niris,net,auroc,0.9\n", "measure must be one of the table"),
        ("dataset,learner,measure,value\niris,net,error,12\n", "from 0 to 1; got 12 for net on"),
        (
            "dataset,learner,measure,value,greater_is_better\niris,net,error,0.1,true\n",
            "direction of error",
        ),
    ],
)
def test_results_that_cannot_be_of_the_study_are_refused(study, tmp_path, content, message):
    (tmp_path / "theirs.csv").write_text(content)
    path = study()
    with pytest.raises(ValueError, match=message):
        Study.read(path).add(tmp_path / "theirs.csv")
    assert "results" not in path.read_text()


def test_results_of_the_same_cell_are_refused(study, tmp_path):
    (tmp_path / "theirs.csv").write_text("dataset,learner,measure,value\niris,cart,error,0.1\n")
    path = study('\nresults = ["theirs.csv"]\n')
    with pytest.raises(ValueError, match="got cart on iris in theirs"):
        run(path)
    assert not (tmp_path / "study.db").exists()


def test_tuned_learners_of_a_study_have_names_settings_and_limits(study):
    text = FILE.replace(
        '["cart", "nearest-mean", "majority"]',
        '["tuned( knn, rule=best )", "majority", {learner = "tuned(lda(tol=0.1),inner=3)", '
        'name = "own", parameters = {store_covariance = true}, timeout = 100}]',
    )
    path = study(text=text)
    result = run(path)
    names = ["tuned(knn,rule=best)", "majority", "own"]
    assert result.findings.learners == tuple(names)
    estimator = result["iris"].evaluation.learners[2].estimator
    assert estimator.inner == 3
    parameters = estimator.learner.get_params()
    assert (parameters["learner__tol"], parameters["learner__store_covariance"]) == (0.1, True)
    status = Study.read(path).status()
    assert status.learners == names
    assert all(cell.missing == 0 for cell in status.cells)


def test_a_study_tunes_all_learners_and_their_limits_hold(study):
    learners = '[{learner = "5nn", timeout = 100}, "nearest-mean", "majority"]'
    text = FILE.replace('["cart", "nearest-mean", "majority"]', learners)
    path = study("\ntune = true\n", text=text)
    result = run(path)
    names = ("tuned(knn)", "nearest-mean", "majority")
    assert result.findings.learners == names
    assert tuple(Study.read(path).status().learners) == names
    limits = prepare_study(Study.read(path).settings).parts["iris"].request.own_limits
    assert limits["tuned(knn)"].seconds == 100
    with pytest.raises(ValueError, match="tune: it must be true or false; got 'yes'"):
        Study.read(study('\ntune = "yes"\n'))
