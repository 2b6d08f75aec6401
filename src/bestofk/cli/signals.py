"""Handling of Ctrl-C and SIGTERM on the command line, with exit codes 130 and 143."""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

INTERRUPTED = "interrupted. Completed runs are saved if a store was named."
# Programs such as `timeout` send SIGTERM to a process and to its group, so it arrives twice.
_ONE_SIGNAL_SECONDS = 1.0
# If compiled code outside a run blocks the main thread for longer, another thread responds.
_SILENT_SECONDS = 0.5
_WAKING_SECONDS = 0.05
_AT_ONCE = 3  # the second Ctrl-C leaves time for the verdict


class HeardSignals:
    """Signals that requested the end of a command.

    The first raises KeyboardInterrupt.  A second Ctrl-C ends the runs in progress, and is ignored
    while a verdict is written.  A third ends the process at once; so does the second if Python
    code cannot run, because compiled code is busy.
    """

    def __init__(self) -> None:
        self.code = 0  # exit code of the signal; 0 if there was none
        self._process = os.getpid()
        self._terminated = 0.0

    def interrupt(self, number: int, frame: Any) -> None:
        """Handle Ctrl-C."""
        if not self.code:
            self.code = 128 + number
            raise KeyboardInterrupt

    def terminate(self, number: int, frame: Any) -> None:
        """Handle SIGTERM like Ctrl-C; a later one ends the process at once."""
        if os.getpid() != self._process:  # a learner forked it and may want to end it
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        now = time.monotonic()
        is_first, self.code = not self._terminated, 128 + number
        self._terminated = self._terminated or now
        if now - self._terminated > _ONE_SIGNAL_SECONDS:
            os._exit(self.code)
        if is_first:
            raise KeyboardInterrupt

    def watch(self, wire: socket.socket) -> None:
        """Handle Ctrl-C if the main thread does not, until the wire is closed."""
        n_heard = 0
        with wire:
            while numbers := wire.recv(1):
                if numbers[0] != signal.SIGINT:
                    continue
                n_heard += 1
                if not self.code or n_heard >= _AT_ONCE:
                    time.sleep(_SILENT_SECONDS)
                    self._answer_for_main(n_heard)

    def _answer_for_main(self, n_heard: int) -> None:
        """End the process, or announce its end, if the main thread did not respond."""
        if n_heard >= _AT_ONCE or (n_heard > 1 and not self.code):
            os.write(2, f"bestofk: {INTERRUPTED}\n".encode())
            os._exit(128 + signal.SIGINT)
        if not self.code and hasattr(signal, "pthread_kill"):  # it may wait in a call of the system
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGURG)
            time.sleep(_WAKING_SECONDS)
        if not self.code:
            os.write(2, b"Stopping after this step; press Ctrl-C again to stop at once.\n")


@contextmanager
def heard_signals() -> Iterator[HeardSignals]:
    """Let Ctrl-C and SIGTERM end the block, unless the caller has other plans with them."""
    heard = HeardSignals()
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return
    handlers: dict[int, tuple[Any, Any]] = {
        signal.SIGINT: (signal.default_int_handler, heard.interrupt),
        signal.SIGTERM: (signal.SIG_DFL, heard.terminate),
    }
    taken = [item for item, (usual, _) in handlers.items() if signal.getsignal(item) == usual]
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    if hasattr(signal, "SIGURG") and signal.getsignal(signal.SIGURG) == signal.SIG_DFL:
        signal.signal(signal.SIGURG, lambda number, frame: None)  # wakes the main thread, no more
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=heard.watch, args=(ours,), daemon=True).start()
    for item in taken:
        signal.signal(item, handlers[item][1])
    try:
        yield heard
    finally:
        for item in taken:
            signal.signal(item, handlers[item][0])
        signal.set_wakeup_fd(before)
        theirs.close()


def end_process(code: int) -> NoReturn:
    """End the process at once, without waiting for threads and processes that compute."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
