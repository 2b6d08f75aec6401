"""Seconds of the processor: of threads and processes, and not of other programs."""

import os
import subprocess
import sys
import time

import pytest
from sklearn.dummy import DummyClassifier

from bestofk import compare
from bestofk.evaluation.guarded.processor_time import measured


def burn(seconds):
    """Keep the processor busy for some seconds of its own."""
    start = time.process_time()
    while time.process_time() < start + seconds:
        pass


class Working(DummyClassifier):
    """Waits, and lets processes that go on living work for some seconds."""

    def __init__(self, waits=0.0, seconds=0.0, n_processes=0):
        super().__init__()
        self.waits, self.seconds, self.n_processes = waits, seconds, n_processes

    def fit(self, X, y, sample_weight=None):
        time.sleep(self.waits)
        for _ in range(self.n_processes):
            reader, writer = os.pipe()
            if os.fork() == 0:
                burn(self.seconds)
                os.write(writer, b"x")
                time.sleep(60)
            os.read(reader, 1)
        return super().fit(X, y)


def test_waiting_takes_no_seconds_of_the_processor():
    _, seconds, cpu_seconds = measured(time.sleep, 0.2)
    assert seconds >= 0.2
    assert cpu_seconds < 0.1


def test_a_process_that_has_ended_counts():
    source = "import time\nwhile time.process_time() < 0.2: pass"
    cpu_seconds = measured(subprocess.run, [sys.executable, "-S", "-c", source])[-1]
    assert 0.17 <= cpu_seconds < 1.0


def test_a_process_that_lives_counts_from_one_block_to_the_next():
    source = """if True:
        import sys, time
        for line in sys.stdin:
            end = time.process_time() + float(line)
            while time.process_time() < end:
                pass
            print(flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )

    def answer(wanted):
        process.stdin.write(f"{wanted}\n".encode())
        process.stdin.flush()
        process.stdout.readline()

    for wanted in (0.2, 0.1):
        assert wanted - 0.03 <= measured(answer, wanted)[-1] < wanted + 0.15
    process.communicate()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks processes")
def test_tables_have_seconds_of_the_processor_and_limits_those_of_the_clock():
    learners = {"waits": Working(waits=0.3), "works": Working(seconds=0.1, n_processes=2)}
    result = compare(learners, "iris", cv="2", timeout=30, progress=False)
    waits, works = (result.findings.learner(name).fit_seconds for name in learners)
    assert waits < 0.15
    assert 0.16 <= works < 0.5
    frame = result.to_frame()[result.to_frame().measure == "error"].set_index("learner")
    assert (frame.loc["waits", "train_seconds"] >= 0.3).all()
    assert (frame.loc["waits", "train_cpu_seconds"] < 0.15).all()
    assert frame["is_isolated"].all()


def test_a_run_in_this_process_is_not_isolated():
    frame = compare(["cart"], "iris", cv="2", batched="never", progress=False).to_frame()
    assert not frame["is_isolated"].any()
    assert (frame["train_cpu_seconds"] > 0).all()
