"""Results of TabArena: own results alone, the metric of each task, splits of three folds.

The file is part of packages/tabflow_slurm/experiments/eval_output/example_tabarena_v0pt1_local/
subsets/lite/results_per_split.csv of autogluon/tabarena (commit 29bdbf9, Apache License 2.0).
"""

from pathlib import Path

import pandas as pd
import pytest
from tests.given import data_folder
from tests.unit.score_tables.score_formats.reading import read_as_frame

from bestofk import compare_scores
from bestofk.errors import BestofkError
from bestofk.score_tables.score_formats.read_score_table import read_score_table

FILE = Path(__file__).parent / "files" / "tabarena_results_per_split.csv"


def plain(path) -> pd.DataFrame:
    """Read the same by pandas alone."""
    table = pd.read_csv(path)
    table["value"] = table["metric_error"].mask(table["imputed"])
    return table.assign(measure=table["metric"] + "_error")


def check_same(path) -> None:
    ours, theirs = read_as_frame(path), plain(path)
    for name, its_name in (("dataset", "dataset"), ("learner", "method"), ("measure", "measure")):
        assert ours[name].tolist() == theirs[its_name].tolist()
    pd.testing.assert_series_equal(ours["value"], theirs["value"])
    pd.testing.assert_series_equal(
        pd.to_numeric(ours["train_seconds"]), theirs["time_train_s"], check_names=False
    )
    assert ours["message"].notna().tolist() == theirs["imputed"].tolist()
    assert not ours["greater_is_better"].any()


def test_a_part_of_the_published_results_is_read_as_pandas_reads_it():
    check_same(FILE)
    table = read_score_table(FILE)
    assert "3 of 36 results are imputed: numbers of another method, taken as missing." in (
        table.notes
    )
    assert set(table.columns["message"]) == {None, "imputed by RandomForest_c1_BAG_L1"}


def test_all_published_results_are_read_as_pandas_reads_them():
    path = data_folder() / "meta" / "tabarena_lite_per_split.csv.gz"
    check_same(path)
    assert any("426 of 3978 results are imputed" in note for note in read_score_table(path).notes)


def test_parquet_holds_the_same(tmp_path):
    pytest.importorskip("pyarrow")
    pd.read_csv(FILE).to_parquet(tmp_path / "results.parquet")
    expected = read_as_frame(FILE).astype(str)
    pd.testing.assert_frame_equal(read_as_frame(tmp_path / "results.parquet").astype(str), expected)
    pd.testing.assert_frame_equal(read_as_frame(pd.read_csv(FILE)).astype(str), expected)


def test_splits_of_all_repeats_are_divided_into_three_folds_each():
    table = pd.read_csv(FILE).head(3).drop(columns="dataset")
    rows = pd.concat([table.assign(dataset="a", fold=fold) for fold in range(6)])
    read = read_score_table(rows).columns
    assert list(zip(read["repeat"], read["fold"], strict=True))[::3] == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2),
    ]  # fmt: skip
    ten = pd.concat([rows.head(3).assign(fold=fold) for fold in range(10)])
    assert read_score_table(ten).columns["repeat"] == [0] * 30


def test_results_of_tabrepo_have_a_measure_for_each_kind_of_task():
    path = data_folder() / "meta" / "automl_openml_per_fold.csv.gz"
    table, ours = pd.read_csv(path), read_as_frame(path)
    assert ours["measure"].tolist() == ("metric_error_of_" + table["problem_type"]).tolist()
    assert ours["value"].tolist() == table["metric_error"].tolist()
    assert ours["learner"].tolist() == table["framework"].tolist()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t.assign(metric=["rmse", *t["metric"][1:]]),
         "metric of a data set of TabArena must be one; got rmse_error and roc_auc_error on APS"),
        (lambda t: t.assign(imputed=["perhaps", *t["imputed"][1:]]),
         "column 'imputed' must be true or false; got 'perhaps' in row 1"),
        (lambda t: t.groupby("method", as_index=False)["metric_error"].mean(), "must"),
    ],
)  # fmt: skip
def test_damaged_results_are_refused_with_the_reason(change, reason):
    with pytest.raises(BestofkError, match=reason):
        compare_scores(change(pd.read_csv(FILE)), dataset="APSFailure")


@pytest.mark.parametrize("empty", ["", "nan", "NA"])
def test_a_cell_of_imputed_that_is_empty_says_that_the_result_is_its_own(tmp_path, empty):
    table = pd.read_csv(FILE, dtype=str)
    own = table.index[table["imputed"] == "False"]
    table.loc[own[::2], "imputed"] = empty
    path = tmp_path / "results.csv"
    table.to_csv(path, index=False)
    read, whole = read_score_table(path), read_score_table(FILE)
    assert read.columns["value"] == whole.columns["value"]
    assert read.columns["message"] == whole.columns["message"]
    numbers = pd.read_csv(path).assign(imputed=lambda t: t["imputed"].astype(float))
    assert read_score_table(numbers).columns["message"] == whole.columns["message"]
