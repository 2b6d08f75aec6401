from __future__ import annotations

import numpy as np
import pandas as pd
from tests.unit.report.given_findings import MEANS

from bestofk.report import pairs_frame, summary_frame
from bestofk.report.tables import basis, legend, rows, runs_line
from bestofk.stopping.history import StoppingHistory


def test_the_summary_has_one_row_per_learner_in_the_order_of_the_verdict(make):
    frame = summary_frame(make())
    assert frame["learner"].tolist() == ["logistic", "cart", "1nn", "nearest-mean", "majority"]
    assert frame["note"].tolist() == ["best", "may be best", "", "", ""]
    assert frame["candidate"].tolist() == [True, True, False, False, False]
    np.testing.assert_allclose(frame["difference"], [0, 0.01, 0.04, 0.08, 0.6167], atol=1e-12)
    np.testing.assert_allclose(frame["accuracy"], 1 - frame["mean"])
    assert frame.columns.tolist() == [
        "learner", "mean", "sd", "difference", "candidate", "note", "fit_seconds",
        "predict_seconds", "n_runs", "n_failed", "accuracy", "auroc",
    ]  # fmt: skip


def test_learners_left_out_and_baselines_come_last_with_their_reason(make):
    changes = {
        "1nn": {"left_out": "4 of 4 runs failed", "mean": np.nan},
        "majority": {"is_baseline": True},
    }
    order = ["logistic", "cart", "nearest-mean"]
    frame = summary_frame(make(learners=changes, verdict={"order": order}))
    assert frame["learner"].tolist() == [*order, "majority", "1nn"]
    assert frame["note"].tolist()[-2:] == ["baseline", "left out: 4 of 4 runs failed"]
    assert np.isnan(frame["difference"].iloc[-1])


def test_the_pairs_are_the_fields_of_the_verdict(make):
    frame = pairs_frame(make())
    assert frame.shape == (1, 15)
    assert frame.loc[0, "finding"] == "not shown to differ"
    assert frame.loc[0, "low"] == -0.05


def test_without_pairs_the_columns_stay(make):
    frame = pairs_frame(make(verdict={"pairs": []}))
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 0
    assert frame.columns[0] == "first"


def test_failed_runs_get_a_column_only_where_there_are_some(make):
    assert rows(make())[0].cells == ("0.0500", "0.0183", "0.950", "0.900", "6.6 ms", "1.0 ms")
    assert rows(make(learners={"1nn": {"n_failed": 1}}))[2].cells[-1] == "1/4"


def test_whole_repeats_are_counted_not_runs(make):
    stopping_history = StoppingHistory(0, 50, 3, (), (), "", is_settled=False, level=0.05)
    result = rows(
        make(
            stopping_history=stopping_history,
            learners={"1nn": {"n_runs": 15}, "majority": {"n_runs": 1}},
        )
    )
    assert [row.cells[2] for row in result] == ["1", "1", "5", "1", "0"]


def test_scores_were_given_where_there_are_none_that_a_run_could_give(make):
    without = {name: {"n_runs": 0} for name in MEANS}
    assert runs_line(make(learners=without)) == "no runs: the scores were given"
    assert runs_line(make(learners=without, n_fitted=0, n_unfinished=12)) == (
        "0 runs done now, 0 found in the store, 0 failed, 12 left"
    )


def test_the_legend_explains_the_marks_that_occur(make):
    assert legend(make()).startswith("* best average; + may be best as well; sd")


def test_the_correction_of_the_candidates_is_named_where_no_preference_is(make):
    text = basis(make(verdict={"correction": "bonferroni"}))
    assert text == (
        "error rate (lower is better); corrected resampled t test, Holm correction, level 5 %"
    )


def test_runs_that_are_left_are_counted(make):
    assert runs_line(make(n_unfinished=3)) == (
        "20 runs done now, 0 found in the store, 0 failed, 3 left"
    )
