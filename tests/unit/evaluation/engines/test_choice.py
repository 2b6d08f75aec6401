"""What the option `engine` may be."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.engines.choice import (
    check_engine,
    n_local_processes,
    started_engine,
    uses_engine,
)
from bestofk.evaluation.engines.executors import ExecutorEngine


@pytest.mark.parametrize("engine", ["serial", "processes", "dask://localhost:8786"])
def test_names_of_engines(engine):
    check_engine(engine, None)


@pytest.mark.parametrize("engine", ["dask", "dask://host", "Serial", None, 3, ["serial"]])
def test_what_is_no_engine_is_refused(engine):
    with pytest.raises(InvalidArgumentError, match=r"engine must be serial, processes, dask://"):
        check_engine(engine, None)


@pytest.mark.parametrize(
    ("engine", "n_jobs", "expected"),
    [
        ("serial", None, False),
        ("serial", 1, False),
        ("serial", 2, True),
        ("processes", 1, False),
        ("processes", 2, True),
        ("dask://localhost:8786", None, True),
    ],
)
def test_one_process_of_this_machine_is_this_process(engine, n_jobs, expected):
    assert uses_engine(engine, n_jobs) == expected


def test_an_executor_is_used_as_it_is_and_left_open():
    with ThreadPoolExecutor(3) as executor:
        engine = started_engine(executor, None)
        assert isinstance(engine, ExecutorEngine)
        assert engine.n_slots == 6
        engine.close()
        assert executor.submit(len, "abc").result() == 3


def test_a_scheduler_that_does_not_answer_is_an_error_of_one_sentence(monkeypatch):
    distributed = pytest.importorskip("distributed")

    def refuse(*_, **__):
        raise OSError("Timed out trying to connect")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(InvalidArgumentError, match=r"engine must be a scheduler of Dask that"):
        started_engine("dask://localhost:1", None)


def test_without_a_number_of_processes_the_engine_decides():
    every = n_local_processes("processes", -1)
    assert n_local_processes("serial", None) == 1
    assert n_local_processes("processes", None) == n_local_processes("serial", -1) == every
    assert n_local_processes("processes", 1) == 1
    assert n_local_processes("dask://localhost:8786", None) == n_local_processes(None, 2) == 0
