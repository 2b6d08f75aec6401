"""Blocks in the hands of an engine: lost ones are handed out again, guarded, three times."""

import io
from contextlib import closing

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.fake_engine import FakeEngine

from bestofk.data import from_arrays
from bestofk.evaluation.engines.engine import LOST, Done
from bestofk.evaluation.observer import Observer
from bestofk.evaluation.queue import handed_out
from bestofk.evaluation.queue.handed_out import HandedOut
from bestofk.evaluation.queue.pending_runs import PendingRuns
from bestofk.evaluation.queue.worker import Payload, read_payload
from bestofk.learners.learner import Learner
from bestofk.resampling import make_plan

N_REPEATS = 3


class Scripted(FakeEngine):
    """Loses the first hand-outs of some blocks, and answers the rest with their number."""

    block_seconds = 2.0

    def __init__(self, losses):
        super().__init__()
        self.losses, self.submitted = dict(losses), []

    def submit(self, function, ref, block):
        super().submit(function, ref, block)
        self.submitted.append(block)

    def wait(self, seconds):
        _, _, block = self.blocks.pop(0)
        number = block[0]
        is_lost = self.losses.get(number, 0) > 0
        self.losses[number] = self.losses.get(number, 0) - 1
        return [Done(block, LOST if is_lost else number)]


def payload():
    data = from_arrays(np.arange(40.0).reshape(20, 2), np.arange(20) % 2)
    plan = make_plan(data, f"{N_REPEATS}x2")
    return Payload(data, plan, (Learner("nb", GaussianNB()),))


def work():
    is_missing = [np.ones((N_REPEATS, 2), dtype=bool)]
    seeds = [np.zeros((N_REPEATS, 2), dtype=int)]
    return PendingRuns(is_missing, seeds, [None], {}, {0: 1.0})


class Request:
    """What blocks are of, in place of a runner."""

    def __init__(self):
        self.payload, self.is_guarded, self.observer = payload(), [False], Observer()
        self.work = work()


def filled(out, request):
    """Hand out as much as there is room for."""
    while out.has_room and request.work.has_turn:
        out.hand_out(request, request.work.next_turn(out._engine.block_seconds))
    return out.is_busy


def done_by(engine, monkeypatch):
    """Return (number of runs, result) of each block in the order in which they are done."""
    monkeypatch.setattr(handed_out, "_PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(handed_out, "_LOOK_SECONDS", 0.001)
    request, results = Request(), []
    with closing(HandedOut(engine)) as out:
        while filled(out, request):
            results += [(len(block.work), result) for _, block, result in out.finished()]
        assert not out.has_of(request)
    assert not engine.is_closed  # but by whoever started it
    return results


def test_every_block_is_handed_out_once_and_data_are_put_once(monkeypatch):
    engine = Scripted({})
    assert done_by(engine, monkeypatch) == [(2, 1), (2, 2), (2, 3)]
    (blob,) = engine.blobs
    assert [block.is_guarded for _, block in engine.submitted] == [False] * 3
    assert engine.n_drops == 0
    assert read_payload(io.BytesIO(blob)).data.id == payload().data.id


@pytest.mark.parametrize("n_losses", [1, 3])
def test_a_lost_block_is_handed_out_again_and_guarded(monkeypatch, n_losses):
    engine = Scripted({2: n_losses})
    assert sorted(done_by(engine, monkeypatch)) == [(2, 1), (2, 2), (2, 3)]
    again = [block.is_guarded for number, block in engine.submitted if number == 2]
    assert again == [False] + [True] * n_losses


def test_a_block_that_is_lost_four_times_is_given_up_and_the_others_go_on(monkeypatch):
    engine = Scripted({1: 4})
    results = done_by(engine, monkeypatch)
    assert sorted(results, key=str) == [(2, 2), (2, 3), (2, None)]
    assert len(engine.submitted) == 4 + 2


def test_what_is_in_hand_is_dropped_where_the_work_ends_early():
    engine = Scripted({})
    request, out = Request(), HandedOut(engine)
    assert filled(out, request)
    assert out.has_of(request)
    out.close()
    assert engine.n_drops == 1
