"""One hash over all engines: serial, processes, executors, Dask, shards, whatever is killed."""

import importlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from tests.engines import Crashing, Outside, digest

from bestofk import compare

LEARNERS = {
    "nearest-mean": "nearest-mean",  # batched
    "5nn": "5nn",  # batched
    "linear-svm": "linear-svm",
    "svm": "svm",
    "outside": Outside(),
    "crashing": Crashing(),
}
PLAN = {"cv": "4x5", "random_state": 3}
N_RUNS = 20


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Hand out everything but the first run of a learner."""
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    monkeypatch.setattr("bestofk.evaluation.queue.runner._TIMED_ALONE", 1)


@pytest.fixture(scope="module")
def serial():
    return compare(LEARNERS, "iris", **PLAN).evaluation


@pytest.fixture
def engine(request):
    """The engine of a name."""
    with ExitStack() as at_end:
        if request.param == "process pool":
            spawn = multiprocessing.get_context("spawn")
            yield at_end.enter_context(ProcessPoolExecutor(2, mp_context=spawn))
        elif request.param == "threads":
            yield at_end.enter_context(ThreadPoolExecutor(2))
        elif request.param.startswith("dask"):
            distributed = pytest.importorskip("distributed")
            cluster = at_end.enter_context(
                distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
            )
            if request.param == "dask by its address":
                yield cluster.scheduler_address.replace("tcp://", "dask://")
            else:
                yield at_end.enter_context(distributed.Client(cluster))
        else:
            yield request.param


def test_runs_of_the_serial_engine_are_as_expected(serial):
    failed = (serial.status == "error").sum(axis=1)
    assert failed[:-1].tolist() == [0] * 5
    assert 0 < failed[-1] < N_RUNS / 2
    is_batched = [bool(table.is_batched.all()) for table in serial.records]
    assert is_batched == [True, True, False, False, False, False]


@pytest.mark.parametrize(
    "engine",
    [
        "processes",
        "threads",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("process pool", "dask", "dask by its address")
        ),
    ],
    indirect=True,
)
def test_every_engine_gives_the_same_bits(engine, serial):
    result = compare(LEARNERS, "iris", engine=engine, n_jobs=2, **PLAN).evaluation
    assert digest(result) == digest(serial)
    crowded = [int(table.is_crowded.sum()) for table in result.records]
    assert crowded[2:] == [N_RUNS - 1] * 4  # all but the one that is timed alone
    assert result.n_fitted == 6 * N_RUNS


def test_shards_merged_have_the_same_bits(tmp_path, serial):
    from bestofk import merge_stores

    parts = [tmp_path / f"{number}.db" for number in (1, 2, 3)]
    n_fitted = [
        compare(LEARNERS, "iris", shard=f"{i + 1}/3", store=path, **PLAN).evaluation.n_fitted
        for i, path in enumerate(parts)
    ]
    assert sum(n_fitted) == 6 * N_RUNS
    merge_stores(parts, tmp_path / "all.db")
    whole = compare(LEARNERS, "iris", store=tmp_path / "all.db", **PLAN).evaluation
    assert whole.n_fitted == 0
    assert digest(whole) == digest(serial)


@pytest.mark.slow
def test_local_processes_import_what_was_added_since_an_earlier_call(tmp_path, monkeypatch):
    compare(["linear-svm", "svm"], "iris", engine="processes", n_jobs=2, **PLAN)
    (tmp_path / "added_later.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\n\n\nclass Added(GaussianNB):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    learner = importlib.import_module("added_later").Added()
    result = compare(
        {"added": learner, "svm": "svm"}, "iris", engine="processes", n_jobs=2, **PLAN
    ).evaluation
    assert (result.status == "ok").all()
