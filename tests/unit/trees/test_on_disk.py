"""Trees grown from a file, compared with trees grown in memory."""

import errno
import shutil
import sys
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from bestofk.errors import InvalidArgumentError
from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
)
from bestofk.trees import growing as tree_growing
from bestofk.trees.c45_rules import C45RulesClassifier
from bestofk.trees.on_disk import file_growth, grow_from_file, mapped_arrays, pruning, reading

pytest.importorskip("pyarrow")

ARRAYS = (
    "kind",
    "attribute",
    "threshold",
    "first_child",
    "n_children",
    "lookup_start",
    "lookup",
    "class_weights",
    "default_branch",
)
LEARNERS = {
    "c45": C45Classifier(),
    "c45-midpoint": C45Classifier(threshold="midpoint", subtree_raising=False),
    "c45-binary": C45Classifier(nominal_splits="binary", pruning=None, collapse=False),
    "c45-gain": C45Classifier(criterion="gain", mdl_correction=False, pruning="pessimistic"),
    "c45-r8": C45Classifier(flavor="r8", nominal_splits="group", confidence=0.1),
    "c45-mdl": C45Classifier(pruning="mdl", max_depth=5),
    "c45-costs": C45Classifier(
        costs={name: 1.0 + i for i, name in enumerate(["a", "b", "c", "few", "level", "flag"])},
        costs_paid_once=True,
    ),
    "c45-chi": C45Classifier(chi_squared_alpha=0.01, min_impurity_decrease=0.001, pruning=None),
    "id3": ID3Classifier(),
    "id3-binary": ID3Classifier(nominal_splits="binary", pruning="pessimistic"),
    "id3-subset": ID3Classifier(
        nominal_splits="subset", pruning="cost-complexity", ccp_alpha=0.002
    ),
    "id3-ordinal": ID3Classifier(
        ordinal_features={"level": list("xvuw")}, ordinal_splits="multiway"
    ),
    "cart": CARTClassifier(pruning=None),
    "cart-alpha": CARTClassifier(ccp_alpha=0.002),
    "cart-mdl": CARTClassifier(criterion="entropy", pruning="mdl"),
    "hellinger": HellingerTreeClassifier(),
}


@pytest.fixture
def small_chunks(monkeypatch):
    """Read few rows at once, so that small tables take all ways."""
    for module in (pruning, reading):
        monkeypatch.setattr(module, "CHUNK_ROWS", 97)


def a_table(n_rows=900, seed=0):
    """Return columns with many values, few values and levels, and three classes."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=(3, n_rows))
    level = rng.choice(["u", "v", "w", "x"], n_rows)
    few = rng.integers(0, 9, n_rows)
    y = (a + b * c > 0).astype(int)
    y = np.where((level == "u") & (few > 4), 1 - y, y)
    y = np.where(rng.random(n_rows) < 0.08, 2, y)
    return pd.DataFrame(
        {
            "a": np.round(a, 1),
            "b": b,
            "c": c * 1e-4,
            "few": few,
            "level": level,
            "flag": rng.random(n_rows) < 0.4,
            "y": np.array(["no", "yes", "third"])[y],
        }
    )


def in_memory(learner, table):
    return clone(learner).fit(table.drop(columns="y"), table["y"])


def written(table, folder, name="table.parquet"):
    path = folder / name
    if name.endswith(".parquet"):
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)
    return path


def assert_same_tree(found, expected):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
        assert getattr(found, name).dtype == getattr(expected, name).dtype
    assert found.attributes == expected.attributes
    assert found.classes.tolist() == expected.classes.tolist()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("name", LEARNERS)
def test_the_tree_from_a_file_is_the_tree_in_memory(name, tmp_path):
    table = a_table()
    learner = grow_from_file(written(table, tmp_path), "y", learner=LEARNERS[name])
    expected = in_memory(LEARNERS[name], table)
    assert expected.tree_.n_nodes > 5
    assert_same_tree(learner.tree_, expected.tree_)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("seed", range(3))
def test_subtrees_are_raised_alike_when_few_rows_fit_into_memory(seed, tmp_path, monkeypatch):
    prune = file_growth.prune_on_disk
    monkeypatch.setattr(
        file_growth,
        "prune_on_disk",
        lambda *given, memory_bytes, **more: prune(*given, memory_bytes=6000, **more),
    )
    table = a_table(seed=seed)
    learner = grow_from_file(written(table, tmp_path), "y", learner=C45Classifier())
    expected = in_memory(C45Classifier(), table).tree_
    unraised = in_memory(C45Classifier(subtree_raising=False), table).tree_
    assert expected.n_nodes != unraised.n_nodes or not np.array_equal(
        expected.attribute, unraised.attribute
    )
    assert_same_tree(learner.tree_, expected)


@pytest.mark.usefixtures("small_chunks")
def test_a_level_with_more_nodes_than_are_measured_at_once_grows_alike(tmp_path, monkeypatch):
    table = a_table()
    learner = C45Classifier(nominal_splits="binary", pruning=None)
    expected = in_memory(learner, table).tree_
    monkeypatch.setattr(tree_growing, "_BLOCK", 1)
    result = grow_from_file(written(table, tmp_path), "y", learner=learner)
    assert_same_tree(result.tree_, expected)


@pytest.mark.parametrize("flavor", ["j48", "r8"])
def test_branches_of_groups_that_no_level_can_reach_are_left_out(flavor, tmp_path):
    table = a_table(1500).assign(big=np.random.default_rng(5).integers(0, 14, 1500).astype(str))
    learner = C45Classifier(flavor=flavor, nominal_splits="group", confidence=1.0)
    found = grow_from_file(written(table, tmp_path), "y", learner=learner).tree_
    assert_same_tree(found, in_memory(learner, table).tree_)
    assert (found.lookup < 0).any()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz", "table.parquet"])
def test_csv_and_parquet_give_the_same_tree(name, tmp_path):
    table = a_table()
    learner = grow_from_file(written(table, tmp_path, name), "y", learner=C45Classifier())
    read = pd.read_csv(tmp_path / name) if "csv" in name else table
    assert_same_tree(learner.tree_, in_memory(C45Classifier(), read).tree_)


@pytest.mark.usefixtures("small_chunks")
def test_categories_integers_as_levels_and_orders_are_kept_and_cut(tmp_path):
    table = a_table()
    table["level"] = pd.Categorical(table["level"], categories=["x", "w", "v", "u"])
    table["size"] = np.where(table["b"] > 0.3, "large", np.where(table["b"] > -0.5, "mid", "small"))
    learner = C45Classifier(
        categorical_features=["few", "level"], ordinal_features={"size": ["small", "mid", "large"]}
    )
    result = grow_from_file(written(table, tmp_path), "y", learner=learner)
    expected = in_memory(learner, table)
    assert_same_tree(result.tree_, expected.tree_)
    assert result.attributes_[4].levels == ("x", "w", "v", "u")
    assert result.attributes_[3].levels == tuple("012345678")
    table = a_table()
    levels = ["none", "x", "w", "v", "u"]
    table["level"] = pd.Categorical(table["level"], levels, ordered=True)
    for learner in (C45Classifier(), C45Classifier(ordinal_splits="multiway")):
        result = grow_from_file(written(table, tmp_path), "y", learner=learner)
        expected = in_memory(learner, table)
        assert_same_tree(result.tree_, expected.tree_)
        assert result.attributes_ == expected.attributes_


def test_an_order_that_is_not_given_is_that_of_the_values(tmp_path):
    table = a_table(300)
    learner = ID3Classifier(ordinal_features=["few"])
    result = grow_from_file(written(table, tmp_path), "y", learner=learner)
    assert_same_tree(result.tree_, in_memory(learner, table).tree_)


def test_the_learner_is_left_as_it_was_and_its_copy_predicts(tmp_path):
    table = a_table()
    learner = C45Classifier()
    result = grow_from_file(written(table, tmp_path), "y", learner=learner)
    X = table.drop(columns="y")
    expected = in_memory(learner, table)
    np.testing.assert_array_equal(result.predict_proba(X), expected.predict_proba(X))
    assert result.feature_names_in_.tolist() == X.columns.tolist()
    assert (result.n_features_in_, result.n_classes_) == (6, 3)
    with pytest.raises(NotFittedError):
        learner.predict(X)


def test_a_pure_start_and_a_stump_are_grown(tmp_path):
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "y": [0, 0, 1, 1]})
    path = written(table, tmp_path)
    stump = grow_from_file(path, "y", learner=C45Classifier()).tree_
    assert stump.threshold.tolist()[0] == 2.0
    assert stump.class_weights.tolist() == [[2, 2], [2, 0], [0, 2]]
    leaf = grow_from_file(path, "y", learner=C45Classifier(min_samples_leaf=3)).tree_
    assert leaf.class_weights.tolist() == [[2, 2]]


@pytest.mark.parametrize("memory_bytes", [0, 1 << 20])
def test_a_column_is_sorted_in_runs_as_at_once(memory_bytes, tmp_path):
    rng = np.random.default_rng(3)
    first = np.round(rng.normal(size=7000), 2)
    first[100:4000] = 0.25
    first[:50] = rng.normal(size=50)
    workspace = mapped_arrays.MappedArrays(tmp_path, memory_bytes)
    for a, column in enumerate([first, first[::-1].copy()]):
        values, rows = workspace.sort([first, column], a)
        order = np.argsort(column, kind="stable")
        np.testing.assert_array_equal(rows, order)
        np.testing.assert_array_equal(values, column[order])
    assert len(list(tmp_path.iterdir())) == 4


def test_pages_that_are_let_go_keep_what_was_written(tmp_path):
    workspace = mapped_arrays.MappedArrays(tmp_path, 0)
    table = workspace.empty((3, 2), np.float64, order="F")
    table[1] = 4.0, 5.0
    workspace.release()
    assert table.tolist() == [[0, 0], [4, 5], [0, 0]]
    assert workspace.empty((0, 2), np.int32).shape == (0, 2)
    assert [part.start for part in workspace.blocks(3)] == [0, 1, 2]


def test_the_working_folder_is_empty_afterwards(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    path = written(a_table(200), tmp_path)
    grow_from_file(path, "y", learner=C45Classifier(), working_folder=folder)
    assert not list(folder.iterdir())

    def interrupted(columns, *_, **__):
        assert list(columns.workspace.folder.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(file_growth, "grow", interrupted)
    with pytest.raises(KeyboardInterrupt):
        grow_from_file(path, "y", learner=C45Classifier(), working_folder=folder)
    assert not list(folder.iterdir())


def test_a_disk_that_is_full_or_too_small_is_said_and_other_troubles_pass(tmp_path, monkeypatch):
    path = written(a_table(200), tmp_path)

    def failing(number):
        def fail(*_, **__):
            raise OSError(number, "trouble")

        return fail

    monkeypatch.setattr(file_growth, "sort_columns", failing(errno.ENOSPC))
    with pytest.raises(InvalidArgumentError, match="must have room for the sorted columns; got a"):
        grow_from_file(path, "y", learner=C45Classifier())
    monkeypatch.setattr(file_growth, "sort_columns", failing(errno.EIO))
    with pytest.raises(OSError, match="trouble"):
        grow_from_file(path, "y", learner=C45Classifier())
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 10, 0))
    with pytest.raises(InvalidArgumentError, match=r"room for 200 rows of 6 columns; got 0\.0 GB"):
        grow_from_file(path, "y", learner=C45Classifier())


def test_progress_is_told_by_stages(tmp_path):
    stages = []
    path = written(a_table(), tmp_path)
    learner = C45Classifier()
    file_growth._grown(
        path, "y", learner, tmp_path, 1 << 20, lambda stage, *_: stages.append(stage)
    )
    assert stages[0] == "reading"
    assert "sorting" in stages
    assert "level 1, 1 nodes" in stages
    assert stages[-1] == "thresholds"


@pytest.mark.parametrize(("progress", "is_shown"), [(True, True), (False, False), ("auto", False)])
def test_a_bar_is_drawn_where_it_is_asked_for(progress, is_shown):
    with file_growth._progress_shown(progress) as report_progress:
        report_progress("reading", 1, np.nan)
        report_progress("sorting", 1, 2)
        assert (report_progress is not mapped_arrays.no_progress) == is_shown


@pytest.mark.parametrize(
    ("learner", "text"),
    [
        (GaussianNB(), r"must be one of C45Classifier, .*; got GaussianNB\(\)\. Others need"),
        (C45RulesClassifier(), r"learner of grow_from_file must be one of C45.*; got C45Rules"),
        (C45Classifier(pruning="reduced-error"), "pruning of C45Classifier must be one of"),
        (C45Classifier(oblique="lda"), "oblique of C45Classifier must be None for a table on disk"),
        (ID3Classifier(discretization="mdl"), "discretization of ID3Classifier must be None"),
        (CARTClassifier(), "ccp_alpha of CARTClassifier must be a number"),
        (CARTClassifier(flavor="simplecart", pruning=None), "must be 'breiman' for a table on"),
        (C45Classifier(max_categories=3), "must have at most max_categories=3 levels; got 4"),
        (C45Classifier(ordinal_features={"level": ["u", "v"]}), "levels of ordinal_features; got"),
    ],
)
def test_learners_that_need_the_table_in_memory_are_refused(learner, text, tmp_path):
    with pytest.raises(InvalidArgumentError, match=text):
        grow_from_file(written(a_table(200), tmp_path), "y", learner=learner)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"memory_bytes": 1000}, "memory_bytes of grow_from_file must be a whole number from"),
        ({"progress": "loud"}, "progress of grow_from_file must be a known one; got 'loud'"),
        ({"working_folder": "/nowhere/at/all"}, "working_folder must be a folder; got '/nowhere"),
    ],
)
def test_wrong_arguments_are_refused(given, text, tmp_path):
    path = written(a_table(200), tmp_path)
    with pytest.raises(InvalidArgumentError, match=text):
        grow_from_file(path, "y", learner=C45Classifier(), **given)


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda t: t.assign(b=t["b"].where(t.index != 150)), "'b' must have a finite value in eve"),
        (lambda t: t.assign(b=t["b"].where(t.index != 150, np.inf)), "got inf in row 150"),
        (
            lambda t: t.assign(level=t["level"].where(t.index != 150)),
            "'level' must have a finite value in every row; got a missing value in row 150",
        ),
        (lambda t: t.assign(y=t["y"].where(t.index != 150)), "label in every row; got none in row"),
        (lambda t: t.assign(y="one"), "y must have at least 2 classes"),
        (lambda t: t.rename(columns={"y": "z"}), "target must be a column of .*; got 'y'"),
        (lambda t: t[["y"]], "must have a feature besides the target; got only 'y'"),
        (lambda t: t.iloc[:0], "must have rows; got none"),
    ],
)
@pytest.mark.usefixtures("small_chunks")
def test_tables_that_break_a_rule_are_refused(name, change, text, tmp_path):
    path = written(change(a_table(200)), tmp_path, name)
    with pytest.raises(ValueError, match=text):
        grow_from_file(path, "y", learner=C45Classifier())


@pytest.mark.usefixtures("small_chunks")
def test_a_column_that_changes_its_type_on_the_way_is_refused(tmp_path):
    table = a_table(200).astype({"few": object})
    table.loc[150, "few"] = "many"
    path = written(table, tmp_path, "table.csv")
    with pytest.raises(InvalidArgumentError, match="must keep the type of their first 97 rows"):
        grow_from_file(path, "y", learner=C45Classifier())


def test_files_that_cannot_be_read_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InvalidArgumentError, match="path must be a file; got"):
        grow_from_file(tmp_path / "none.csv", "y", learner=C45Classifier())
    (tmp_path / "table.xyz").write_text("a,y\n1,2\n")
    with pytest.raises(InvalidArgumentError, match=r"path must end in one of \.parquet"):
        grow_from_file(tmp_path / "table.xyz", "y", learner=C45Classifier())
    (tmp_path / "table.csv").write_text("")
    with pytest.raises(InvalidArgumentError, match="must be a CSV file with a header; got"):
        grow_from_file(tmp_path / "table.csv", "y", learner=C45Classifier())
    (tmp_path / "table.parquet").write_text("no parquet at all")
    with pytest.raises(InvalidArgumentError, match="must be a Parquet file; got"):
        grow_from_file(tmp_path / "table.parquet", "y", learner=C45Classifier())
    path = written(a_table(200), tmp_path)
    monkeypatch.setattr(reading, "_MOST_ROWS", 100)
    with pytest.raises(InvalidArgumentError, match="must be at most 100; got more"):
        grow_from_file(path, "y", learner=C45Classifier())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InvalidArgumentError, match="pyarrow must be installed to read parquet"):
        grow_from_file(path, "y", learner=C45Classifier())


def test_texts_in_a_numeric_column_of_objects_are_refused(tmp_path):
    reader = reading._Numbers("few", False)
    with pytest.raises(InvalidArgumentError, match="'few' must hold numbers in all rows, as in"):
        reader.take(pd.Series(["1", "many"], dtype=object), 0)
