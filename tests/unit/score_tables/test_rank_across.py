"""Verdicts over data sets with different measures rest on ranks, never on a mean of both."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.given import data_folder

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report import to_json
from bestofk.report.sections import sections
from bestofk.score_tables.across import compare_scores_across, rank_findings
from bestofk.score_tables.score_formats.read_score_table import read_score_table
from bestofk.verdict.verdict_options import VerdictOptions

FILE = Path(__file__).parents[1] / "score_tables/score_formats/files/tabarena_results_per_split.csv"
COMPLETE = pd.read_csv(FILE).assign(imputed=False)


def plain_ranks(table: pd.DataFrame) -> pd.DataFrame:
    """Rank methods within data sets by pandas alone."""
    means = table.groupby(["dataset", "method"])["metric_error"].mean().unstack()
    return means.rank(axis=1)


def test_mean_ranks_are_those_of_pandas():
    across = compare_scores_across(COMPLETE)
    assert across.verdict.mean_ranks == pytest.approx(plain_ranks(COMPLETE).mean().to_dict())
    assert across.verdict.means == pytest.approx(across.verdict.mean_ranks)
    assert across.verdict.best == "TABPFN-V2.6 (default)"
    table = across.to_frame()
    pd.testing.assert_frame_equal(
        table, plain_ranks(COMPLETE).loc[table.index, table.columns], check_names=False
    )


def test_published_mean_ranks_are_reproduced():
    table = pd.read_csv(data_folder() / "meta" / "tabarena_lite_per_split.csv.gz")
    ranks = compare_scores_across(table.assign(imputed=False)).verdict.mean_ranks
    published = {  # leaderboards/lite.csv of the same commit, which counts imputed results
        "AutoGluon 1.5 (extreme, 4h)": 9.588235294117647,
        "TABICLV2 (default)": 12.784313725490197,
        "TABPFNV2_GPU (tuned + ensemble)": 31.11764705882353,
        "MITRA_GPU (default)": 32.833333333333336,
    }
    assert {name: ranks[name] for name in published} == pytest.approx(published)
    # Scores that differ in the 16th digit alone, as imputed ones do, are ties here.
    rounded = plain_ranks(table.assign(metric_error=table["metric_error"].round(12)))
    assert ranks == pytest.approx(rounded.mean().to_dict())


def test_units_do_not_matter_and_each_measure_has_its_direction():
    table = COMPLETE.rename(columns={"method": "learner", "metric": "measure"})
    table = table.assign(value=table["metric_error"], greater_is_better=False)
    is_auc = table["measure"] == "roc_auc"
    turned = table.assign(
        value=table["value"].where(~is_auc, 1 - table["value"]), greater_is_better=is_auc
    )
    columns = ["dataset", "learner", "measure", "value", "greater_is_better"]
    first = compare_scores_across(table[columns]).verdict
    second = compare_scores_across(turned[columns]).verdict
    assert first.mean_ranks == second.mean_ranks
    np.testing.assert_array_equal(first.matrix.p_adjusted, second.matrix.p_adjusted)


def test_pairs_are_those_of_nemenyi_and_a_control_those_of_dunn():
    verdict = compare_scores_across(COMPLETE).verdict
    assert (verdict.matrix.procedure, verdict.correction) == ("Nemenyi test", "nemenyi")
    against = compare_scores_across(COMPLETE, control="CAT (default)").verdict
    assert (against.matrix.procedure, against.control) == ("Bonferroni-Dunn test", "CAT (default)")
    ranked = compare_scores_across(COMPLETE, prefer="given").verdict
    edges = [(edge.worse, edge.better) for edge in ranked.edges]
    assert ("CAT (default)", "TABPFN-V2.6 (default)") in edges
    assert (ranked.best, ranked.has_preference) == ("TABPFN-V2.6 (default)", True)


def test_the_report_names_no_mean_of_values():
    across = compare_scores_across(COMPLETE)
    text = str(sections(across))
    assert "Use TABPFN-V2.6 (default): mean rank 1.22 over 9 data sets." in text
    assert "mean ranks decide; critical difference 1.56 (Nemenyi, 5%)" in text
    assert "Nemenyi test of mean ranks, all pairs (6), level 5%" in text
    assert "describe" not in text
    assert '"correction": "nemenyi"' in to_json(across)


def test_missing_results_are_refused_or_left_out_and_told():
    with pytest.raises(
        DesignError,
        match=r"got none of TABICL_GPU \(default\) on 3, such as 'imputed by RandomForest_c1_BAG_",
    ):
        compare_scores_across(FILE)
    across = rank_findings(read_score_table(FILE), settings=VerdictOptions(), missing="drop-data")
    expected = plain_ranks(COMPLETE.query("method != 'TABICL_GPU (default)'")).mean()
    assert across.verdict.mean_ranks == pytest.approx(expected.to_dict())
    assert list(across.verdict.left_out) == ["TABICL_GPU (default)"]
    assert np.isnan(across.column("TABICL_GPU (default)")).all()
    assert len(across.missing) == 3


def test_a_measure_that_is_named_decides_by_its_means():
    rows = COMPLETE.query("metric == 'rmse'")
    across = compare_scores_across(rows)
    means = rows.groupby("method")["metric_error"].mean()
    assert across.verdict.means == pytest.approx(means.to_dict())
    assert not across.verdict.is_by_ranks


@pytest.mark.parametrize(
    ("name", "value"), [("test", "paired-t"), ("rope", 0.02), ("correction", "bonferroni")]
)
def test_settings_that_ranks_make_no_use_of_are_refused(name, value):
    with pytest.raises(InvalidArgumentError, match=f"^{name} must be left out where data sets"):
        compare_scores_across(COMPLETE, **{name: value})
