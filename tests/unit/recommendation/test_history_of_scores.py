import csv
import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import arff
from tests.given import data_folder

from bestofk.data.text_values import is_missing
from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.history import History
from bestofk.recommendation.history_of_tables import history_of_scores
from bestofk.recommendation.read_history import read_history
from bestofk.score_tables.score_formats.read_score_table import read_score_table

HEAD = "dataset,algorithm,accuracy,time\n"


def table(folder, text, name="results.csv"):
    path = folder / name
    path.write_text(text)
    return path


def rows_of(name):
    with gzip.open(data_folder() / "meta" / name, "rt") as file:
        return list(csv.DictReader(file))


def test_usual_names_are_found(tmp_path):
    path = table(tmp_path, HEAD + "iris,lda,0.98,0.5\niris,tree,0.9,2\nwine,tree,0.8,3\n")
    history = read_history(path)
    assert history.data_sets == ("iris", "wine")
    assert history.learners == ("lda", "tree")
    np.testing.assert_array_equal(history.scores, [[0.98, 0.9], [np.nan, 0.8]])
    np.testing.assert_array_equal(history.seconds, [[0.5, 2], [np.nan, 3]])
    assert history.states.tolist() == [["ok", "ok"], ["missing", "ok"]]
    assert history.default_scores.tolist() == [0.9, 0.8]
    assert history.measure == "accuracy"
    assert history.notes == (
        "Read results.csv as utf-8 with separator comma.",
        "Column 'algorithm' is read as learner.",
        "Column 'time' is read as seconds.",
        "Scores of results.csv: accuracy, higher is better.",
    )


@pytest.mark.parametrize(
    ("header", "score"),
    [
        ("Data Set;Method;Error rate;train_time;predict_time", 0.75),
        ("task_id;alg_name;1 - error;fit_time;score_time", 0.25),
    ],
)
def test_other_spellings_and_errors_are_understood(tmp_path, header, score):
    history = read_history(table(tmp_path, header + "\nx;a;0,25;1,5;0,5\nx;b;0,5;0,5;1\n"))
    assert history.scores.tolist() == [[score, 0.5]]
    assert history.seconds.tolist() == [[2.0, 1.5]]


def test_folds_are_averaged_and_their_seconds_summed(tmp_path):
    path = table(
        tmp_path,
        "dataset,learner,repeat,fold,error,seconds\n"
        "a,x,0,0,0.1,1\na,x,0,1,0.3,2\na,x,1,0,0.2,3\na,x,1,1,0.2,4\n"
        "a,y,0,0,0.4,1\na,y,0,1,0.5,1\n",
    )
    history = read_history(path)
    assert history.scores[0, 0] == pytest.approx(0.8)
    assert history.seconds[0, 0] == 10
    assert history.states.tolist() == [["ok", "missing"]]
    assert np.isnan(history.seconds[0, 1])
    note = "1 of 2 cells have fewer folds than others of their data set; they are missing."
    assert note in history.notes


def test_a_fold_without_a_score_leaves_none_and_the_state_says_why(tmp_path):
    path = table(
        tmp_path,
        "dataset,learner,fold,score,seconds,status\n"
        "a,x,0,0.5,1,OK\na,x,1,,9,timeout\na,y,0,0.5,1,ok\na,y,1,0.7,1,ok\n",
    )
    history = read_history(path)
    np.testing.assert_allclose(history.scores, [[np.nan, 0.6]])
    assert history.seconds.tolist() == [[10, 2]]
    assert history.states.tolist() == [["timeout", "ok"]]


def test_mean_seconds_of_a_fold_are_multiplied(tmp_path):
    path = table(tmp_path, HEAD + "iris,lda,0.98,0.5\n")
    assert read_history(path, n_folds=10).seconds.tolist() == [[5.0]]
    for wrong in (0, 2.5, True):
        with pytest.raises(InvalidArgumentError, match="n_folds must be a whole number from 1"):
            read_history(path, n_folds=wrong)


def test_zero_times_are_allowed_and_noted(tmp_path):
    history = read_history(table(tmp_path, HEAD + "iris,lda,0.98,0\n"))
    assert history.seconds.tolist() == [[0.0]]
    assert "1 of 1 times are 0; where it matters they count as 0.001 s." in history.notes


def test_a_table_without_times_has_none(tmp_path):
    history = read_history(table(tmp_path, "dataset,learner,score\niris,lda,0.98\n"))
    assert not history.has_seconds
    assert "There are no times." in history.notes


def test_tabzilla_is_read_as_it_is_with_its_gaps():
    path = data_folder() / "meta" / "tabzilla_accuracy_traintime.csv.gz"
    columns = {"value": "Accuracy__test_mean", "seconds": "time__train_mean"}
    history = read_history(path, columns=columns, n_folds=10)
    rows = rows_of(path.name)
    assert history.scores.shape == (171, 42)
    assert (history.states == "ok").sum() == len(rows) == 6142
    assert np.isnan(history.scores[history.states == "missing"]).all()
    for row in rows[:: len(rows) // 50]:
        cell = history.data_sets.index(row["dataset_name"]), history.learners.index(row["alg_name"])
        assert history.scores[cell] == float(row["Accuracy__test_mean"])
        assert history.seconds[cell] == float(row["time__train_mean"]) * 10


def test_trees_are_averaged_over_their_25_folds():
    path = data_folder() / "meta" / "trees_5x5_accuracy_time.csv.gz"
    history = read_history(path, columns={"fold": "index"})
    assert history.scores.shape == (51, 10)
    rows = rows_of(path.name)
    for learner, data_set in (("CART-LC", "adult"), (history.learners[-1], history.data_sets[-1])):
        own = [row for row in rows if (row["algorithm"], row["dataset"]) == (learner, data_set)]
        cell = history.data_sets.index(data_set), history.learners.index(learner)
        assert len(own) == 25
        assert history.scores[cell] == pytest.approx(np.mean([float(r["accuracy"]) for r in own]))
        assert history.seconds[cell] == pytest.approx(sum(float(r["time"]) for r in own))
    with pytest.raises(InvalidArgumentError, match=r"two of CART-LC on adult, .*fold 1\. Name by"):
        read_history(path)


def test_one_measure_of_tabarena_is_read_and_several_are_refused():
    path = data_folder() / "meta" / "tabarena_lite_per_split.csv.gz"
    with pytest.raises(InvalidArgumentError, match="got roc_auc_error, rmse_error, log_loss_err"):
        read_history(path)
    with pytest.raises(InvalidArgumentError, match=r"errors from 0 to 1; got 707\.046"):
        read_history(path, measure="rmse_error")
    history = read_history(path, measure="roc_auc_error")
    table = pd.read_csv(path).query("metric == 'roc_auc' and not imputed")
    assert (history.states == "ok").sum() == len(table)
    for row in table.iloc[::100].itertuples():
        cell = history.data_sets.index(row.dataset), history.learners.index(row.method)
        assert history.scores[cell] == pytest.approx(1 - row.metric_error, abs=1e-15)
        assert history.seconds[cell] == pytest.approx(row.time_train_s + row.time_infer_s)


def test_one_measure_of_amlb_is_averaged_over_folds_with_the_duration_of_its_runs():
    path = data_folder() / "results" / "amlb-results.csv"
    history = read_history(path, measure="auc")
    table = pd.read_csv(path, usecols=range(16), on_bad_lines="skip")
    of_one = table[(table["task"] == "kr-vs-kp") & (table["framework"] == "TPOT")]
    cell = history.data_sets.index("kr-vs-kp"), history.learners.index("TPOT")
    assert len(of_one) == 10
    assert history.scores[cell] == pytest.approx(of_one["result"].mean())
    assert history.seconds[cell] == pytest.approx(of_one["duration"].sum())


def test_percentages_of_weka_are_divided_and_both_times_are_added():
    path = data_folder() / "results" / "weka-experimenter-random-splits.arff"
    history = read_history(path)
    rows = pd.DataFrame(arff.loadarff(path)[0])
    of_one = rows[
        (rows["Key_Dataset"] == b"vote") & (rows["Key_Scheme"] == b"weka.classifiers.trees.J48")
    ]
    cell = history.data_sets.index("vote"), history.learners.index("J48")
    assert history.measure == "1 - Percent_incorrect"
    assert history.scores[cell] == pytest.approx(1 - of_one["Percent_incorrect"].mean() / 100)
    times = of_one["Elapsed_Time_training"] + of_one["Elapsed_Time_testing"]
    assert history.seconds[cell] == pytest.approx(times.sum())


def test_errors_of_mlr3_become_scores_with_the_time_of_both_steps():
    frame = pd.DataFrame({
        "task_id": ["a"] * 4, "learner_id": ["x", "x", "y", "y"], "iteration": [1, 2, 1, 2],
        "resampling_id": "cv", "classif.ce": [0.1, 0.3, 0.2, 0.2], "time_train": [1.0, 2, 3, 4],
        "time_predict": 0.5,
    })  # fmt: skip
    history = history_of_scores(read_score_table(frame))
    np.testing.assert_allclose(history.scores, [[0.8, 0.8]])
    assert history.seconds.tolist() == [[4.0, 8.0]]
    both = frame.drop(columns="time_train").rename(columns={"time_predict": "time_both"})
    assert history_of_scores(read_score_table(both)).seconds.tolist() == [[1.0, 1.0]]


def test_a_search_is_one_data_set_with_the_times_of_its_splits():
    frame = pd.DataFrame({
        "param_C": [1, 2], "params": ["{'C': 1}", "{'C': 2}"], "split0_test_score": [0.5, 0.7],
        "split1_test_score": [0.7, 0.9], "mean_fit_time": [1.0, 3.0], "mean_score_time": 0.25,
    })  # fmt: skip
    history = history_of_scores(read_score_table(frame), measure="score")
    assert history.data_sets == ("scores",)
    np.testing.assert_allclose(history.scores, [[0.6, 0.8]])
    assert history.seconds.tolist() == [[2.5, 6.5]]
    assert "There is no column of data sets: all scores are of one, called scores." in history.notes


def test_data_sets_by_learners_need_the_name_of_their_measure(tmp_path):
    path = table(tmp_path, ",lda,tree\niris,0.98,0.94\nwine,0.99,0.9\n")
    with pytest.raises(InvalidArgumentError, match="must name its measure"):
        read_history(path)
    history = read_history(path, measure="accuracy")
    assert history.scores.tolist() == [[0.98, 0.94], [0.99, 0.9]]
    assert read_history(path, greater_is_better=False).scores[0, 0] == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold rows; got an empty file"),
        (HEAD, "at least one row below its header"),
        ("dataset,accuracy\na,0.5\n", "names the learner; got accuracy. Name it by --map learner"),
        ("dataset,lda,cart\na,0.5,0.6\n", "name its measure, or .*--measure accuracy"),
        (HEAD + "a,x,0.5,-1\n", "seconds of at least 0; got -1 for x on a"),
        (HEAD + "a,x,0.5,1\na,y,0.5,\n", "the seconds of every score; got none for y on a"),
        (HEAD + "a,x,0.5,soon\n", "plain numbers in column 'seconds'; got 'soon' for x on a"),
        (HEAD + "a,x,0.5,inf\n", "plain numbers in column 'seconds'; got 'inf' for x on a"),
        (HEAD + "a,x,85%,1\n", "column 'accuracy'; got '85%' for x on a. Write 0.85 for 85 %"),
        (HEAD + "a,x,85,1\n", "scores from 0 to 1; got 85 for x on a. Divide percentages"),
        (HEAD + "a,x,-0.1,1\n", "scores from 0 to 1; got -0.1 for x on a"),
        (HEAD + "a,x,0.5,1\na,x,0.6,1\n", "one row per data set, learner and fold; got two of x o"),
        (HEAD + ",x,0.5,1\n", "a name in every row of column 'dataset'; got none in row 1"),
        (HEAD + "a,x,0.5\nb,x,0.5,1\nc,x,0.5,1\n", "line 2 of .* must have 4 fields"),
        ("1,2,3,4\n1,2,0.5,4\n", "must name its measure, or the caller has to; got no name"),
        ("dataset,learner,value\na,x,0.5\n", "must name its measure, or the caller has to"),
        ("dataset,learner,fit\na,x,0.5\n", "direction of the measure 'fit' must be known; got n"),
        ("dataset,learner,error,accuracy\na,x,0.5,0.5\n", "to name one of several; got error, a"),
        ("dataset,learner,score,fit_time\na,x,0.5,1\n", "both together; got train_seconds. Name"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read_history(table(tmp_path, text))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": {"value": "acuracy"}}, "got 'acuracy'. Did you mean 'accuracy'"),
        ({"measure": "accuracy", "greater_is_better": False}, "'accuracy' must be that of the mea"),
        ({}, r"or the caller has to name one of several; got accuracy, balanced error\. Name one"),
        ({"columns": {"seconds": "clock"}}, "got 'clock'"),
        ({"columns": {"who": "learner"}}, "role of a column must be a known one; got 'who'"),
        ({"measure": "f1"}, "measure must be one of the table; got 'f1'"),
    ],
)
def test_options_must_name_columns_of_the_right_kind(tmp_path, options, message):
    path = table(tmp_path, "dataset,learner,accuracy,balanced error\na,x,0.5,0.5\n")
    with pytest.raises(InvalidArgumentError, match=message):
        read_history(path, **options)


@pytest.mark.parametrize("name", ["'=", "''=1+1", "'", "=x", "-", "'cart'", "@"])
def test_a_name_that_looks_like_a_formula_is_read_back(tmp_path, name):
    history = History.from_arrays([[0.5, 0.6]], data_sets=[name], learners=["a", f"{name}b"])
    path = tmp_path / "history.csv"
    path.write_text(history.to_csv(), encoding="utf-8", newline="")
    read = read_history(path)
    assert read.data_sets == (name,)
    assert read.learners == ("a", f"{name}b")


names = st.lists(
    st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=1).filter(
        lambda text: not is_missing(text)
    ),
    min_size=1,
    max_size=4,
    unique=True,
)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_history_that_was_written_is_read_back(tmp_path_factory, data):
    rows, columns = data.draw(names), data.draw(names)
    shape = (len(rows), len(columns))
    n_cells = shape[0] * shape[1]
    scores = data.draw(
        st.lists(st.floats(0, 1) | st.just(np.nan), min_size=n_cells, max_size=n_cells)
    )
    seconds = data.draw(st.lists(st.floats(0, 1e9), min_size=n_cells, max_size=n_cells))
    states = [
        data.draw(st.sampled_from(["missing", "timeout", "crash"])) if np.isnan(score) else "ok"
        for score in scores
    ]
    history = History.from_arrays(
        np.reshape(scores, shape),
        np.reshape(seconds, shape) if data.draw(st.booleans()) else None,
        data_sets=rows, learners=columns, states=np.reshape(states, shape),
    )  # fmt: skip
    path = tmp_path_factory.mktemp("written") / "history.csv"
    path.write_text(history.to_csv(), encoding="utf-8", newline="")
    read = read_history(path)
    parts = "data_sets learners measure scores seconds states default_scores"
    for part in parts.split():
        np.testing.assert_array_equal(getattr(read, part), getattr(history, part))
