"""Plain tables as baycomp and autorank take them: blocks of scores, data sets by learners.

The blocks are part of docs/code/accuracies.txt of janezd/baycomp (commit 2b2ef60, MIT): two of five
learners, four data sets, the first ten of 100 scores.
"""

from pathlib import Path

import pandas as pd
import pytest
from tests.unit.score_tables.score_formats.reading import read_as_frame

from bestofk import compare_scores
from bestofk.errors import BestofkError
from bestofk.score_tables.score_formats.read_score_table import read_score_table

BLOCKS = Path(__file__).parent / "files" / "baycomp_accuracies.txt"
TABLE = "{},lda,tree\niris,0.98,0.94\nwine,0.99,0.90\nautos,0.55,0.70\n"


def test_a_part_of_published_blocks_is_read_as_pandas_reads_it():
    table = pd.read_csv(BLOCKS, sep=r"\s+", header=None, names=range(11), engine="python")
    table["learner"] = table[0].where(table[1].isna()).ffill()
    table = table.dropna().drop_duplicates(["learner", 0]).set_index(["learner", 0])
    read = read_as_frame(BLOCKS).set_index(["learner", "dataset", "repeat"])
    ours = read["value"].unstack(sort=False)
    assert ours.index.tolist() == table.index.tolist()
    assert ours.to_numpy().tolist() == table.to_numpy().tolist()
    assert "Data set 'credit' is there twice with the same scores; it counts once." in (
        read_score_table(BLOCKS).notes
    )


def test_blocks_carry_a_verdict_on_a_data_set():
    result = compare_scores(BLOCKS, measure="accuracy", dataset="anneal", cv="1x10")
    means = {item.name: round(item.mean, 4) for item in result.learners}
    assert means == {"nbc": 96.4333, "aode": 97.9951}
    assert result.best == "aode"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("97.778 96.667 100.000", "97.778 ? 100.000", "line 8 of .* 10 scores; got '\\?' for ann"),
        (" 98.876\n", "\n", "line 8 of .* must be a data set and 10 scores; got 9 scores for ann"),
        ("81.159\n                   credit 84", "81.159\n                   credit 85",
         "line 11 of .* must be a data set that was not there before; got credit again, with"),
        ("\naode\n", "\nnbc\n", "line 8 of .* not there before; got anneal again, with other"),
        ("94.444 98.889", "good bad", "line 2 of .* a data set and 10 scores; got 'good' for ann"),
    ],
)  # fmt: skip
def test_damaged_blocks_are_refused_with_the_reason(tmp_path, old, new, reason):
    text = BLOCKS.read_text()
    assert old in text
    path = tmp_path / "accuracies.txt"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BestofkError, match=reason):
        compare_scores(path, measure="accuracy", dataset="iris", cv="1x10")


@pytest.mark.parametrize("name", ["", "Dataset", "data set", "Table 3"])
def test_the_first_column_names_the_data_sets(tmp_path, name):
    path = tmp_path / "table.csv"
    path.write_text(TABLE.format(name))
    ours = read_as_frame(path).pivot(index="dataset", columns="learner", values="value")
    theirs = pd.read_csv(path, index_col=0).sort_index()
    assert ours.to_numpy().tolist() == theirs.to_numpy().tolist()
    assert ours.index.tolist() == theirs.index.tolist()


def test_the_index_of_a_frame_names_the_data_sets():
    frame = pd.DataFrame({"lda": [0.98, 0.99], "tree": [0.94, 0.9]}, index=["iris", "wine"])
    read = read_score_table(frame).columns
    assert read["dataset"] == ["iris", "wine"] * 2
    assert read["value"] == [0.98, 0.99, 0.94, 0.9]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("wine", "iris", "text such as 'iris'"),
        ("0.94", "", "must hold finite numbers; got nothing in row 1"),
    ],
)
def test_damaged_tables_are_refused_with_the_reason(tmp_path, old, new, reason):
    path = tmp_path / "table.csv"
    path.write_text(TABLE.format("").replace(old, new, 1))
    with pytest.raises(BestofkError, match=reason):
        compare_scores(path, measure="accuracy", dataset="iris")
