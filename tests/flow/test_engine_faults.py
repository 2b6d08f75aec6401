"""Workers, guarded children, drivers and schedulers are killed: no number changes, none is lost."""

import multiprocessing
import random
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing

import pytest
from tests.engine_driver import LEARNERS, SETTINGS, tell
from tests.engines import digest
from tests.faults import ALL_WORKERS, CHILD, DRIVER, SCHEDULER, WORKER, Cluster, Kills, n_stored

from bestofk import compare
from bestofk.evaluation import Observer

N_REPEATS = 10
KINDS = {
    "worker": WORKER,
    "child": CHILD,
    "driver": DRIVER,
    "scheduler": SCHEDULER,
    "all_workers": ALL_WORKERS,
}


def serial(n_repeats):
    return digest(compare(LEARNERS, "iris", cv=f"{n_repeats}x5", **SETTINGS).evaluation)


@pytest.fixture(scope="module")
def expected():
    return serial(N_REPEATS)


@pytest.fixture
def cluster(tmp_path):
    pytest.importorskip("distributed")
    with closing(Cluster(tmp_path)) as started:
        yield started


@pytest.mark.slow
def test_local_processes_survive_kills(expected, tmp_path):
    kills = Kills(tmp_path, seed=1)
    assert kills.comparisons(N_REPEATS, [WORKER, CHILD, DRIVER]) == {expected}
    assert kills.counts == Counter({WORKER: 1, CHILD: 1, DRIVER: 1})
    assert kills.n_calls > kills.n_comparisons


@pytest.mark.slow
def test_a_cluster_survives_kills_and_a_new_scheduler_goes_on(expected, cluster, tmp_path):
    kills = Kills(tmp_path, seed=2, cluster=cluster)
    assert kills.comparisons(N_REPEATS, [WORKER, DRIVER, SCHEDULER]) == {expected}
    assert kills.counts == Counter({WORKER: 1, SCHEDULER: 1, DRIVER: 1})
    assert kills.n_stops == 1  # the driver lives to tell of the loss


@pytest.mark.slow
def test_the_command_line_ends_with_the_line_that_resumes(cluster, tmp_path):
    store, output = tmp_path / "runs.db", tmp_path / "command.txt"
    command = [sys.executable, "-m", "bestofk", "compare", "iris", "--cv", "40x5", "--seed", "3"]
    command += ["--learners", "random-forest", "--engine", cluster.engine, "--verbose"]
    command += ["--store", str(store)]
    with output.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file)
    while not (store.exists() and n_stored(store) > 10):
        assert process.poll() is None, output.read_text()
        time.sleep(0.2)
    cluster.scheduler.kill()
    assert process.wait(60) == 1
    text = " ".join(output.read_text().split())
    assert "The engine was lost. Completed runs are saved." in text
    assert "Call again once it answers." in text
    assert "Interrupted" not in text
    assert "bestofk compare iris --cv 40x5 --seed 3" in text
    assert "Traceback" not in text


@pytest.mark.slow
def test_a_broken_pool_ends_in_a_stop_that_can_be_resumed(expected, tmp_path, monkeypatch):
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    settings = {"cv": f"{N_REPEATS}x5", "store": tmp_path / "runs.db", **SETTINGS}
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawn) as pool:

        class Killer(Observer):
            def finished(self, learner_index, records, store):
                for process in list((pool._processes or {}).values())[:1]:
                    process.kill()

        result = compare(LEARNERS, "iris", engine=pool, progress=Killer(), **settings)
    n_done = result.evaluation.n_fitted
    assert 0 < n_done < N_REPEATS * 5 * len(LEARNERS)
    assert "engine must be an executor that takes work; got a ProcessPoolExecutor" in " ".join(
        result.text(verbose=True).split()
    )
    assert result.evaluation.engine_loss in result.warnings
    again = compare(LEARNERS, "iris", **settings)
    assert again.evaluation.n_reused == n_done
    assert digest(again.evaluation) == expected


def schedule(seed, n_comparisons, **n_victims):
    """Return who is killed in each comparison, in random order."""
    victims = [KINDS[name] for name, n in n_victims.items() for _ in range(n)]
    random.Random(seed).shuffle(victims)
    return [victims[i::n_comparisons] for i in range(n_comparisons)]


def check_schedule(kills, rounds):
    expected = {serial(30)}
    for victims in rounds:
        assert kills.comparisons(30, victims) == expected
        tell(
            f"{kills.n_comparisons} comparisons, {kills.n_calls} calls, {kills.n_stops} stops;",
            "killed:", *(f"{name} {n}," for name, n in sorted(kills.counts.items())),
        )  # fmt: skip


@pytest.mark.slow
@pytest.mark.seconds(3600)
def test_local_processes_survive_a_hundred_kills(tmp_path):
    rounds = schedule(3, 8, worker=55, child=30, driver=15)
    check_schedule(Kills(tmp_path, seed=3), rounds)


@pytest.mark.slow
@pytest.mark.seconds(3600)
def test_a_cluster_survives_a_hundred_kills_ten_of_the_scheduler_and_a_minute_alone(
    cluster, tmp_path
):
    rounds = schedule(4, 8, worker=55, child=30, driver=15, scheduler=10, all_workers=1)
    check_schedule(Kills(tmp_path, seed=4, cluster=cluster), rounds)
