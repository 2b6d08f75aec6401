"""Processes that are killed while they do a comparison, by a schedule drawn from a seed."""

import multiprocessing
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import psutil

from tests.engine_driver import LEARNERS, main

WORKER, CHILD, DRIVER, SCHEDULER = "worker", "guarded child", "driver", "scheduler"
ALL_WORKERS = "all workers, for 60 seconds"


# Drivers are forked from a process that has imported all of this, which takes seconds.
FORKED = multiprocessing.get_context("forkserver")
IMPORTED = ["tests.engine_driver", "bestofk.comparison.entry_point", "bestofk.comparison.weighing"]


class Driver:
    """A process that does a comparison, and what it prints."""

    def __init__(self, output: Path, *arguments: str) -> None:
        FORKED.set_forkserver_preload(IMPORTED)
        self._output = output
        output.touch()
        self._process = FORKED.Process(target=_drive, args=(output, arguments))
        self._process.start()
        assert self._process.pid is not None
        self.number = self._process.pid

    @property
    def has_ended(self) -> bool:
        return not self._process.is_alive()

    @property
    def text(self) -> str:
        return self._output.read_text()

    def lines(self, word: str) -> list[list[str]]:
        """Return the words of complete lines that begin with a word."""
        return [line.split() for line in self.text.split("\n")[:-1] if line.startswith(word)]

    def close(self) -> None:
        self._process.kill()
        self._process.join()


def _drive(output: Path, arguments: tuple[str, ...]) -> None:
    file = os.open(output, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)
    main(*arguments)


class Cluster:
    """A scheduler of Dask and two workers without nannies."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._folder = folder
        self.engine = f"dask://127.0.0.1:{self.port}"
        self.start_scheduler()
        self.workers = [self.start_worker() for _ in range(2)]

    def start_scheduler(self) -> None:
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))

    def start_worker(self) -> subprocess.Popen[bytes]:
        address = f"tcp://127.0.0.1:{self.port}"
        return self._start("worker", address, "--no-nanny", "--nthreads", "1")

    def _start(self, part: str, *arguments: str) -> subprocess.Popen[bytes]:
        paths = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
        command = [sys.executable, "-m", f"distributed.cli.dask_{part}", "--no-dashboard"]
        with (self._folder / f"{part}.txt").open("a") as file:
            return subprocess.Popen(
                [*command, *arguments],
                stdout=file, stderr=file, cwd=self._folder,
                env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
            )  # fmt: skip

    def mend(self) -> None:
        """Start what has ended anew; workers end with their scheduler."""
        if self.scheduler.poll() is not None:
            self.start_scheduler()
        self.workers = [
            worker if worker.poll() is None else self.start_worker() for worker in self.workers
        ]

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


class Kills:
    """Kills processes of a comparison until it is done, and checks what is left.

    Parameters
    ----------
    folder : path
        Where stores and outputs go.
    seed : int
        Of the schedule.
    cluster : Cluster, optional
        Does the runs; else processes that the driver starts.
    """

    def __init__(self, folder: Path, seed: int, cluster: Cluster | None = None) -> None:
        self._folder, self._cluster = folder, cluster
        self._rng = random.Random(seed)
        self._engine = cluster.engine if cluster else "processes"
        self._due: list[tuple[int, str]] = []
        self.counts: Counter[str] = Counter()
        self.n_comparisons = self.n_calls = self.n_stops = 0

    def comparisons(self, n_repeats: int, victims: list[str]) -> set[str]:
        """Do comparisons until every victim was killed in turn; return their hashes."""
        n_all = n_repeats * 5 * len(LEARNERS)
        moments = sorted(self._rng.randrange(n_all * 3 // 4) for _ in victims)
        self._due = list(zip(moments, victims, strict=True))
        digests = set()
        while self._due or not digests:
            digests.add(self._comparison(n_repeats))
        return digests

    def _comparison(self, n_repeats: int) -> str:
        """Do a comparison on a store of its own, called again until it is done."""
        self.n_comparisons += 1
        store = self._folder / f"{self.n_comparisons}.db"
        for _ in range(len(self._due) + 5):
            driver = self._drive(f"{n_repeats}x5", store)
            with closing(driver):
                self._follow(driver, store)
            self.n_calls += 1
            check_store(store)
            if digests := driver.lines("digest"):
                assert n_stored(store) == n_repeats * 5 * len(LEARNERS)
                return digests[0][1]
            assert "Traceback" not in driver.text, driver.text
            self.n_stops += bool(driver.lines("loss of the engine"))
        raise AssertionError(f"the comparison must end; got {driver.text[-2000:]}")

    def _drive(self, cv: str, store: Path) -> Driver:
        return Driver(self._folder / f"driver-{self.n_calls}.txt", self._engine, cv, str(store))

    def _follow(self, driver: Driver, store: Path) -> None:
        """Kill what is due until the driver ends."""
        end = time.monotonic() + 300
        while not driver.has_ended:
            assert time.monotonic() < end, driver.text[-2000:]
            time.sleep(0.05)
            done = driver.lines("done")
            if self._cluster:
                self._cluster.mend()
            if not (self._due and done and int(done[-1][2]) >= self._due[0][0]):
                continue
            victim = self._due[0][1]
            if victim == SCHEDULER and len(done) == 1:
                continue  # one that ends before the work starts is an error of its own
            time.sleep(self._rng.uniform(0, 0.4))
            if self._kill(victim, driver):
                self._due.pop(0)
                self.counts[victim] += 1
                if victim == DRIVER:
                    self._check_kept(driver, store)

    def _kill(self, victim: str, driver: Driver) -> bool:
        """Kill a process of a kind, if there is one by now."""
        if driver.has_ended:
            return False
        if victim == DRIVER:
            self._killed = time.monotonic()
            driver.close()
            return True
        if victim == SCHEDULER:
            assert self._cluster is not None
            self._cluster.scheduler.kill()
            return True
        if self._cluster:
            workers = [psutil.Process(item.pid) for item in self._cluster.workers]
        else:
            templates = psutil.Process(driver.number).children()
            workers = [keeper for template in templates for keeper in children(template)]
        if victim == ALL_WORKERS:
            for item in workers:
                item.kill()
            time.sleep(60)
            return True
        if victim == CHILD:
            workers = [
                child
                for worker in workers
                for child in children(worker)
                if any("bestofk.evaluation.guarded" in word for word in cmdline(child))
            ]
        if not workers:
            return False
        chosen = self._rng.choice(sorted(workers, key=lambda item: item.pid))
        with suppress(psutil.NoSuchProcess):
            chosen.send_signal(signal.SIGKILL)
        return True

    def _check_kept(self, driver: Driver, store: Path) -> None:
        """Check that what was reported a second before the kill is in the store."""
        done = driver.lines("done")
        reported = [int(n) for _, when, n in done if float(when) < self._killed - 1]
        assert n_stored(store) >= max(reported, default=0), "a finished run is missing"


def cmdline(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []


def children(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return process.children()
    return []


# without the run that measures what a batched learner costs: it has a key of its own
_STORED = "FROM run JOIN comparison_learner k ON k.learner = run.learner"


def n_stored(store: Path) -> int:
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(f"SELECT count(*) {_STORED}").fetchone()[0]


def check_store(path: Path) -> None:
    """Check that no run is there twice, that none failed, and that nothing is damaged."""
    from bestofk import Store

    with Store(path) as store:
        assert store.check() == []
    with closing(sqlite3.connect(path)) as connection:
        keys = "data_set, run.learner, split, stream"
        query = f"SELECT count(*) FROM (SELECT 1 {_STORED} GROUP BY {keys} HAVING count(*) > 1)"
        assert connection.execute(query).fetchone() == (0,)
        failed = "SELECT message FROM run WHERE status != 'ok'"
        assert connection.execute(failed).fetchall() == []
