"""Settings for all tests: none waits for ever, no deadlines for properties, no open pictures."""

import os
import signal
import sys
import sysconfig
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import psutil
import pytest
from hypothesis import HealthCheck, settings

import bestofk

# Threads of OpenMP that wait for a busy processor turn seconds into minutes; it is loaded later.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# `HYPOTHESIS_PROFILE=whole` draws as many examples as hypothesis does by itself; CI does.
for profile, n_examples in (("usual", 30), ("whole", 100)):
    settings.register_profile(
        profile,
        max_examples=n_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))


def pytest_configure() -> None:
    """Let tests be interrupted; refuse compiled loops that are older than their files."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # so a shell starts what it puts behind
        signal.signal(signal.SIGINT, signal.default_int_handler)
    package = Path(bestofk.__file__).parent
    if not (package.parent.parent / "setup.py").exists():
        return  # installed: loops were compiled with the rest
    for source in package.rglob("*.pyx"):
        built = source.with_name(f"{source.stem}{sysconfig.get_config_var('EXT_SUFFIX')}")
        if not built.exists() or built.stat().st_mtime < source.stat().st_mtime:
            pytest.exit(
                f"compiled loops must be newer than their files; got an older {source.name}. "
                "Run `python setup.py build_ext --inplace`.",
                returncode=2,
            )


# Seconds of a phase of a test, on a busy machine too; a test says otherwise by `seconds(n)`.
_MOST_SECONDS = 600


@contextmanager
def _ended_in_time(item: pytest.Item) -> Iterator[None]:
    """Fail a test that takes too long, and kill and name the processes that it waits for."""
    marker = item.get_closest_marker("seconds")
    seconds = marker.args[0] if marker else _MOST_SECONDS

    def end(number: int, frame: FrameType | None) -> None:
        started = []
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                command = " ".join(process.cmdline())
                if "resource_tracker" not in command:  # which other tests need, too
                    started.append(f"{process.pid} {command[:300]}")
                    process.kill()
        running = "\n".join(started) or "none"
        pytest.fail(f"the test must end within {seconds} seconds; its processes were:\n{running}")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, 10)  # and again, where that is caught
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _limited(item: pytest.Item) -> Generator[None, object, object]:
    if not hasattr(signal, "SIGALRM"):  # Windows
        return (yield)
    with _ended_in_time(item):
        return (yield)


pytest_runtest_setup = pytest.hookimpl(wrapper=True)(_limited)
pytest_runtest_call = pytest.hookimpl(wrapper=True)(_limited)
pytest_runtest_teardown = pytest.hookimpl(wrapper=True)(_limited)


@pytest.fixture(autouse=True)
def _pictures_closed() -> Iterator[None]:
    """Close what a test has drawn: matplotlib warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def _signals_as_before() -> Iterator[None]:
    """Put back what signals do: a test may leave handlers of its own."""
    before = {item: signal.getsignal(item) for item in (signal.SIGINT, signal.SIGTERM)}
    yield
    for item, handler in before.items():
        signal.signal(item, handler)


@pytest.fixture
def in_this_process(monkeypatch):
    """Do the runs of all learners here, where what they note can be read."""
    monkeypatch.setattr("bestofk.evaluation.queue.runner.is_from_outside", lambda _: False)


@pytest.fixture(scope="module")
def module_in_this_process() -> Iterator[None]:
    """Do the runs of learners that a module writes here: a process takes longer than they do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bestofk.evaluation.queue.runner.is_from_outside", lambda _: False)
        yield
