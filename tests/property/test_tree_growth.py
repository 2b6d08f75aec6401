"""Growth in one compiled call: the trees of growth level by level, bit for bit."""

import dataclasses

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bestofk.trees import growing
from bestofk.trees._growth import ROOT
from bestofk.trees.attributes import NOMINAL, NUMERIC, ORDINAL, Attribute
from bestofk.trees.growing import count_table, grow_by_level
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import first_level
from bestofk.trees.measuring import Training
from bestofk.trees.sorting import sort_columns
from bestofk.trees.tree import Tree

RULES = st.builds(
    GrowthRules,
    criterion=st.sampled_from(["entropy", "gini"]),
    choice=st.sampled_from(["worth", "ratio", "ratio-above-average"]),
    nominal_splits=st.sampled_from(["multiway", "binary", "subset"]),
    min_branch=st.sampled_from([0.5, 1.0, 2.0, 3.5]),
    tenth_rule=st.booleans(),
    counts_weight=st.booleans(),
    min_split=st.sampled_from([2.0, 4.0, 7.0]),
    max_depth=st.sampled_from([np.inf, 1.0, 3.0]),
    min_decrease=st.sampled_from([-np.inf, 0.0, 0.02]),
    takes_zero=st.booleans(),
    takes_zero_levels=st.booleans(),
    gap=st.sampled_from([0.0, 1e-5, 0.05]),
    tie=st.sampled_from([1e-9, 1e-6]),
    numeric_penalty=st.booleans(),
    threshold=st.sampled_from(["midpoint", "value", "value-within-1e-6"]),
)
CLASSES = [2, 2, 3, 7, 300]
ARRAYS = [field.name for field in dataclasses.fields(Tree) if "NDArray" in str(field.type)]


def table(seed: int) -> tuple[list[Attribute], list[np.ndarray], np.ndarray, int]:
    """Return columns of all kinds, classes that depend on them, and how many there are."""
    rng = np.random.default_rng(seed)
    n_rows, n_classes = int(rng.integers(2, 260)), int(rng.choice(CLASSES))
    attributes, raw = [], []
    for a in range(rng.integers(1, 14)):
        kind = rng.choice([NUMERIC, NUMERIC, NUMERIC, NOMINAL, ORDINAL])
        if kind == NUMERIC:
            column = rng.normal(size=n_rows).round(int(rng.choice([0, 1, 2, 9])))
            attributes.append(Attribute(f"x{a}", NUMERIC))
        else:
            n_levels = int(rng.integers(2, 40))
            column = rng.integers(0, n_levels, n_rows).astype(np.int32)
            attributes.append(Attribute(f"x{a}", kind, tuple(map(str, range(n_levels)))))
        raw.append(column)
    score = sum(rng.normal() * column for column in raw)
    y = np.argsort(np.argsort(score)) * n_classes // n_rows
    y = np.where(rng.random(n_rows) < 0.2, rng.integers(0, n_classes, n_rows), y)
    return attributes, raw, y.astype(np.int16), n_classes


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), RULES)
def test_a_tree_grown_in_one_call_is_that_of_growth_by_level(seed, rules):
    attributes, raw, y, n_classes = table(seed)
    grown = []
    for grow in (growing._grow, grow_by_level):
        columns = sort_columns(attributes, raw, y, gap=rules.gap)
        level = first_level(columns, y, n_classes, None)
        training = Training(columns, y, rules, count_table(len(y), rules.criterion))
        assert growing._may_be_compiled(training, level)
        nodes = grow(training, level, growing.many_valued(columns, len(y)))
        tree = nodes.tree(columns, np.arange(n_classes), rules, None)
        grown.append([nodes.numbers[:, ROOT], *(getattr(tree, name) for name in ARRAYS)])
    for compiled, by_level in zip(*grown, strict=True):
        assert compiled.dtype == by_level.dtype
        assert compiled.tobytes() == by_level.tobytes()


def test_growth_by_level_is_left_for_what_one_call_does_not_know():
    attributes, raw, y, n_classes = table(3)
    columns = sort_columns(attributes, raw, y)
    level = first_level(columns, y, n_classes, np.full(len(y), 2.0))
    assert not growing._may_be_compiled(Training(columns, y, GrowthRules(), np.empty(0)), level)
    level = first_level(columns, y, n_classes, None)
    common = Training(columns, y, GrowthRules(), count_table(len(y), "entropy"))
    assert growing._may_be_compiled(common, level)
    for special in (
        {"criterion": "hellinger"},
        {"alpha": 0.05},
        {"costs": np.ones(len(raw))},
        {"oblique": "lda"},
        {"in_32_bits": True},
        {"intervals": "mdl"},
    ):
        training = dataclasses.replace(common, rules=GrowthRules(**special))
        assert not growing._may_be_compiled(training, level)
