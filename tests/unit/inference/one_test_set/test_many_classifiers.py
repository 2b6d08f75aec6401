"""Right and wrong rows, and posteriors, of many classifiers."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    cochran_q_test,
    looney_f_plus_test,
    looney_f_test,
    mcnemar_from_counts,
    multinomial_selection,
    proportion_interval,
)

CORRECT = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]]


def test_six_rows_by_hand() -> None:
    # G = 5, 4, 1, T = 10, sum R^2 = 20: Q = 2 (3 * 42 - 100) / (30 - 20).
    result = cochran_q_test(CORRECT, names=["a", "b", "c"])
    assert (result.statistic, result.df) == (5.2, 2)
    assert result.p_value == pytest.approx(np.exp(-2.6))
    assert result.levels == pytest.approx((5 / 6, 4 / 6, 1 / 6))
    assert result.effect_size == pytest.approx(5.2 / 12)
    assert [warning.code for warning in result.warnings] == ["few-scores", "not-equal"]


def test_of_two_learners_it_is_mcnemars_chi2() -> None:
    table = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [9, 2, 50, 39], axis=0)
    result, wanted = cochran_q_test(table), mcnemar_from_counts(2, 9, method="chi2")
    assert (result.statistic, result.p_value) == pytest.approx((wanted.statistic, wanted.p_value))


def test_rows_on_which_all_agree_show_nothing() -> None:
    result = cochran_q_test([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))
    assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]


def test_numbers_other_than_0_and_1_are_refused() -> None:
    with pytest.raises(DesignError, match=r"must be 0 or 1 \(wrong, right\); got 2"):
        cochran_q_test([[1, 2], [0, 1]])


def test_sums_of_six_rows_are_those_by_hand() -> None:
    # T = 10 of 18 cells: SSA = 42/6 - 100/18, SSB = 20/3 - 100/18, SST = 10 - 100/18.
    result = looney_f_test(CORRECT)
    sums = (result.ss_learners, result.ss_rows, result.ss_total, result.ss_error)
    assert sums == pytest.approx((26 / 18, 20 / 18, 80 / 18, 34 / 18))
    assert result.statistic == pytest.approx((26 / 2) / (34 / 10))
    assert (result.df, result.epsilon) == ((2, 10), 1)
    assert result.effect_size == pytest.approx(26 / 80)
    assert result.partial_eta_squared == pytest.approx(26 / 60)
    q, n, k = cochran_q_test(CORRECT).statistic, 6, 3
    assert result.statistic == pytest.approx((n - 1) * q / (n * (k - 1) - q))


def test_f_plus_has_less_freedom_some_of_which_huynh_and_feldt_give_back() -> None:
    plain, plus = looney_f_test(CORRECT), looney_f_plus_test(CORRECT)
    assert plus.statistic == plain.statistic
    assert plus.df == pytest.approx((2 * plus.epsilon, 10 * plus.epsilon))
    assert 0.5 <= plus.epsilon < 1
    assert plus.p_value > plain.p_value
    small, large = plus.epsilon, looney_f_plus_test(CORRECT, epsilon="huynh-feldt").epsilon
    assert large == pytest.approx(min(1, (6 * 2 * small - 2) / (2 * (5 - 2 * small))))
    assert small < large <= 1


@pytest.mark.parametrize("epsilon", ["greenhouse-geisser", "huynh-feldt"])
def test_epsilon_stays_between_its_limits(epsilon: str) -> None:
    assert looney_f_plus_test([[1, 0], [0, 1], [1, 1], [1, 0]], epsilon=epsilon).epsilon == 1
    two_rows = looney_f_plus_test([[1, 0, 1], [0, 1, 1]], names=list("abc"), epsilon=epsilon)
    assert two_rows.epsilon == pytest.approx(1 / 2)
    # As many rows as learners, all alike: the estimate of Huynh and Feldt has no finite value.
    three_rows = looney_f_plus_test(np.eye(3), epsilon=epsilon)
    assert three_rows.epsilon == pytest.approx(1)


@pytest.mark.parametrize("run", [looney_f_test, looney_f_plus_test])
def test_what_does_not_vary_is_a_limit(run: object) -> None:
    result = run([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))
    assert (result.epsilon, result.partial_eta_squared) == (1, 0)
    assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]
    result = run([[1, 0, 1]] * 7)
    assert (result.statistic, result.p_value, result.flags) == (np.inf, 0, ("zero_variance",))
    assert [warning.code for warning in result.warnings] == ["degenerate"]
    assert looney_f_test(np.ones((4, 3))).effect_size == 0
    result = looney_f_test([[1, 0], [0, 1]])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ())


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="Did you mean 'huynh-feldt'"):
        looney_f_plus_test(CORRECT, epsilon="hyunh-feldt")
    with pytest.raises(DesignError, match="correct of looney_f_plus_test must be 0 or 1"):
        looney_f_plus_test([[1, 3], [0, 1]])


POSTERIORS = [[0.9, 0.8, 0.7], [0.6, 0.7, 0.65], [0.2, 0.3, 0.1], [0.5, 0.5, 0.4]]


def test_ties_are_split_and_the_text_shows_every_learner() -> None:
    result = multinomial_selection(POSTERIORS, names=["a", "b", "c"])
    assert result.wins == (1.5, 2.5, 0)
    assert result.shares == (0.375, 0.625, 0)
    assert result.best == "b"
    assert result.to_frame()["wins"].tolist() == [1.5, 2.5, 0]
    assert "wins of b  2.5, share 0.625" in str(result)
    assert repr(result) == "MultinomialSelection(b wins 2.5 of 4 rows, 3 learners)"
    tied = multinomial_selection([[0.5, 0.5]] * 3)
    assert (tied.best, tied.flags) == ("learner 1", ("all_ties",))
    assert [warning.code for warning in tied.warnings] == ["degenerate", "multiplicity"]


def test_all_intervals_hold_together() -> None:
    result = multinomial_selection([[0.6, 0.4]] * 30 + [[0.1, 0.2]] * 10, level=0.9)
    alone = proportion_interval(30, 40, level=0.95)
    assert (result.low[0], result.high[0]) == pytest.approx((alone.low, alone.high))
    assert result.warnings[-1].code == "multiplicity"
    assert "m = 2; Bonferroni: each interval has level 0.95" in result.warnings[-1]


def test_learners_without_or_with_few_different_probabilities_are_named() -> None:
    result = multinomial_selection([[1, 0.9], [0, 0.1], [1, 0.8]], names=["1-nn", "lda"])
    assert [warning.code for warning in result.warnings] == ["degenerate", "multiplicity"]
    assert result.warnings[0].startswith("1-nn gives no probabilities")
    rng = np.random.default_rng(0)
    fine, other = rng.uniform(size=(2, 30))
    table = np.array([np.tile([0.2, 0.4, 0.6, 0.8, 1.0], 6), fine, rng.choice([0.1, 0.93], 30)])
    first = multinomial_selection(table.T, names=["5nn", "logistic", "cart"]).warnings[0]
    assert first.code == "degenerate"
    assert first.startswith("Probabilities of few values: 5nn (5 on 30 rows), cart (2 on 30 rows).")
    text = str(multinomial_selection(np.transpose([fine, other])))
    assert "few values" not in text
    tenths = np.linspace(0.0, 1.0, 60)
    table = np.transpose([[0.6, 0.2 * 3] * 30, tenths])
    assert "learner 1 (1 on 60 rows)" in multinomial_selection(table).warnings[0]


def test_neighbors_and_trees_are_coarse_on_real_data() -> None:
    X, y = load_iris(return_X_y=True)
    train = np.arange(150) % 2 == 0
    models = {
        "5nn": KNeighborsClassifier(5),
        "tree": DecisionTreeClassifier(random_state=0),
        "logistic": LogisticRegression(max_iter=1000),
    }
    columns = [
        model.fit(X[train], y[train]).predict_proba(X[~train])[np.arange(75), y[~train]]
        for model in models.values()
    ]
    text = str(multinomial_selection(np.transpose(columns), names=list(models)))
    n_values = len(np.unique(columns[0].round(9)))
    assert f"5nn ({n_values} on 75 rows)" in text
    assert "tree gives no probabilities between 0 and 1" in text
    assert "logistic (" not in text


def test_what_is_no_posterior_is_refused() -> None:
    with pytest.raises(DesignError, match=r"must be probabilities from 0 to 1; got 1\.5"):
        multinomial_selection([[1.5, 0.2]])
    with pytest.raises(InvalidArgumentError, match="level must be"):
        multinomial_selection(POSTERIORS, level=0)
