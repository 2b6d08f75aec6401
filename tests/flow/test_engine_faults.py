"""Workers, guarded children, drivers and schedulers are killed: no number changes, none is lost."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing

import pytest
from tests.engine_driver import LEARNERS, SETTINGS, tell
from tests.engines import digest
from tests.faults import ALL_WORKERS, CHILD, DRIVER, SCHEDULER, WORKER, Cluster, Kills

from bestofk import compare

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


def test_local_processes_survive_kills(expected, tmp_path):
    kills = Kills(tmp_path, seed=1)
    assert kills.comparisons(N_REPEATS, [WORKER, CHILD, DRIVER]) == {expected}
    assert kills.counts == Counter({WORKER: 1, CHILD: 1, DRIVER: 1})
    assert kills.n_calls > kills.n_comparisons


def test_a_cluster_survives_kills_and_a_new_scheduler_goes_on(expected, cluster, tmp_path):
    kills = Kills(tmp_path, seed=2, cluster=cluster)
    assert kills.comparisons(N_REPEATS, [WORKER, SCHEDULER, DRIVER]) == {expected}
    assert kills.counts == Counter({WORKER: 1, SCHEDULER: 1, DRIVER: 1})
    assert kills.n_stops == 1


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
def test_local_processes_survive_a_hundred_kills(tmp_path):
    rounds = schedule(3, 8, worker=55, child=30, driver=15)
    check_schedule(Kills(tmp_path, seed=3), rounds)


@pytest.mark.slow
def test_a_cluster_survives_a_hundred_kills_ten_of_the_scheduler_and_a_minute_alone(
    cluster, tmp_path
):
    rounds = schedule(4, 8, worker=55, child=30, driver=15, scheduler=10, all_workers=1)
    check_schedule(Kills(tmp_path, seed=4, cluster=cluster), rounds)
