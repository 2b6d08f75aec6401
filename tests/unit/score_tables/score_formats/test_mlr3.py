"""Benchmark tables of mlr3: iterations pair, failed fits are missing.

The file is part of data-batchmark-registry.csv of tdhock/cv-same-other-paper (commit e097ac2, no
license file; six columns are not mlr3's).
"""

from pathlib import Path

import pandas as pd
import pytest
from tests.given import data_folder

from bestofk import compare_scores
from bestofk.errors import BestofkError
from bestofk.score_tables.score_formats.read_score_table import read_score_table

FILE = Path(__file__).parent / "files" / "mlr3_benchmark.csv"


def long(table) -> pd.DataFrame:
    read = pd.DataFrame(read_score_table(table).columns)
    return read.assign(value=pd.to_numeric(read["value"]))


def check_same(path) -> None:
    ours, theirs = long(path), pd.read_csv(path)
    assert ours["dataset"].tolist() == theirs["task_id"].tolist()
    assert ours["learner"].tolist() == theirs["learner_id"].tolist()
    assert ours["repeat"].tolist() == theirs["iteration"].tolist()
    assert ours["value"].tolist() == theirs["classif.ce"].tolist()
    assert set(ours["measure"]) == {"classif.ce"}


def test_a_part_of_a_published_benchmark_is_read_as_pandas_reads_it():
    check_same(FILE)


def test_a_whole_published_benchmark_is_read_as_pandas_reads_it():
    check_same(data_folder() / "results" / "mlr3-benchmark.csv")


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
        (lambda t: pd.concat([t, t.head(1)]), "each score must be there once; got learner 'class"),
        (lambda t: t.assign(**{"classif.ce": ["NaN?", *t["classif.ce"].astype(str)[1:]]}),
         "scores of 'classif.cv_glmnet' must hold finite numbers; got 'NaN.' in row 1"),
    ],
)  # fmt: skip
def test_damaged_benchmarks_are_refused_with_the_reason(change, reason):
    with pytest.raises(BestofkError, match=reason):
        compare_scores(change(pd.read_csv(FILE)), dataset="khan", n_train=5, n_test=1)
