import pandas as pd
import pytest
from tests.given import data_folder

from bestofk.comparison.entry_point import compare
from bestofk.errors import InvalidArgumentError, StoreError
from bestofk.evaluation import Store
from bestofk.learners import learner_catalogue
from bestofk.recommendation.history_of_stores import read_stores
from bestofk.recommendation.read_history import TABLE, read_history, shipped_history


@pytest.fixture(scope="module")
def store_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("stores") / "runs.db"
    compare(["majority", "nearest-mean"], "iris", cv="1x2", store=path)
    return path


def wide(folder, *names):
    for name in names:
        (folder / name).write_text("data,lda,tree\niris,0.25,0.75\n")
    return [folder / name for name in names]


def test_a_folder_is_a_scenario():
    history = read_history(str(data_folder() / "aslib" / "CSP-Minizinc-Time-2016"))
    assert history.scores.shape == (100, 20)


def test_store_files_and_open_stores_are_stores(store_file):
    expected = read_stores(store_file, measure="auroc").scores.tolist()
    for source in (store_file, str(store_file), [store_file]):
        assert read_history(source, measure="auroc").scores.tolist() == expected
    with Store(store_file) as store:
        assert read_history([store, store_file], measure="auroc").scores.tolist() == expected


def test_a_table_is_long_and_takes_its_columns_as_options(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("d,l,good,s\niris,lda,0.5,2\n")
    columns = {"dataset": "d", "learner": "l", "value": "good", "seconds": "s"}
    history = read_history(path, columns=columns, greater_is_better=True, measure=None)
    assert history.seconds.tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("names", "score"),
    [(("errors.csv", "seconds.csv"), 0.75), (("run-time.csv.gz", "test_accuracy.tsv"), 0.25)],
)
def test_two_tables_are_told_apart_by_their_names(tmp_path, names, score):
    history = read_history(wide(tmp_path, *names))
    assert (history.scores[0, 0], history.seconds.tolist()) == (score, [[0.25, 0.75]])


def test_a_mapping_says_which_table_is_which(tmp_path):
    first, second = wide(tmp_path, "a.csv", "b.csv")
    assert read_history({"errors": first, "seconds": second}).scores[0, 0] == 0.75
    assert read_history({"scores": first}).scores[0, 0] == 0.25
    with pytest.raises(InvalidArgumentError, match="keys scores, errors, seconds; got times"):
        read_history({"scores": first, "times": second})


@pytest.mark.parametrize(
    "names", [("a.csv", "b.csv"), ("a.csv", "time.csv"), ("time.csv", "seconds.csv")]
)
def test_a_direction_that_no_name_tells_is_an_error(tmp_path, names):
    with pytest.raises(InvalidArgumentError, match="named like scores or errors, and like seconds"):
        read_history(wide(tmp_path, *names))


def test_a_source_of_no_kind_is_an_error(tmp_path, store_file):
    (tmp_path / "notes.db").write_text("hello, this is no store")
    for source, message in [
        (tmp_path / "notes.db", "is not a store"),
        (tmp_path, "ASlib scenario must hold"),
        (tmp_path / "nothing.db", r"nothing\.db, which is not there"),
        (tmp_path / "nothing.csv", "data must be an existing file"),
        (pd.DataFrame(), "path or an open store; got DataFrame"),
        ([], "of one kind; got nothing"),
        ([store_file, *wide(tmp_path, "a.csv")], r"of one kind; got .*runs.db, .*a.csv"),
    ]:
        with pytest.raises((InvalidArgumentError, StoreError), match=message):
            read_history(source)


def test_an_option_of_another_kind_is_an_error(tmp_path, store_file):
    tables = wide(tmp_path, "scores.csv", "seconds.csv")
    for source, options, message in [
        (store_file, {"n_folds": 5}, "options of stores must be measure; got n_fo"),
        (tables, {"measure": "a"}, "options of wide tables must be none; got mea"),
        (tables[0], {"learner": "l"}, r"options of a table must be columns.*got l"),
        (tmp_path, {"measure": "accuracy"}, "an ASlib scenario must be none; got measure"),
    ]:
        with pytest.raises(InvalidArgumentError, match=message):
            read_history(source, **options)


def test_what_comes_along_covers_the_catalogue_and_says_its_unit_of_time():
    history = shipped_history()
    assert set(history.learners) == set(learner_catalogue("classification"))
    assert set(history.states.ravel()) <= {"ok", "error", "timeout"}
    assert TABLE.read_text().startswith("# seconds: of the processor, where a fit of scikit-learn")
    assert TABLE.stat().st_size < 300_000
