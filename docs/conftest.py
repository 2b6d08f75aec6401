"""Examples of pages leave no learner, measure or test behind for other tests."""

from collections.abc import Iterator

import pytest
from tests.registries import registries_kept


@pytest.fixture(autouse=True)
def _registries_kept() -> Iterator[None]:
    with registries_kept():
        yield
