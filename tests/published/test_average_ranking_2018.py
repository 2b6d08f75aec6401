"""Average ranking, a portfolio and active testing on OPENML-WEKA-2017, where tests are counted.

The scenario is of the competition on algorithm selection of 2017 (ASlib): accuracy of 30
classifiers of Weka on 105 data sets of OpenML, no times. The figures are those of a second,
plain implementation.
"""

import numpy as np
import pytest
from replications.average_ranking_2018.meta_data import weka
from replications.average_ranking_2018.tables import COUNTED_METHODS, counted_tests
from tests.given import data_folder

from bestofk.inference.many_data_sets.ranks import weighted_average_ranks
from bestofk.recommendation.fixed_orders import a3r_ranks
from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import leave_one_out, rank_agreement

EXPECTED = {  # mean loss in percentage points after 1, 2, 3, 5, 10 and 20 tests, and over all 30
    "average-ranking-0": ([2.00, 0.94, 0.90, 0.66, 0.17, 0.04], 0.258),
    "greedy-portfolio": ([2.00, 0.94, 0.61, 0.44, 0.10, 0.02], 0.201),
    "active-testing-0-start-0": ([2.00, 0.94, 0.89, 0.47, 0.25, 0.12], 0.292),
}


@pytest.fixture(scope="module")
def history() -> History:
    pytest.importorskip("yaml")
    folder = data_folder()
    if not (folder / "aslib" / "OPENML-WEKA-2017").is_dir():
        pytest.skip(f"no OPENML-WEKA-2017 in {folder / 'aslib'}")
    return weka(folder)


def test_the_scenario_is_whole(history: History) -> None:
    assert history.scores.shape == (105, 30)
    assert not np.isnan(history.scores).any()
    assert not history.has_seconds


def test_the_ranking_by_score_is_like_the_ranks_on_each_data_set(history: History) -> None:
    agreement = rank_agreement(history, power=0)
    spearman, kendall = agreement.means()
    assert spearman == pytest.approx(0.555, abs=5e-4)
    assert np.median(agreement.spearman) == pytest.approx(0.567, abs=5e-4)
    assert kendall == pytest.approx(0.414, abs=5e-4)
    assert agreement.n_undefined == 0


def test_logistic_model_trees_rank_first_and_random_forests_second(history: History) -> None:
    ranks = weighted_average_ranks(a3r_ranks(history, 0.0))
    first, second = np.argsort(ranks)[:2]
    assert history.learners[first].endswith("weka.LMT")
    assert history.learners[second].endswith("weka.RandomForest")
    assert ranks[[first, second]] == pytest.approx([6.45, 7.15], abs=5e-3)


def test_one_learner_for_all_is_two_points_behind_the_best_of_each(history: History) -> None:
    means = history.scores.mean(axis=0)
    assert history.learners[means.argmax()].endswith("weka.LMT")
    assert 100 * means.max() == pytest.approx(85.57, abs=5e-3)
    assert 100 * history.scores.max(axis=1).mean() == pytest.approx(87.57, abs=5e-3)


def test_losses_fall_with_the_number_of_tests(history: History) -> None:
    table = counted_tests(leave_one_out(history, COUNTED_METHODS)).set_index("method")
    assert set(table.index) == set(EXPECTED)
    for method, (after, mean) in EXPECTED.items():
        assert table.loc[method].iloc[:-1].tolist() == pytest.approx(after, abs=0.0051), method
        assert table.loc[method, "mean_over_all_tests"] == pytest.approx(mean, abs=6e-4), method
