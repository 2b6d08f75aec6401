"""Results of the AutoML benchmark are read to the numbers of a plain pandas script."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.given import data_folder

from bestofk import apply_procedure, compare_scores
from bestofk.errors import BestofkError, DesignError, InvalidArgumentError
from bestofk.score_tables import compare_scores_across
from bestofk.score_tables.paired_scores import read_scores
from bestofk.score_tables.score_formats.missing_scores import with_scores_of_all
from bestofk.score_tables.score_formats.read_score_table import read_score_table

# The form of files since 2021: type and metric are named, losses have a sign.
ROWS = """id,task,framework,constraint,fold,type,result,metric,mode,version,params,app_version,utc,\
duration,training_duration,predict_duration,models_count,seed,info,acc,auc,logloss
t/1,kc2,RF,1h,0,binary,0.86,auc,local,1,,x,2022,3.2,3.0,0.2,9,1,,0.79,0.86,0.35
t/1,kc2,RF,1h,1,binary,0.88,auc,local,1,,x,2022,3.0,2.9,0.1,9,2,,0.9,0.88,0.4
t/1,kc2,LGB,1h,0,binary,0.84,auc,local,1,,x,2022,3.2,3.0,0.2,9,1,,0.79,0.84,0.35
t/1,kc2,LGB,1h,1,binary,0.83,auc,local,1,,x,2022,3.0,2.9,0.1,9,2,,0.9,0.83,0.4
t/2,iris,RF,1h,0,multiclass,-0.12,neg_logloss,local,1,,x,2022,2.9,2.1,0.5,9,1,,0.93,,0.12
t/2,iris,RF,1h,1,multiclass,-0.03,neg_logloss,local,1,,x,2022,3.0,2.2,0.5,9,2,,1.0,,0.03
t/2,iris,LGB,1h,0,multiclass,-0.2,neg_logloss,local,1,,x,2022,2.9,2.1,0.5,9,1,,0.93,,0.2
t/2,iris,LGB,1h,1,multiclass,,,local,1,,x,2022,3.0,,,,2,TimeoutError: out of time
"""

# Excerpts of openml/automlbenchmark (MIT License): reports/results_small-2c1h_ref.csv, commit
# b3e1402502f3cca2cb5282bf5ecef8c6b9bbf1fd, three folds of two tasks; and the sample of HOWTO.md,
# commit 517a00e0fe2aaf1a3cc18a075ec4a8693fe8adef.
FILES = Path(__file__).parent / "files"


def test_losses_lose_their_sign_and_short_lines_are_failures(write):
    table = read_score_table(write(ROWS))
    assert table.columns["measure"] == ["auc"] * 4 + ["logloss"] * 4
    assert table.columns["greater_is_better"] == [True] * 4 + [False] * 4
    values = [None if value is None else float(value) for value in table.columns["value"]]
    assert values == [0.86, 0.88, 0.84, 0.83, 0.12, 0.03, 0.2, None]
    assert table.columns["message"][-1] == "TimeoutError: out of time"
    assert table.columns["train_seconds"][0] == "3.0"
    notes = " ".join(table.notes)
    assert "1 of 8 rows have no result: LGB 1." in notes
    assert "Read as missing: fields that 1 row lack" in notes


def test_the_constraint_is_in_the_name_where_there_are_several(write):
    table = read_score_table(write(ROWS.replace("LGB,1h", "RF,4h")))
    assert table.columns["learner"][:3] == ["RF (1h)", "RF (1h)", "RF (4h)"]


def test_measures_of_several_kinds_have_no_mean_but_ranks(write):
    path = write(ROWS)
    result = apply_procedure(path, "friedman", missing="drop-split")
    assert (result.n, result.p_value) == (2, pytest.approx(0.1573, abs=1e-4))
    with pytest.raises(DesignError, match="must be the same on all data sets for wilcoxon"):
        apply_procedure(path, "wilcoxon", "RF", "LGB", missing="drop-split")


def test_what_is_missing_is_left_out_for_all_learners_and_told(write):
    table = read_score_table(write(ROWS))
    kept = with_scores_of_all(table, measure=None, dataset=None, missing="drop-split")
    assert kept.row_number(5) == 7
    assert len(kept.columns["value"]) == 6  # fold 1 of iris is gone for RF as well
    assert kept.cautions == (
        "1 of 4 splits are left out for all learners, since some lack a score there: LGB lacks 1, "
        "such as 'TimeoutError: out of time'.",
    )
    assert set(kept.columns["n_train"]) == {1}  # two folds, as they were
    kept = with_scores_of_all(table, measure=None, dataset=None, missing="drop-data")
    assert set(kept.columns["dataset"]) == {"kc2"}
    assert "leaves out 1 of 2 data sets: iris." in kept.cautions[0]
    with pytest.raises(DesignError, match="got none of 1"):
        with_scores_of_all(table, measure="logloss", dataset="iris", missing="drop-data")
    with pytest.raises(InvalidArgumentError, match="missing must be a known one"):
        with_scores_of_all(table, measure=None, dataset=None, missing="drop")


def test_data_sets_without_the_measure_are_left_out_and_told(write):
    table = read_score_table(write(ROWS))
    kept = with_scores_of_all(table, measure="auc", dataset=None, missing="refuse")
    assert kept.measures() == ["auc"]
    assert kept.notes[-1] == "Left out, without auc: 1 data sets (iris)."
    with pytest.raises(InvalidArgumentError, match="It has auc, logloss"):
        with_scores_of_all(table, measure="acc", dataset=None, missing="refuse")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("result,metric", "outcome,metric", "must have the columns .*; got no result. Take"),
        (",fold,", ",part,", "got no fold"),
        ("t/1,kc2,RF,1h,0", "t/1,,RF,1h,0", "column task must be filled in every row; got nothing"),
        ("t/1,kc2,LGB,1h,1", "t/1,kc2,LGB,1h,0", "each score must be there once"),
        ("binary,0.86", "binary,good", "must be a number; got 'good' in row 1 \\(task kc2"),
        ("binary,0.86", "binary,$5", "got '\\$5' in row 1 .*a failed run is left empty"),
        ("t/1,kc2,LGB,1h,1", "t/1,kc2,LGB,1h,x", "fold .* a whole number; got 'x' in row 4 .*kc2"),
        ("t/1,kc2,LGB,1h,1", "t/1,kc2,CAT,1h,1", "fold 0 is missing for 'CAT'"),
    ],
)  # fmt: skip
def test_damaged_results_are_refused_with_the_reason(write, old, new, message):
    assert old in ROWS
    path = write(ROWS.replace(old, new))
    with pytest.raises(BestofkError, match=message):
        compare_scores(path, dataset="kc2")


@pytest.mark.parametrize("name", ["made", "amlb-2019.csv", "amlb-2020.csv"])
def test_a_line_that_lacks_one_field_is_named_with_its_task(write, name):
    header, first, *lines = (ROWS if name == "made" else (FILES / name).read_text()).splitlines()
    fields = first.split(",")
    for lacking in range(len(fields)):
        short = ",".join(fields[:lacking] + fields[lacking + 1 :])
        with pytest.raises(InvalidArgumentError) as refusal:
            read_score_table(write("\n".join([header, short, *lines])))
        assert "line 2 of" in str(refusal.value)
        assert fields[1] in str(refusal.value) or lacking == 1


def test_a_failed_run_that_lacks_a_field_before_its_metric_is_refused(write):
    *lines, failed = ROWS.splitlines()
    fields = failed.split(",")
    for lacking in range(8):
        short = ",".join(fields[:lacking] + fields[lacking + 1 :])
        with pytest.raises(InvalidArgumentError, match=r"task|line 9"):
            read_score_table(write("\n".join([*lines, short])))


def test_the_results_of_2019_are_those_of_plain_pandas():
    path = data_folder() / "results" / "amlb-results.csv"
    plain = pd.read_csv(path)
    table = read_score_table(path)
    is_auc = plain["auc"].notna().groupby(plain["task"]).transform("any")
    assert table.columns["measure"] == np.where(is_auc, "auc", "logloss").tolist()
    read = [float("nan") if value is None else float(value) for value in table.columns["value"]]
    assert np.array_equal(read, plain["result"], equal_nan=True)
    assert read.count(None) + sum(map(np.isnan, read)) == 111
    # without the splits that some framework lacks
    whole = with_scores_of_all(table, measure="auc", dataset=None, missing="drop-split")
    wide = (
        plain[is_auc].pivot(index=["task", "fold"], columns="framework", values="result").dropna()
    )
    for task, part in wide.groupby("task"):
        scores = read_scores(whole, measure=None, dataset=task, cv=None)
        assert scores.values.tolist() == part[scores.names].to_numpy().T.tolist()
    across = compare_scores_across(path, measure="auc", missing="drop-split")
    wanted = wide.groupby("task").mean()
    for row, name in enumerate(across.data_sets):
        assert across.values[row] == pytest.approx(wanted.loc[name, [*across.learners]].to_numpy())
    assert across.data_sets == tuple(name for name in table.rows_of if name in wanted.index)


@pytest.mark.parametrize("name", ["amlb-2019.csv", "amlb-2020.csv"])
def test_excerpts_of_published_results_are_those_of_plain_pandas(name):
    plain = pd.read_csv(FILES / name)
    table = read_score_table(FILES / name)
    assert [float(value) for value in table.columns["value"]] == plain["result"].tolist()
    for row, measure in enumerate(table.columns["measure"]):
        assert plain[measure][row] == plain["result"][row]
    assert dict(zip(table.columns["measure"], table.columns["greater_is_better"], strict=True)) == {
        measure: measure == "auc" for measure in table.columns["measure"]
    }
    assert [float(value) for value in table.columns["seconds"]] == plain["duration"].tolist()
    assert table.columns["learner"] == plain["framework"].tolist()


def test_an_excerpt_of_two_measures_is_judged_by_ranks():
    across = compare_scores_across(FILES / "amlb-2019.csv")
    assert across.learners == ("constantpredictor_enc", "RandomForest")
    assert across.values.tolist() == [[2, 1], [2, 1]]
    across = compare_scores(FILES / "amlb-2019.csv", dataset="fabert")
    assert across.best == "RandomForest"
