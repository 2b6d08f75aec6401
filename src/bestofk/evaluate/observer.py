"""Who is told about progress while runs are done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bestofk.evaluate.record import RunRecord

if TYPE_CHECKING:
    from bestofk.evaluate.store import Store


class Observer:
    """Told about progress; this one is silent, subclasses show it."""

    def start(self, names: Sequence[str], *, n_all: int, n_reused: int) -> None:
        """Work begins: names of the learners, planned runs, and runs found in the store."""

    def finished(self, learner: int, record: RunRecord, store: Store) -> None:
        """A run of a learner (by position) ended; `store.n_written` runs are safe."""

    def stop(self) -> None:
        """Work ended, or was interrupted; everything finished is safe."""
