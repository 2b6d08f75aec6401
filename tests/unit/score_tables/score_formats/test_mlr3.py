"""Benchmark tables of mlr3: iterations pair, failed fits are missing.

The file is part of data-batchmark-registry.csv of tdhock/cv-same-other-paper (commit e097ac2, no
license file; six columns are not mlr3's).
"""

from pathlib import Path

import pandas as pd
import pytest
from tests.given import data_folder
from tests.unit.score_tables.score_formats.reading import read_as_frame

from bestofk import compare_scores
from bestofk.errors import BestofkError
from bestofk.score_tables.score_formats.read_score_table import read_score_table

FILE = Path(__file__).parent / "files" / "mlr3_benchmark.csv"


@pytest.mark.parametrize("is_whole", [False, True], ids=["part", "whole"])
def test_a_published_benchmark_is_read_as_pandas_reads_it(is_whole):
    path = data_folder() / "results" / "mlr3-benchmark.csv" if is_whole else FILE
    ours, theirs = read_as_frame(path), pd.read_csv(path)
    of_mlr3 = {"dataset": "task_id", "learner": "learner_id", "repeat": "iteration"}
    for name, its_name in {**of_mlr3, "value": "classif.ce"}.items():
        assert ours[name].tolist() == theirs[its_name].tolist()
    assert set(ours["measure"]) == {"classif.ce"}


def test_means_of_a_task_are_those_of_pandas():
    result = compare_scores(FILE, dataset="vowel", n_train=9, n_test=1)
    table = pd.read_csv(FILE).query("task_id == 'vowel'")
    expected = table.groupby("learner_id")["classif.ce"].mean()
    assert {item.name: item.mean for item in result.learners} == pytest.approx(expected.to_dict())
    assert result.best == expected.idxmin()
    assert not result.measure.greater_is_better  # ce is an error, by its name


def test_iterations_of_cv_are_folds_and_those_of_repeated_cv_need_a_plan():
    table = pd.read_csv(FILE).query("task_id == 'vowel'")
    table["iteration"] = table.groupby("learner_id").cumcount() + 1
    cv = compare_scores(table.assign(resampling_id="cv"))
    assert cv.plan_sentence == "1 x 10 folds, 9 training rows per test row"
    repeated = table.assign(resampling_id="repeated_cv")
    with pytest.raises(BestofkError, match="the sizes of training and test sets"):
        compare_scores(repeated)
    assert compare_scores(repeated, cv="5x2").plan_sentence.startswith("5 x 2 folds, 1 training")


def test_scores_of_failed_fits_are_missing():
    table = pd.read_csv(FILE).query("task_id == 'vowel'")
    read = read_score_table(table.assign(errors=["no convergence", *[""] * 19], warnings=3))
    assert read.columns["value"][0] is None
    assert read.columns["message"][:2] == ["errors of mlr3: no convergence", None]
    assert "1 of 20 results come from failed fits; they are missing." in read.notes


def test_aggregates_have_one_score_for_each_task():
    table = pd.read_csv(FILE)
    means = table.groupby(["task_id", "learner_id", "resampling_id"], as_index=False)[
        "classif.ce"
    ].mean()
    read = read_score_table(means.assign(nr=range(4), iters=10)).columns
    assert read["value"] == means["classif.ce"].tolist()
    assert "repeat" not in read


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t.assign(iteration=[0, *t["iteration"][1:]]),
         "column 'iteration' must hold whole numbers from 1; got 0 in row 1"),
        (lambda t: t.drop(columns=["classif.ce", "percent.error", "test.fold"]),
         "must have a column of scores such as classif.ce; got "),
        (lambda t: t.assign(resampling_id=["holdout", *t["resampling_id"][1:]]),
         "resampling of a task must be the same for all learners; got holdout and same_other_cv"),
    ],
)  # fmt: skip
def test_damaged_benchmarks_are_refused_with_the_reason(change, reason):
    with pytest.raises(BestofkError, match=reason):
        compare_scores(change(pd.read_csv(FILE)), dataset="khan", n_train=5, n_test=1)
