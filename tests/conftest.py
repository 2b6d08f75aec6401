"""Settings for all tests: no deadlines for properties, and no open pictures."""

import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "without a clock",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("without a clock")


@pytest.fixture(autouse=True)
def _pictures_closed() -> Iterator[None]:
    """Close what a test has drawn: matplotlib warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
