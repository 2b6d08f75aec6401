"""Lines of the slides, 3 to 61: decision trees."""

from typing import Any

import numpy as np
import pandas as pd
from tests.published.source_data import (
    BOUGHT,
    BRANDS,
    CAR_TYPE,
    CHEAT,
    DAYS,
    IN_ORDER,
    IS_BELOW,
    LABELS,
    MARITAL_FIRST,
    N1,
    N2,
    N3,
    N4,
    OWN_CAR,
    PEOPLE,
    PLAY,
    POINTS,
    RECORDS,
    REFUND_FIRST,
    SIZES,
    STUDENT,
    TAX,
    THIRTY,
    UNSEEN,
    grown,
    parity,
    questions,
    rings,
)

from bestofk.data import DataSet
from bestofk.inference import (
    average_ranks,
)
from bestofk.resampling import make_plan
from bestofk.trees import (
    C45Classifier,
    ID3Classifier,
    classification_error,
    entropy,
    gain_ratio,
    gini,
    information_gain,
    split_table,
)


def slides_3() -> Any:
    split = make_plan(DataSet("tax", TAX, CHEAT, "classification"), "1xholdout").split(0, 0)
    train, test = split.train_rows, split.test_rows
    model = grown(TAX.iloc[train], np.array(CHEAT)[train])
    right = (model.predict(TAX.iloc[test]) == np.array(CHEAT)[test]).sum()
    return len(train), len(test), right


def slides_8() -> Any:
    tree = grown(TAX, CHEAT, costs=REFUND_FIRST, nominal_splits="binary")
    return (tree.predict(TAX) == CHEAT).sum(), tree.predict(UNSEEN)


def slides_17() -> Any:
    stops = {"min_samples_split": 11}, {"max_depth": 1}, {"max_depth": 2}, {"max_depth": 3}
    options = {"costs": REFUND_FIRST, "nominal_splits": "binary"}
    trees = [grown(TAX, CHEAT, **options, **stop) for stop in stops]
    errors = [(tree.predict(TAX) != CHEAT).sum() for tree in trees]
    return [tree.get_n_leaves() for tree in trees], errors, questions(trees[-1], TAX, CHEAT)


def slides_22() -> Any:
    table = split_table(DAYS, PLAY).query("column == 'outlook'")
    return table["kind"], table["information_gain"]


def slides_23() -> Any:
    in_order = split_table(SIZES, BOUGHT, ordinal_features={"size": IN_ORDER})
    free = split_table(SIZES, BOUGHT)
    gains = [
        table[table["kind"] != "multiway"]["information_gain"].max() for table in (in_order, free)
    ]
    return in_order["kind"], free["kind"], gains


def slides_24() -> Any:
    income = TAX[["income"]]
    ways = "equal-width", "equal-frequency", "kmeans"
    trees = [C45Classifier(discretization=way).fit(income, CHEAT) for way in ways]
    n_thresholds = len(split_table(income, CHEAT, all_cuts=True))
    return n_thresholds, [tree.attributes_[0].edges for tree in trees]


def slides_28() -> Any:
    return [
        impurity(node)
        for impurity in (classification_error, gini, entropy)
        for node in ([5, 5], [9, 1])
    ]


def slides_30() -> Any:
    before = entropy(np.add(N1, N2))
    gains = information_gain([N1, N2]), information_gain([N3, N4])
    return before, np.subtract(before, gains), gains


def slides_31() -> Any:
    table = split_table(TAX[["income"]], CHEAT, all_cuts=True)
    best = table["gini_decrease"].idxmax()
    after = gini([3, 7]) - table["gini_decrease"][best]
    return len(table), table["threshold"][best], after, table["counts"][best]


def slides_39() -> Any:
    pure, equal = grown(TAX, CHEAT), grown(TAX.iloc[[0] * 10], CHEAT)
    few = grown(TAX, CHEAT, min_samples_split=7)
    independent = grown(TAX, CHEAT, chi_squared_alpha=0.05)
    no_gain = grown(TAX, CHEAT, min_impurity_decrease=0.3)
    trees = pure, equal, few, independent, no_gain
    return (pure.predict(TAX) != CHEAT).sum(), [tree.get_n_leaves() for tree in trees]


def slides_59() -> Any:
    return [ID3Classifier().fit(*parity(n)).get_n_leaves() for n in (2, 3, 4)]


def slides_61() -> Any:
    return [
        C45Classifier(oblique=way).fit(POINTS, IS_BELOW).get_n_leaves() for way in (None, "lda")
    ]


def slides_43() -> Any:
    X, y = rings(np.random.default_rng(0))
    is_ring = (np.hypot(*X.T) >= 0.5) & (np.hypot(*X.T) <= 1)
    return (y[is_ring] == "circle").sum(), (y[~is_ring] == "triangle").sum()


def slides_6() -> Any:
    return questions(grown(TAX, CHEAT, costs=REFUND_FIRST, nominal_splits="binary"), TAX, CHEAT)


def slides_7() -> Any:
    return questions(grown(TAX, CHEAT, costs=MARITAL_FIRST, nominal_splits="binary"), TAX, CHEAT)


def slides_9() -> Any:
    return grown(TAX, CHEAT, costs=REFUND_FIRST, nominal_splits="binary").predict(UNSEEN)


def slides_27() -> Any:
    return entropy([10, 10])


def slides_27_branches() -> Any:
    splits = OWN_CAR, CAR_TYPE, STUDENT
    return [information_gain(split) for split in splits], [gain_ratio(split) for split in splits]


def slides_33_0() -> Any:
    return entropy([0, 6])


def slides_33_1() -> Any:
    return entropy([1, 5])


def slides_33_2() -> Any:
    return entropy([2, 4])


def slides_36() -> Any:
    return entropy([[0, 1], [1, 1]]), entropy([1, 1, 1, 1])


def slides_36_log() -> Any:
    return entropy([1, 1, 1, 1, 1, 1])


def slides_37_gain() -> Any:
    return [
        information_gain(pd.crosstab(PEOPLE[name], np.array(BRANDS)))
        for name in ("city", "car", "age")
    ]


def slides_37_split() -> Any:
    return [entropy(PEOPLE[name].value_counts()) for name in ("city", "car", "age")]


def slides_37_by_gain() -> Any:
    return average_ranks(
        [
            [
                information_gain(pd.crosstab(PEOPLE[name], np.array(BRANDS)))
                for name in ("age", "car", "city")
            ]
        ],
        names=("age", "car", "city"),
        greater_is_better=True,
    )


def slides_37_by_ratio() -> Any:
    return sorted(PEOPLE, key=lambda name: -gain_ratio(pd.crosstab(PEOPLE[name], np.array(BRANDS))))


def slides_51_training() -> Any:
    tree = grown(THIRTY, LABELS).tree_
    return tree.leaf_errors[0], tree.leaf_errors[1:].sum()


def slides_51_pessimistic() -> Any:
    tree = grown(THIRTY, LABELS).tree_
    pruned = C45Classifier(pruning="pessimistic", collapse=False).fit(THIRTY, LABELS)
    return (
        tree.leaf_errors[0] + 0.5,
        tree.leaf_errors[1:].sum() + 0.5 * tree.n_leaves,
        pruned.get_n_leaves() == 1,
    )


def slides_53_entropy() -> Any:
    return entropy([3, 7]), entropy([2, 4]), 0.3 * entropy([0, 3]) + 0.6 * entropy([2, 4])


def slides_53_gain() -> Any:
    return 0.9 * (entropy([3, 7]) - 0.3 * entropy([0, 3]) - 0.6 * entropy([2, 4]))


def slides_53_known() -> Any:
    by_hand = 9 / 10 * (entropy([2, 7]) - 3 / 9 * entropy([0, 3]) - 6 / 9 * entropy([2, 4]))
    of_counts = information_gain([[0, 3], [2, 4]], unknown=1)
    of_splits = split_table(RECORDS, CHEAT).set_index("column").loc["refund", "information_gain"]
    trees = (grown(RECORDS, CHEAT), ID3Classifier().fit(RECORDS, CHEAT))
    at_roots = [tree.node_table(0, RECORDS, CHEAT).loc["refund", "gain"] for tree in trees]
    return by_hand, of_counts, of_splits, at_roots


def slides_54() -> Any:
    tree = grown(RECORDS, CHEAT, costs={"refund": 1, "married": 100}).tree_
    no, yes = tree.children(0)
    return tree.weight[yes] - 3, tree.weight[no] - 6


def slides_55() -> Any:
    tree = grown(RECORDS, CHEAT, costs={"refund": 1, "married": 100}).tree_
    no = tree.children(0)[0]
    single, married = tree.children(no)
    return tree.weight[[married, single]] / tree.weight[no]
