"""Evaluations of OpenML: flows are learners, tasks data sets, the last run counts.

The file is part of tests/files/mock_responses/studies/publish_study/
get_evaluation_list_function_predictive_accuracy_limit_10_offset_0.xml of openml/openml-python
(commit 8de04a4, BSD 3-Clause), an answer of the test server.
"""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from tests.unit.score_tables.score_formats.reading import read_as_frame

from bestofk import compare_scores
from bestofk.errors import BestofkError
from bestofk.score_tables.score_formats.read_score_table import read_score_table

FILE = Path(__file__).parent / "files" / "openml_evaluation_list.xml"
LISTED = pd.DataFrame(
    {
        "run_id": [1, 2, 3, 4, 5],
        "task_id": [59, 59, 9, 9, 59],
        "setup_id": [7, 8, 7, 8, 7],
        "flow_id": [60, 61, 60, 61, 60],
        "flow_name": ["weka.J48(1)", "weka.IBk(1)", "weka.J48(1)", "weka.IBk(1)", "weka.J48(1)"],
        "data_id": [61, 61, 9, 9, 61],
        "data_name": ["iris", "iris", "autos", "autos", "iris"],
        "function": "predictive_accuracy",
        "upload_time": ["2014-04-07", "2014-04-07", "2014-04-07", "2014-04-07", "2015-01-02"],
        "value": [0.94, 0.953, 0.82, 0.751, 0.96],
        "values": None,
        "array_data": None,
    }
)  # columns as openml-python lists them


def plain(path) -> pd.DataFrame:
    """Read the same by pandas alone."""
    table = pd.read_xml(path, parser="etree").sort_values(["upload_time", "run_id"])
    several = table.groupby("flow_name")["setup_id"].transform("nunique") > 1
    setups = " (setup " + table["setup_id"].astype(str) + ")"
    table["learner"] = table["flow_name"] + setups.where(several, "")
    several = table.groupby("data_name")["task_id"].transform("nunique") > 1
    tasks = " (task " + table["task_id"].astype(str) + ")"
    table["dataset"] = table["data_name"] + tasks.where(several, "")
    return table.drop_duplicates(["dataset", "learner", "function"], keep="last")


def test_a_part_of_an_answer_of_the_server_is_read_as_pandas_reads_it():
    ours, expected = read_as_frame(FILE), plain(FILE).sort_values("run_id")
    for name in ("dataset", "learner", "value"):
        assert ours[name].tolist() == expected[name].tolist()
    assert set(ours["dataset"]) == {"diabetes (task 119)", "diabetes (task 115)", "balance-scale"}
    (*_, note) = read_score_table(FILE).notes
    assert note.startswith("1 of 6 evaluations are of earlier runs of the same learner")


def test_json_and_frames_hold_the_same(tmp_path):
    evaluations = ElementTree.parse(FILE).getroot()
    rows = [{item.tag.partition("}")[2]: item.text.strip() for item in row} for row in evaluations]
    path = tmp_path / "evaluations.json"
    path.write_text(json.dumps({"evaluations": {"evaluation": rows}}))
    assert read_score_table(path).columns == read_score_table(FILE).columns
    assert read_score_table(pd.DataFrame(rows)).columns == read_score_table(FILE).columns


def test_the_last_run_of_a_learner_on_a_task_counts():
    read = read_score_table(LISTED).columns
    assert read["value"] == [0.953, 0.82, 0.751, 0.96]
    assert read["learner"] == ["weka.IBk(1)", "weka.J48(1)", "weka.IBk(1)", "weka.J48(1)"]
    result = compare_scores(LISTED, dataset="iris", greater_is_better=True)
    assert result.best == "weka.J48(1)"


def test_scores_of_folds_pair():
    values = ["[0.9, 0.8, 0.7]", "[0.5, 0.6, 0.7]", "[1, 1, 1]", "[0.5, 0.5, 0.5]", [0.1, 0.2, 0.3]]
    listed = LISTED.assign(value=None, values=values)
    result = compare_scores(listed, dataset="iris", cv="1x3", greater_is_better=True)
    scores = {item.name: item.scores.tolist() for item in result.learners}
    assert scores == {"weka.IBk(1)": [0.5, 0.6, 0.7], "weka.J48(1)": [0.1, 0.2, 0.3]}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t.drop(columns="data_name"), "must have the columns .* got no data_name"),
        (lambda t: t.assign(flow_name=[None, *t["flow_name"][1:]]),
         "column flow_name must be filled in every row; got nothing in row 1"),
        (lambda t: t.assign(run_id="many"), "column 'run_id' must hold whole numbers; got 'many'"),
        (lambda t: t.assign(values="0.9 0.8"), "column 'values' must hold lists of numbers"),
    ],
)  # fmt: skip
def test_damaged_lists_are_refused_with_the_reason(change, reason):
    with pytest.raises(BestofkError, match=reason):
        compare_scores(change(LISTED), dataset="iris", greater_is_better=True)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.xml", "<oml:runs xmlns:oml='http://openml.org/openml'/>", "got runs. Save the reply"),
        ("a.xml", "<oml:evaluations", "got no XML"),
        ("a.json", "[1, 2]", "got a list without one"),
        ("a.json", "{'evaluations': 1}", "got no JSON"),
        ("a.json", '{"evaluations": {"evaluation": []}}', "must"),
    ],
)
def test_other_replies_are_refused_with_the_reason(tmp_path, name, text, reason):
    (tmp_path / name).write_text(text)
    with pytest.raises(BestofkError, match=re.escape(reason) if reason != "must" else reason):
        read_score_table(tmp_path / name)
