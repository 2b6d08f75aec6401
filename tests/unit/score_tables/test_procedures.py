"""Procedures applied to score tables, by hand."""

import numpy as np
import pandas as pd
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.score_tables.across import compare_scores_across
from bestofk.score_tables.procedures import apply_procedure

# The four folds of a lecture: mean difference -0.03, t = -2.777.
FOLDS = pd.DataFrame({"tree": [0.16, 0.18, 0.20, 0.18], "lda": [0.20, 0.21, 0.25, 0.18]})


def over_data_sets(**columns):
    """Return a long table: per learner the means on six data sets, two splits around each."""
    rows = [
        {"dataset": f"d{index}", "learner": name, "repeat": repeat, "fold": 0,
         "measure": "error", "value": mean + 0.01 * (2 * repeat - 1)}
        for name, means in columns.items()
        for index, mean in enumerate(means)
        for repeat in (0, 1)
    ]  # fmt: skip
    return pd.DataFrame(rows)


SIX = over_data_sets(
    tree=[0.30, 0.25, 0.20, 0.40, 0.35, 0.50], lda=[0.29, 0.23, 0.17, 0.36, 0.30, 0.44]
)


def test_the_difference_is_that_of_the_learners_in_the_order_named():
    result = apply_procedure(FOLDS, "paired-t", "lda", "tree", measure="error", cv="4")
    assert result.estimate == pytest.approx(0.03)
    assert result.statistic == pytest.approx(2.7775, abs=5e-4)
    assert result.p_value == pytest.approx(0.0691, abs=5e-5)


def test_options_reach_the_procedure():
    result = apply_procedure(
        FOLDS, "paired-t", "lda", "tree", measure="error", cv="4", alternative="less"
    )
    assert result.p_value == pytest.approx(1 - 0.0691 / 2, abs=5e-5)


def test_all_learners_take_part_where_none_is_named():
    result = apply_procedure(FOLDS, "anova", measure="error", cv="4")
    assert result.names == ("tree", "lda")


def test_a_procedure_over_data_sets_takes_the_mean_of_each():
    result = apply_procedure(SIX, "wilcoxon", "tree", "lda")
    assert (result.n, result.statistic) == (6, 21)
    assert result.p_value == pytest.approx(2 / 64)


def test_ranks_follow_the_direction_of_the_measure():
    by_error = apply_procedure(SIX, "friedman")
    assert by_error.levels == (2.0, 1.0)
    by_accuracy = apply_procedure(SIX.assign(measure="accuracy"), "friedman")
    assert by_accuracy.levels == (1.0, 2.0)
    told = apply_procedure(SIX.assign(measure="mine"), "friedman", greater_is_better=True)
    assert told.levels == (1.0, 2.0)


def test_a_direction_that_is_needed_must_be_known():
    with pytest.raises(InvalidArgumentError, match="direction of the measure 'mine' must be"):
        apply_procedure(SIX.assign(measure="mine"), "nemenyi")


@pytest.mark.parametrize("name", ["friedman", "iman-davenport", "quade", "aligned-ranks"])
def test_a_test_that_is_the_same_for_both_directions_needs_none(name):
    results = [
        apply_procedure(SIX.assign(measure="mine"), name, greater_is_better=direction)
        for direction in (None, True, False)
    ]
    assert len({round(result.p_value, 12) for result in results}) == 1
    assert results[0].levels == results[2].levels
    assert "No direction was given, so rank 1 is the lowest score" in results[0].warnings[-1]
    assert not any("No direction" in text for result in results[1:] for text in result.warnings)


def test_a_procedure_that_needs_no_direction_asks_for_none():
    result = apply_procedure(SIX.assign(measure="mine"), "sign-test", "tree", "lda")
    assert result.p_value == pytest.approx(2 / 64)


def test_splits_of_data_sets_need_the_sizes():
    with pytest.raises(DesignError, match="n_train and n_test of data set 1 must be known"):
        apply_procedure(SIX, "hierarchical-bayes", "tree", "lda")
    told = {"n_train": 90, "n_test": 10, "random_state": 0}
    result = apply_procedure(SIX, "hierarchical-bayes", "tree", "lda", **told)
    assert result.p_greater > 0.5


def test_order_of_learners_may_differ_between_data_sets():
    shuffled = pd.concat([SIX[SIX.dataset == "d0"], SIX[SIX.dataset != "d0"][::-1]])
    result = apply_procedure(shuffled, "wilcoxon", "tree", "lda")
    assert result.statistic == 21


@pytest.mark.parametrize(
    ("name", "learners", "options", "error", "message"),
    [
        ("hierarchical-bayes", ("tree",), {}, DesignError, "must be two learners; got 1"),
        ("friedman", ("tree",), {}, DesignError, "must be at least two learners; got 1"),
        ("friedman", (), {"alternative": "less"}, DesignError, "no side"),
        ("corrected-t", (), {}, InvalidArgumentError, "dataset must be named where the table"),
        ("corrected-t", (), {"dataset": "d9"}, InvalidArgumentError, r"'d9'\. Did you mean 'd"),
        ("corrected-t", (), {"dataset": "d1", "n_train": -5, "n_test": 1}, InvalidArgumentError,
         "n_train must be a number above 0 or None; got -5"),
        ("corrected-t", (), {"dataset": "d1", "n_train": 5}, InvalidArgumentError,
         "must be given together"),
        ("corrected-t", (), {"dataset": "d1"}, DesignError, "needs the sizes of training and test"),
    ],
)  # fmt: skip
def test_what_does_not_suit_is_refused(name, learners, options, error, message):
    with pytest.raises(error, match=message):
        apply_procedure(SIX, name, *learners, **options)


def test_a_learner_that_lacks_a_data_set_is_named_with_it():
    lacking = SIX[(SIX.dataset != "d3") | (SIX.learner != "lda")]
    with pytest.raises(DesignError, match="got none called 'lda' on d3, which d0 has"):
        apply_procedure(lacking, "wilcoxon")
    extra = pd.concat(
        [SIX, SIX[(SIX.dataset == "d2") & (SIX.learner == "lda")].replace("lda", "svm")]
    )
    with pytest.raises(DesignError, match="got none called 'svm' on d0, which d2 has"):
        apply_procedure(extra, "friedman")


def test_a_file_is_read_once_however_many_data_sets_it_holds(tmp_path, monkeypatch):
    from bestofk.data import spreadsheet_cells

    path = tmp_path / "scores.csv"
    SIX.to_csv(path, index=False)
    reads = []
    read_csv = spreadsheet_cells.read_csv
    monkeypatch.setattr(
        spreadsheet_cells, "read_csv", lambda *a, **k: reads.append(a) or read_csv(*a, **k)
    )
    result = apply_procedure(str(path), "wilcoxon", "tree", "lda")
    assert (result.statistic, len(reads)) == (21, 1)
    assert compare_scores_across(path, n_train=9, n_test=1).verdict.best == "lda"
    assert len(reads) == 2


def test_wide_tables_of_numbered_data_sets_work():
    wide = pd.DataFrame(
        {"dataset": np.arange(6), "a": [0.3] * 6, "b": [0.1, 0.1, 0.1, 0.1, 0.1, 0.2]}
    )
    result = apply_procedure(wide, "sign-test", "a", "b", measure="error")
    assert (result.n, result.p_value) == (6, pytest.approx(2 / 64))


def test_a_known_measure_without_bounds_has_two_percent_of_the_lowest_mean():
    table = pd.DataFrame({"a": [4.0, 9.0, 5.0, 7.0], "b": [6.0, 8.0, 9.0, 9.0]})
    results = {
        measure: apply_procedure(table, "bayesian-correlated-t", measure=measure, cv="1x4").rope
        for measure in ("mse", "error")
    }
    assert results == {"mse": pytest.approx(0.02 * 6.25), "error": 0.01}
