"""Findings to report."""

from collections.abc import Callable

import pytest
from tests.unit.report.given_findings import findings

from bestofk.report import Findings


@pytest.fixture
def make() -> Callable[..., Findings]:
    """Return what makes findings with changes."""
    return findings
