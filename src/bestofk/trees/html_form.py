"""Trees in a notebook: a list that folds, with a bar of classes at every node."""

from __future__ import annotations

from html import escape
from typing import Any, Final

import numpy as np
from sklearn.utils import estimator_html_repr

from bestofk.trees.class_colors import class_colors
from bestofk.trees.text_form import leading_words, node_words, weight_text
from bestofk.trees.tree_structure import TreeStructure
from bestofk.words import printable

_MOST_NODES: Final = 1000
_OPEN_DEPTH: Final = 3
_BAR: Final = (
    "display:inline-block;width:4em;height:.7em;margin:0 .4em;border:1px solid currentColor;"
)
_LIST: Final = "list-style:none;margin:0;padding-left:1.6em"


def learner_html(classifier: Any) -> str:
    """Return what a notebook shows of a classifier: its parameters and, once fitted, its tree.

    Parameters
    ----------
    classifier : TreeClassifier
        A tree classifier.

    Returns
    -------
    str
    """
    parameters = str(estimator_html_repr(classifier))
    return parameters + tree_html(classifier.tree_) if hasattr(classifier, "tree_") else parameters


def tree_html(tree: TreeStructure) -> str:
    """Return a tree as HTML that needs nothing else: no script, no picture, no style sheet.

    Parameters
    ----------
    tree : TreeStructure
        Any tree.

    Returns
    -------
    str
        Nested lists; what is below the third test is folded. Of larger trees the first 1000
        nodes, level by level, and how many are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.trees import C45Classifier
    >>> tree = C45Classifier(min_samples_leaf=1).fit(np.array([[1.0], [2.0]]), ["a<b", "c"]).tree_
    >>> "<li>&lt;= 1<span" in tree_html(tree), "a&lt;b (1.0)" in tree_html(tree)
    (True, True)
    """
    n_shown = min(tree.n_nodes, _MOST_NODES)
    colors = class_colors(tree.n_classes)
    leading, parts = leading_words(tree, n_shown), [""] * tree.n_nodes
    for node in range(n_shown - 1, -1, -1):  # children before their parents
        says = escape(node_words(tree, node))
        line = f"{escape(leading[node])}{_bar(tree, node, colors)}"
        if tree.is_leaf[node]:
            parts[node] = f"<li>{line}{says}</li>"
            continue
        below = [parts[child] for child in tree.children(node) if child < n_shown]
        n_missing = int(tree.n_children[node]) - len(below)
        if n_missing:
            below.append(f"<li>and {n_missing} more</li>")
        state = " open" if tree.node_depth[node] < _OPEN_DEPTH else ""
        parts[node] = (
            f"<li><details{state}><summary>{line}<b>{says}</b></summary>"
            f'<ul style="{_LIST}">{"".join(below)}</ul></details></li>'
        )
    return printable(f'<div>{_legend(tree, colors)}<ul style="{_LIST}">{parts[0]}</ul></div>')


def _legend(tree: TreeStructure, colors: list[str]) -> str:
    entries = [
        f'<span style="border-left:.8em solid {color};padding-left:.3em;margin-right:1em">'
        f"{escape(str(label))}</span>"
        for label, color in zip(tree.classes.tolist(), colors, strict=True)
    ]
    counts = f"{tree.n_leaves} leaves, {tree.n_nodes} nodes"
    return f"<p>{''.join(entries)}{counts}</p>"


def _bar(tree: TreeStructure, node: int, colors: list[str]) -> str:
    """Return a bar of the class shares at a node, with the weights as its title."""
    weights, total = tree.class_weights[node], float(tree.weight[node])
    present = [k for k in range(tree.n_classes) if weights[k] > 0]
    title = escape(", ".join(f"{tree.classes[k]}: {weight_text(weights[k])}" for k in present))
    ends = 100 * np.cumsum(weights) / total if present else weights
    stops = [
        f"{colors[k]} {ends[k] - 100 * weights[k] / total:.1f}% {ends[k]:.1f}%" for k in present
    ]
    fill = f"background:linear-gradient(to right,{','.join(stops)})" if present else ""
    return f'<span title="{title}" style="{_BAR}{fill}"></span>'
