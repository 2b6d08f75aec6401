"""Main loop of a guarded process: pickled jobs in, pickled records out."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing.connection import Connection

import cloudpickle

from bestofk.evaluation.parent import end_with
from bestofk.evaluation.run import runs_here
from bestofk.evaluation.worker import load_payload


def main() -> None:
    """Serve runs until the input ends; what learners print goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    end_with(int(sys.argv[3]))
    pipe = Connection(int(sys.argv[2]))
    os.dup2(2, 1)
    payload = load_payload(sys.argv[1])
    pipe.send_bytes(b"ready")
    with runs_here():
        while True:
            try:
                number, job = cloudpickle.loads(pipe.recv_bytes())
            except EOFError:
                return
            pipe.send_bytes(cloudpickle.dumps((number, payload.answer(job))))


if __name__ == "__main__":
    main()
