"""Cases of tests.json (papers, R, other packages, hand) against the procedures of the package."""

import json

import pytest
from tests.given import reference_file
from tests.published.agreement import assert_comes_out
from tests.published.cases import Case


def read_cases() -> list[Case]:
    return json.loads(reference_file("tests.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case["id"])
def test_a_published_number_comes_out(case: Case) -> None:
    assert_comes_out(case)
