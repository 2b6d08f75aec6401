"""Rows in time from a file to an answer: command line, stores, engines, shards, studies, pages."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from bestofk import Tuned, compare, learning_curve, merge_stores
from bestofk.cli.app import app
from bestofk.errors import BestofkError

N = 360
_RNG = np.random.default_rng(0)
_DAYS = pd.date_range("2022-01-01", periods=N)
_SHOP = np.resize(["a", "b", "c"], N)
_X = pd.DataFrame({"price": _RNG.normal(size=N), "ads": _RNG.normal(size=N)})
_Y = 2 * _X["price"] + _X["ads"] + _RNG.normal(size=N)
TABLE = _X.assign(day=_DAYS, shop=_SHOP, sales=_Y)
LEARNERS = ["ridge", "cart-regressor"]
THIRD = "No claim about later periods: what changes between now and then cannot be read from"


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "shops.csv"
    TABLE.to_csv(file, index=False)
    return file


def run(*words):
    result = CliRunner().invoke(app, [*map(str, words)])
    return result.exit_code, " ".join(result.output.split())


def test_the_first_lines_of_a_file(path):
    code, said = run("compare", path, "--target", "sales", "--time", "day", "--drop", "shop",
                     "--learners", "ridge,cart-regressor", "--n-jobs", 1)  # fmt: skip
    assert code == 0
    assert "Use ridge: root mean squared error" in said
    assert "on the 18 periods after each training." in said
    assert "It was best in" in said
    assert THIRD in said
    assert "18 periods in order of day, 2022-05-01 to 2022-12-26" in said
    assert "Diebold-Mariano test (Holm)" in said


def test_months_windows_and_gaps_by_words(path):
    code, said = run("compare", path, "--target", "sales", "--time", "day", "--cv", "forward:1M",
                     "--window", "3M", "--gap", "7d", "--learners", "ridge,mean", "-v",
                     "--n-jobs", 1)  # fmt: skip
    assert code == 0
    assert "on the 8 months after each training" in said
    assert "predicted from the last rows before them" in said
    assert "month ridge mean" in said


def test_groups_are_known_from_earlier_rows_or_new():
    known = compare(LEARNERS, TABLE, "sales", time="day", groups="shop")
    assert "last-of-group" in known.evaluation.names
    assert "shop" in known.evaluation.data.feature_names
    series = TABLE.assign(shop=np.repeat(np.arange(36), 10).astype(str))
    new = compare(LEARNERS, series, "sales", time="day", groups="shop", new_groups=True)
    data, plan = new.evaluation.data, new.evaluation.plan
    assert "shop" not in data.feature_names
    for split in plan:
        assert not set(data.groups[split.train_rows]) & set(data.groups[split.test_rows])


def test_a_baseline_that_is_ahead_is_named():
    level = np.cumsum(_RNG.normal(size=N))
    answer = compare(["cart-regressor"], _X, level, time=_DAYS, cv="forward:12").text()
    assert "which ignore the inputs; same-time-last-season has" in " ".join(answer.split())


def test_losses_that_depend_on_each_other_are_not_tested():
    drift = np.linspace(-4, 4, N) * np.where(np.arange(N) % 2, 1, -1)
    table = pd.DataFrame({"odd": np.arange(N) % 2, "day": _DAYS})
    said = str(compare(["ridge", "knn-regressor"], table, drift, time="day"))
    assert "depend on each other too strongly for 18 periods" in " ".join(said.split())


def test_a_second_run_another_engine_and_shards_give_the_same(tmp_path):
    first = compare(LEARNERS, TABLE, "sales", time="day", store=tmp_path / "a.db")
    again = compare(LEARNERS, TABLE, "sales", time="day", store=tmp_path / "a.db")
    assert (again.evaluation.n_fitted, again.table.equals(first.table)) == (0, True)
    other = compare(LEARNERS, TABLE, "sales", time="day", n_jobs=2)
    for number in (1, 2):
        compare(LEARNERS, TABLE, "sales", time="day", shard=f"{number}/2",
                store=tmp_path / f"part{number}.db")  # fmt: skip
    merge_stores([tmp_path / "part1.db", tmp_path / "part2.db"], tmp_path / "whole.db")
    whole = compare(LEARNERS, TABLE, "sales", time="day", store=tmp_path / "whole.db")
    assert whole.evaluation.n_fitted == 0
    for result in (other, whole):
        np.testing.assert_array_equal(result.scores[0].values, first.scores[0].values)


def test_tuned_learners_and_curves_follow_the_time(tmp_path):
    tuned = compare([Tuned("ridge")], TABLE.drop(columns="shop"), "sales", time="day",
                    cv="forward:4")  # fmt: skip
    assert "inner periods in order of time" in tuned.findings.learner("Tuned").chosen_settings.how
    curve = learning_curve(LEARNERS, TABLE.drop(columns="shop"), "sales", time="day", gap=5,
                           cv="forward:10", train_sizes=[0.5, 1.0])  # fmt: skip
    said = " ".join(str(curve).split())
    assert "mean of 10 splits" in said
    assert "12 Diebold-Mariano tests" in said


def test_a_study_takes_the_column_of_each_file(path, tmp_path):
    study = tmp_path / "study.toml"
    TABLE.iloc[: N // 2].to_csv(tmp_path / "half.csv", index=False)
    entry = '[[data]]\nfile = "{}"\ntarget = "sales"\ntime = "day"\ndrop = ["shop"]\n'
    files = entry.format(path.name) + entry.format("half.csv")
    study.write_text(f'learners = ["ridge", "mean"]\ncv = "forward:6"\n{files}')
    code, said = run("study", "run", study, "--n-jobs", 1)
    assert code == 0, said
    assert "6 periods in order of day" in said


def test_the_page_has_the_periods(tmp_path):
    result = compare(LEARNERS, TABLE, "sales", time="day", groups="shop", gap="7d")
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Period by period" in page
    assert "time=&#39;day&#39;" in page
    assert "last-period&#39;" not in page
    for kind in ("periods", "lead"):
        assert len(result.plot(kind).to_frame())


def test_inspect_shows_what_random_folds_promise(path):
    code, said = run("inspect", path, "--target", "sales", "--time", "day")
    assert code == 0
    assert "in random folds" in said
    assert "--time day" in run("inspect", path, "--target", "sales")[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": "10x10"}, "cv must be in order of time"),
        ({"max_repeats": 3}, "cv must be 'adaptive' where max_repeats is given; got 'forward'"),
        ({"test": "corrected-t", "cv": "forward"}, None),
        ({"test": "paired-t"}, "use diebold-mariano"),
        ({"new_groups": True}, "new_groups must be False without groups"),
        ({"time": "shop"}, "time must be a column of dates, times or numbers"),
        ({"time": "when"}, "time must be a column of X"),
        ({"time": None, "window": 5}, "if 'window' is given; got 'adaptive'"),
    ],
)
def test_what_does_not_go_together_is_said(options, message):
    given = {"time": "day"} | options
    if message is None:  # the usual test of other plans stands for that of periods
        assert compare(LEARNERS, TABLE, "sales", **given).findings.verdict.test == "diebold-mariano"
        return
    with pytest.raises(BestofkError, match=message):
        compare(LEARNERS, TABLE, "sales", **given)
