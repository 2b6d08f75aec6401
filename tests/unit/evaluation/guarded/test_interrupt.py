"""Ctrl-C and SIGTERM end a block in order, whoever swallows them."""

import contextlib
import os
import signal
import time

import pytest

from bestofk.evaluation.guarded.interrupt import noted_interrupts


def swallow_in_a_block(number):
    with noted_interrupts() as interrupts:
        interrupts.check()
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), number)
            pytest.fail("the signal raised nothing")
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()


def test_sigterm_without_a_handler_interrupts_the_block_and_then_ends_the_process():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with pytest.raises(SystemExit) as ending:
        swallow_in_a_block(signal.SIGTERM)
    assert ending.value.code == 143
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_what_a_handler_raises_is_raised_after_the_block():
    def leave(number, frame):
        raise ValueError("left")

    signal.signal(signal.SIGTERM, leave)
    with pytest.raises(ValueError, match="left"):
        swallow_in_a_block(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is leave


def test_a_handler_that_returns_interrupts_nothing_and_an_ignored_signal_stays_so():
    heard = []
    signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with noted_interrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        interrupts.check()
    assert heard == [signal.SIGTERM]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12 and later
def test_a_process_forked_in_the_block_ends_by_sigterm_as_elsewhere():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    reader, writer = os.pipe()
    with noted_interrupts() as interrupts:
        process = os.fork()
        if not process:
            os.write(writer, b"x")  # Python drops signals that come while a process is forked
            for _ in range(600):  # not pause(), which a signal just before it does not end
                time.sleep(0.1)
            os._exit(7)
        os.read(reader, 1)
        os.kill(process, signal.SIGTERM)
        _, status = os.waitpid(process, 0)
        interrupts.check()
    os.close(reader)
    os.close(writer)
    assert os.WTERMSIG(status) == signal.SIGTERM
