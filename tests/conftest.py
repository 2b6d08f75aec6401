"""Settings for all tests: no deadlines for properties, and no open pictures."""

import os
import signal
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

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
