"""Trees in the language of Graphviz."""

from __future__ import annotations

import numpy as np

from bestofk.trees.class_colors import class_colors, lighter
from bestofk.trees.text_form import leading_words, leaf_class, node_words
from bestofk.trees.tree import Tree
from bestofk.words import printable

_MOST_WHITE = 0.85  # in the color of a node whose classes are equally frequent


def tree_dot(tree: Tree) -> str:
    """Return a tree in the language of Graphviz.

    Parameters
    ----------
    tree : Tree
        Any tree.

    Returns
    -------
    str
        A digraph: inner nodes name what they test, leaves their class, weight and errors as
        in the text; the color is that of the class, the paler the less pure. `dot -Tsvg`
        draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.trees import C45Classifier
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), ["low", "low", "high", "high"]
    >>> print(C45Classifier(min_samples_leaf=1).fit(X, y).to_graphviz())
    digraph Tree {
      node [shape=box, style="filled,rounded", fontname="Helvetica"];
      edge [fontname="Helvetica"];
      0 [label="x0", fillcolor="#d9eaf3"];
      1 [label="low (2.0)", fillcolor="#E69F00"];
      2 [label="high (2.0)", fillcolor="#0072B2"];
      0 -> 1 [label="<= 2"];
      0 -> 2 [label="> 2"];
    }
    <BLANKLINE>
    """
    colors = class_colors(tree.n_classes)
    leading, nodes, edges = leading_words(tree), [], []
    for node in range(tree.n_nodes):
        weights = tree.class_weights[tree.answering[node]]
        best = leaf_class(tree, node)
        white = _MOST_WHITE * _evenness(float(weights[best] / weights.sum()), tree.n_classes)
        color = lighter(colors[best], white)
        nodes.append(
            f"  {node} [label={_quoted(node_words(tree, node))}, fillcolor={_quoted(color)}];"
        )
        for child in tree.children(node):
            edges.append(f"  {node} -> {child} [label={_quoted(leading[child])}];")
    head = [
        "digraph Tree {",
        '  node [shape=box, style="filled,rounded", fontname="Helvetica"];',
        '  edge [fontname="Helvetica"];',
    ]
    return "\n".join([*head, *nodes, *edges, "}"]) + "\n"


def _evenness(share: float, n_classes: int) -> float:
    """Return 0 if the largest class has everything, 1 if all classes have as much."""
    return float(np.clip((1 - share) / (1 - 1 / n_classes), 0.0, 1.0))


def _quoted(text: str) -> str:
    escaped = printable(text.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{escaped}"'
