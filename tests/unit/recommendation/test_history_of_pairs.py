import csv
import gzip

import numpy as np
import pytest
from tests.given import data_folder

from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.read_history import read_history

SCORES = "data,lda,tree\niris,0.98,0.9\nwine,0.97,\n"
SECONDS = "name,tree,lda\nwine,3,4\niris,1,2\n"


def tables(folder, scores=SCORES, seconds=SECONDS):
    (folder / "first.csv").write_text(scores)
    (folder / "second.csv").write_text(seconds)
    return {"scores": folder / "first.csv", "seconds": folder / "second.csv"}


def test_rows_and_columns_are_joined_by_their_names(tmp_path):
    history = read_history(tables(tmp_path))
    assert history.data_sets == ("iris", "wine")
    assert history.learners == ("lda", "tree")
    np.testing.assert_array_equal(history.scores, [[0.98, 0.9], [0.97, np.nan]])
    assert history.seconds.tolist() == [[2, 1], [4, 3]]
    assert history.states.tolist() == [["ok", "ok"], ["ok", "missing"]]


def test_errors_become_scores_and_times_may_be_left_out(tmp_path):
    history = read_history({"errors": tables(tmp_path)["scores"]})
    assert history.scores[0].tolist() == [pytest.approx(0.02), pytest.approx(0.1)]
    assert history.measure == "1 - error"
    assert not history.has_seconds


def test_the_oboe_tables_are_read_as_they_are():
    folder = data_folder() / "meta"
    paths = {
        "errors": folder / "oboe-shared-balanced-error.csv.gz",
        "seconds": folder / "oboe-shared-time-s.csv.gz",
    }
    history = read_history(paths)
    assert history.scores.shape == (209, 219)
    assert (history.states == "ok").all()
    for what, result in (("errors", 1 - history.scores), ("seconds", history.seconds)):
        with gzip.open(paths[what], "rt") as file:
            header, *rows = csv.reader(file)
        assert history.learners == tuple(header[1:])
        assert history.data_sets == tuple(row[0] for row in rows)
        expected = np.array([row[1:] for row in rows], dtype=float)
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(history.default_scores, history.scores.min(axis=1))


@pytest.mark.parametrize(
    ("scores", "seconds", "message"),
    [
        (SCORES, "x,lda,tree\niris,1,2\nglass,3,4\n", "rows of .*got wine only in the first"),
        (SCORES, "x,lda,cart\niris,1,2\nwine,3,4\n", "columns of .*got tree only in the first"),
        (SCORES, "x,lda,tree\niris,1,\nwine,3,4\n", "seconds of every score; got none for tree on"),
        (SCORES, "x,lda,tree\niris,1,-2\nwine,3,4\n", "second.csv must .*got -2 for tree on iris"),
        (SCORES, "x,lda,tree\niris,1,a\nwine,3,4\n", "plain numbers in column 'seconds'; got 'a'"),
        ("x,lda\niris,98\n", "x,lda\niris,1\n", "first.csv must have scores from 0 to 1; got 98"),
        ("x,lda\niris,1\niris,1\n", SECONDS, "one row per data set; got several of iris"),
        ("x,lda,lda\niris,1,1\nwine,1,1\n", SECONDS, "got lda_1, lda_2 only in the first, lda, tr"),
        ("x\niris\nwine\n", SECONDS, "a column of names and one per learner; got one column"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, scores, seconds, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read_history(tables(tmp_path, scores, seconds))


def test_long_differences_are_cut(tmp_path):
    many = "x," + ",".join(f"l{i}" for i in range(9)) + "\niris" + ",1" * 9 + "\n"
    few = "x,l0\niris,1\n"
    with pytest.raises(InvalidArgumentError, match="l1, l2, l3 and 5 more only in the first"):
        read_history(tables(tmp_path, many, few))


def test_a_direction_must_be_said_and_not_be_the_opposite_of_the_name(tmp_path):
    given = tables(tmp_path)
    with pytest.raises(InvalidArgumentError, match="one of the two; got neither"):
        read_history({"seconds": given["seconds"]})
    with pytest.raises(InvalidArgumentError, match="one of the two; got both"):
        read_history({"scores": given["scores"], "errors": given["scores"]})
    named = tmp_path / "error-rates.csv"
    named.write_text(SCORES)
    with pytest.raises(InvalidArgumentError, match="not be named like errors to be taken"):
        read_history({"scores": named})
