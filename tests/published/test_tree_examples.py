"""Worked examples from the literature on decision trees.

Sources: Mitchell (1997), Machine Learning, chapter 3 (tennis, temperatures, costs, the noisy day,
dates); Tan, Steinbach & Kumar (2006), Introduction to Data Mining, chapter 4 (entropies, refund,
pessimistic pruning, rings, parity); Quinlan (1993), C4.5, chapter 4 (the votes). Numbers that a
source prints with fewer digits, or wrongly, are named as such.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from tests.published.source_data import (
    BRANDS,
    CHEAT,
    DAYS,
    IS_BELOW,
    LABELS,
    NOISY_DAY,
    NOISY_PLAY,
    PEOPLE,
    PLAY,
    PLAYED,
    POINTS,
    RECORDS,
    TEMPERATURES,
    THIRTY,
    dated,
    parity,
    rings,
)

from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
    added_errors,
)
from bestofk.trees.base import TreeClassifier

TENNIS = ["outlook", "humidity", "windy", "temperature"]
SIX_DIGITS = 5e-7
TRUNCATED = 1e-3  # what a source cuts off after three digits


def table_of(
    learner: TreeClassifier, X: pd.DataFrame, y: Sequence[object], node: int = 0
) -> pd.DataFrame:
    return learner.fit(X, y).node_table(node, X, y)


@pytest.fixture(scope="module")
def tennis() -> tuple[pd.DataFrame, np.ndarray]:
    return DAYS, PLAY


def child(learner: TreeClassifier, level: str) -> int:
    """Return the number of the branch of a level at the root."""
    tree = learner.tree_
    levels = tree.attributes[tree.attribute[0]].levels
    return int(tree.first_child[0]) + levels.index(level)


def test_tennis_gains_split_informations_and_ratios(tennis):
    result = table_of(C45Classifier(), *tennis).loc[TENNIS]
    np.testing.assert_allclose(
        result[["gain", "split_info", "ratio"]],
        [
            [0.246750, 1.577406, 0.156428],
            [0.151836, 1.000000, 0.151836],
            [0.048127, 0.985228, 0.048849],
            [0.029223, 1.556657, 0.018773],
        ],
        atol=SIX_DIGITS,
        rtol=0,
    )
    np.testing.assert_allclose(result["gain"], [0.246, 0.151, 0.048, 0.029], atol=TRUNCATED)


def test_tennis_only_two_attributes_reach_the_average_gain(tennis):
    result = table_of(C45Classifier(), *tennis).loc[TENNIS]
    assert result["gain"].mean() == pytest.approx(0.118984, abs=SIX_DIGITS)
    assert result["eligible"].tolist() == [True, True, False, False]
    assert result["chosen"].tolist() == [True, False, False, False]


def test_tennis_gains_on_sunny_days(tennis):
    learner = ID3Classifier().fit(*tennis)
    result = learner.node_table(child(learner, "sunny"), *tennis)["gain"]
    rest = ["humidity", "temperature", "windy"]
    np.testing.assert_allclose(result[rest], [0.970951, 0.570951, 0.019973], atol=SIX_DIGITS)
    np.testing.assert_allclose(result[rest], [0.970, 0.570, 0.019], atol=TRUNCATED)


def test_tennis_gains_on_rainy_days(tennis):
    learner = ID3Classifier().fit(*tennis)
    result = learner.node_table(child(learner, "rainy"), *tennis)["gain"]
    rest = ["windy", "humidity", "temperature"]
    np.testing.assert_allclose(result[rest], [0.970951, 0.019973, 0.019973], atol=SIX_DIGITS)


@pytest.mark.parametrize(
    "learner",
    [
        ID3Classifier(),
        ID3Classifier(empty_branches="none"),
        C45Classifier(),
        C45Classifier(pruning=None),
        C45Classifier(flavor="r8"),
    ],
    ids=["id3", "id3 of Weka", "j48", "j48 unpruned", "r8"],
)
def test_tennis_tree_has_five_leaves_and_no_error(tennis, learner):
    X, y = tennis
    tree = learner.fit(X, y).tree_
    assert (tree.n_leaves, tree.n_nodes) == (5, 8)
    assert tree.leaf_errors[tree.is_leaf].sum() == 0
    assert learner.predict(X).tolist() == y.tolist()
    assert learner.to_text().splitlines()[:7] == [
        "outlook = overcast: yes (4.0)",
        "outlook = rainy",
        "|   windy = false: yes (3.0)",
        "|   windy = true: no (2.0)",
        "outlook = sunny",
        "|   humidity = high: no (3.0)",
        "|   humidity = normal: yes (2.0)",
    ]


def test_a_noisy_day_changes_and_enlarges_the_tree_of_id3(tennis):
    X, y = NOISY_DAY, NOISY_PLAY
    learner = ID3Classifier().fit(X, y)
    # On sunny days temperature (.585) now gains more than humidity (.459), which led before.
    gains = learner.node_table(child(learner, "sunny"), X, y)["gain"]
    assert gains[["temperature", "humidity"]].tolist() == pytest.approx(
        [0.584963, 0.459148], abs=SIX_DIGITS
    )
    assert learner.to_text().splitlines()[4:9] == [
        "outlook = sunny",
        "|   temperature = cool: yes (1.0)",
        "|   temperature = hot: no (3.0)",
        "|   temperature = mild",
        "|   |   humidity = high: no (1.0)",
    ]
    assert (learner.tree_.n_leaves, learner.tree_.n_nodes) == (7, 11)
    assert learner.score(X, y) == 1.0


def test_a_noisy_day_grows_below_the_leaf_of_the_old_tree_by_ratio(tennis):
    X, y = NOISY_DAY, NOISY_PLAY
    learner = C45Classifier(pruning=None, collapse=False, min_samples_leaf=1).fit(X, y)
    old = C45Classifier().fit(*tennis).to_text().splitlines()
    lines = learner.to_text().splitlines()
    assert lines[:6] == old[:6]
    assert lines[6:10] == [
        "|   humidity = normal",
        "|   |   temperature = cool: yes (1.0)",
        "|   |   temperature = hot: no (1.0)",
        "|   |   temperature = mild: yes (1.0)",
    ]


def test_pruning_takes_back_what_the_noisy_day_has_grown(tennis):
    X, y = NOISY_DAY, NOISY_PLAY
    clean, pruned = C45Classifier().fit(*tennis), C45Classifier().fit(X, y)
    assert pruned.predict(tennis[0]).tolist() == clean.predict(tennis[0]).tolist()
    assert (pruned.tree_.n_leaves, pruned.tree_.n_nodes) == (5, 8)
    assert "humidity = normal: yes (3.0/1.0)" in pruned.to_text()


def entropy(*counts: int) -> float:
    """Return bits, as the gain of an attribute that tells all classes apart."""
    classes = np.repeat([f"c{i}" for i in range(len(counts))], counts)
    X = pd.DataFrame({"same": classes})
    return float(table_of(ID3Classifier(), X, classes).loc["same", "gain"])


def test_city_car_age_gains_and_ratios():
    result = table_of(C45Classifier(min_samples_leaf=1), PEOPLE, BRANDS)
    np.testing.assert_allclose(
        result.loc[["city", "car", "age"], ["gain", "split_info", "ratio"]],
        [
            [0.459148, 1.000000, 0.459148],
            [0.459148, 1.459148, 0.314669],
            [0.918296, 2.584963, 0.355245],
        ],
        atol=SIX_DIGITS,
    )
    by_gain = result["gain"].rank(ascending=False)
    assert by_gain.to_dict() == {"age": 1, "city": 2.5, "car": 2.5}
    assert result["ratio"].sort_values(ascending=False).index.tolist() == ["city", "age", "car"]


def test_city_is_tested_where_a_branch_needs_two_rows():
    learner = C45Classifier(pruning=None, min_samples_leaf=2)
    result = table_of(learner, PEOPLE, BRANDS)
    assert result["valid"].to_dict() == {"city": True, "car": True, "age": False}
    assert result.loc[result["valid"], "gain"].mean() == pytest.approx(0.459148, abs=SIX_DIGITS)
    assert learner.to_text().splitlines()[:2] == ["city = la: B (3.0/1.0)", "city = sf: A (3.0)"]


def test_age_is_tested_where_one_row_will_do():
    # Every column has at least 0.3 times 6 levels, so all are in the average: only age reaches it.
    learner = C45Classifier(pruning=None, min_samples_leaf=1)
    result = table_of(learner, PEOPLE, BRANDS)
    assert result["gain"].mean() == pytest.approx(0.612197, abs=SIX_DIGITS)
    assert result["eligible"].to_dict() == {"city": False, "car": False, "age": True}
    assert learner.to_text().startswith("age = 22: A (1.0)")


def test_temperature_54_is_the_best_middle_and_48_the_reported_threshold():
    options = {"min_samples_leaf": 1, "mdl_correction": False, "pruning": None}
    middle = C45Classifier(threshold="midpoint", **options)
    result = table_of(middle, TEMPERATURES, PLAYED)
    assert result.loc["temperature", "gain"] == pytest.approx(0.459148, abs=SIX_DIGITS)
    assert middle.tree_.threshold[0] == 54
    assert C45Classifier(**options).fit(TEMPERATURES, PLAYED).tree_.threshold[0] == 48


def test_temperature_gain_less_the_penalty_for_three_cuts():
    # With two rows on each side only 54, 66 and 76 are cuts; 85 leaves one row.
    result = table_of(C45Classifier(), TEMPERATURES, PLAYED).loc["temperature"]
    assert result["penalty"] == pytest.approx(np.log2(3) / 6, abs=1e-12)
    assert result["penalty"] == pytest.approx(0.264160, abs=SIX_DIGITS)
    assert result["worth"] == pytest.approx(0.194988, abs=SIX_DIGITS)


def test_refund_gain_of_c45_is_over_the_known_rows():
    result = table_of(C45Classifier(pruning=None), RECORDS, CHEAT).loc["refund"]
    known = entropy(2, 7) - (3 * 0 + 6 * entropy(2, 4)) / 9
    assert result["gain"] == pytest.approx(0.9 * known, abs=1e-12)
    assert result["gain"] == pytest.approx(0.136807, abs=SIX_DIGITS)
    assert result["split_info"] == pytest.approx(1.295462, abs=SIX_DIGITS)
    assert result["ratio"] == pytest.approx(0.105604, abs=SIX_DIGITS)


def test_refund_unknown_goes_to_both_branches_in_parts():
    # Costs make the tree ask for the refund first, as the example does.
    learner = C45Classifier(
        min_samples_leaf=1, pruning=None, collapse=False, costs={"refund": 1, "married": 100}
    ).fit(RECORDS, CHEAT)
    tree = learner.tree_
    assert tree.attributes[tree.attribute[0]].name == "refund"
    no, yes = tree.children(0)
    np.testing.assert_allclose(tree.weight[[yes, no]], [3 + 3 / 9, 6 + 6 / 9])
    single, married = tree.children(no)
    np.testing.assert_allclose(tree.weight[[married, single]], [3 + 6 / 9, 3])
    np.testing.assert_allclose(tree.weight[[no, married]], [6.667, 3.667], atol=TRUNCATED)
    shares = tree.weight[[married, single]] / tree.weight[no]
    np.testing.assert_allclose(shares, [0.55, 0.45], atol=1e-12)
    asked = pd.DataFrame({"refund": ["no"], "married": [None]})
    answers = tree.probabilities(laplace=False)
    np.testing.assert_allclose(
        learner.predict_proba(asked)[0], 0.55 * answers[married] + 0.45 * answers[single]
    )


def test_half_an_error_per_leaf_prunes_four_leaves():
    # 30 rows, 10 errors as one leaf, 9 in four: 10.5/30 = .35 against (9 + 4 * .5)/30 = .3667.
    grown = C45Classifier(pruning=None, collapse=False).fit(THIRTY, LABELS).tree_
    assert (grown.leaf_errors[0], grown.leaf_errors[1:].sum(), grown.n_leaves) == (10, 9, 4)
    before = (grown.leaf_errors[0] + 0.5) / 30
    after = (grown.leaf_errors[1:].sum() + 0.5 * grown.n_leaves) / 30
    assert (before, after) == pytest.approx((0.35, 0.3667), abs=5e-5)
    pruned = C45Classifier(pruning="pessimistic", collapse=False).fit(THIRTY, LABELS)
    assert pruned.tree_.n_nodes == 1


@pytest.mark.parametrize(("flavor", "leaf"), [("j48", 2.4757), ("r8", 2.5069)])
def test_votes_are_better_in_one_leaf_by_the_bound_of_the_error(flavor, leaf):
    bounds = [added_errors(n, 0, flavor=flavor) / n for n in (6, 9, 1)]
    assert bounds == pytest.approx([0.2063, 0.1428, 0.75], abs=5e-5)
    of_tree = np.dot([6, 9, 1], bounds)
    assert of_tree == pytest.approx(3.2726, abs=5e-5)
    of_leaf = 1 + added_errors(16, 1, flavor=flavor)
    assert of_leaf == pytest.approx(leaf, abs=5e-5)
    X = pd.DataFrame({"vote": ["no"] * 6 + ["yes"] * 9 + ["unknown"]})
    y = ["democrat"] * 15 + ["republican"]
    assert C45Classifier(pruning=None, flavor=flavor).fit(X, y).tree_.n_leaves == 3
    assert C45Classifier(flavor=flavor).fit(X, y).tree_.n_nodes == 1


def test_votes_have_a_third_bound_that_prunes_them_too_the_binomial_one():
    assert 16 * beta.ppf(0.75, 2, 15) == pytest.approx(2.5538, abs=5e-5)


# The source of these squares gains of six digits: the last digit may be one off.
COST_SCORES = {
    ("tan-schlimmer", 1): [0.060886, 0.023054, 0.002316, 0.000854],
    ("tan-schlimmer", 2): [0.030443, 0.011527, 0.001158, 0.000427],
    ("tan-schlimmer", 5): [0.012177, 0.004611, 0.000463, 0.000171],
    ("nunez", 0): [0.186531, 0.110982, 0.033922, 0.020462],
    ("nunez", 1): [0.093266, 0.055491, 0.016961, 0.010231],
    ("nunez", 4): [0.037306, 0.022196, 0.006784, 0.004092],
}


@pytest.mark.parametrize(("rule", "cost"), COST_SCORES)
def test_gains_weighed_by_cost(tennis, rule, cost):
    learner = ID3Classifier(costs=dict.fromkeys(TENNIS, cost), cost_rule=rule)
    result = table_of(learner, *tennis).loc[TENNIS]
    assert result["cost"].tolist() == [cost] * 4
    np.testing.assert_allclose(result["score"], COST_SCORES[rule, cost], atol=1e-6, rtol=0)


@pytest.mark.parametrize("rule", ["tan-schlimmer", "nunez"])
def test_a_dear_attribute_is_not_tested_first(tennis, rule):
    costs = dict.fromkeys(TENNIS, 1) | {"outlook": 5}
    result = table_of(ID3Classifier(costs=costs, cost_rule=rule), *tennis)
    assert result["chosen"].to_dict()["humidity"]


def test_hellinger_distances_of_tennis(tennis):
    result = table_of(HellingerTreeClassifier(), *tennis)["gain"]
    assert result["windy"] == pytest.approx(0.269773, abs=SIX_DIGITS)
    assert result["humidity"] == pytest.approx(0.486732, abs=SIX_DIGITS)
    assert result["outlook"] == pytest.approx(0.7136, abs=5e-5)
    ways = table_of(HellingerTreeClassifier(nominal_splits="multiway"), *tennis)["gain"]
    assert ways["outlook"] == pytest.approx(0.734443, abs=SIX_DIGITS)


def test_hellinger_distances_of_each_outlook_against_the_rest(tennis):
    X, y = tennis
    outlooks = pd.DataFrame({level: X["outlook"] == level for level in X["outlook"].unique()})
    result = table_of(HellingerTreeClassifier(), outlooks, y)["gain"]
    expected = {"sunny": 0.3926, "overcast": 0.7136, "rainy": 0.0692}
    assert result.to_dict() == pytest.approx(expected, abs=5e-5)
    learner = HellingerTreeClassifier().fit(X, y)
    assert learner.node_table(0, X, y).loc["outlook", "branches"].startswith("= overcast |")


def test_a_date_has_the_highest_gain_and_id3_tests_it(tennis):
    X, y = dated(1)
    learner = ID3Classifier()
    result = table_of(learner, X, y)
    assert result["gain"].idxmax() == "date"
    assert result.loc["date", "gain"] == pytest.approx(0.940286, abs=SIX_DIGITS)
    assert learner.tree_.n_leaves == 14


def test_a_date_has_not_the_highest_ratio_once_there_are_days_enough(tennis):
    # Of 14 days its ratio, .940/log2(14), is still the highest; of 112 it is .940/log2(112).
    few = table_of(C45Classifier(min_samples_leaf=1), *dated(1))
    many = table_of(C45Classifier(min_samples_leaf=1), *dated(8))
    assert few["ratio"].idxmax() == "date"
    assert few.loc["date", "ratio"] == pytest.approx(0.940286 / np.log2(14), abs=SIX_DIGITS)
    assert many["gain"].idxmax() == "date"
    assert many.loc["date", "ratio"] == pytest.approx(0.940286 / np.log2(112), abs=SIX_DIGITS)
    assert many["ratio"].idxmax() == "outlook"


def test_a_date_is_no_test_for_c45_as_no_branch_has_two_days(tennis):
    result = table_of(C45Classifier(), *dated(1))
    assert not result.loc["date", "valid"]
    assert result.index[result["chosen"]].tolist() == ["outlook"]


@pytest.mark.parametrize("n_inputs", [2, 3, 5])
def test_parity_needs_the_complete_tree(n_inputs):
    X, y = parity(n_inputs)
    learner = ID3Classifier().fit(X, y)
    assert learner.node_table(0, X, y)["gain"].tolist() == pytest.approx([0.0] * n_inputs)
    assert (learner.get_n_leaves(), learner.tree_.n_nodes) == (2**n_inputs, 2 ** (n_inputs + 1) - 1)
    assert learner.get_depth() == n_inputs
    assert learner.score(X, y) == 1.0
    # Whoever asks for a gain sees no reason to begin.
    assert C45Classifier(min_samples_leaf=1).fit(X, y).tree_.n_nodes == 1


def errors_by_size(flipped: float) -> pd.DataFrame:
    """Return training and test error of trees of growing depth."""
    rng = np.random.default_rng(6)
    train, test = rings(rng, flipped), rings(rng, flipped)
    rows = []
    for depth in range(1, 16):
        learner = CARTClassifier(pruning=None, max_depth=depth).fit(*train)
        errors = (1 - learner.score(*train), 1 - learner.score(*test))
        rows.append((learner.tree_.n_nodes, *errors))
    return pd.DataFrame(rows, columns=["nodes", "train", "test"])


def test_rings_small_trees_underfit_and_large_ones_fit():
    table = errors_by_size(flipped=0.0)
    assert table["nodes"].is_monotonic_increasing
    assert table["train"].is_monotonic_decreasing
    assert table.iloc[0][["train", "test"]].min() > 0.3
    assert table.iloc[-1]["train"] == 0
    assert table.iloc[-1]["test"] < 0.1


def test_rings_with_wrong_labels_large_trees_overfit():
    table = errors_by_size(flipped=0.15)
    best, last = table.loc[table["test"].idxmin()], table.iloc[-1]
    assert table["train"].is_monotonic_decreasing
    assert table.iloc[0][["train", "test"]].min() > 0.3
    assert best["nodes"] < last["nodes"] / 3
    assert last["train"] < 0.03
    assert last["test"] > best["test"] + 0.05


@pytest.mark.parametrize("direction", ["lda", "logistic"])
def test_a_slanted_border_needs_one_oblique_test(direction):
    oblique = C45Classifier(oblique=direction).fit(POINTS, IS_BELOW)
    assert (oblique.tree_.n_nodes, oblique.score(POINTS, IS_BELOW)) == (3, 1.0)
    assert C45Classifier().fit(POINTS, IS_BELOW).get_n_leaves() == 8
