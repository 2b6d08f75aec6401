"""Examples of engines hand out runs however little there is to do."""

from collections.abc import Iterator

import pytest

from bestofk.evaluation.queue import run_queue


@pytest.fixture(autouse=True)
def _handed_out(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    if request.node.path.stem == "dask":
        pytest.importorskip("distributed")
    engines = []
    started = run_queue.started_engine

    def noted(*arguments):  # type: ignore[no-untyped-def]
        engines.append(started(*arguments))
        return engines[-1]

    monkeypatch.setattr(run_queue, "_PARALLEL_SECONDS", 0.0)
    monkeypatch.setattr(run_queue, "started_engine", noted)
    yield
    assert engines
