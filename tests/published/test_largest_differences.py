"""What else was tried for the largest differences from Tables 1 and 2 of Yildiz & Alpaydin."""

import numpy as np
import pandas as pd
import pytest
from replications.cells import NOT_EXPLAINED, read_cells
from replications.multitest_2006 import cells as multitest_cells
from replications.multitest_2006 import largest
from replications.multitest_2006.selections import select
from tests.given import data_folder

RESULTS = largest.HERE / "results"


def kept() -> pd.DataFrame:
    return read_cells(RESULTS / "largest.csv")


def test_ten_cells_of_each_table_and_ten_without_a_cause_are_tried():
    chosen = largest.chosen_cells(read_cells(RESULTS / "cells.csv"))
    tried = kept()[["cell", "values"]].drop_duplicates()
    assert tried.to_numpy().tolist() == chosen[["cell", "values"]].to_numpy().tolist()
    for _, own in chosen.groupby("table"):
        assert (own["cause"] == NOT_EXPLAINED).sum() >= 10
        assert (own["cause"] != NOT_EXPLAINED).sum() <= 10


def test_the_page_counts_what_further_settings_explain():
    page = multitest_cells.PAGE.read_text(encoding="utf-8")
    found = largest.conclusions(kept())
    stands = (found == "the cause stands").sum()
    inside = found.str.startswith("inside by").sum()
    unexplained = found.str.startswith(NOT_EXPLAINED).sum()
    assert stands + inside + unexplained == len(found)
    assert (
        f"for {len(found)} values: {stands} keep their cause, {inside} come inside, "
        f"{unexplained} stay unexplained"
    ) in page


def test_moved_errors_have_the_printed_means_and_deviations_and_keep_their_order():
    values = np.random.default_rng(0).random((40, 5, 10)) ** 2
    result = largest.moved(values, "iris")
    means, spreads = result.mean(axis=(0, 2)), result.std(axis=(0, 2), ddof=1)
    np.testing.assert_allclose(means, [0.7068, 0.1359, 0.0414, 0.0629, 0.0651])
    np.testing.assert_allclose(spreads, [0.0225, 0.0353, 0.0189, 0.0447, 0.0238])
    for before, after in zip(values.swapaxes(0, 1), result.swapaxes(0, 1), strict=True):
        np.testing.assert_array_equal(before.ravel().argsort(), after.ravel().argsort())


def test_the_last_of_ties_must_beat_those_preferred_to_it():
    losses = np.tile(np.array([0.5, 0.3, 0.0, 0.1, 0.0])[:, None], (1, 1, 10))
    losses = losses + np.array([0.5, 0.3, 0.0, 0.1, 0.0])[:, None] * np.linspace(-0.1, 0.1, 10)
    assert select(losses)["TestFirst"].tolist() == [2]
    assert select(losses, last_of_ties=True)["TestFirst"].tolist() == [-1]


def test_newman_keuls_at_a_stricter_level_finds_fewer_differences():
    rng = np.random.default_rng(1)
    losses = np.array([0.3, 0.27, 0.25, 0.25, 0.24])[:, None] + 0.03 * rng.normal(size=(200, 5, 10))
    usual, strict = (select(losses, alpha=alpha)["Newman-Keuls"] for alpha in (0.05, 0.01))
    assert (strict == 0).sum() > (usual == 0).sum()


def test_ecoli_without_its_two_nearly_constant_columns_comes_out():
    found = largest.errors_of("ecoli", "NMC", "", data_folder())
    assert found.loc["without nearly constant columns", "mean"] == pytest.approx(21.28, abs=1.5)
    assert found.loc[largest.STRATIFIED, "mean"] < 21.28 - 1.5


@pytest.mark.parametrize("tree", [largest.TogetherTree, largest.LastFifthTree])
def test_pruning_rows_are_a_fifth_and_never_grow(tree):
    y = np.repeat([0, 1], [70, 30])
    growing, pruning = tree(pruning_fraction=0.2, random_state=3).pruning_split(y)
    assert (len(growing), len(pruning)) == (80, 20)
    assert sorted([*growing, *pruning]) == list(range(100))
    assert (tree is largest.LastFifthTree) == (pruning.min() == 80)
