"""Blocks that an engine has in hand, and those that were lost and are handed out again."""

import heapq
import io
import math
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bestofk.evaluation.engines.engine import LOST, Engine
from bestofk.evaluation.guarded.interrupt import Interrupts
from bestofk.evaluation.queue import worker
from bestofk.evaluation.queue.runner import Runner

# Seconds after which a lost block is handed out again, once for each of them.
_PAUSES = (0.5, 2.0, 8.0)
# So often a look is taken whether the call shall end.
_LOOK_SECONDS = 0.25


class HandedOut:
    """The blocks that an engine has in hand.

    A block is lost where its worker ended before it did.  It is handed out again three times,
    with longer and longer pauses, and guarded: then a run that ends its process is found out.

    Parameters
    ----------
    engine : Engine
        Does the blocks.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._refs: dict[Runner, Any] = {}
        self._in_hand: dict[int, tuple[Runner, worker.Block]] = {}
        self._losses: Counter[int] = Counter()
        self._paused: list[tuple[float, int]] = []  # when to hand out again, number
        self._lost: dict[int, tuple[Runner, worker.Block]] = {}
        self._n_blocks = 0

    @property
    def is_busy(self) -> bool:
        """Whether there is something to wait for."""
        return bool(self._in_hand or self._paused)

    def goes_on(self, interrupts: Interrupts) -> bool:
        """Return whether there is something to wait for: after Ctrl-C what workers have begun."""
        if not interrupts.is_asked:
            return self.is_busy
        self._engine.hold_back()
        return bool(self._in_hand) and self._engine.has_workers

    def seconds_left(self) -> float:
        """Return how long the blocks in hand may take; nan where that is unknown."""
        waiting = self._in_hand.values()
        return max((runner.seconds_of(block.work) for runner, block in waiting), default=math.nan)

    @property
    def has_room(self) -> bool:
        """Whether the engine takes more; lost blocks whose pause is over are handed out first."""
        while self._paused and self._paused[0][0] <= time.monotonic() and self._takes_more:
            number = heapq.heappop(self._paused)[1]
            self._submit(number, *self._lost.pop(number))
        return self._takes_more

    @property
    def _takes_more(self) -> bool:
        return len(self._in_hand) < self._engine.n_slots

    def has_of(self, runner: Runner) -> bool:
        """Return whether blocks of a request are not back yet."""
        waiting = (*self._in_hand.values(), *self._lost.values())
        return any(owner is runner for owner, _ in waiting)

    def hand_out(self, runner: Runner, turn: worker.BatchedJob | list[worker.Job]) -> None:
        """Hand the next work of a request to the engine."""
        jobs = turn if isinstance(turn, worker.BatchedJob) else tuple(turn)
        block = worker.Block(jobs, is_guarded=False)
        if not isinstance(turn, worker.BatchedJob):
            index = block.learner_index
            limits = runner.payload.limits_of(index)
            block = worker.Block(jobs, runner.is_guarded[index], limits)
        self._n_blocks += 1
        self._submit(self._n_blocks, runner, block)
        blocks = [block for owner, block in self._in_hand.values() if owner is runner]
        runner.observer.running(sorted({block.learner_index for block in blocks}))

    def _submit(self, number: int, runner: Runner, block: worker.Block) -> None:
        if runner not in self._refs:
            file = io.BytesIO()
            worker.write_payload(runner.payload, file)
            self._refs[runner] = self._engine.put(file.getvalue())
        self._in_hand[number] = runner, block
        self._engine.submit(worker.do_block, self._refs[runner], (number, block))

    def forget(self, runner: Runner) -> None:
        """Let the engine drop the data of a request of which all is done."""
        self._refs.pop(runner, None)

    def finished(self) -> Iterator[tuple[Runner, worker.Block, worker.BlockResult | None]]:
        """Give blocks that are done, and with None those that were lost once too often."""
        if not self._in_hand:
            time.sleep(_LOOK_SECONDS)
            return
        for (number, _), result in self._engine.wait(_LOOK_SECONDS):
            runner, block = self._in_hand.pop(number)
            if result is not LOST:
                yield runner, block, result
            elif self._losses[number] == len(_PAUSES):
                yield runner, block, None
            else:
                pause = _PAUSES[self._losses[number]]
                self._losses[number] += 1
                self._lost[number] = runner, replace(block, is_guarded=True)
                heapq.heappush(self._paused, (time.monotonic() + pause, number))

    def close(self) -> None:
        """Give up what is in hand, as after an interruption; more can be handed out."""
        if self._in_hand:
            self._engine.drop()
        for waiting in (self._in_hand, self._paused, self._lost):
            waiting.clear()
