"""Trees as text: indented as J48 prints them, as HTML, and in the language of Graphviz."""

import math
from collections.abc import Sequence
from html import escape
from typing import Any, Final

import numpy as np
from sklearn.utils import estimator_html_repr

from bestofk.trees.attributes import ORDINAL, Attribute
from bestofk.trees.tree_structure import LOOKUP, MULTIWAY, THRESHOLD, RegressionTree, TreeStructure
from bestofk.words import joined_lines, number, printable

_TIE = 1e-6  # weights that differ by less are equal
# Okabe & Ito (2008), distinguishable with color blindness; black is kept for lines and text.
_COLORS: Final = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#999999",
)
_MOST_NODES: Final = 1000
_OPEN_DEPTH: Final = 3
_BAR: Final = (
    "display:inline-block;width:4em;height:.7em;margin:0 .4em;border:1px solid currentColor;"
)
_LIST: Final = "list-style:none;margin:0;padding-left:1.6em"
_MOST_WHITE = 0.85  # saturation of a node whose classes are equally frequent


def tree_text(tree: TreeStructure) -> str:
    """Return a tree as indented text with the weights of its leaves.

    Parameters
    ----------
    tree : TreeStructure
        Any tree.

    Returns
    -------
    str
        One line per branch, as in J48: `name <= threshold: class (weight/errors)`, errors only if
        there are any, then the number of leaves and of nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.trees import C45Classifier
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), ["low", "low", "high", "high"]
    >>> C45Classifier(min_samples_leaf=1).fit(X, y).to_text().splitlines()[:2]
    ['x0 <= 2: low (2.0)', 'x0 > 2: high (2.0)']
    """
    lines = [f": {leaf_words(tree, 0)}"] if tree.is_leaf[0] else []
    open_branches = _branches(tree, 0, 0)
    while open_branches:
        node, depth, words = open_branches.pop()
        ending = f": {leaf_words(tree, node)}" if tree.is_leaf[node] else ""
        lines.append(f"{'|   ' * depth}{words}{ending}")
        open_branches += _branches(tree, node, depth + 1)
    counts = f"Number of Leaves  : \t{tree.n_leaves}\n\nSize of the tree : \t{tree.n_nodes}\n"
    return joined_lines(lines) + f"\n\n{counts}"


def subject_words(tree: TreeStructure, node: int) -> str:
    """Return the subject of an inner node's test: an attribute, or a weighted sum of some.

    Parameters
    ----------
    tree : TreeStructure
        Any tree.
    node : int
        Number of an inner node.

    Returns
    -------
    str
    """
    a = int(tree.attribute[node]) - len(tree.attributes)
    if a < 0:
        return tree.attributes[a].name
    direction = tree.directions[a]
    terms = [
        f"{'-' if direction[k] < 0 else '+'} {abs(direction[k]):.4g} {tree.attributes[k].name}"
        for k in np.flatnonzero(direction)
    ]
    return " ".join(terms).removeprefix("+ ")


def branch_words(tree: TreeStructure, node: int) -> list[str]:
    """Return the condition of each branch of an inner node, such as `<= 0.6`.

    Parameters
    ----------
    tree : TreeStructure
        Any tree.
    node : int
        Number of an inner node.

    Returns
    -------
    list of str
        One for each branch.
    """
    a = int(tree.attribute[node])
    if tree.kind[node] == THRESHOLD:
        attribute = tree.attributes[a] if a < len(tree.attributes) else None
        return cut_words(attribute, float(tree.threshold[node]))
    attribute = tree.attributes[a]
    if tree.kind[node] == MULTIWAY:
        return [f"= {level}" for level in attribute.levels]
    assert tree.kind[node] == LOOKUP
    start = int(tree.lookup_start[node])
    return level_words(attribute, tree.lookup[start : start + attribute.n_levels].tolist())


def cut_words(attribute: Attribute | None, threshold: float) -> list[str]:
    """Return the two sides of a cut as text; for an ordinal attribute, with the level.

    Parameters
    ----------
    attribute : Attribute or None
        The attribute that is cut; None for a weighted sum.
    threshold : float
        Largest value, or code, of the first side.

    Returns
    -------
    list of str
    """
    if attribute is not None and attribute.kind == ORDINAL:
        code = math.floor(threshold)
        if attribute.edges is not None:
            return cut_words(None, attribute.edges[code])
        level = attribute.levels[code]
        return [f"<= {level}", f"> {level}"]
    return [f"<= {number_text(threshold)}", f"> {number_text(threshold)}"]


def level_words(attribute: Attribute, branch_of_level: Sequence[int]) -> list[str]:
    """Return the levels of each branch: `= a` and `!= a` for one level against the rest.

    Parameters
    ----------
    attribute : Attribute
        A nominal attribute.
    branch_of_level : sequence of int
        Branch of each level, -1 for none.

    Returns
    -------
    list of str
        One for each branch.
    """
    groups: list[list[str]] = [[] for _ in range(max(branch_of_level, default=-1) + 1)]
    for level, branch in zip(attribute.levels, branch_of_level, strict=True):
        if branch >= 0:
            groups[branch].append(level)
    if attribute.edges is not None:  # each group is one interval
        ends = [(group[0].split(", ")[0], group[-1].split(", ")[1]) for group in groups]
        return [f"= {low}, {high}" for low, high in ends]
    if len(groups) == 2 and -1 not in branch_of_level:
        for k in (0, 1):
            if len(groups[k]) == 1:
                words = [f"= {groups[k][0]}", f"!= {groups[k][0]}"]
                return words if k == 0 else words[::-1]
    return [
        f"= {group[0]}" if len(group) == 1 else f"in {{{', '.join(group)}}}" for group in groups
    ]


def number_text(value: float) -> str:
    """Return a number with at most six decimals, like thresholds in J48.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    str
        Without trailing zeros; ties are rounded away from zero.

    Examples
    --------
    >>> number_text(0.6), number_text(-1.25e-5), number_text(1500000.0)
    ('0.6', '-0.000013', '1500000')
    """
    scaled = abs(value) * 10.0**6
    if not scaled < 2.0**63 - 1:
        return weight_text(value)
    digits = str(int(scaled + 0.5)).rjust(7, "0")
    sign = "-" if value < 0 and int(scaled + 0.5) else ""
    return sign + f"{digits[:-6]}.{digits[-6:]}".rstrip("0").rstrip(".")


def weight_text(value: float) -> str:
    """Return a weight with one or two decimals, as in J48.

    Parameters
    ----------
    value : float
        A weight.

    Returns
    -------
    str

    Examples
    --------
    >>> weight_text(50.0), weight_text(2.666), weight_text(12345678.0)
    ('50.0', '2.67', '1.2345678E7')
    """
    rounded = math.floor(value * 100 + 0.5) / 100 if abs(value) < 1e15 else value
    if 1e-3 <= abs(rounded) < 1e7 or rounded == 0:
        return repr(float(rounded))
    for digits in range(1, 18):
        mantissa, exponent = f"{rounded:.{digits}e}".split("e")
        if float(f"{mantissa}e{exponent}") == rounded:
            break
    return f"{mantissa}E{int(exponent)}"


def leaf_class(tree: TreeStructure, node: int) -> int:
    """Return the class of a node: the first that no other exceeds by a tolerance.

    Parameters
    ----------
    tree : TreeStructure
        Any tree.
    node : int
        Its number; for an empty node, the parent decides.

    Returns
    -------
    int
        Number of the class.
    """
    best, weights = 0, tree.class_weights[tree.answering[node]]
    for k, weight in enumerate(weights):
        if weight - weights[best] > _TIE:
            best = k
    return best


def leaf_words(tree: TreeStructure, node: int) -> str:
    """Return the text of a node as a leaf: class (weight/errors), errors only if there are any.

    For a regression tree: mean (weight).

    Parameters
    ----------
    tree : TreeStructure
        Any tree.
    node : int
        Its number.

    Returns
    -------
    str
    """
    weight = float(tree.weight[node])
    if isinstance(tree, RegressionTree):
        return f"{number(float(tree.means[node]))} ({weight_text(weight)})"
    best = leaf_class(tree, node)
    errors = weight - float(tree.class_weights[node, best])
    wrong = f"/{weight_text(errors)}" if errors > _TIE else ""
    return f"{tree.classes[best]} ({weight_text(weight)}{wrong})"


def node_words(tree: TreeStructure, node: int) -> str:
    """Return the text of a node: the prediction of a leaf, else the subject of the test."""
    return leaf_words(tree, node) if tree.is_leaf[node] else subject_words(tree, node)


def leading_words(tree: TreeStructure, n_nodes: int | None = None) -> list[str]:
    """Return the condition that leads to each child of the first nodes; empty for the root."""
    words = [""] * tree.n_nodes
    for node in np.flatnonzero(~tree.is_leaf[:n_nodes]).tolist():
        children = tree.children(node)
        words[children.start : children.stop] = branch_words(tree, node)
    return words


def _branches(tree: TreeStructure, node: int, depth: int) -> list[tuple[int, int, str]]:
    """Return child, depth and words of each branch, the last first."""
    if tree.is_leaf[node]:
        return []
    name = subject_words(tree, node)
    pairs = zip(tree.children(node), branch_words(tree, node), strict=True)
    return [(child, depth, f"{name} {words}") for child, words in pairs][::-1]


def class_colors(n_classes: int) -> list[str]:
    """Return a color for each class, the same in every picture.

    Parameters
    ----------
    n_classes : int
        Number of classes. After eight, the colors repeat, lighter each time.

    Returns
    -------
    list of str
        As `#rrggbb`.

    Examples
    --------
    >>> class_colors(2)
    ['#0072B2', '#E69F00']
    """
    n_rounds = -(-n_classes // len(_COLORS))
    return [
        lighter(_COLORS[k % len(_COLORS)], k // len(_COLORS) / n_rounds) for k in range(n_classes)
    ]


def lighter(color: str, share: float) -> str:
    """Return a color mixed with a share of white.

    Parameters
    ----------
    color : str
        As `#rrggbb`.
    share : float
        Share of white, 0 to 1.

    Returns
    -------
    str

    Examples
    --------
    >>> lighter("#0072B2", 0.5)
    '#80b9d9'
    """
    if share == 0:
        return color
    parts = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{int(part + (255 - part) * share + 0.5):02x}" for part in parts)


def learner_html(classifier: Any) -> str:
    """Return the HTML of a classifier in notebooks: its parameters and, if fitted, its tree.

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
    """Return a tree as self-contained HTML, without scripts, pictures and style sheets.

    Parameters
    ----------
    tree : TreeStructure
        Any tree.

    Returns
    -------
    str
        Nested lists, folded below the third test. For larger trees, the first 1000 nodes, level by
        level, and the number of others.

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


def tree_dot(tree: TreeStructure) -> str:
    """Return a tree in the language of Graphviz.

    Parameters
    ----------
    tree : TreeStructure
        Any tree.

    Returns
    -------
    str
        A digraph: inner nodes show their test, leaves their class, weight and errors; the color is
        that of the class, paler if less pure. `dot -Tsvg` draws it.

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
        # 0 if one class has all weight, 1 if all classes have equal weight
        evenness = (1 - weights[best] / weights.sum()) / (1 - 1 / tree.n_classes)
        white = _MOST_WHITE * float(np.clip(evenness, 0.0, 1.0))
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


def _quoted(text: str) -> str:
    escaped = printable(text.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{escaped}"'
