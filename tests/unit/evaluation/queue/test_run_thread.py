"""Runs of this process have a thread of their own, which is waited for or given up."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
import sklearn
from threadpoolctl import threadpool_info

from bestofk.evaluation.guarded.interrupt import is_computing
from bestofk.evaluation.queue.run_thread import RunThread


def fail():
    raise ValueError("mine")


def test_a_function_is_done_elsewhere_and_its_result_or_error_comes_back():
    with closing(RunThread()) as thread:
        assert thread.do(threading.get_ident) != threading.get_ident()
        with pytest.raises(ValueError, match="mine"):
            thread.do(fail)
        assert thread.do(lambda: 2, 60.0) == 2
    assert not is_computing()


def test_settings_of_scikit_learn_are_those_of_the_caller_and_libraries_have_one_thread():
    with sklearn.config_context(assume_finite=True), closing(RunThread()) as thread:
        assert thread.do(sklearn.get_config)["assume_finite"]
        assert {item["num_threads"] for item in thread.do(threadpool_info)} <= {1}


def test_one_thread_of_a_process_does_runs():
    def is_here():
        with closing(RunThread()) as second:
            return second.is_here

    with closing(RunThread()) as first:
        assert first.is_here
        assert is_here()  # the thread that asks is the same
        with ThreadPoolExecutor(1) as pool:
            assert not pool.submit(is_here).result()


def test_what_takes_too_long_is_given_up_and_no_run_is_done_here_before_it_ends():
    is_over = threading.Event()

    def compute():
        while not is_over.is_set():
            try:
                time.sleep(0.01)
            except KeyboardInterrupt:  # it is told, and may be deaf as compiled code is
                heard.append(1)

    heard = []
    thread = RunThread()
    with pytest.raises(TimeoutError):
        thread.do(compute, 0.01)
    with closing(RunThread()) as other:
        assert not thread.is_here
        assert not other.is_here
    thread.close()
    is_over.set()
    thread._thread.join(60)
    assert heard == [1]
    with closing(RunThread()) as other:
        assert other.is_here
