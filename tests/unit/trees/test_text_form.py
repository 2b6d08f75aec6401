"""A tree as text: equal to what J48 prints, and readable for every kind of test."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.given import data_folder

from bestofk.data.arff_file import read_arff
from bestofk.trees import Attribute, C45Classifier, CARTClassifier
from bestofk.trees.text_form import (
    branch_words,
    cut_words,
    leaf_class,
    level_words,
    number_text,
    subject_words,
    tree_text,
    weight_text,
)

# Printed by Weka 3.6.14: java weka.classifiers.trees.J48 -t NAME.arff -no-cv [-U], the part
# between the rule below the title and "Time taken"; with -A it prints the same.
PRINTED = Path(__file__).parent / "j48_output"


def read_rows(name):
    columns = list(read_arff(data_folder() / "uci" / f"{name}.arff", name).columns.items())
    target = columns[-1][1]
    return pd.DataFrame(dict(columns[:-1])), target.to_numpy(dtype=object), target.cat.categories


@pytest.mark.parametrize("name", ["iris", "weather-numeric", "vote", "glass", "labor"])
@pytest.mark.parametrize("options", ["", "-U", "-A", "-U -A"])
def test_the_text_is_that_of_j48(name, options):
    X, y, classes = read_rows(name)
    pruning = None if "-U" in options else "error-based"
    learner = C45Classifier(classes=list(classes), pruning=pruning, laplace="-A" in options)
    printed = PRINTED / (f"{name}-U.txt" if "-U" in options else f"{name}.txt")
    assert learner.fit(X, y).to_text() == printed.read_text()


def test_a_tree_of_one_leaf_is_its_answer():
    X, y = np.arange(5.0)[:, None], ["no", "no", "no", "yes", "no"]
    assert C45Classifier().fit(X, y).to_text() == (
        ": no (5.0/1.0)\n\nNumber of Leaves  : \t1\n\nSize of the tree : \t1\n"
    )


def test_an_empty_branch_answers_as_its_parent():
    X = pd.DataFrame({"sky": pd.Categorical(list("aabb"), categories=list("abc"))})
    text = C45Classifier().fit(X, ["no", "no", "yes", "yes"]).to_text()
    assert text.splitlines()[:3] == ["sky = a: no (2.0)", "sky = b: yes (2.0)", "sky = c: no (0.0)"]


def test_subsets_of_levels_are_listed_or_set_against_the_rest():
    colors = Attribute("color", "nominal", ("red", "green", "blue"))
    assert level_words(colors, [0, 1, 1]) == ["= red", "!= red"]
    assert level_words(colors, [0, 0, 1]) == ["!= blue", "= blue"]
    assert level_words(colors, [0, 1, -1]) == ["= red", "= green"]
    assert level_words(colors, [1, 0, 2]) == ["= green", "= red", "= blue"]
    four = Attribute("size", "nominal", ("s", "m", "l", "xl"))
    assert level_words(four, [0, 1, 0, 1]) == ["in {s, l}", "in {m, xl}"]


def test_a_cut_of_levels_in_an_order_names_the_level():
    sizes = Attribute("size", "ordinal", ("small", "medium", "large"))
    assert cut_words(sizes, 1.5) == ["<= medium", "> medium"]
    assert cut_words(sizes, 0.0) == ["<= small", "> small"]
    X = pd.DataFrame({"size": ["small", "medium", "large"] * 2})
    tree = CARTClassifier(
        pruning=None, ordinal_features={"size": ["small", "medium", "large"]}
    ).fit(X, ["a", "a", "b"] * 2)
    assert branch_words(tree.tree_, 0) == ["<= medium", "> medium"]


def test_an_oblique_test_reads_as_a_weighted_sum():
    X, y = np.array([[1.0, 0.0], [2.0, 5.0], [3.0, 0.0], [4.0, 5.0]]), [0, 0, 1, 1]
    tree = C45Classifier(min_samples_leaf=1, pruning=None).fit(X, y).tree_
    oblique = replace(
        tree,
        attribute=np.array([2, -1, -1], np.int32),
        directions=np.array([[0.5, -1.25]]),
        direction_means=np.zeros((1, 2)),
        direction_scales=np.ones((1, 2)),
    )
    assert subject_words(oblique, 0) == "0.5 x0 - 1.25 x1"
    assert tree_text(oblique).startswith("0.5 x0 - 1.25 x1 <= 2: 0 (2.0)\n")


def test_nearly_equal_weights_count_as_equal():
    X, y = np.arange(4.0)[:, None], [0, 0, 1, 1]
    tree = C45Classifier(min_samples_leaf=3).fit(X, y).tree_
    assert leaf_class(replace(tree, class_weights=np.array([[2.0, 2.0 + 1e-9]])), 0) == 0
    assert leaf_class(replace(tree, class_weights=np.array([[2.0, 2.1]])), 0) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.6, "0.6"),
        (2.0, "2"),
        (0.0, "0"),
        (100.0, "100"),
        (-0.5, "-0.5"),
        (-2.4e-6, "-0.000002"),
        (-2.4e-7, "0"),
        (0.0000005, "0.000001"),
        (1234567.25, "1234567.25"),
        (3e15, "3.0E15"),
    ],
)
def test_thresholds_have_six_decimals_at_most(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (50.0, "50.0"),
        (2.665, "2.67"),
        (0.004, "0.0"),
        (1234567.89, "1234567.89"),
        (1e7, "1.0E7"),
        (12345678.0, "1.2345678E7"),
    ],
)
def test_weights_have_two_decimals_at_most(value, text):
    assert weight_text(value) == text
