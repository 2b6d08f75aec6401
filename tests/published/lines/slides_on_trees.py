"""Lines of the slides, 3 to 61: decision trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from tests.published.source_data import (
    BRANDS,
    CHEAT,
    LABELS,
    MARITAL_FIRST,
    PEOPLE,
    RECORDS,
    REFUND_FIRST,
    TAX,
    THIRTY,
    grown,
    rings,
    tested,
)

from bestofk.inference import (
    average_ranks,
)
from bestofk.trees import (
    C45Classifier,
    entropy,
    gain_ratio,
    information_gain,
)


def slides_43() -> Any:
    X, y = rings(np.random.default_rng(0))
    is_ring = (np.hypot(*X.T) >= 0.5) & (np.hypot(*X.T) <= 1)
    return (y[is_ring] == "circle").sum(), (y[~is_ring] == "triangle").sum()


def slides_6() -> Any:
    return tested(grown(TAX, CHEAT, costs=REFUND_FIRST, nominal_splits="binary"), TAX, CHEAT)


def slides_7() -> Any:
    return tested(grown(TAX, CHEAT, costs=MARITAL_FIRST, nominal_splits="binary"), TAX, CHEAT)


def slides_9() -> Any:
    return grown(TAX, CHEAT, costs=REFUND_FIRST, nominal_splits="binary").predict(
        pd.DataFrame({"refund": ["no"], "marital": ["married"], "income": [80.0]})
    )


def slides_27() -> Any:
    return entropy([10, 10])


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


def slides_54() -> Any:
    tree = grown(RECORDS, CHEAT, costs={"refund": 1, "married": 100}).tree_
    no, yes = tree.children(0)
    return tree.weight[yes] - 3, tree.weight[no] - 6


def slides_55() -> Any:
    tree = grown(RECORDS, CHEAT, costs={"refund": 1, "married": 100}).tree_
    no = tree.children(0)[0]
    single, married = tree.children(no)
    return tree.weight[[married, single]] / tree.weight[no]
