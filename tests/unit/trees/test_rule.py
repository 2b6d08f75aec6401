"""Conditions and rules: which rows meet them, and how they read."""

import numpy as np
import pytest
from tests.unit.trees.made_trees import written_tree

from bestofk.trees.attributes import Attribute
from bestofk.trees.rule import Condition, Rule, leaf_paths

SIZE = Attribute("size", "numeric")
COLOR = Attribute("color", "nominal", ("red", "green", "blue"))
GRADE = Attribute("grade", "ordinal", ("low", "middle", "high"))
ROWS = np.array([[1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [np.nan, np.nan, np.nan], [3.0, -1.0, -1.0]])


@pytest.mark.parametrize(
    ("condition", "text", "held"),
    [
        (Condition(SIZE, 0, "<=", 2.0), "size <= 2", [True, True, False, False]),
        (Condition(SIZE, 0, ">", 2.0), "size > 2", [False, False, False, True]),
        (Condition(COLOR, 1, "=", codes=(2,)), "color = blue", [False, True, False, False]),
        (Condition(COLOR, 1, "in", codes=(0, 2)), "color != green", [True, True, False, False]),
        (Condition(COLOR, 1, "in", codes=(0,)), "color = red", [True, False, False, False]),
        (Condition(GRADE, 2, "<=", 0.0), "grade <= low", [True, False, False, False]),
        (Condition(GRADE, 2, ">", 1.5), "grade > middle", [False, True, False, False]),
    ],
)
def test_a_condition_holds_for_known_values_only_and_reads_as_it_tests(condition, text, held):
    assert str(condition) == text
    assert condition.holds(ROWS).tolist() == held


def test_levels_read_as_a_set_or_as_they_are():
    letter = Attribute("letter", "nominal", ("a", "b", "c", "d"))
    assert str(Condition(letter, 0, "in", codes=(1, 3))) == "letter in {b, d}"
    wind = Attribute("wind", "nominal", ("strong", "weak"))
    assert str(Condition(wind, 0, "=", codes=(1,))) == "wind = weak"


def test_a_rule_holds_where_all_its_conditions_do():
    conditions = (Condition(SIZE, 0, "<=", 2.0), Condition(COLOR, 1, "=", codes=(2,)))
    rule = Rule(conditions, 0, "good", 7.0, 1.0, 0.25)
    assert rule.holds(ROWS).tolist() == [False, True, False, False]
    assert rule.accuracy_bound == 0.75
    assert str(rule) == (
        "if size <= 2\nand color = blue\nthen good  (7 rows, 1 wrong; accuracy at least 75.0%)"
    )
    rule = Rule((), 0, "good", 4.0, 0.0, 0.1)
    assert rule.holds(ROWS).all()
    assert str(rule).startswith("always\nthen good")


def test_paths_name_the_branches_from_the_root_down_first_branches_first():
    below = (1, None, [1, 1], [1, 1], [1, 1])
    tree = written_tree((0, 1.5, below, (1, [0, 1, 0], [1, 1], [1, 1])), (SIZE, COLOR))
    assert [(leaf, " & ".join(map(str, path))) for leaf, path in leaf_paths(tree)] == [
        (3, "size <= 1.5 & color = red"),
        (4, "size <= 1.5 & color = green"),
        (5, "size <= 1.5 & color = blue"),
        (6, "size > 1.5 & color != green"),
        (7, "size > 1.5 & color = green"),
    ]
