"""A store for a test."""

from collections.abc import Iterator

import pytest

from bestofk.evaluation import Store


@pytest.fixture
def store() -> Iterator[Store]:
    """Give a store in memory."""
    with Store() as opened:
        yield opened
