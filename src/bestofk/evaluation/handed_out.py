"""Blocks that an engine has in hand, and those that were lost and are handed out again."""

from __future__ import annotations

import heapq
import io
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from bestofk.evaluation.engines.engine import LOST, Engine
from bestofk.evaluation.pending_runs import PendingRuns
from bestofk.evaluation.worker import (
    BatchedJob,
    Block,
    BlockResult,
    Payload,
    do_block,
    write_payload,
)

# Seconds after which a lost block is handed out again, once for each of them.
_PAUSES = (0.5, 2.0, 8.0)
# So often a look is taken whether the call shall end.
_LOOK_SECONDS = 0.25


class HandedOut:
    """The blocks of one stage that an engine has in hand.

    A block is lost where its worker ended before it did.  It is handed out again three times,
    with longer and longer pauses, and guarded: then a run that ends its process is found out.

    Parameters
    ----------
    engine : Engine
        Does the blocks.
    payload : Payload
        What all of them need; sent where it was not.
    is_guarded : sequence of bool
        For every learner, whether its runs are done in a process of their own.
    """

    def __init__(self, engine: Engine, payload: Payload, is_guarded: Sequence[bool]) -> None:
        self._engine, self._payload, self._is_guarded = engine, payload, is_guarded
        self._in_hand: dict[int, Block] = {}
        self._losses: Counter[int] = Counter()
        self._paused: list[tuple[float, int]] = []  # when to hand out again, number
        self._lost: dict[int, Block] = {}
        self._n_blocks = 0

    @cached_property
    def _ref(self) -> Any:
        file = io.BytesIO()
        write_payload(self._payload, file)
        return self._engine.put(file.getvalue())

    @property
    def learners(self) -> list[int]:
        """Learners whose runs are in hand."""
        return sorted({block.learner_index for block in self._in_hand.values()})

    def fill(self, work: PendingRuns) -> bool:
        """Hand out as much as the engine takes; return whether anything is left to wait for."""
        while len(self._in_hand) < self._engine.n_slots:
            if self._paused and self._paused[0][0] <= time.monotonic():
                number = heapq.heappop(self._paused)[1]
                block = self._lost.pop(number)
            elif turn := work.next_turn(self._engine.block_seconds):
                jobs = turn if isinstance(turn, BatchedJob) else tuple(turn)
                block = Block(jobs, is_guarded=False)
                if not isinstance(turn, BatchedJob) and self._is_guarded[block.learner_index]:
                    block = replace(block, is_guarded=True)
                number = self._n_blocks = self._n_blocks + 1
            else:
                break
            self._in_hand[number] = block
            self._engine.submit(do_block, self._ref, (number, block))
        return bool(self._in_hand or self._paused)

    def finished(self) -> Iterator[tuple[Block, BlockResult | None]]:
        """Give blocks that are done, and with None those that were lost once too often."""
        if not self._in_hand:
            time.sleep(_LOOK_SECONDS)
            return
        for (number, _), result in self._engine.wait(_LOOK_SECONDS):
            block = self._in_hand.pop(number)
            if result is not LOST:
                yield block, result
            elif self._losses[number] == len(_PAUSES):
                yield block, None
            else:
                pause = _PAUSES[self._losses[number]]
                self._losses[number] += 1
                self._lost[number] = replace(block, is_guarded=True)
                heapq.heappush(self._paused, (time.monotonic() + pause, number))

    def close(self) -> None:
        """Give up what is in hand, as after an interruption."""
        if self._in_hand:
            self._engine.close()
