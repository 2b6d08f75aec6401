"""Independent tasks on an engine."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.fake_engine import FakeEngine

from bestofk.errors import RunError
from bestofk.evaluation.engines.engine import LOST, Done
from bestofk.evaluation.engines.tasks import done_tasks


class Loser(FakeEngine):
    """Does blocks when they are waited for, and loses the first ones."""

    def __init__(self, n_losses):
        super().__init__()
        self.n_losses, self.sizes = n_losses, []

    def submit(self, function, ref, block):
        super().submit(function, ref, block)
        self.sizes.append(len(block))
        assert len(self.blocks) <= self.n_slots

    def wait(self, seconds):
        function, blob, block = self.blocks.pop(0)
        self.n_losses -= 1
        return [Done(block, LOST if self.n_losses >= 0 else function(blob, block))]


@pytest.fixture
def done(monkeypatch):
    def tasks(engine, function, numbers):
        monkeypatch.setattr(
            "bestofk.evaluation.engines.tasks.started_engine", lambda *given: engine
        )
        return done_tasks(function, numbers, engine="processes", n_jobs=2, estimators=[])

    return tasks


def square(number):
    return number * number


@pytest.mark.parametrize("n_losses", [0, 1, 5])
def test_lost_tasks_are_done_again(done, n_losses):
    engine = Loser(n_losses)
    assert sorted(done(engine, square, range(40))) == [(i, i * i) for i in range(40)]
    assert (engine.is_closed, engine.n_drops) == (True, 0)
    assert engine.sizes[0] == 1  # until it is known how long a task takes
    assert max(engine.sizes) > 10


def test_a_task_whose_workers_always_end_or_which_raises_ends_all(done):
    lost, raising = Loser(100), Loser(0)
    with pytest.raises(RunError, match=r"workers must live .*; they ended 4 times in task 7\."):
        list(done(lost, square, [7]))
    with pytest.raises(ZeroDivisionError):
        list(done(raising, lambda number: 1 / number, [2, 1, 0, 3]))
    assert lost.is_closed
    assert raising.is_closed


def test_threads_of_one_process_do_one_task_at_a_time():
    at_work = []

    def alone(number):
        at_work.append(number)
        assert at_work == [number]
        return at_work.pop()

    with ThreadPoolExecutor(3) as pool:
        done = list(done_tasks(alone, range(30), engine=pool, n_jobs=None, estimators=[]))
    assert sorted(done) == [(i, i) for i in range(30)]
