import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from replications.variability_2010 import contradiction, tables
from replications.variability_2010.agreement import agreement
from replications.variability_2010.experiment import MARGIN, Estimates, run_data_set
from replications.variability_2010.protocol import (
    COMPARED,
    DATA_SETS,
    FOLDS,
    LARGEST,
    LEARNERS,
    TRUE_TEST_SETS,
    learners,
)
from replications.variability_2010.stopping import NEVER, RULES, Ends, ends_of, random_orders
from replications.variability_2010.true_test_sets import areas_of_test_set
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score
from tests.given import data_folder

from bestofk.data import DataSet, load_data
from bestofk.resampling import make_plan


def made_estimates(name, means, n_runs=60, sd=0.01):
    """Estimates of six learners around means that grow with the folds."""
    rng = np.random.default_rng(len(name))
    growth = np.array([0.0, 0.01, 0.02])[:, None]
    auroc = {
        learner: mean + growth + sd * rng.normal(size=(3, n_runs))
        for learner, mean in zip(LEARNERS, means, strict=True)
    }
    ends = {}
    for n_folds, *pair in COMPARED:
        for learner in pair:
            values = auroc[learner][FOLDS.index(n_folds)]
            ends[f"{n_folds} {learner}"] = ends_of(values, np.tile([0.1, 0.5, 0.9], (n_runs, 1)))
    return Estimates(name, auroc, auroc, ends, {}, (100, 5), 1.0)


@cache
def made_pair():
    return [
        made_estimates("sonar", [0.80, 0.70, 0.85, 0.82, 0.75, 0.72]),
        made_estimates("vote", [0.90, 0.95, 0.92, 0.91, 0.93, 0.94]),
    ]


def test_the_printed_tables_hold_all_that_the_paper_prints():
    assert [len(tables.printed(f"table_{number}")) for number in (1, 2, 4, 5)] == [36, 72, 84, 84]
    reproducibility = tables.printed("table_3_reproducibility")
    assert len(reproducibility) == 3 * 19 * len(RULES)
    assert set(reproducibility["data_set"]) == {*DATA_SETS, "NCAAF"}
    assert len(tables.printed("table_3_iterations")) == 3 * 19 * 6
    assert set(TRUE_TEST_SETS) <= set(tables.printed("table_4")["data_set"])
    assert set(LARGEST) <= {*DATA_SETS, *TRUE_TEST_SETS}


def test_criteria_end_where_a_naive_reading_says():
    rng = np.random.default_rng(4)
    values = rng.normal(size=60).round(1)
    rows = np.clip(np.linspace(0.1, 0.9, 40) + 0.1 * rng.normal(size=(60, 40)), 0, 1)
    result = ends_of(values, rows)
    for index, order in enumerate(random_orders(60)[:5]):
        ranks, distances = [], []
        for r in range(2, 61):
            means = [rows[order[:n]].mean(axis=0).round(12) for n in (r - 1, r)]
            ranks.append(spearmanr(*means).statistic >= 1 - 1e-4)
            odd, even = values[order[:r:2]], values[order[1:r:2]]
            grid = np.unique(values)
            gaps = (odd <= grid[:, None]).mean(axis=1) - (even <= grid[:, None]).mean(axis=1)
            distances.append(np.abs(gaps).max())
        ends = [10, 50]
        gaps = np.array(distances).round(12)  # 3/5 - 2/5 is not below 0.2
        for holds in (np.array(ranks), gaps < 0.1, gaps < 0.2):
            ends.append(2 + int(holds.argmax()) if holds.any() else NEVER)
        assert result.iterations[:, index].tolist() == ends
        means = [values[order[:n]].mean() for n in ends]
        assert result.estimates[:, index].tolist() == pytest.approx(means)


def test_a_criterion_that_never_holds_uses_all_iterations():
    ends = ends_of(np.array([0.1, 0.2, 0.6]), np.eye(3))
    assert (ends.iterations[:2] == NEVER).all()
    assert ends.estimates[0].tolist() == pytest.approx([0.3] * 50)


def test_ranks_of_folds_stand_beside_the_printed_ones():
    third = made_estimates("bupa", [0.6, 0.61, 0.62, 0.63, 0.64, 0.65])
    table = tables.table_1([*made_pair(), third])
    steady = table[(table["kind"] == "steady") & (table["learner"] == "NB")]
    assert steady["rank"].tolist() == [3.0, 2.0, 1.0]
    assert steady["printed_rank"].tolist() == [2.9, 1.95, 1.15]
    assert steady["differs"].tolist() == [True, False, False]
    assert table["critical_distance"].iloc[0] == 1.83
    assert tables.estimate(np.arange(30.0).reshape(3, 10), "canonical").tolist() == [2, 10.5, 20]


def test_reproducibility_counts_orders_that_one_of_the_two_wins():
    estimates = made_pair()[0]
    wins = np.where(np.arange(50) < 40, 0.7, 0.9)
    ends = estimates.ends | {
        "2 C4.5": Ends(np.full((5, 50), 7), np.tile(wins, (5, 1))),
        "2 HDDT": Ends(np.full((5, 50), 9), np.full((5, 50), 0.8)),
    }
    estimates = replace(estimates, ends=ends)
    table = tables.table_3_reproducibility([estimates])
    row = table[(table["rule"] == "Rank") & (table["first"] == "C4.5") & (table["n_folds"] == 2)]
    assert row[["printed_reproducibility", "reproducibility"]].to_numpy().tolist() == [[1.0, 0.6]]
    table = tables.table_3_iterations([estimates])
    row = table[(table["rule"] == "Rank") & (table["learner"] == "HDDT") & (table["n_folds"] == 2)]
    assert row[["printed_iterations", "iterations"]].to_numpy().tolist() == [[113.88, 9.0]]


def test_iterations_with_opposite_verdicts_are_found():
    results = []
    for index, name in enumerate(list(DATA_SETS)[:8]):
        item = made_estimates(name, [0.8] * 6, n_runs=3, sd=0.0)
        lead = 0.01 * (1 + index) * np.array([1.0, 0.0, -1.0])
        auroc = item.auroc | {"C4.5": item.auroc["HDDT"] + lead}
        results.append(replace(item, auroc=auroc))
    told = contradiction.verdicts(results).set_index(["source", "iteration"])
    assert told.loc[("printed", 216), "p_value"] == 0.00129
    assert told.loc[("printed", 459), ["w_plus", "w_minus"]].tolist() == [57.0, 114.0]
    assert told.loc[("printed", 459), "p_value"] == 0.22875
    assert not told.loc[("printed", 459), "is_significant"]
    assert told.loc[("5-fold", 0), ["favors", "p_value"]].tolist() == [
        "C4.5",
        2 / 2**8 // 1e-5 / 1e5,
    ]
    assert told.loc[("5-fold", 2), ["favors", "n_significant"]].tolist() == ["HDDT", 1]
    table = contradiction.table_2(results, told.reset_index())
    row = table[(table["source"] == "10-fold") & (table["data_set"] == "bupa")]
    assert row.groupby("iteration")["auroc"].agg(list).tolist() == [[0.84, 0.82], [0.8, 0.82]]


def test_claims_stand_beside_their_figures():
    pair = made_pair()
    written = {
        "table_1": tables.table_1(pair),
        "table_2_verdicts": contradiction.verdicts(pair),
        "table_3_reproducibility": tables.table_3_reproducibility(pair),
        "table_3_iterations": tables.table_3_iterations(pair),
    }
    result = agreement(written).set_index("claim")
    claim = "R of NB and SMO is 1.00 under Rank, data sets of 2"
    assert result.loc[claim, "here"] == 1  # of vote the two differ by 0.01 alone
    claim = "iterations of SMO under Rank, 2-fold, within a factor of 2, sets of 2"
    assert result.loc[claim, ["here", "holds"]].tolist() == [0, False]  # 2 for 40.62 and 10.26
    claim = "C4.5 needs more iterations than SMO under Rank, 2-fold"
    assert result.loc[claim, ["printed", "here"]].tolist() == [2, 0]
    assert (
        result.loc["10-fold estimates are highest on average, steady, learners of 6", "here"] == 6
    )
    claim = "printed iteration 459 is significant at 0.05 for HDDT, Wilcoxon"
    assert result.loc[claim, ["here", "holds"]].tolist() == ["p = 0.22875", False]


@pytest.fixture(scope="module")
def twonorm_twice(tmp_path_factory):
    """One iteration of each kind, and then two."""
    folder, work = data_folder(), tmp_path_factory.mktemp("work")
    return [run_data_set("twonorm", folder, work, n_runs) for n_runs in (1, 2)], work


def test_more_iterations_go_on_from_those_that_are_kept(twonorm_twice):
    (first, both), work = twonorm_twice
    again = run_data_set("twonorm", data_folder(), work, 2)
    for learner in (*LEARNERS, MARGIN):
        assert np.array_equal(both.auroc[learner][:, :1], first.auroc[learner])
        assert np.array_equal(both.pooled[learner][:, :1], first.pooled[learner])
        assert np.array_equal(again.auroc[learner], both.auroc[learner])
    for key, ends in both.ends.items():
        assert np.array_equal(again.ends[key].estimates, ends.estimates)
    assert again.cpu_seconds == both.cpu_seconds  # read, not run


def test_areas_are_those_of_plain_fits(twonorm_twice):
    _check_areas(twonorm_twice[0][0], data_folder())


def _check_areas(found, folder):
    """Compare areas of the first 2-fold iteration with plain fits and scikit-learn's area."""
    data = load_data(folder / "uci" / "twonorm.arff")
    plan = make_plan(data, "1x2", random_state=0)
    areas = {"C4.5": [], "SMO": [], MARGIN: []}
    for fold in range(2):
        split = plan.split(0, fold)
        X, y = data.feature_rows(split.train_rows), data.target_rows(split.train_rows)
        X_test, y_test = data.feature_rows(split.test_rows), data.y[split.test_rows]
        made = dict(learners(("C4.5", "SMO")))
        tree, machine = made["C4.5"].fit(X, y), made["SMO"].fit(X, y)
        labels = machine.predict(X_test) == data.classes[1]
        areas["C4.5"].append(roc_auc_score(y_test, tree.predict_proba(X_test)[:, 1]))
        areas["SMO"].append(roc_auc_score(y_test, labels))
        areas[MARGIN].append(roc_auc_score(y_test, machine.decision_function(X_test)))
    for learner, values in areas.items():
        assert found.auroc[learner][0, 0] == pytest.approx(np.mean(values), abs=1e-12)


def test_rows_of_later_years_are_predicted_by_all_rows_before(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.array(["no", "yes"])[(X[:, 0] + 0.3 * rng.normal(size=120) > 0).astype(int)]
    before, later = (
        DataSet("tiny", pd.DataFrame(X[rows], columns=list("abc")), y[rows], "classification")
        for rows in (slice(80), slice(80, 120))
    )
    result = areas_of_test_set(before, later, ("C4.5", "NB"))
    plain = dict(learners(("NB",)))["NB"].fit(X[:80], y[:80])
    second = plain.predict_proba(X[80:])[:, 1]
    assert result["NB"] == pytest.approx(roc_auc_score(y[80:] == "yes", second))
    assert 0.8 < result["C4.5"] < 1.0
    first = made_estimates("ozone-1h", [0.8] * 6, sd=0.0)
    on_test_set = {"HDDT": 0.9, "C4.5": 0.85, "NB": 0.8}
    tested = replace(first, ends={}, on_test_set=on_test_set)
    both = tables.tables_4_and_5([tested])
    row = both["table_4"][both["table_4"]["n_folds"] == "test set"]
    assert row["auroc"].tolist() == [0.9, 0.85, 0.8]
    assert row["printed_auroc"].tolist() == [0.934, 0.95, 0.963]
    errors = tables.table_of_errors(both["table_4"], both["table_5"])
    here = errors[(errors["source"] == "here") & (errors["table"] == 5)]
    assert here.loc[here["learner"] == "HDDT", "mean_absolute_error"].tolist() == [0.1, 0.09, 0.08]


def test_the_page_prints_what_was_written():
    root = Path(__file__).parents[3]
    page = (root / "docs" / "papers" / "variability-2010.md").read_text(encoding="utf-8")
    results = root / "replications" / "variability_2010" / "results"
    told = pd.read_csv(results / "agreement.csv", dtype=str).set_index("claim")
    for claim in told.index[told.index.str.startswith("R of C4.5")]:
        assert re.search(rf"\| {float(told.loc[claim, 'here']):.3f} \|$", page, re.MULTILINE)
    within = told[told.index.str.contains("within a factor of 2")]["here"]
    assert f"| {', '.join(within)} |" in page
    verdicts = pd.read_csv(results / "table_2_verdicts.csv")
    for row in verdicts[verdicts["source"] == "2-fold"].itertuples():
        assert f"iteration {row.iteration} with p = {row.p_value:.3f}" in page
    iterations = pd.read_csv(results / "table_3_iterations.csv")
    of_rank = iterations[(iterations["rule"] == "Rank") & (iterations["n_folds"] == 2)]
    ratios = of_rank["iterations"] / of_rank["printed_iterations"]
    for learner, median in ratios.groupby(of_rank["learner"]).median().items():
        assert f"{median:.2f} for {learner}" in page
    far = of_rank[(ratios > 2) | (ratios < 0.5)]
    assert set(far["data_set"]) == {"vote"}
    adaptive = pd.read_csv(results / "adaptive_verdicts.csv")
    assert len(adaptive) == 100
    assert not adaptive["is_significant"].any()
    assert f"the smallest p is {adaptive['p_value'].min():.2f}" in page
    assert f"after {adaptive['mean_repeats'].mean():.0f} repeats on average" in page
    assert f"{(adaptive['favors'] == 'C4.5').sum()} of them lean to C4.5" in page
