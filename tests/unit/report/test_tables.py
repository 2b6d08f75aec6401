import pandas as pd
from tests.unit.report.given_findings import MEANS

from bestofk.measures import get_measure
from bestofk.report import pairs_frame
from bestofk.report.sections import learner_table
from bestofk.stopping.history import StoppingHistory


def test_the_pairs_are_the_fields_of_the_verdict(make):
    frame = pairs_frame(make())
    assert frame.shape == (5, 16)
    assert frame.loc[0, "finding"] == "undecided"
    assert frame.loc[0, "low"] == -0.05


def test_without_pairs_the_columns_stay(make):
    frame = pairs_frame(make(verdict={"pairs": []}))
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 0
    assert frame.columns[0] == "first"


def test_percentages_below_one_have_a_second_decimal(make):
    table = learner_table(make(learners={"logistic": {"mean": 0.0042}}))
    assert [row.cells[0] for row in table.rows][:2] == ["0.42%", "6.00%"]


def test_given_scores_have_no_seconds(make):
    table = learner_table(make(learners={name: {"n_runs": 0} for name in MEANS}))
    assert table.heads == ["learner", "error", "sd", "vs logistic"]


def test_a_measure_that_is_no_share_is_a_number(make):
    auroc = get_measure("auroc", task="classification", classes=["a", "b"])
    table = learner_table(make(measure=auroc))
    assert table.heads[1] == "AUROC"
    assert table.rows[1].cells[:3] == ("0.060", "0.018", "can't tell (-0.010)")


def test_failed_runs_get_a_column_only_where_there_are_some(make):
    assert learner_table(make(learners={"1nn": {"n_failed": 1}})).rows[2].cells[-1] == "1/4"


def test_whole_repeats_are_counted_not_runs(make):
    course = StoppingHistory(0, 50, 3, (), (), "", is_settled=False, level=0.05)
    n_runs = {"1nn": {"n_runs": 15}, "majority": {"n_runs": 1}}
    table = learner_table(make(stopping_history=course, learners=n_runs))
    assert table.heads[4] == "repeats"
    assert [row.cells[3] for row in table.rows] == ["1", "1", "5", "1", "0"]


def test_a_learner_that_takes_no_part_says_so(make):
    order = [name for name in MEANS if name != "1nn"]
    left_out = {"1nn": {"left_out": "4 of 4 runs failed"}}
    table = learner_table(make(learners=left_out, verdict={"order": order}))
    assert table.rows[-1].cells[2] == "left out"
    assert table.rows[-1].role == "left out"
