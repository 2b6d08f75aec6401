"""Libraries take one thread while runs are done, and what they took before afterwards."""

import sys
import types

from threadpoolctl import threadpool_info, threadpool_limits

from bestofk.evaluation.guarded.threads import _controller, one_thread


def threads():
    return [item["num_threads"] for item in threadpool_info()]


def test_all_libraries_take_one_thread_and_then_what_they_took_before():
    with threadpool_limits(2):
        before = threads()
        with one_thread():
            assert set(threads()) == {1}
        assert threads() == before


def test_libraries_are_looked_for_again_where_a_module_was_imported(monkeypatch):
    def n_looks():
        return _controller.cache_info().misses

    _controller.cache_clear()
    with one_thread() as hold:
        hold()
        assert n_looks() == 1
        for name, expected in (("module_of_a_test", 2), ("bestofk.module_of_a_test", 2)):
            monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
            hold()
            assert n_looks() == expected


def test_what_is_loaded_while_runs_are_done_is_held_when_asked(monkeypatch):
    with threadpool_limits(2):
        before = threads()
        with one_thread() as hold:
            threadpool_limits(2)  # as if they were new
            hold()
            assert threads() == before
            monkeypatch.setitem(sys.modules, "module_of_a_run", types.ModuleType("module_of_a_run"))
            hold()
            assert set(threads()) == {1}
        assert threads() == before
