import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import multinomial_selection, proportion_interval

POSTERIORS = [[0.9, 0.8, 0.7], [0.6, 0.7, 0.65], [0.2, 0.3, 0.1], [0.5, 0.5, 0.4]]


def test_ties_are_split() -> None:
    result = multinomial_selection(POSTERIORS, names=["a", "b", "c"])
    assert result.wins == (1.5, 2.5, 0)
    assert result.shares == (0.375, 0.625, 0)
    assert result.best == "b"
    assert result.to_frame()["wins"].tolist() == [1.5, 2.5, 0]


def test_all_intervals_hold_together() -> None:
    result = multinomial_selection([[0.6, 0.4]] * 30 + [[0.1, 0.2]] * 10, level=0.9)
    alone = proportion_interval(30, 40, level=0.95)
    assert (result.low[0], result.high[0]) == pytest.approx((alone.low, alone.high))
    assert result.warnings[-1].code == "multiplicity"
    assert "m = 2; Bonferroni: each interval has level 0.95" in result.warnings[-1]


def test_the_first_of_equal_winners_is_named() -> None:
    result = multinomial_selection([[0.5, 0.5]] * 3)
    assert (result.best, result.flags) == ("learner 1", ("all_ties",))
    assert [warning.code for warning in result.warnings] == ["degenerate", "multiplicity"]


def test_learners_without_probabilities_are_named() -> None:
    result = multinomial_selection([[1, 0.9], [0, 0.1], [1, 0.8]], names=["1-nn", "lda"])
    assert [warning.code for warning in result.warnings] == ["degenerate", "multiplicity"]
    assert result.warnings[0].startswith("1-nn gives no probabilities")


def test_learners_with_few_different_probabilities_are_named() -> None:
    rng = np.random.default_rng(0)
    fine, other = rng.uniform(size=(2, 30))
    table = np.array([np.tile([0.2, 0.4, 0.6, 0.8, 1.0], 6), fine, rng.choice([0.1, 0.93], 30)])
    first = multinomial_selection(table.T, names=["5nn", "logistic", "cart"]).warnings[0]
    assert first.code == "degenerate"
    assert first.startswith("Probabilities of few values: 5nn (5 on 30 rows), cart (2 on 30 rows).")
    text = str(multinomial_selection(np.transpose([fine, other])))
    assert "few values" not in text


def test_rounding_noise_is_no_value_of_its_own() -> None:
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


def test_text_shows_every_learner() -> None:
    result = multinomial_selection(POSTERIORS)
    assert "wins of learner 2  2.5, share 0.625" in str(result)
    assert repr(result) == "MultinomialSelection(learner 2 wins 2.5 of 4 rows, 3 learners)"


def test_bad_input_is_refused() -> None:
    with pytest.raises(DesignError, match=r"must be probabilities from 0 to 1; got 1\.5"):
        multinomial_selection([[1.5, 0.2]])
    with pytest.raises(DesignError, match="must have at least 2 learners; got 1"):
        multinomial_selection([[0.5], [0.2]])
    with pytest.raises(DesignError, match="got nan at row 1, learner 1"):
        multinomial_selection([[float("nan"), 0.2]])
    with pytest.raises(InvalidArgumentError, match="level must be"):
        multinomial_selection(POSTERIORS, level=0)
