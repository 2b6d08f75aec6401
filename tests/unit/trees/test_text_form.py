"""A tree as text that J48 prints, in the language of Graphviz, and as a notebook shows it."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.given import data_folder

from bestofk.data.arff_file import read_arff
from bestofk.trees import Attribute, C45Classifier, CARTClassifier
from bestofk.trees.text_form import (
    branch_words,
    class_colors,
    cut_words,
    leaf_class,
    learner_html,
    level_words,
    number_text,
    subject_words,
    tree_html,
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


def test_a_tree_of_one_leaf_is_its_answer_and_an_empty_branch_that_of_its_parent():
    X, y = np.arange(5.0)[:, None], ["no", "no", "no", "yes", "no"]
    assert C45Classifier().fit(X, y).to_text() == (
        ": no (5.0/1.0)\n\nNumber of Leaves  : \t1\n\nSize of the tree : \t1\n"
    )
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


def grown(levels, labels, **parameters):
    X = pd.DataFrame({"sky": pd.Categorical(levels, categories=sorted(set(levels)))})
    return C45Classifier(**parameters).fit(X, np.array(labels))


def test_every_node_and_every_branch_has_its_line():
    dot = grown(list("aabbcc"), ["no", "no", "yes", "yes", "no", "no"]).to_graphviz()
    assert dot.splitlines()[3:] == [
        '  0 [label="sky", fillcolor="#91c2de"];',
        '  1 [label="no (2.0)", fillcolor="#0072B2"];',
        '  2 [label="yes (2.0)", fillcolor="#E69F00"];',
        '  3 [label="no (2.0)", fillcolor="#0072B2"];',
        '  0 -> 1 [label="= a"];',
        '  0 -> 2 [label="= b"];',
        '  0 -> 3 [label="= c"];',
        "}",
    ]


def test_quotes_backslashes_and_line_ends_are_escaped():
    labels = ['say "no"', "back\\slash"]
    dot = grown(["one\ntwo", "one\ntwo", "x", "x"], [labels[0]] * 2 + [labels[1]] * 2).to_graphviz()
    assert r'label="= one\ntwo"' in dot
    assert r'label="say \"no\" (2.0)"' in dot
    assert r'label="back\\slash (2.0)"' in dot
    assert all(re.search(r"[\[{};]", line) or line == "}" for line in dot.splitlines())


class Reader(HTMLParser):
    """Collects tags and texts; fails on tags that are closed in another order."""

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.texts, self.titles = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)
        self.titles += [value for name, value in attrs if name == "title"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def awkward():
    X = pd.DataFrame({"<script>": pd.Categorical(list("aabb"), categories=["a", "b", "&c"])})
    return C45Classifier().fit(X, np.array(['"no"', '"no"', "<yes>", "<yes>"]))


def test_names_levels_and_labels_are_escaped_and_nothing_is_loaded_from_elsewhere():
    html = tree_html(awkward().tree_)
    assert "<script" not in html
    assert "<yes" not in html
    reader = read(html)
    assert [text for text in reader.texts if "script" in text] == ["<script>"]
    assert '"no" (2.0)' in reader.texts
    assert "<yes> (2.0)" in reader.texts
    assert "= &c" in reader.texts
    assert reader.titles == ['"no": 2.0, <yes>: 2.0', '"no": 2.0', "<yes>: 2.0", ""]
    assert not {"script", "img", "link", "style", "svg"} & set(read(html).tags)
    assert "url(" not in html
    assert "http" not in html


def test_what_is_below_the_third_test_is_folded():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    tree = C45Classifier(pruning=None, collapse=False, mdl_correction=False).fit(X, y).tree_
    html = tree_html(tree)
    n_open = int((~tree.is_leaf & (tree.node_depth < 3)).sum())
    assert html.count("<details open>") == n_open
    assert html.count("<details>") == int((~tree.is_leaf).sum()) - n_open > 0
    assert read(html).tags.count("li") == tree.n_nodes


def test_of_a_large_tree_the_first_nodes_are_shown_and_the_others_counted():
    X = pd.DataFrame({"id": pd.Categorical([f"v{i:04d}" for i in range(1500)] * 2)})
    y = np.tile(np.arange(1500) % 2, 2)
    tree = C45Classifier(max_categories=2000, pruning=None, collapse=False).fit(X, y).tree_
    html = tree_html(tree)
    assert tree.n_nodes == 1501
    assert "<li>and 501 more</li>" in html
    assert read(html).tags.count("li") == 1001


def test_a_notebook_shows_parameters_and_once_fitted_the_tree():
    learner = awkward()
    for html in (learner._repr_html_(), learner._repr_mimebundle_()["text/html"]):
        assert "C45Classifier" in html
        assert tree_html(learner.tree_) in html
    assert learner.tree_._repr_html_() == tree_html(learner.tree_)
    assert "leaves" not in learner_html(C45Classifier()).replace("min_samples_leaf", "")
    assert "text/plain" in learner._repr_mimebundle_()


def test_the_colors_of_twenty_classes_are_all_different():
    assert len(set(class_colors(20))) == 20
