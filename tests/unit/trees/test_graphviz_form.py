"""A tree in the language of Graphviz."""

import re

import numpy as np
import pandas as pd

from bestofk.trees import C45Classifier


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
