"""The question for the target at a terminal: an answer, no column, the end of input, Ctrl-C."""

import os
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty")
ROWS = "kind,size,label\n" + "".join(
    f"{'ab'[i % 2]},{i % 7},{'ny'[i % 3 == 0]}\n" for i in range(60)
)
QUESTION = b"Column to predict"


def typed(folder, *keys):
    """Return exit code and text of a call at a terminal, with keys typed at each question."""
    (folder / "rows.csv").write_text(ROWS)
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        words = ["bestofk", "compare", "rows.csv", "--learners", "majority,lda", "--cv", "1x2"]
        os.execv(sys.executable, [sys.executable, "-m", *words])
    text, answers = b"", list(keys)
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the terminal is closed
            break
        text += part
        if answers and text.count(QUESTION) > len(keys) - len(answers):
            os.write(terminal, answers.pop(0))
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), text.decode()


def test_another_column_is_taken_and_one_that_is_none_is_asked_for_again(tmp_path):
    code, text = typed(tmp_path, b"colour\n", b"kind\n")
    assert code in (0, 1)
    assert "The column must be in the file; got 'colour'." in text
    assert "; predicting kind (2 classes)" in " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize(("key", "code"), [(b"\x04", 1), (b"\x03", 130)])
def test_the_end_of_input_and_ctrl_c_end_the_command(tmp_path, key, code):
    ended, text = typed(tmp_path, key)
    assert ended == code
    assert "bestofk: interrupted" in text
    assert "Traceback" not in text


WAITING = """
import os, signal, threading
from bestofk.cli.signals import heard_signals

with heard_signals():
    alone = lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    threading.Timer(0.3, alone).start()  # so that the call of the system is not interrupted
    try:
        os.read(os.pipe()[0], 1)
    except KeyboardInterrupt:
        print("ended")
"""


def test_ctrl_c_ends_a_wait_that_it_came_too_early_to_interrupt():
    run = subprocess.run(
        [sys.executable, "-c", WAITING], capture_output=True, text=True, timeout=60, check=True
    )
    assert (run.stdout, run.stderr) == ("ended\n", "")
