"""Processes of this machine whose work is dropped at once."""

import threading
import time

from joblib.externals.loky.process_executor import _ExecutorManagerThread

from bestofk.evaluation.engines.engine import Done
from bestofk.evaluation.engines.local_processes import LocalProcesses


def _block(blob, block):
    return block


def test_work_may_be_dropped_before_a_process_has_received_it(monkeypatch):
    wait = _ExecutorManagerThread.wait_result_broken_or_wakeup

    def late(thread):
        result = wait(thread)
        time.sleep(0.3)  # as on a machine with other work
        return result

    monkeypatch.setattr(_ExecutorManagerThread, "wait_result_broken_or_wakeup", late)
    raised = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    engine = LocalProcesses(1)
    engine.submit(_block, None, 1)
    time.sleep(0.1)  # the first is handed on, the second is not
    engine.submit(_block, None, 2)
    engine.drop()
    assert raised == []
    engine.submit(_block, None, 3)
    assert engine.wait(60) == [Done(3, 3)]
    engine.close()
