"""Ctrl-C through a pseudo-terminal: a word at once, and at the second one the verdict and the end.

`python -m tests.flow.test_ctrl_c` prints the seconds of every situation.
"""

import os
import re
import select
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from bestofk import Store

# Generous, for a machine that does other things; a fit takes longer than the limits together.
_WORD_SECONDS, _END_SECONDS = 10.0, 60.0
_PAUSE_SECONDS = 1.0
_COMPUTES = "hashlib.pbkdf2_hmac('sha256', b'a', b'b', 200_000_000)"  # compiled, for minutes
_WORD = re.compile("Stopping|nterrupted")


class Situation(NamedTuple):
    """A command line, the word after which Ctrl-C is sent, and what the verdict says."""

    arguments: list[str]
    ready: str
    verdict: str


class Heard(NamedTuple):
    """What a command line said after Ctrl-C, and the seconds until then."""

    code: int
    word_seconds: float
    end_seconds: float
    text: str


def write_inputs(folder):
    """Write a table with two classes, a learner that computes, one that is imported, a study."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20)).round(3)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(20)])
    frame["y"] = np.where(X[:, :3].sum(axis=1) + 2 * rng.normal(size=len(X)) > 0, "a", "b")
    frame.to_csv(folder / "large.csv", index=False)
    learner = "import hashlib\nfrom sklearn.dummy import DummyClassifier\n"
    (folder / "computing.py").write_text(
        f"{learner}class Slow(DummyClassifier):\n"
        f"    def fit(self, X, y, sample_weight=None):\n        {_COMPUTES}\n"
    )
    (folder / "imported.py").write_text(
        f"{learner}print('importing', flush=True)\n{_COMPUTES}\n"
        "class Slow(DummyClassifier):\n    pass\n"
    )
    (folder / "study.toml").write_text(
        'learners = ["majority", "svm"]\ndata = ["large.csv", "iris"]\n'
        'cv = "1x3"\nstore = "runs.db"\n'
    )


_STORE = ["--store", "runs.db"]
_TARGET = ["--target", "y"]  # else a terminal is asked for it
SITUATIONS = {
    "before the first run": Situation(
        ["compare", "iris", "--learners", "imported.py:Slow,majority", *_STORE],
        "importing",
        "Completed runs are saved",
    ),
    "compiled code": Situation(
        ["compare", "large.csv", *_TARGET, "--learners", "majority,svm", "--cv", "1x3", *_STORE],
        "6 runs.",
        "for now, after",
    ),
    "batched block": Situation(
        ["compare", "large.csv", *_TARGET, "--learners", "majority,kernel-naive-bayes",
         "--cv", "3x10", *_STORE],
        "60 runs.",
        "for now, after",
    ),
    "workers": Situation(
        ["compare", "iris", "--learners", "computing.py:Slow,majority", "--cv", "20x2",
         "--n-jobs", "2", *_STORE],
        "80 runs.",
        "for now, after",
    ),
    "recommend": Situation(
        ["recommend", "large.csv", *_TARGET, "--learners", "majority,svm", "--budget", "1h",
         *_STORE],
        "majority:",
        "Left out, interrupted: svm",
    ),
    "study": Situation(["study", "run", "study.toml"], "12 runs.", "bestofk study run study.toml"),
}  # fmt: skip


def interrupted(situation, folder, n_signals):
    """Start a command line on a terminal of its own, and send Ctrl-C once it is ready."""
    import pty

    command = [sys.executable, "-m", "bestofk", *situation.arguments]
    process_id, terminal = pty.fork()
    if not process_id:  # the child has the terminal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(folder)
        os.execve(command[0], command, os.environ | {"TERM": "xterm", "COLUMNS": "200"})
    text, said = "", ""
    sent, word_seconds, n_sent = 0.0, float("nan"), 0
    while True:
        now = time.monotonic()
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                read = os.read(terminal, 65536).decode(errors="replace")
            except OSError:  # the terminal of a process that is gone
                break
            if n_sent:
                said += read
            else:
                text += read
        if n_sent and np.isnan(word_seconds) and _WORD.search(said):
            word_seconds = now - sent
        if n_sent == 0 and situation.ready in text:
            time.sleep(2 * _PAUSE_SECONDS)  # the run is under way
        elif not 0 < n_sent < n_signals or now < sent + n_sent * _PAUSE_SECONDS:
            continue
        os.write(terminal, b"\x03")
        sent, n_sent = sent or time.monotonic(), n_sent + 1
    end_seconds = time.monotonic() - sent
    _, status = os.waitpid(process_id, 0)
    os.close(terminal)
    code = os.waitstatus_to_exitcode(status)
    code = 128 - code if code < 0 else code  # as a shell says it: the last moments of Python
    return Heard(code, word_seconds, end_seconds, said)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals of Unix")
@pytest.mark.parametrize("name", SITUATIONS)
def test_two_ctrl_c_end_with_the_verdict_wherever_they_come(name, tmp_path):
    write_inputs(tmp_path)
    situation = SITUATIONS[name]
    heard = interrupted(situation, tmp_path, n_signals=2)
    assert heard.code == 130, heard.text
    assert heard.word_seconds < _WORD_SECONDS
    assert heard.end_seconds < _END_SECONDS
    assert "again to stop at once" in heard.text
    assert situation.verdict in " ".join(heard.text.split())
    assert "Traceback" not in heard.text
    if name != "before the first run":
        assert f"bestofk {situation.arguments[0]}" in " ".join(heard.text.split())  # to go on
        with Store(tmp_path / "runs.db") as store:
            assert store.n_runs() > 0
            assert store.check() == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        write_inputs(Path(where))
        for name_of, item in SITUATIONS.items():
            (Path(where) / "runs.db").unlink(missing_ok=True)
            code, *times, _ = interrupted(item, where, n_signals=2)
            line = f"{name_of:22} exit {code}, word {times[0]:.2f} s, end {times[1]:.2f} s"
            sys.stdout.write(f"{line}\n")
