"""No test waits for ever."""

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="an alarm of Unix")


@pytest.mark.seconds(1)
def test_a_test_that_waits_is_ended_with_the_processes_that_it_names():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with pytest.raises(pytest.fail.Exception) as ended:
        process.wait()
    assert str(ended.value).startswith("the test must end within 1 seconds; its processes were:")
    assert f"{process.pid} " in str(ended.value)
    assert "time.sleep(600)" in str(ended.value)
    assert process.wait(60) == -signal.SIGKILL
