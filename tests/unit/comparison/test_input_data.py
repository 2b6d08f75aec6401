"""What `compare` takes as data: files, names, frames and arrays, with the same guesses."""

import inspect
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

from bestofk import compare, load_data
from bestofk.comparison.input_data import as_data_set
from bestofk.data import from_arrays
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


def test_a_target_is_named_or_that_which_is_called_so(frame):
    data = as_data_set(frame, "outcome", **USUAL)
    assert data.feature_names == ["size", "color", "owner", "weight"]
    assert data.notes[0] == "Target: 'outcome' (as asked for), read as labels."
    assert as_data_set(frame, "size", **USUAL).notes[0].endswith("read as numbers.")
    data = as_data_set(frame, None, **USUAL)
    assert data.id == as_data_set(frame, "outcome", **USUAL).id
    assert data.notes[0] == "Target: 'outcome' (by its name), read as labels."
    # the first of class, target, y, label, outcome, as in a file
    both = frame.assign(Class=["a", "b"] * 20)
    assert as_data_set(both, None, **USUAL).notes[0].startswith("Target: 'Class'")


def test_a_target_that_no_name_tells_is_the_last_column_as_in_a_file(frame, tmp_path):
    unnamed = frame.rename(columns={"outcome": "answer"}).assign(empty=None)
    path = tmp_path / "data.csv"
    unnamed.to_csv(path, index=False)
    told = "No target given: the last column 'answer' was taken. To predict another: "
    data = as_data_set(unnamed.drop(columns="empty"), None, **USUAL)
    assert data.target_guess == f"{told}target='size'"
    assert data.notes[0] == "Target: 'answer' (the last column), read as labels."
    assert as_data_set(path, None, **USUAL).target_guess.startswith(told)
    with pytest.raises(InvalidArgumentError, match="got none in 'empty'"):  # not the target
        as_data_set(unnamed, None, **USUAL)


def test_a_guessed_target_is_named_where_it_cannot_be_used(frame):
    told = "No target given: the last column 'color' was taken.*got 10 missing"
    with pytest.raises(InvalidArgumentError, match=told):
        compare(frame[["size", "color"]])
    with pytest.raises(InvalidArgumentError, match="X must have a column left for the target"):
        compare(frame[["owner"]], groups="owner")


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


SOLE = ("frame", "polars", "csv", "path", "parquet", "array", "data set", "name", "mapping")


def _of_kind(kind, frame, folder):
    """Return data of a kind, and the target where they do not hold it."""
    if kind == "polars":
        return pytest.importorskip("polars").from_pandas(frame), None
    if kind in ("csv", "path"):
        path = Path(folder) / "data.csv"
        frame.to_csv(path, index=False)
        return str(path) if kind == "csv" else path, None
    if kind == "parquet":
        path = Path(folder) / "data.parquet"
        frame.to_parquet(path)
        return path, None
    if kind == "array":
        return frame[["a"]].to_numpy(), frame["y"]
    given = {"data set": from_arrays(frame, "y"), "name": "play-tennis", "frame": frame}
    given["mapping"] = {"one": frame, "two": "play-tennis"}
    return given[kind], None


@settings(max_examples=6)
@given(
    kind=st.sampled_from(SOLE),
    a=st.lists(st.integers(0, 9), min_size=12, max_size=20).filter(lambda a: len(set(a)) > 1),
    learners=st.sampled_from([None, ["majority", "lda"], "majority,nearest-mean"]),
    by_name=st.booleans(),
)
def test_data_alone_are_compared_on_like_data_behind_learners(kind, a, learners, by_name):
    labels = ["yes" if i % 2 else "no" for i in range(len(a))]
    frame = pd.DataFrame({"a": a, "b": [f"l{value % 3}" for value in a], "y": labels})
    options = {"cv": "1x2", "progress": False, "learners": learners}
    with tempfile.TemporaryDirectory() as folder:
        data, y = _of_kind(kind, frame, folder)
        alone = compare(X=data, y=y, **options) if by_name else compare(data, y=y, **options)
        behind = compare(options.pop("learners"), data, y, **options)
    assert type(alone) is type(behind)
    parts = [getattr(item, "comparisons", {"": item}).values() for item in (alone, behind)]
    for one, other in zip(*parts, strict=True):
        assert one.evaluation.names == other.evaluation.names
        assert one.evaluation.data.id == other.evaluation.data.id
        pd.testing.assert_frame_equal(one.to_frame()[["learner"]], other.to_frame()[["learner"]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((["lda", "cart"],), r"got a list of learners \(lda \.\.\.\)"),
        ((DummyClassifier(),), r"got a learner \(DummyClassifier\(\)\)"),
        (("lda",), "or the name of a data set; got 'lda'"),
    ],
)
def test_learners_alone_are_no_data(given, message):
    with pytest.raises(InvalidArgumentError, match=message):
        compare(*given)
    with pytest.raises(InvalidArgumentError, match="given once, and before data; got list first"):
        compare(["lda"], "iris", learners=["cart"])


@pytest.mark.parametrize("y", ["outcome", ["lda", "cart"], None])
@pytest.mark.parametrize("kind", ["frame", "array", "rows", "file", "data set", "mapping", "name"])
def test_data_before_anything_else_are_told_the_way(kind, y, frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    numbers = frame[["size", "weight"]]
    data = {
        "frame": frame,
        "array": numbers.to_numpy(),
        "rows": numbers.to_numpy().tolist(),
        "file": str(path),
        "data set": load_data("iris"),
        "mapping": {"one": frame, "two": frame},
        "name": "iris",
    }[kind]
    with pytest.raises(
        InvalidArgumentError, match=r"before data; got .* first\. Write compare\(X, y=y\) for the"
    ):
        compare(data, frame["outcome"] if y is None else y)


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
        'compare("data.csv", target="y")': "bestofk.comparison.comparison.Comparison",
        "compare(X=np.eye(3), y=[1, 2, 3])": "bestofk.comparison.comparison.Comparison",
        'compare({"a": "iris", "b": "wine"}, learners="lda,cart")': (
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
