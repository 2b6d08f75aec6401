import numpy as np
import pandas as pd
import pytest
from replications.multitest_2006 import tables
from replications.multitest_2006.experiment import Errors
from replications.multitest_2006.protocol import DATA_SETS, LARGEST, LEARNERS, NUMERIC
from replications.multitest_2006.selections import LEVELS, select

from bestofk.inference import five_by_two_cv_t_test, newman_keuls
from bestofk.verdict.classical_rules import anova_best, newman_keuls_best
from bestofk.verdict.rules import first_test_best, multitest_best, multitest_edges


def drawn_losses(n_runs):
    """Five learners whose means are now near, now far, so that every procedure has cases."""
    rng = np.random.default_rng(5)
    means = rng.choice([0.20, 0.22, 0.25, 0.30], size=(n_runs, 5, 1))
    return np.abs(means + 0.02 * rng.normal(size=(n_runs, 5, 10)))


def one_sided(losses):
    result = np.ones((5, 5))
    for i, j in zip(*np.triu_indices(5, k=1), strict=True):
        pair = [losses[index].reshape(5, 2) for index in (i, j)]
        result[i, j] = five_by_two_cv_t_test(*pair, alternative="greater").p_value
    return result


@pytest.mark.parametrize("level", LEVELS.values())
def test_selections_of_many_runs_are_those_of_each_run_by_itself(level):
    losses = drawn_losses(60)
    result = select(losses, level=level)
    for run, loss in enumerate(losses):
        p_values = one_sided(loss)
        edges, _ = multitest_edges(p_values, alpha=level, correction="bonferroni")
        ranges = newman_keuls(loss.T)
        expected = {
            "Anova": anova_best(loss.T),
            "TestFirst": first_test_best(loss.mean(axis=1), p_values, alpha=level),
            "Newman-Keuls": newman_keuls_best(ranges.order, ranges.underlines),
            "MultiTest": int(multitest_best(edges)),
        }
        for procedure, best in expected.items():
            assert result[procedure][run] == (-1 if best is None else best)
    assert {len(np.unique(chosen)) > 1 for chosen in result.values()} == {True}


def test_the_printed_tables_hold_all_that_the_paper_prints():
    first, second = (pd.read_csv(tables.PRINTED / f"table_{number}.csv") for number in (1, 2))
    assert set(first["data_set"]) == set(second["data_set"]) == set(DATA_SETS)
    assert (len(first), len(second)) == (30 * 5, 30 * 3)
    third = pd.read_csv(tables.PRINTED / "table_3.csv")
    assert third.drop(columns="procedure").sum(axis=1).tolist() == [30_000] * 4
    assert set(LARGEST) | set(NUMERIC) <= set(DATA_SETS)


def made_errors(name="iris", n_runs=3):
    values = np.tile(np.array([0.7068, 0.1359, 0.0414, 0.0629, 0.0651])[:, None], (n_runs, 1, 10))
    return Errors(name, values + 0.01 * (np.arange(10) % 2), (150, 4), 1.0)


def test_tables_hold_percent_beside_the_printed_values():
    first = tables.table_1([made_errors()])
    assert first["learner"].tolist() == list(LEARNERS)
    assert first["printed_mean"].tolist() == [70.68, 13.59, 4.14, 6.29, 6.51]
    assert first["difference"].tolist() == [0.5] * 5  # half of the folds have 1 point more
    result = tables.selections([made_errors()])
    second = tables.table_2(result)
    ours = second[second["procedure"] == "Newman-Keuls"].iloc[0]
    assert (ours["printed_first"], ours["first"], ours["first_percent"]) == ("LGC", "LGC", 100)
    third = tables.table_3(result)
    counts = third[(third["source"] == "here") & (third["procedure"] == "MultiTest")]
    assert counts["LGC"].tolist() == [3, 3]
    agreed = tables.agreement(first, second).set_index("what")
    assert agreed.loc["error of NMC, all sets", ["n", "of"]].tolist() == [1, 1]
    assert agreed.loc["error of MAX, all sets", "n"] == 0
    assert agreed.loc["most named by Newman-Keuls", "n"] == 1
