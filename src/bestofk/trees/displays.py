"""Displays of a fitted tree: a picture, its regions in a plane, and errors by its size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.trees.attributes import NUMERIC
from bestofk.trees.display import Display
from bestofk.trees.prediction import probabilities
from bestofk.trees.pruning_methods import prune_path
from bestofk.trees.text_form import class_colors, leading_words, leaf_class, lighter, node_words
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import THRESHOLD, TreeStructure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST: Final = 32  # maximum characters of a text next to a node
# Inches of a new figure.
_ROW: Final = 0.3
_LETTER: Final = 0.078
_BOLD: Final = 0.088
_BAR: Final = 0.5
_GAP: Final = 0.12
_FONT: Final = 9  # points
_MARGIN: Final = 0.05  # share of the range of a column, on both sides
_N_FINE: Final = 300  # cells per column if there are oblique tests
_WHITE: Final = 0.55  # opacity of a region, so that its points stand out
_MARKERS: Final = "osD^vP*X"
# Colors of Okabe & Ito (2008) that are visible on white and on black.
_COLORS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_CURVE_MARKERS: Final = "os^D"


class TreeDisplay(Display):
    """Picture of a tree: the root at the left, one row for each leaf.

    The bar at a node shows the class shares of its training rows, empty if there are none. The text
    next to the bar is the test of the node, or the prediction of the leaf: class (weight/errors).
    The text above the line to a node is the condition of its branch.

    Parameters
    ----------
    tree : TreeStructure
        The tree. For a regression tree, a bar shows the place of the node's mean between the lowest
        and the highest mean.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.trees import C45Classifier
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), ["low", "low", "high", "high"]
    >>> display = TreeDisplay(C45Classifier(min_samples_leaf=1).fit(X, y).tree_)
    >>> display.to_frame()[["node", "branch", "says", "weight"]].values.tolist()
    [[0, '', 'x0', 4.0], [1, '<= 2', 'low (2.0)', 2.0], [2, '> 2', 'high (2.0)', 2.0]]
    """

    def __init__(self, tree: TreeStructure) -> None:
        self.tree = tree
        self._leading = leading_words(tree)
        self._says = [node_words(tree, node) for node in range(tree.n_nodes)]
        self._labels = [_short(str(label)) for label in tree.classes.tolist()]
        width = self._columns()[2]
        self.size = width, _ROW * (tree.n_leaves + self._legend_shape(width)[1])

    @classmethod
    def from_estimator(cls, classifier: Any) -> TreeDisplay:
        """Make the display from a fitted classifier.

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
            Columns `node`, `parent` (-1 for the root), `depth`, `branch` (the condition of its
            branch), `says` (the test, or the prediction of a leaf), `is_leaf`, `class`, `weight`,
            `errors` (weight of other classes), then `share of LABEL` for each class.
        """
        tree = self.tree
        best = np.array([leaf_class(tree, node) for node in range(tree.n_nodes)])
        table = {
            "node": np.arange(tree.n_nodes),
            "parent": tree.parent,
            "depth": tree.node_depth,
            "branch": self._leading,
            "says": self._says,
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

        branches, says = ([_short(text) for text in texts] for texts in (self._leading, self._says))
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
                ax.plot([x + _BAR, elbows[depths[node] + 1]], [y, y], color=ink, lw=0.8, zorder=1)
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
        shares = self.tree.shares * _BAR
        left = x.copy()
        style: Any = {"height": 0.5, "align": "center", "zorder": 3}
        for k, color in enumerate(class_colors(self.tree.n_classes)):
            ax.barh(
                rows, shares[:, k], left=left, color=color, lw=0, label=self._labels[k], **style
            )
            left += shares[:, k]
        ax.barh(rows, _BAR, left=x, facecolor="none", edgecolor=ink, lw=0.8, **style)

    def _legend_shape(self, width: float) -> tuple[int, float]:
        """Return the number of columns of the legend, and of rows of the picture that it needs."""
        longest = max(map(len, self._labels))
        n_columns = max(int(width / (_LETTER * longest + 0.4)), 1)
        return n_columns, 0.7 + 0.7 * -(-len(self._labels) // n_columns)

    def _columns(self) -> tuple[Floats, Floats, float]:
        """Return the x positions of the nodes of each depth and of the bends, and the width."""
        tree, depths = self.tree, self.tree.node_depth
        begins, elbows = np.zeros(tree.depth + 1), np.zeros(tree.depth + 1)
        letters = np.array([len(_short(text)) for text in self._says])
        leading = np.array([len(_short(text)) for text in self._leading])
        for depth in range(1, tree.depth + 1):
            is_above = (depths == depth - 1) & ~tree.is_leaf
            elbows[depth] = begins[depth - 1] + _BAR + letters[is_above].max() * _BOLD + _GAP
            begins[depth] = elbows[depth] + leading[depths == depth].max() * _LETTER + _GAP
        ends = begins[depths] + _BAR + _GAP + letters * _LETTER
        return begins, elbows, max(float(ends.max()), 4.0)


_TEXT: Final[dict[str, Any]] = {"fontsize": _FONT, "parse_math": False, "zorder": 4}


def _rows(tree: TreeStructure) -> Floats:
    """Return the row of each node: one per leaf, other nodes in the middle of their branches."""
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
    """Return a text on one line, without the middle if it is long."""
    line = " ".join(text.split())
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[: half - 1]}…{line[-half:]}"


@dataclass(eq=False, repr=False)
class BoundaryDisplay(Display):
    """Regions in which a tree predicts one class, with rows as points.

    Between two neighboring thresholds the prediction is constant, so a table of cells is exact,
    except for oblique tests, which are drawn on a fine grid.

    Parameters
    ----------
    names : sequence of two str
        The columns.
    edges : sequence of two ndarray
        Edges of the cells of each column, shapes (n_x + 1,) and (n_y + 1,).
    shares : ndarray of shape (n_y, n_x, n_classes), float64
        Probabilities of the classes in each cell.
    classes : ndarray of shape (n_classes,)
        Labels.
    points : ndarray of shape (n_rows, 2), float64
        Rows to draw: values, or codes of levels.
    labels : ndarray of shape (n_rows,) or None
        Their classes.
    ticks : sequence of two (tuple of str or None)
        Levels of the columns, None for numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.trees import C45Classifier
    >>> X, y = np.array([[0.0, 0], [0, 4], [4, 0], [4, 4]]), ["a", "a", "b", "b"]
    >>> tree = C45Classifier(min_samples_leaf=1).fit(X, y)
    >>> BoundaryDisplay.from_estimator(tree, X, y, columns=(0, 1)).to_frame()["class"].tolist()
    ['a', 'b']
    """

    hidden_sides = ()
    size = (6.4, 4.8)

    names: Sequence[str]
    edges: Sequence[Floats]
    shares: Floats
    _: KW_ONLY
    classes: np.ndarray
    points: Floats
    labels: np.ndarray | None = None
    ticks: Sequence[tuple[str, ...] | None] = (None, None)

    @classmethod
    def from_estimator(
        cls, classifier: Any, X: Any, y: Any = None, *, columns: Sequence[Any]
    ) -> BoundaryDisplay:
        """Compute the predictions of a fitted tree in the plane of two columns.

        Parameters
        ----------
        classifier : TreeClassifier
            A fitted tree classifier.
        X : ndarray or DataFrame of shape (n_rows, n_features)
            Rows to draw; they define the extent of the plane.
        y : array-like of shape (n_rows,) or None, default=None
            Their classes.
        columns : sequence of two str or int
            Names or numbers of the columns. All others count as missing: if the tree tests one of
            them, its branches are averaged by training weight.

        Returns
        -------
        BoundaryDisplay

        Raises
        ------
        InvalidArgumentError
            If there are not two such columns, or one of them has no value in X.
        """
        from bestofk.trees.reading import column_number

        check_is_fitted(classifier)
        tree, attributes = classifier.tree_, classifier.attributes_
        names = [attribute.name for attribute in attributes]
        if len(columns) != 2 or columns[0] == columns[1]:
            raise InvalidArgumentError(
                f"columns must be two columns of X; got {list(columns)!r}. Known: "
                f"{', '.join(names)}."
            )
        pair = [column_number(column, names, "columns") for column in columns]
        matrix = classifier._read(X)[:, pair]
        edges = [_edges(tree, a, matrix[:, k]) for k, a in enumerate(pair)]
        middles = [(each[1:] + each[:-1]) / 2 for each in edges]
        cells = np.full((len(middles[0]) * len(middles[1]), len(names)), np.nan)
        cells[:, pair[1]] = np.repeat(middles[1], len(middles[0]))
        cells[:, pair[0]] = np.tile(middles[0], len(middles[1]))
        answers = probabilities(tree, cells, classifier._answers())
        return cls(
            [names[a] for a in pair],
            edges,
            answers.reshape(len(middles[1]), len(middles[0]), -1),
            classes=classifier.classes_,
            points=matrix,
            labels=None if y is None else np.asarray(y),
            ticks=[attributes[a].levels or None for a in pair],
        )

    def to_frame(self) -> Any:
        """Return a DataFrame with one row per cell.

        Returns
        -------
        DataFrame
            Columns `x_low`, `x_high`, `y_low`, `y_high` (a cell includes its high end, not its low
            one; levels lie at their codes), `class`, and `share of LABEL` for each class.
        """
        (x, y), n_classes = self.edges, len(self.classes)
        flat = self.shares.reshape(-1, n_classes)
        table = {
            "x_low": np.tile(x[:-1], len(y) - 1),
            "x_high": np.tile(x[1:], len(y) - 1),
            "y_low": np.repeat(y[:-1], len(x) - 1),
            "y_high": np.repeat(y[1:], len(x) - 1),
            "class": self.classes[flat.argmax(axis=1)],
        }
        named = {f"share of {c}": flat[:, k] for k, c in enumerate(self.classes.tolist())}
        return pd.DataFrame(table | named)

    def _draw(self, ax: Axes) -> None:
        from matplotlib.colors import ListedColormap

        colors = class_colors(len(self.classes))
        pale = ListedColormap([lighter(color, _WHITE) for color in colors])
        best = self.shares.argmax(axis=2)
        ax.pcolormesh(*self.edges, best, cmap=pale, vmin=-0.5, vmax=len(colors) - 0.5, zorder=0)
        for k, label in enumerate(self.classes.tolist()):
            here = np.zeros(len(self.points), bool) if self.labels is None else self.labels == label
            style: Any = {"color": colors[k], "marker": _MARKERS[k % len(_MARKERS)], "s": 22}
            x, y = self.points[here].T
            ax.scatter(x, y, edgecolors="black", lw=0.5, zorder=2, label=str(label), **style)
        if self.labels is None:
            x, y = self.points.T
            ax.scatter(x, y, color="black", s=8, zorder=2)
        for axis, name, levels in zip((ax.xaxis, ax.yaxis), self.names, self.ticks, strict=True):
            axis.set_label_text(name, parse_math=False)
            if levels is not None:
                axis.set_ticks(range(len(levels)), levels, parse_math=False)
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)


def _edges(tree: Tree, a: int, values: Floats) -> Floats:
    """Return the edges of the cells of an attribute, from the thresholds of the tree."""
    attribute = tree.attributes[a]
    if attribute.kind != NUMERIC:
        return np.arange(attribute.n_levels + 1, dtype=np.float64) - 0.5
    if np.isnan(values).all():
        raise InvalidArgumentError(
            f"Column {attribute.name!r} of X must have at least one value; got none. "
            "Pass rows that have one."
        )
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = _MARGIN * (high - low) if high > low else 1.0
    low, high = low - margin, high + margin
    if len(tree.directions) and (tree.directions[:, a] != 0).any():
        return np.linspace(low, high, _N_FINE + 1)
    cuts = np.unique(tree.threshold[(tree.attribute == a) & (tree.kind == THRESHOLD)])
    inner = cuts[(cuts > low) & (cuts < high)]
    return np.array([low, *inner, high], dtype=np.float64)


class PruningEffectDisplay(Display):
    """Error rates of a tree and of all its pruned trees, by size.

    The trees are nested: each step removes the subtree that saves the fewest training errors per
    leaf (Breiman et al. 1984), down to the root alone. So training errors never increase with size;
    errors on other rows first decrease and often increase again.

    Parameters
    ----------
    n_nodes, n_leaves : array-like of shape (n_trees,), int
        Sizes of the trees, the whole tree first.
    alphas : array-like of shape (n_trees,), float
        Cost per leaf, as a share of all training weight, above which a tree is too large.
    errors : mapping of str to array-like of shape (n_trees,), float
        Error rate of each tree on the named rows, 0 to 1.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees,
       chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.trees import C45Classifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> tree = C45Classifier(pruning=None, min_samples_leaf=1, mdl_correction=False).fit(X, y)
    >>> display = PruningEffectDisplay.from_estimator(tree, {"training": (X, y)})
    >>> display.to_frame()[["n_leaves", "training"]].values.tolist()
    [[4.0, 0.0], [2.0, 0.125], [1.0, 0.5]]
    """

    size = (6.4, 4.0)

    def __init__(
        self,
        n_nodes: ArrayLike,
        n_leaves: ArrayLike,
        alphas: ArrayLike,
        errors: Mapping[str, ArrayLike],
    ) -> None:
        self.n_nodes: Ints = np.asarray(n_nodes)
        self.n_leaves: Ints = np.asarray(n_leaves)
        self.alphas: Floats = np.asarray(alphas)
        self.errors: dict[str, Floats] = {
            name: np.asarray(rates, dtype=np.float64) for name, rates in errors.items()
        }

    @classmethod
    def from_estimator(
        cls, classifier: Any, rows: Mapping[str, tuple[Any, Any]]
    ) -> PruningEffectDisplay:
        """Prune a fitted tree step by step, and count errors.

        Parameters
        ----------
        classifier : TreeClassifier
            A fitted tree classifier, preferably unpruned.
        rows : mapping of str to (X, y)
            Rows to count errors on, such as `{"training": (X, y), "test": (X_test, y_test)}`.

        Returns
        -------
        PruningEffectDisplay

        Raises
        ------
        InvalidArgumentError
            If no rows are named.
        """
        check_is_fitted(classifier)
        if not rows:
            raise InvalidArgumentError(
                "rows must name at least one (X, y); got none. Write for example "
                '{"training": (X, y), "test": (X_test, y_test)}.'
            )
        path = prune_path(classifier.tree_)
        trees = [classifier.tree_]
        trees += [tree for alpha in path.alphas if (tree := path.tree_at(alpha)) is not trees[-1]]
        errors = {}
        for name, (X, y) in rows.items():
            check_consistent_length(X, y)
            matrix, labels = classifier._read(X), column_or_1d(y)
            errors[name] = np.empty(len(trees))
            for i, tree in enumerate(trees):
                answers = tree.probabilities(laplace=bool(classifier.laplace))
                best = probabilities(tree, matrix, answers).argmax(axis=1)
                errors[name][i] = np.mean(tree.classes[best] != labels)
        n_nodes, n_leaves = zip(*((tree.n_nodes, tree.n_leaves) for tree in trees), strict=True)
        alphas = path.alphas if len(trees) == len(path.alphas) else [0.0, *path.alphas]
        return cls(n_nodes, n_leaves, alphas, errors)

    def to_frame(self) -> Any:
        """Return a DataFrame with one row per tree, the whole one first.

        Returns
        -------
        DataFrame
            Columns `n_nodes`, `n_leaves`, `alpha`, and the error rate on each named set of rows.
        """
        sizes = {"n_nodes": self.n_nodes, "n_leaves": self.n_leaves, "alpha": self.alphas}
        return pd.DataFrame({**sizes, **self.errors})

    def _draw(self, ax: Axes) -> None:
        for k, (name, rates) in enumerate(self.errors.items()):
            style: Any = {
                "color": _COLORS[k % len(_COLORS)],
                "marker": _CURVE_MARKERS[k % len(_CURVE_MARKERS)],
            }
            ax.plot(self.n_nodes, rates, label=name, ms=4, lw=1.3, zorder=2 + k, **style)
            best = len(rates) - 1 - int(rates[::-1].argmin())
            ring: Any = {**style, "marker": "o", "mfc": "none", "ms": 12}
            ax.plot(self.n_nodes[best], rates[best], zorder=2, **ring)
        ax.set_xlabel("nodes of the tree; ring: fewest errors")
        ax.set_ylabel("error rate")
        ax.set_ylim(bottom=0)
        ax.grid(alpha=0.3)
        ax.legend(frameon=False)
