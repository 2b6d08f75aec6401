import sys
from collections import Counter, defaultdict

import numpy as np
import pytest
from tests.given import data_folder

from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.history_of_tables import read_aslib_scenario

DESCRIPTION = """\
scenario_id: tiny
performance_measures: [{measure}]
maximize: [{maximize}]
performance_type: [{kind}]
algorithm_cutoff_time: {cutoff}
metainfo_algorithms:
  fast: {{deterministic: true}}
  'no': {{deterministic: true}}
"""
HEADER = """\
@RELATION runs
@ATTRIBUTE instance_id STRING
@ATTRIBUTE repetition NUMERIC
@ATTRIBUTE algorithm STRING
@ATTRIBUTE {measure} NUMERIC
@ATTRIBUTE runstatus {{ok, timeout, memout, not_applicable, crash, other}}
@DATA
"""
ROWS = ("a,1,fast,3,ok", "a,1,no,50,timeout", "b,1,fast,0,ok", "b,1,no,7,memout")


def written(folder, rows=ROWS, *, measure="runtime", maximize="false", kind="runtime", cutoff=10):
    (folder / "description.txt").write_text(
        DESCRIPTION.format(measure=measure, maximize=maximize, kind=kind, cutoff=cutoff)
    )
    text = HEADER.format(measure=measure) + "\n".join(rows) + "\n"
    (folder / "algorithm_runs.arff").write_text(text)
    return folder


def quality(folder, *values, maximize="true"):
    rows = [f"a,{i},{name},{value},ok" for i, value in enumerate(values) for name in ("fast", "no")]
    return written(folder, rows, measure="acc", maximize=maximize, kind="solution_quality")


def plain_rows(path):
    """Return the fields of the rows below @data, by nothing but cutting at commas."""
    lines = path.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().lower() == "@data")
    body = [line for line in lines[start + 1 :] if line.strip() and not line.startswith("%")]
    return [[field.strip().strip("'\"") for field in line.split(",")] for line in body]


@pytest.mark.parametrize(
    ("scenario", "shape", "cutoff"),
    [
        ("OPENML-WEKA-2017", (105, 30), None),
        ("BNSL-2016", (1179, 8), 7200),
        ("SAT11-HAND", (296, 15), 5000),
        ("CSP-Minizinc-Time-2016", (100, 20), 1200),
    ],
)
def test_every_row_of_a_public_scenario_is_one_cell(scenario, shape, cutoff):
    folder = data_folder() / "aslib" / scenario
    rows = plain_rows(folder / "algorithm_runs.arff")
    history = read_aslib_scenario(folder)
    assert history.scores.shape == shape
    assert len(rows) == shape[0] * shape[1]
    assert Counter(history.states.ravel().tolist()) == Counter(row[4] for row in rows)
    columns = {name: j for j, name in enumerate(history.learners)}
    indices = {name: i for i, name in enumerate(history.data_sets)}
    assert len(indices) == shape[0]
    for instance, _, algorithm, value, status in rows:
        cell = indices[instance], columns[algorithm]
        assert history.states[cell] == status
        if cutoff is None:
            assert history.scores[cell] == float(value)
        else:
            assert history.scores[cell] == (status == "ok")
            assert history.seconds[cell] == min(float(value), cutoff)
    assert history.has_seconds is (cutoff is not None)
    if cutoff is None:
        assert history.notes == ("The scenario holds no run times.",)
        assert history.measure == "predictive_accuracy"


def test_run_times_give_shares_solved_and_seconds_below_the_cutoff(tmp_path):
    history = read_aslib_scenario(written(tmp_path))
    assert history.learners == ("fast", "no")
    assert history.scores.tolist() == [[1, 0], [1, 0]]
    assert history.seconds.tolist() == [[3, 10], [0, 7]]
    assert history.states.tolist() == [["ok", "timeout"], ["ok", "memout"]]
    assert history.default_scores.tolist() == [0, 0]
    assert "1 of 4 values of runtime were above the cutoff of 10 s" in history.notes[1]
    assert "1 of 4 values of runtime are 0" in history.notes[2]


def test_repetitions_are_averaged_and_cells_without_a_row_are_missing(tmp_path):
    rows = ("a,1,fast,2,ok", "a,2,fast,4,crash", "a,3,fast,?,timeout", "b,1,no,1,ok")
    history = read_aslib_scenario(written(tmp_path, rows))
    assert history.scores[0, 0] == pytest.approx(1 / 3)
    assert history.seconds[0, 0] == pytest.approx((2 + 4 + 10) / 3)
    assert history.states.tolist() == [["crash", "missing"], ["missing", "ok"]]
    assert np.isnan(history.scores[0, 1])
    assert np.isnan(history.seconds[0, 1])
    assert "1 of 4 runs failed without runtime; they count as 10 s." in history.notes


def test_quality_is_averaged_and_turned_where_less_is_better(tmp_path):
    assert read_aslib_scenario(quality(tmp_path, 0.2, 0.4)).scores[0, 0] == pytest.approx(0.3)
    turned = read_aslib_scenario(quality(tmp_path, 0.2, 0.4, maximize="false"))
    assert turned.scores[0, 0] == pytest.approx(0.7)
    assert turned.measure == "1 - acc"


def test_a_failed_repetition_leaves_no_quality(tmp_path):
    rows = ("a,1,fast,0.5,ok", "a,2,fast,?,memout", "a,1,no,0.25,ok")
    folder = written(tmp_path, rows, measure="acc", maximize="true", kind="solution_quality")
    history = read_aslib_scenario(folder)
    assert history.states.tolist() == [["memout", "ok"]]
    assert np.isnan(history.scores[0, 0])


def test_a_second_measure_of_time_gives_the_seconds(tmp_path):
    text = DESCRIPTION.format(
        measure="acc, spent", maximize="true, false", kind="solution_quality, runtime", cutoff=0
    )
    (tmp_path / "description.txt").write_text(text)
    runs = HEADER.format(measure="acc NUMERIC\n@ATTRIBUTE spent") + "a,1,fast,1,2,ok\na,1,no,0,9,ok"
    (tmp_path / "algorithm_runs.arff").write_text(runs)
    history = read_aslib_scenario(tmp_path)
    assert history.scores.tolist() == [[1, 0]]
    assert history.seconds.tolist() == [[2, 9]]


def test_algorithms_may_be_listed_in_the_older_way_and_instances_be_numbers(tmp_path):
    written(tmp_path, ("7,1,fast,3,ok", "7,1,no,4,ok"))
    path = tmp_path / "description.txt"
    older = path.read_text().split("metainfo")[0] + "algorithms_deterministic: 'no, fast'\n"
    path.write_text(older + "algorithms_stochastic: ''\n")
    runs = tmp_path / "algorithm_runs.arff"
    runs.write_text(runs.read_text().replace("instance_id STRING", "instance_id NUMERIC"))
    history = read_aslib_scenario(tmp_path)
    assert history.learners == ("no", "fast")
    assert history.data_sets == ("7",)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["a,1,fast,-1,ok", "a,1,no,1,ok"], "at least 0 seconds.*got -1 for fast on a"),
        (["a,1,fast,?,ok", "a,1,no,1,ok"], "at least 0 seconds.*got nan for fast on a"),
        (["a,1,fast,soon,ok"], "line 8 of .*algorithm_runs.arff"),
        (["a,1,fast,3"], "line 8 of .*algorithm_runs.arff must have 5 values; got 4"),
        (["a,1,fast,3,tired"], "line 8 of .*declared level of 'runstatus'; got 'tired'"),
        (["a,1,fast,3,ok"] * 2, "one row per instance.*two of fast on a, repetition 1"),
        (["a,1,fast,3,ok"], "algorithms of .*got nothing only in the first, no only in the second"),
        (["?,1,fast,3,ok"], "have instance_id in every row; got none in row 1"),
        ([], "at least one row below @data"),
    ],
)
def test_broken_runs_are_named(tmp_path, rows, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read_aslib_scenario(written(tmp_path, rows))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("maximize: [false]", "maximize: [false", r"line 4 of .*description.txt must be YAML"),
        ("maximize: [false]", "maximize: " + "[" * 1_000, "must be YAML; got too many levels"),
        (
            "maximize: [false]",
            "maximize: [[false]]",
            "one entry of maximize for each .*; got 0 for",
        ),
        ("maximize: [false]", "maximize: [perhaps]", "true or false for maximize; got 'perhaps'"),
        ("maximize: [false]", "", "one entry of maximize for each .*; got 0 for 1"),
        ("[runtime]\na", "[beauty]\na", "performance_type runtime or solution_quality; got 'beau"),
        ("time: 10", "time: long", r"in seconds, or \?; got 'long'"),
        ("time: 10", "time: '?'", r"as it is about run time; got '\?'"),
        ("performance_measures: [runtime]", "performance_measures: [cost]", "an attribute cost"),
        ("memout", "asleep", r"runstatus ok.*got 'asleep' for no on b"),
    ],
)
def test_a_broken_file_is_named(tmp_path, old, new, message):
    paths = [written(tmp_path) / name for name in ("description.txt", "algorithm_runs.arff")]
    texts = [path.read_text() for path in paths]
    assert any(old in text for text in texts)
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text.replace(old, new))
    with pytest.raises(InvalidArgumentError, match=message):
        read_aslib_scenario(tmp_path)


def test_a_description_that_is_a_list_is_named(tmp_path):
    written(tmp_path)
    (tmp_path / "description.txt").write_text("- runtime\n")
    with pytest.raises(InvalidArgumentError, match="entries of the form 'name: value'; got list"):
        read_aslib_scenario(tmp_path)


@pytest.mark.parametrize("name", ["description.txt", "algorithm_runs.arff"])
def test_a_missing_file_is_named(tmp_path, name):
    (written(tmp_path) / name).unlink()
    with pytest.raises(InvalidArgumentError, match=f"without {name}. Name the folder"):
        read_aslib_scenario(tmp_path)


def test_percentages_are_refused_with_a_way_out(tmp_path):
    with pytest.raises(InvalidArgumentError, match=r"got 85 for fast on a\. Divide percentages"):
        read_aslib_scenario(quality(tmp_path, 85))


def test_a_measure_declared_as_text_is_refused(tmp_path):
    path = written(tmp_path) / "algorithm_runs.arff"
    text = path.read_text().replace("runtime NUMERIC", "runtime STRING")
    path.write_text(text.replace("50", "x"))
    with pytest.raises(InvalidArgumentError, match="declare runtime numeric; got text"):
        read_aslib_scenario(tmp_path)


def test_instances_that_differ_between_files_are_shown(tmp_path):
    features = "@RELATION f\n@ATTRIBUTE {} STRING\n@ATTRIBUTE x NUMERIC\n@DATA\na,1\nc,2\n"
    (written(tmp_path) / "feature_values.arff").write_text(features.format("instance_id"))
    with pytest.raises(InvalidArgumentError, match=r"instances of .*got b only in the first, c"):
        read_aslib_scenario(tmp_path)
    (tmp_path / "feature_values.arff").write_text(features.format("name"))
    with pytest.raises(InvalidArgumentError, match="attribute instance_id; got name, x"):
        read_aslib_scenario(tmp_path)


def test_without_pyyaml_the_way_to_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'bestofk\[aslib\]'"):
        read_aslib_scenario(written(tmp_path))


def test_means_over_random_repetitions_are_those_of_a_plain_loop(tmp_path):
    rng = np.random.default_rng(5)
    rows, kept = [], defaultdict(list)
    for instance in "abcd":
        for algorithm in ("fast", "no"):
            for repetition in range(int(rng.integers(1, 4))):
                seconds, status = round(rng.uniform(0, 30), 3), rng.choice(["ok", "crash"])
                rows.append(f"{instance},{repetition},{algorithm},{seconds},{status}")
                kept[instance, algorithm].append((min(seconds, 10), status))
    rng.shuffle(rows)
    history = read_aslib_scenario(written(tmp_path, rows))
    for (instance, algorithm), runs in kept.items():
        cell = history.data_sets.index(instance), history.learners.index(algorithm)
        assert history.seconds[cell] == pytest.approx(sum(s for s, _ in runs) / len(runs))
        n_ok = sum(status == "ok" for _, status in runs)
        assert history.scores[cell] == pytest.approx(n_ok / len(runs))
        assert (history.states[cell] == "ok") == (n_ok == len(runs))
