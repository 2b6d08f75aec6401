"""ASlib scenarios: run times are penalized, qualities of failed runs are missing."""

import csv

import numpy as np
import pandas as pd
import pytest
from tests.given import data_folder
from tests.unit.score_tables.score_formats.reading import read_as_frame

from bestofk import compare_scores
from bestofk.errors import BestofkError
from bestofk.score_tables.score_formats.read_score_table import read_score_table

ABOUT = """\
algorithm_cutoff_time: 100
performance_measures: [time]
performance_type: [runtime]
maximize: [false]
metainfo_algorithms: {a: {}, b: {}}
"""
RUNS = """\
@relation runs
@attribute instance_id string
@attribute repetition numeric
@attribute algorithm string
@attribute time numeric
@attribute runstatus {ok, timeout, crash}
@data
p,1,a,10,ok
p,1,b,100,timeout
q,1,a,90,ok
q,1,b,20,ok
r,1,a,1000,timeout
r,1,b,?,crash
"""


def plain(folder) -> pd.DataFrame:
    """Read the runs of a scenario by Python's csv alone."""
    lines = (folder / "algorithm_runs.arff").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().lower() == "@data")
    rows = [row for row in csv.reader(lines[start + 1 :]) if len(row) >= 5]
    names = ("dataset", "repeat", "learner", "given", "status")
    table = pd.DataFrame([row[:5] for row in rows], columns=names)
    return table.assign(given=pd.to_numeric(table["given"], errors="coerce"))


@pytest.mark.parametrize(
    ("name", "cutoff"),
    [("SAT11-HAND", 5000.0), ("CSP-Minizinc-Time-2016", 1200.0), ("OPENML-WEKA-2017", None)],
)
def test_published_scenarios_are_read_as_a_plain_script_reads_them(name, cutoff):
    folder = data_folder() / "aslib" / name
    expected, ours = plain(folder), read_as_frame(folder)
    values = expected["given"]
    if cutoff is not None:
        values = values.where((expected["status"] == "ok") & (values <= cutoff), 10 * cutoff)
    np.testing.assert_array_equal(ours["value"], values)
    for column in ("dataset", "learner"):
        assert ours[column].tolist() == expected[column].tolist()
    assert set(ours["greater_is_better"]) == {cutoff is None}


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "description.txt").write_text(ABOUT)
    (tmp_path / "algorithm_runs.arff").write_text(RUNS)
    return tmp_path


def test_runs_that_were_not_solved_take_ten_times_the_cutoff(scenario):
    read = read_score_table(scenario)
    assert read.columns["value"] == [10.0, 1000.0, 90.0, 20.0, 1000.0, 1000.0]
    assert set(read.columns["measure"]) == {"PAR10_time"}
    assert "3 of 6 runs were not solved; they count as 10 times the cutoff of 100 s." in read.notes


def test_a_quality_of_a_failed_run_is_missing(scenario):
    about = ABOUT.replace("runtime", "solution_quality").replace("false", "true")
    (scenario / "description.txt").write_text(about)
    read = read_score_table(scenario)
    assert read.columns["value"] == [10.0, None, 90.0, 20.0, None, None]
    assert read.columns["message"] == [None, "timeout", None, None, "timeout", "crash"]
    assert set(read.columns["greater_is_better"]) == {True}


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("algorithm_runs.arff", "q,1,b,20,ok", "q,1,b,?,ok", "have time in every run that is ok"),
        ("algorithm_runs.arff", "q,1,b,20,ok", "q,1,a,20,ok", "one row per instance, algorithm"),
        ("algorithm_runs.arff", "q,1,b,20,ok", "q,1,b,-20,ok", "of at least 0; got -20 for b on q"),
        ("algorithm_runs.arff", "@attribute time", "@attribute seconds", "have an attribute time"),
        ("description.txt", "algorithm_cutoff_time: 100", "", "give algorithm_cutoff_time in sec"),
    ],
)
def test_damaged_scenarios_are_refused_with_the_reason(scenario, file, old, new, reason):
    path = scenario / file
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(BestofkError, match=reason):
        compare_scores(scenario, dataset="p")
