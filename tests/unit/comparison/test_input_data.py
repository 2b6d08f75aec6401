"""What `compare` takes as data: files, names, frames and arrays, with the same guesses."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest

from bestofk import compare, load_data
from bestofk.comparison.input_data import as_data_set
from bestofk.errors import InvalidArgumentError

USUAL = {"task": "auto", "groups": None, "sample_weight": None, "drop_missing_target": False}


@pytest.fixture
def frame():
    n = 40
    return pd.DataFrame(
        {
            "size": np.arange(n) % 7 + 0.5,
            "color": ["red", "blue", None, "green"] * (n // 4),
            "owner": np.repeat(np.arange(n // 4), 4),
            "weight": np.linspace(0.5, 1.5, n),
            "outcome": ["yes", "no"] * (n // 2),
        }
    )


def test_a_file_is_read_as_load_data_reads_it(frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    for source in (path, str(path)):
        for target in (None, "color"):
            options = USUAL | {"drop_missing_target": True}
            data = as_data_set(source, target, **options)
            expected = load_data(source, target=target, drop_missing_target=True)
            assert (data.id, data.notes) == (expected.id, expected.notes)


def test_a_frame_may_name_its_target_and_the_note_says_so(frame):
    data = as_data_set(frame, "outcome", **USUAL)
    assert data.feature_names == ["size", "color", "owner", "weight"]
    assert data.notes[0] == "Target: 'outcome' (as asked for), read as labels."
    assert as_data_set(frame, "size", **USUAL).notes[0].endswith("read as numbers.")


def test_a_column_that_is_called_as_targets_are_is_the_target(frame):
    data = as_data_set(frame, None, **USUAL)
    assert data.id == as_data_set(frame, "outcome", **USUAL).id
    assert data.notes[0] == "Target: 'outcome' (by its name), read as labels."
    # the first of class, target, y, label, outcome, as in a file
    both = frame.assign(Class=["a", "b"] * 20)
    assert as_data_set(both, None, **USUAL).notes[0].startswith("Target: 'Class'")


def test_a_target_that_no_name_tells_is_not_guessed(frame):
    unnamed = frame.rename(columns={"outcome": "answer"})
    with pytest.raises(InvalidArgumentError, match=r"got none\. Name it: target='answer'"):
        compare(["lda"], unnamed)


def test_groups_and_weights_may_be_columns_of_a_frame(frame):
    data = as_data_set(frame, "outcome", **USUAL | {"groups": "owner", "sample_weight": "weight"})
    assert data.feature_names == ["size", "color"]
    np.testing.assert_array_equal(data.groups, frame["owner"])
    np.testing.assert_array_equal(data.sample_weight, frame["weight"])
    assert frame.shape[1] == 5  # as it was


def test_polars_is_taken_like_pandas(frame):
    polars = pytest.importorskip("polars")
    options = USUAL | {"groups": "owner"}
    data = as_data_set(polars.from_pandas(frame), None, **options)
    expected = as_data_set(frame, None, **options)
    assert data.notes == expected.notes
    assert data.feature_names == expected.feature_names
    np.testing.assert_array_equal(data.groups, expected.groups)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "outcom"}, r"got 'outcom'\. Did you mean 'outcome'"),
        ({"target": 3}, r"target must be a name of a column, or one value per row; got 3\."),
        ({"groups": "ownr"}, r"groups must be a column of X.*Did you mean 'owner'"),
        ({"sample_weight": "w"}, r"sample_weight must be a column of X.*got 'w'"),
        ({"target": "owner", "groups": "owner"}, "must play one part; got target and groups"),
    ],
)
def test_names_of_columns_that_are_not_there_are_refused(frame, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        compare(["lda"], frame, **options)


def test_learners_and_data_that_changed_places_are_told():
    with pytest.raises(InvalidArgumentError, match=r"got a list of learners \(lda \.\.\.\)"):
        compare("iris", ["lda", "cart"])


def test_a_long_list_of_columns_is_cut_in_a_message():
    wide = pd.DataFrame(np.zeros((4, 100)), columns=[f"gene_{i}" for i in range(100)])
    with pytest.raises(InvalidArgumentError, match=r"gene_39 and 60 more\.$"):
        compare(["lda"], wide, target="nothing like it")


def test_compare_says_what_it_returns():
    assert inspect.signature(compare).return_annotation == "Comparison | ComparisonAcross"


@pytest.mark.slow
def test_a_type_checker_knows_what_compare_and_its_result_return(tmp_path):
    mypy = pytest.importorskip("mypy.api")
    lines = {
        'compare(["lda"], "iris")': "bestofk.comparison.comparison.Comparison",
        "compare(None, np.eye(3), [1, 2, 3])": "bestofk.comparison.comparison.Comparison",
        'compare(None, {"a": "iris", "b": "wine"})': (
            "bestofk.comparison.comparison_across.ComparisonAcross"
        ),
        'compare(["lda"], "iris").test("anova")': "bestofk.inference.results.Result",
        'compare(["lda"], "iris").best': "str | None",
    }
    path = tmp_path / "calls.py"
    code = ["import numpy as np", "from bestofk import compare"]
    path.write_text("\n".join([*code, *(f"reveal_type({line})" for line in lines)]))
    options = ["--ignore-missing-imports", "--follow-imports=silent"]
    said, errors, _ = mypy.run([*options, f"--cache-dir={tmp_path}", str(path)])
    assert errors == ""
    revealed = [line.split('"')[1] for line in said.splitlines() if "Revealed type" in line]
    assert revealed == list(lines.values())
