"""Each of the 88 features of the sources has lines that show it."""

from collections.abc import Iterator

import pandas as pd
import pytest
from tests.given import ROOT
from tests.printed_output import folder_of_shell_lines
from tests.published.rows import missing_of, read_rows, reason_of, written
from tests.published.source_lines import LINES
from tests.published.sources import REPLICATED, SHOWN

ROWS = read_rows()
FEATURES = dict(list(ROWS.groupby("id", sort=False)))
NAMES = [
    f"{letter}{number}"
    for letter, count in (("A", 27), ("B", 20), ("C", 16), ("D", 14), ("E", 11))
    for number in range(1, count + 1)
]


@pytest.fixture(scope="module")
def folder() -> Iterator[None]:
    with folder_of_shell_lines():
        yield


def test_there_are_88_features_in_order_and_each_has_a_line() -> None:
    assert list(FEATURES) == NAMES
    for row in FEATURES.values():
        assert row["feature"].iloc[0]
        assert (row["feature"].iloc[1:] == "").all()
        assert (row["line"] != "").all()


def test_what_must_come_out_is_told_of_lines_that_are_typed_and_of_no_others() -> None:
    is_listed = ROWS["line"].isin([*LINES, *REPLICATED, *SHOWN])
    assert (ROWS.loc[is_listed, "holds"] == "").all()
    typed = ROWS[~is_listed]
    assert (typed["holds"] != "").all()
    assert typed["line"].str.startswith(("bestofk ", "python examples/", 'python -c "')).all()
    scripts = typed["line"].str.extract(r"^python (examples/\S+)")[0].dropna()
    assert all((ROOT / script).is_file() for script in scripts)


def test_a_table_with_numbers_outside_their_tolerance_is_no_whole_feature() -> None:
    for name, row in FEATURES.items():
        if row["line"].isin(list(REPLICATED)).any():
            assert "outside their tolerance" in reason_of(row), name


def test_a_text_that_does_not_come_out_is_found(folder: None) -> None:
    record = pd.Series(
        {"line": "python -c \"print('a b', 1)\"", "holds": "a b 1 | a b 2", "reason": ""}
    )
    assert missing_of(record) == ["a b 2"]


def test_the_page_on_checks_counts_the_whole_features() -> None:
    text = (ROOT / "docs" / "papers" / "how-it-was-checked.md").read_text(encoding="utf-8")
    n_whole = sum(not reason_of(row) for row in FEATURES.values())
    assert f"Of {len(FEATURES)} features {n_whole} are whole" in text
    assert f"Of {len(FEATURES)} features {n_whole} are whole" in written()


def test_the_table_on_the_site_has_every_line() -> None:
    rows = [row for row in written().splitlines() if row.startswith("| ")]
    assert sum(not row.startswith("| row |") for row in rows) == len(ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_comes_out_that_should(name: str, folder: None) -> None:
    row = FEATURES[name]
    assert [text for _, record in row.iterrows() for text in missing_of(record)] == []
