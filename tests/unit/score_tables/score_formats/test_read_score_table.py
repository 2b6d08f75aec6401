"""A table is read by the format that recognizes it, and by the columns that the caller names."""

import pandas as pd
import pytest

from bestofk import compare_scores
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_formats.read_score_table import read_score_table

PLAIN = pd.DataFrame(
    {"clf": ["a", "b", "a", "b"], "part": [0, 0, 1, 1], "acc": [0.5, 0.7, 0.6, 0.7]}
)


def test_roles_that_the_caller_gives_go_first():
    columns = {"learner": "clf", "fold": "part", "value": "acc"}
    table = read_score_table(PLAIN.assign(fold=3), columns=columns)
    assert table.columns["fold"] == [0, 0, 1, 1]
    assert table.columns["measure"] == ["acc"] * 4
    assert compare_scores(PLAIN, columns=columns).best == "b"
    with pytest.raises(InvalidArgumentError, match="columns must be given where the table is read"):
        read_score_table(table, columns=columns)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"model": "clf"}, "role of a column must be a known one"),
        ({"learner": "clg"}, "column of the role 'learner' must be one of the table; got 'clg'"),
    ],
)
def test_roles_and_columns_that_are_unknown_are_refused(columns, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read_score_table(PLAIN, columns=columns)


def test_two_columns_that_may_name_learners_are_refused():
    table = PLAIN.rename(columns={"clf": "model"}).assign(method=["x", "y", "x", "y"])
    with pytest.raises(InvalidArgumentError, match=r"got (method and model|model and method)"):
        read_score_table(table)


def test_text_is_no_score_of_a_learner():
    with pytest.raises(InvalidArgumentError, match="'clf' must hold scores of a learner; got text"):
        read_score_table(PLAIN)


def test_rows_of_a_wide_table_are_learner_by_learner():
    table = read_score_table(pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.4]}))
    assert table.columns == {
        "repeat": [0, 1, 0, 1],
        "learner": ["a", "a", "b", "b"],
        "value": [0.1, 0.2, 0.3, 0.4],
    }
    assert [table.row_number(row) for row in range(4)] == [1, 2, 1, 2]
