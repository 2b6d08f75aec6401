"""The package and the pages at the top of the repository hold the words of the linter."""

from __future__ import annotations

import pytest
from tests.language import main


def test_the_linter_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    status = main([])
    assert capsys.readouterr().out == ""
    assert status == 0
