"""Picture of a tree, with a bar of classes at every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Floats
from bestofk.trees.class_colors import class_colors
from bestofk.trees.display import Display
from bestofk.trees.text_form import leading_words, leaf_class, node_words
from bestofk.trees.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST: Final = 32  # characters of a text next to a node
# In inches, of a new figure.
_ROW: Final = 0.3
_LETTER: Final = 0.078
_BOLD: Final = 0.088
_BAR: Final = 0.5
_GAP: Final = 0.12
_FONT: Final = 9  # points


class TreeDisplay(Display):
    """Picture of a tree: the root at the left, one row for each leaf.

    The bar at a node shows the shares of the classes among its training rows, empty if there
    are none. Next to the bar stands what the node tests, or what the leaf predicts: class
    (weight/errors). Above the line to a node stands what leads there.

    Parameters
    ----------
    tree : Tree
        What to draw.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.trees import C45Classifier
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), ["low", "low", "high", "high"]
    >>> display = TreeDisplay(C45Classifier(min_samples_leaf=1).fit(X, y).tree_)
    >>> display.to_frame()[["node", "branch", "says", "weight"]].values.tolist()
    [[0, '', 'x0', 4.0], [1, '<= 2', 'low (2.0)', 2.0], [2, '> 2', 'high (2.0)', 2.0]]
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        width = self._columns()[2]
        self.size = width, _ROW * (tree.n_leaves + self._legend_shape(width)[1])

    @classmethod
    def from_estimator(cls, classifier: Any) -> TreeDisplay:
        """Take the tree of a fitted classifier.

        Parameters
        ----------
        classifier : TreeClassifier
            A fitted tree classifier.

        Returns
        -------
        TreeDisplay
        """
        check_is_fitted(classifier)
        return cls(classifier.tree_)

    def to_frame(self) -> Any:
        """Return a DataFrame with one row per node.

        Returns
        -------
        DataFrame
            Columns `node`, `parent` (-1 for the root), `depth`, `branch` (what leads there),
            `says` (what is tested, or the answer of a leaf), `is_leaf`, `class`, `weight`,
            `errors` (weight of other classes), then `share of LABEL` for each class.
        """
        import pandas as pd

        tree = self.tree
        best = np.array([leaf_class(tree, node) for node in range(tree.n_nodes)])
        table = {
            "node": np.arange(tree.n_nodes),
            "parent": tree.parent,
            "depth": tree.node_depth,
            "branch": leading_words(tree),
            "says": self._says(),
            "is_leaf": tree.is_leaf,
            "class": tree.classes[best],
            "weight": tree.weight,
            "errors": tree.weight - tree.class_weights[np.arange(tree.n_nodes), best],
        }
        shares = tree.shares
        named = {f"share of {c}": shares[:, k] for k, c in enumerate(tree.classes.tolist())}
        return pd.DataFrame(table | named)

    def _draw(self, ax: Axes) -> None:
        from matplotlib import rcParams

        branches, says = self._texts()
        rows, depths = _rows(self.tree), self.tree.node_depth
        begins, elbows, width = self._columns()
        n_columns, above = self._legend_shape(width)
        ink = rcParams["text.color"]
        for node in range(self.tree.n_nodes):
            x, y = begins[depths[node]], rows[node]
            if node:
                elbow = elbows[depths[node]]
                parent_row = rows[self.tree.parent[node]]
                ax.plot([elbow, elbow, x], [parent_row, y, y], color=ink, lw=0.8, zorder=1)
                ax.text(elbow + 0.06, y - 0.06, branches[node], ha="left", va="bottom", **_TEXT)
            text_x = x + _BAR + 0.06
            if self.tree.is_leaf[node]:
                ax.text(text_x, y, says[node], ha="left", va="center", **_TEXT)
            else:
                ax.plot([x, elbows[depths[node] + 1]], [y, y], color=ink, lw=0.8, zorder=1)
                bold: Any = {**_TEXT, "fontweight": "bold"}
                ax.text(text_x, y - 0.06, says[node], ha="left", va="bottom", **bold)
        self._draw_bars(ax, begins[depths], rows, ink)
        ax.legend(
            loc="upper left",
            bbox_to_anchor=(0, 1),
            ncols=n_columns,
            fontsize=_FONT,
            frameon=False,
            borderaxespad=0,
            handlelength=1,
        )
        ax.set_xlim(-0.05, width)
        ax.set_ylim(self.tree.n_leaves - 0.5, -0.5 - above)
        ax.set_axis_off()

    def _draw_bars(self, ax: Axes, x: Floats, rows: Floats, ink: str) -> None:
        labels = self._labels()
        shares = self.tree.shares * _BAR
        left = x.copy()
        style: Any = {"height": 0.5, "align": "center", "zorder": 3}
        for k, color in enumerate(class_colors(self.tree.n_classes)):
            ax.barh(rows, shares[:, k], left=left, color=color, lw=0, label=labels[k], **style)
            left += shares[:, k]
        ax.barh(rows, _BAR, left=x, facecolor="none", edgecolor=ink, lw=0.8, **style)

    def _says(self) -> list[str]:
        return [node_words(self.tree, node) for node in range(self.tree.n_nodes)]

    def _texts(self) -> tuple[list[str], list[str]]:
        """Return what is written above the line to each node, and next to the node."""
        branches = [_short(text) for text in leading_words(self.tree)]
        return branches, [_short(text) for text in self._says()]

    def _labels(self) -> list[str]:
        return [_short(str(label)) for label in self.tree.classes.tolist()]

    def _legend_shape(self, width: float) -> tuple[int, float]:
        """Return the columns of the legend, and the rows of the picture that it takes."""
        labels = self._labels()
        n_columns = max(int(width / (_LETTER * max(map(len, labels)) + 0.4)), 1)
        return n_columns, 0.7 + 0.7 * -(-len(labels) // n_columns)

    def _columns(self) -> tuple[Floats, Floats, float]:
        """Return where nodes of each depth begin, where lines to them turn, and the width."""
        tree, (branches, says) = self.tree, self._texts()
        depths = tree.node_depth
        begins, elbows = np.zeros(tree.depth + 1), np.zeros(tree.depth + 1)
        letters = np.array([len(text) for text in says])
        leading = np.array([len(text) for text in branches])
        for depth in range(1, tree.depth + 1):
            is_above = (depths == depth - 1) & ~tree.is_leaf
            elbows[depth] = begins[depth - 1] + _BAR + letters[is_above].max() * _BOLD + _GAP
            begins[depth] = elbows[depth] + leading[depths == depth].max() * _LETTER + _GAP
        ends = begins[depths] + _BAR + _GAP + letters * _LETTER
        return begins, elbows, max(float(ends.max()), 4.0)


_TEXT: Final[dict[str, Any]] = {"fontsize": _FONT, "parse_math": False, "zorder": 4}


def _rows(tree: Tree) -> Floats:
    """Return the row of each node: leaves below each other, other nodes amid their branches."""
    rows = np.zeros(tree.n_nodes)
    waiting, n_seen = [0], 0
    while waiting:
        node = waiting.pop()
        if tree.is_leaf[node]:
            rows[node] = n_seen
            n_seen += 1
        waiting += tree.children(node)[::-1]
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        below = tree.children(node)
        rows[node] = (rows[below[0]] + rows[below[-1]]) / 2
    return rows


def _short(text: str) -> str:
    """Return a text on one line; of a long one the middle is left out."""
    line = " ".join(text.split())
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[: half - 1]}…{line[-half:]}"
