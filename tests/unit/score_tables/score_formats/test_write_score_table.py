"""Written result files of other tools are read back to the same scores."""

import pandas as pd
import pytest

from bestofk import Store, compare
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.store import export_scores
from bestofk.score_tables.paired_scores import read_scores
from bestofk.score_tables.score_formats.read_score_table import read_score_table
from bestofk.score_tables.score_formats.write_score_table import score_table_text

ENDINGS = {"weka": "arff", "amlb": "csv"}
LEARNERS = ["nearest-mean", "c45(confidence=0.1)", "majority"]


@pytest.fixture(scope="module")
def exported():
    with Store() as store:
        compare(LEARNERS, "iris", cv="3x2", store=store)
        return export_scores(store, ["error", "accuracy"])


@pytest.mark.parametrize("to", list(ENDINGS))
@pytest.mark.parametrize("measure", ["error", "accuracy"])
def test_own_runs_come_back_as_they_were(exported, tmp_path, to, measure):
    rows = exported[exported["measure"] == measure]
    path = tmp_path / f"scores.{ENDINGS[to]}"
    path.write_text(score_table_text(rows, to))
    wanted = read_scores(rows, measure=None, dataset=None, cv=None)
    scores = read_scores(path, measure=None, dataset=None, cv=None)
    assert (scores.names, scores.values.tolist()) == (wanted.names, wanted.values.tolist())
    assert scores.repeats.tolist() == wanted.repeats.tolist() == [0, 0, 1, 1, 2, 2]
    assert (scores.measure, scores.sizes) == (measure, wanted.sizes)
    seconds = [float(value) for value in read_score_table(path).columns["train_seconds"]]
    assert seconds == rows["train_seconds"].tolist()


def test_weka_takes_several_measures_and_amlb_one(exported, tmp_path):
    path = tmp_path / "scores.arff"
    path.write_text(score_table_text(exported, "weka"))
    errors = read_scores(path, measure="error", dataset=None, cv=None).values
    accuracies = read_scores(path, measure="accuracy", dataset=None, cv=None).values
    assert errors + accuracies == pytest.approx(1)
    with pytest.raises(InvalidArgumentError, match="one measure per data set; got error, accuracy"):
        score_table_text(exported, "amlb")


@pytest.mark.parametrize("to", list(ENDINGS))
def test_what_is_missing_stays_missing(tmp_path, to):
    frame = pd.DataFrame(
        {"dataset": "it's", "learner": ["a, b", "ridge(alpha=0.5)"], "repeat": 0, "fold": 0,
         "measure": "auc", "value": [0.5, None], "greater_is_better": True,
         "message": [None, "out of memory"]}
    )  # fmt: skip
    path = tmp_path / f"scores.{ENDINGS[to]}"
    path.write_text(score_table_text(frame, to))
    columns = read_score_table(path).columns
    assert (columns["dataset"], columns["learner"]) == (["it's"] * 2, ["a, b", "ridge(alpha=0.5)"])
    assert (float(columns["value"][0]), columns["value"][1]) == (0.5, None)


def test_an_unknown_format_is_refused(exported):
    with pytest.raises(InvalidArgumentError, match="must be a known one; got 'arff'"):
        score_table_text(exported, "arff")
