"""A tree as a notebook shows it."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd

from bestofk.trees import C45Classifier
from bestofk.trees.text_form import learner_html, tree_html


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


def grown():
    X = pd.DataFrame({"<script>": pd.Categorical(list("aabb"), categories=["a", "b", "&c"])})
    return C45Classifier().fit(X, np.array(['"no"', '"no"', "<yes>", "<yes>"]))


def test_names_levels_and_labels_are_escaped():
    html = tree_html(grown().tree_)
    assert "<script" not in html
    assert "<yes" not in html
    reader = read(html)
    assert [text for text in reader.texts if "script" in text] == ["<script>"]
    assert '"no" (2.0)' in reader.texts
    assert "<yes> (2.0)" in reader.texts
    assert "= &c" in reader.texts
    assert reader.titles == ['"no": 2.0, <yes>: 2.0', '"no": 2.0', "<yes>: 2.0", ""]


def test_nothing_is_loaded_from_elsewhere():
    html = tree_html(grown().tree_)
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
    learner = grown()
    for html in (learner._repr_html_(), learner._repr_mimebundle_()["text/html"]):
        assert "C45Classifier" in html
        assert tree_html(learner.tree_) in html
    assert learner.tree_._repr_html_() == tree_html(learner.tree_)
    assert "leaves" not in learner_html(C45Classifier()).replace("min_samples_leaf", "")
    assert "text/plain" in learner._repr_mimebundle_()
