"""The figures that are kept here: part of the reference cases, small, each with its source."""

import json

import pytest
from tests.given import FIGURES, reference_file
from tests.published import j48_cases
from tests.published.make_figures import figures
from tests.published.small_data_sets import SMALL_DATA_SETS

NAMES = ["j48.json", "selection.json", "tests.json"]
LARGEST = 300_000  # bytes


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_figures_is_small_and_is_what_the_script_writes(name: str) -> None:
    path = FIGURES / name
    assert path.stat().st_size < LARGEST
    if reference_file(name) == path:
        pytest.skip("no whole files; set BESTOFK_REFERENCE to their folder")
    assert path.read_text(encoding="utf-8") == figures()[name]


def test_every_case_and_tree_names_its_source() -> None:
    cases = json.loads((FIGURES / "tests.json").read_text(encoding="utf-8"))["cases"]
    assert [case["id"] for case in cases if not case["source"]] == []
    trees = json.loads((FIGURES / "j48.json").read_text(encoding="utf-8"))["results"]
    assert [tree["dataset"] for tree in trees if not tree["implementation"]] == []


@pytest.mark.parametrize("name", [name for name in SMALL_DATA_SETS if not name.startswith("sk-")])
def test_a_small_data_set_has_the_rows_of_the_recorded_one(name: str) -> None:
    entry = j48_cases.read_file()["data"][name]
    if "arff_zlib_b64" not in entry:
        pytest.skip("no recorded rows to hold it against")
    made, recorded = j48_cases.Given(*SMALL_DATA_SETS[name]()), j48_cases.parse_rows(name, entry)
    assert (made.n_classes, made.y.tolist()) == (recorded.n_classes, recorded.y.tolist())
    columns = zip(made.X.items(), recorded.X.items(), strict=True)
    for (_, column), (_, wanted) in columns:
        if wanted.dtype == "category":
            assert column.cat.codes.tolist() == wanted.cat.codes.tolist()
            assert len(column.cat.categories) == len(wanted.cat.categories)
        else:
            assert column.tolist() == wanted.tolist()
