import csv
import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.given import data_folder

from bestofk.data.text_values import is_missing
from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.history import History
from bestofk.recommendation.score_time_table import read_long_table

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
    history = read_long_table(path)
    assert history.data_sets == ("iris", "wine")
    assert history.learners == ("lda", "tree")
    np.testing.assert_array_equal(history.scores, [[0.98, 0.9], [np.nan, 0.8]])
    np.testing.assert_array_equal(history.seconds, [[0.5, 2], [np.nan, 3]])
    assert history.states.tolist() == [["ok", "ok"], ["missing", "ok"]]
    assert history.default_scores.tolist() == [0.9, 0.8]
    assert history.measure == "accuracy"
    assert history.notes == (
        "Columns of results.csv that were read: dataset, algorithm, accuracy, time.",
    )


@pytest.mark.parametrize(
    ("header", "score"),
    [
        ("Data Set;Method;Error rate;train_time;predict_time", 0.75),
        ("task_id;alg_name;1 - error;fit_time;score_time", 0.25),
    ],
)
def test_other_spellings_and_errors_are_understood(tmp_path, header, score):
    history = read_long_table(table(tmp_path, header + "\nx;a;0,25;1,5;0,5\nx;b;0,5;0,5;1\n"))
    assert history.scores.tolist() == [[score, 0.5]]
    assert history.seconds.tolist() == [[2.0, 1.5]]


def test_folds_are_averaged_and_their_seconds_summed(tmp_path):
    path = table(
        tmp_path,
        "dataset,learner,repeat,fold,error,seconds\n"
        "a,x,0,0,0.1,1\na,x,0,1,0.3,2\na,x,1,0,0.2,3\na,x,1,1,0.2,4\n"
        "a,y,0,0,0.4,1\na,y,0,1,0.5,1\n",
    )
    history = read_long_table(path)
    assert history.scores[0, 0] == pytest.approx(0.8)
    assert history.seconds[0, 0] == 10
    assert history.states.tolist() == [["ok", "missing"]]
    assert np.isnan(history.seconds[0, 1])
    assert "1 of 2 cells have fewer folds than others of their data set; they are missing." in (
        history.notes
    )


def test_a_fold_without_a_score_leaves_none_and_the_state_says_why(tmp_path):
    path = table(
        tmp_path,
        "dataset,learner,fold,score,seconds,status\n"
        "a,x,0,0.5,1,OK\na,x,1,,9,timeout\na,y,0,0.5,1,ok\na,y,1,0.7,1,ok\n",
    )
    history = read_long_table(path)
    np.testing.assert_allclose(history.scores, [[np.nan, 0.6]])
    assert history.seconds.tolist() == [[10, 2]]
    assert history.states.tolist() == [["timeout", "ok"]]


def test_mean_seconds_of_a_fold_are_multiplied(tmp_path):
    path = table(tmp_path, HEAD + "iris,lda,0.98,0.5\n")
    assert read_long_table(path, n_folds=10).seconds.tolist() == [[5.0]]
    for wrong in (0, 2.5, True):
        with pytest.raises(InvalidArgumentError, match="n_folds must be a whole number from 1"):
            read_long_table(path, n_folds=wrong)


def test_zero_times_are_allowed_and_noted(tmp_path):
    history = read_long_table(table(tmp_path, HEAD + "iris,lda,0.98,0\n"))
    assert history.seconds.tolist() == [[0.0]]
    assert "1 of 1 times are 0; where it matters they count as 0.001 s." in history.notes


def test_a_table_without_times_has_none(tmp_path):
    history = read_long_table(table(tmp_path, "dataset,learner,score\niris,lda,0.98\n"))
    assert not history.has_seconds
    assert "There are no times." in history.notes


def test_tabzilla_is_read_as_it_is_with_its_gaps():
    path = data_folder() / "meta" / "tabzilla_accuracy_traintime.csv.gz"
    history = read_long_table(
        path, score="Accuracy__test_mean", seconds="time__train_mean", n_folds=10
    )
    rows = rows_of(path.name)
    assert history.scores.shape == (171, 42)
    assert (history.states == "ok").sum() == len(rows) == 6142
    assert np.isnan(history.scores[history.states == "missing"]).all()
    for row in rows[:: len(rows) // 50]:
        cell = (
            history.data_sets.index(row["dataset_name"]),
            history.learners.index(row["alg_name"]),
        )
        assert history.scores[cell] == float(row["Accuracy__test_mean"])
        assert history.seconds[cell] == float(row["time__train_mean"]) * 10


def test_trees_are_averaged_over_their_25_folds():
    path = data_folder() / "meta" / "trees_5x5_accuracy_time.csv.gz"
    history = read_long_table(path, fold="index")
    assert history.scores.shape == (51, 10)
    rows = rows_of(path.name)
    for learner, data_set in (("CART-LC", "adult"), (history.learners[-1], history.data_sets[-1])):
        own = [row for row in rows if (row["algorithm"], row["dataset"]) == (learner, data_set)]
        cell = history.data_sets.index(data_set), history.learners.index(learner)
        assert len(own) == 25
        assert history.scores[cell] == pytest.approx(np.mean([float(r["accuracy"]) for r in own]))
        assert history.seconds[cell] == pytest.approx(sum(float(r["time"]) for r in own))
    with pytest.raises(InvalidArgumentError, match=r"two of CART-LC on adult, fold 1\. Name by"):
        read_long_table(path)


def test_tabarena_needs_measures_from_0_to_1(tmp_path):
    path = data_folder() / "meta" / "tabarena_lite_per_split.csv.gz"
    with pytest.raises(InvalidArgumentError, match=r"errors from 0 to 1; got 707\.046"):
        read_long_table(path)
    rows = [row for row in rows_of(path.name) if row["metric"] == "roc_auc"]
    lines = [
        f'{r["dataset"]},"{r["method"]}",{r["metric_error"]},{r["time_train_s"]},{r["time_infer_s"]}'
        for r in rows
    ]
    header = "dataset,method,metric_error,time_train_s,time_infer_s\n"
    history = read_long_table(table(tmp_path, header + "\n".join(lines)))
    first = rows[0]
    assert (history.states == "ok").sum() == len(rows)
    assert history.scores[0, 0] == 1 - float(first["metric_error"])
    assert history.seconds[0, 0] == float(first["time_train_s"]) + float(first["time_infer_s"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold rows; got an empty file"),
        (HEAD, "at least one row below its header"),
        ("dataset,accuracy\na,0.5\n", "names the learner; got dataset, accuracy. Name it by lear"),
        (
            "dataset," + ",".join(f"c{i}" for i in range(40)) + "\na" + ",0.5" * 40 + "\n",
            r"got dataset, c0, c1, c2, c3, c4, c5, c6 and 33 more\. Name it by learner=",
        ),
        ("learner,accuracy\na,0.5\n", "names the data set; got learner, accuracy. Name it by data"),
        (HEAD + "a,x,0.5,-1\n", "seconds of at least 0; got -1 for x on a"),
        (HEAD + "a,x,0.5,1\na,y,0.5,\n", "the seconds of every score; got none for y on a"),
        (HEAD + "a,x,0.5,soon\n", "plain numbers in column 'time'; got 'soon' for x on a"),
        (HEAD + "a,x,0.5,inf\n", "plain numbers in column 'time'; got 'inf' for x on a"),
        (HEAD + 'a,x,0.5,"1,234"\n', "plain numbers in column 'time'; got '1,234' for x on a"),
        (HEAD + "a,x,85%,1\n", "column 'accuracy'; got '85%' for x on a. Write 0.85 for 85 %"),
        (HEAD + "a,x,85,1\n", "scores from 0 to 1; got 85 for x on a. Divide percentages"),
        (HEAD + "a,x,-0.1,1\n", "scores from 0 to 1; got -0.1 for x on a"),
        (HEAD + "a,x,0.5,1\na,x,0.6,1\n", "one row per data set, learner and fold; got two of x o"),
        (HEAD + ",x,0.5,1\n", "a name in every row of column 'dataset'; got none in row 1"),
        (HEAD + "a,x,0.5\nb,x,0.5,1\nc,x,0.5,1\n", "line 2 of .* must have 4 fields"),
        ("1,2,3,4\n1,2,0.5,4\n", "line 1 of .* must name the columns; got numbers"),
        ("dataset,dataset,learner,score\na,a,x,0.5\n", "line 1 of .* once; got 'dataset' twice"),
        (
            "dataset,learner,value\na,x,0.5\n",
            "direction is known; got dataset, learner, value. N",
        ),
        ("dataset,learner,error,accuracy\na,x,0.5,0.5\n", "direction is known; got dataset, lear"),
        ("dataset,learner,score,fit_time\na,x,0.5,1\n", "or of both together; got fit_time. Name"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read_long_table(table(tmp_path, text))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "acuracy"}, "no 'acuracy'. Did you mean 'accuracy'"),
        ({"error": "accuracy"}, "not be named like scores to be taken as errors; got 'accuracy'"),
        ({"score": "balanced error"}, "not be named like errors to be taken as scores"),
        ({"score": "accuracy", "error": "balanced error"}, "direction is known"),
        ({"score": "accuracy", "seconds": "clock"}, "no 'clock'"),
        ({"score": "accuracy", "fold": ["seed"]}, "no 'seed'"),
        ({"score": "accuracy", "seconds": 5}, "no '5'"),
        ({"score": "accuracy", "learner": "who"}, "no 'who'"),
    ],
)
def test_options_must_name_columns_of_the_right_kind(tmp_path, options, message):
    path = table(tmp_path, "dataset,learner,accuracy,balanced error\na,x,0.5,0.5\n")
    with pytest.raises(InvalidArgumentError, match=message):
        read_long_table(path, **options)


@pytest.mark.parametrize("name", ["'=", "''=1+1", "'", "=x", "-", "'cart'", "@"])
def test_a_name_that_looks_like_a_formula_is_read_back(tmp_path, name):
    history = History.from_arrays([[0.5, 0.6]], data_sets=[name], learners=["a", f"{name}b"])
    path = tmp_path / "history.csv"
    path.write_text(history.to_csv(), encoding="utf-8", newline="")
    read = read_long_table(path)
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
    read = read_long_table(path)
    assert read.data_sets == history.data_sets
    assert read.learners == history.learners
    assert read.measure == history.measure
    np.testing.assert_array_equal(read.scores, history.scores)
    np.testing.assert_array_equal(read.seconds, history.seconds)
    np.testing.assert_array_equal(read.states, history.states)
    np.testing.assert_array_equal(read.default_scores, history.default_scores)
