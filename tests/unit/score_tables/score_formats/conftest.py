"""Files that tests of formats write."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a text to a file and return its path."""

    def written(text, name="results.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return written
