"""A store and files for a test."""

from collections.abc import Iterator

import pytest

from bestofk.evaluation import Store


@pytest.fixture
def store() -> Iterator[Store]:
    """Give a store in memory."""
    with Store() as opened:
        yield opened


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a text or bytes to a file and returns its path."""

    def write_file(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file
