"""Main loop of a guarded process: pickled jobs in, pickled records out."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import cloudpickle

from bestofk.evaluation.guard import receive, send
from bestofk.evaluation.parent import end_with
from bestofk.evaluation.run import runs_here
from bestofk.evaluation.worker import load_payload


def main() -> None:
    """Serve runs until the input ends; what learners print goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    end_with(int(sys.argv[2]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    payload = load_payload(Path(sys.argv[1]))
    send(answers, b"ready")
    with runs_here():
        while True:
            try:
                number, job = cloudpickle.loads(receive(requests, None))
            except EOFError:
                return
            send(answers, cloudpickle.dumps((number, payload.answer(job))))


if __name__ == "__main__":
    main()
