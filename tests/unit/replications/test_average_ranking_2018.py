import gzip
import re

import numpy as np
import pandas as pd
import pytest
from replications.average_ranking_2018 import tables
from replications.average_ranking_2018.__main__ import write_counted, write_timed
from replications.average_ranking_2018.meta_data import tabzilla
from tests.given import ROOT

from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import leave_one_out

POWERS = ["1/4", "1/16", "1/64", "1/128", "1/256", "0"]


def made_history(n_data_sets=9, n_learners=5, *, timed=True):
    """Slow learners that are better by far, so that time matters."""
    rng = np.random.default_rng(0)
    quality = np.linspace(0.6, 0.9, n_learners)
    scores = quality + rng.normal(0, 0.03, (n_data_sets, n_learners))
    seconds = 10.0 ** (4 * np.linspace(-0.5, 1, n_learners) + rng.normal(0, 0.3, scores.shape))
    return History.from_arrays(np.clip(scores, 0, 1), seconds if timed else None)


@pytest.fixture(scope="module")
def found():
    return {"made": leave_one_out(made_history(), tables.TIMED_METHODS)}


def test_a_ratio_of_times_counts_less_with_each_p():
    table = tables.table_1()
    assert table["power"].tolist() == POWERS
    assert table["ratio_of_1000"].tolist() == [5.6234, 1.5399, 1.114, 1.0554, 1.0274, 1.0]


def test_table_2_has_means_and_intervals_against_one_64th_beside_the_printed_value(found):
    table = tables.table_2(found).set_index("power")
    assert table.index.tolist() == POWERS
    assert table["printed"].notna().tolist() == [False] * 5 + [True]
    assert table.loc["0", "printed"] == 22.11
    own = found["made"].losses[:, 2]
    assert table.loc["1/64", ["mean", "median"]].tolist() == pytest.approx(
        [100 * own.mean(), 100 * np.median(own)], abs=1e-4
    )
    assert table.loc["1/64", ["difference", "low", "high", "ties"]].tolist() == [0, 0, 0, 9]
    assert (table["low"] <= table["difference"]).all()
    assert (table["before_first_test"] <= table["mean"]).all()
    assert (table["wins"] + table["ties"] + table["losses"] == 9).all()


def test_hypotheses_set_two_methods_against_each_other(found):
    table = tables.hypotheses(found)
    assert table["hypothesis"].tolist() == ["Hyp1"] * 2 + ["Hyp2"] * 2 + ["beside"] * 3
    first = table.iloc[0]
    assert (first["method"], first["against"]) == ("average-ranking-1/64", "average-ranking-0")
    assert first["difference"] == pytest.approx(first["mean"] - first["mean_against"], abs=1e-3)


def test_small_tables_are_drawn_again_with_the_same_seed(monkeypatch):
    monkeypatch.setattr(tables, "PAPER_SIZE", (6, 4))
    table = tables.small_tables(made_history(), 3)
    assert table["draws_in_which_best"].sum() == 3
    assert (table["lowest_draw"] <= table["mean"]).all()
    pd.testing.assert_frame_equal(table, tables.small_tables(made_history(), 3))


def test_all_tables_and_figures_are_written(found, tmp_path):
    write_timed({"Oboe": found["made"], "other": found["made"]}, tmp_path)
    counted = made_history(n_learners=21, timed=False)
    write_counted(leave_one_out(counted, tables.COUNTED_METHODS), tmp_path)
    written = {file.name for file in tmp_path.iterdir()}
    assert written == {
        "table_1.csv", "table_2.csv", "hypotheses.csv", "windows.csv", "figure_2.png",
        "figure_3.png", "figure_4.png", "active_testing.png", "weka_tests.csv",
        "weka_ranking.csv", "weka_agreement.csv", "weka.png",
    }  # fmt: skip
    assert (tmp_path / "figure_3.png").read_bytes().startswith(b"\x89PNG")


def test_of_tabzilla_learners_with_many_results_are_kept_where_all_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("replications.average_ranking_2018.meta_data.TABZILLA_LEAST", 2)
    (tmp_path / "meta").mkdir()
    lines = ["alg_name,dataset_name,Accuracy__test_mean,time__train_mean", "a,x,0.9,1"]
    lines += ["a,y,0.8,2", "a,z,0.7,3", "b,x,0.6,0.1", "b,y,0.5,0.2", "c,x,0.4,9"]
    with gzip.open(tmp_path / "meta" / "tabzilla_accuracy_traintime.csv.gz", "wt") as file:
        file.write("\n".join(lines))
    history = tabzilla(tmp_path)
    assert (history.data_sets, history.learners) == (("x", "y"), ("a", "b"))
    assert history.default_scores.tolist() == [0.6, 0.5]  # not that of c
    assert history.seconds.round(9).tolist() == [[10, 1], [20, 2]]


def test_the_page_prints_what_was_written():
    page = (ROOT / "docs" / "papers" / "average-ranking-2018.md").read_text(encoding="utf-8")
    results = ROOT / "replications" / "average_ranking_2018" / "results"
    told = pd.read_csv(results / "table_2.csv", dtype={"power": str})
    for row in told.itertuples():
        line = re.search(rf"^\| {row.power} \|.*$", page, re.MULTILINE).group()
        assert {f"{row.mean:.2f}", f"{row.median:.2f}"} <= set(re.findall(r"\d\.\d\d", line))
    for row in pd.read_csv(results / "hypotheses.csv").itertuples():
        told = f"| {row.difference:.2f} [{row.low:.2f}, {row.high:.2f}]"
        assert told.replace("-0.00", "0.00") in page
        assert f"| {row.wins}/{row.ties}/{row.losses} |" in page
    for row in pd.read_csv(results / "weka_tests.csv").itertuples():
        assert f"| {row.after_3:.2f} | {row.after_5:.2f} | {row.after_10:.2f} |" in page
