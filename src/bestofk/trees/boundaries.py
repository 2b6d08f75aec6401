"""Decision boundaries of a tree in the plane of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.trees.attributes import NUMERIC, Attribute
from bestofk.trees.class_colors import class_colors, lighter
from bestofk.trees.display import Display
from bestofk.trees.prediction import probabilities
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import THRESHOLD

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_MARGIN: Final = 0.05  # of the range of a column, on both sides
_N_FINE: Final = 300  # cells of a column where oblique tests cut across
_WHITE: Final = 0.55  # in the color of a region, so that its points stand out
_MARKERS: Final = "osD^vP*X"


class BoundaryDisplay(Display):
    """Regions in which a tree answers one class, and the rows that fell there.

    Between two neighboring thresholds a tree answers the same everywhere, so a table of cells
    says all, but for oblique tests: they are drawn on a fine grid.

    Parameters
    ----------
    names : sequence of two str
        The columns.
    edges : sequence of two ndarray
        Where the cells of each column begin and end, shapes (n_x + 1,) and (n_y + 1,).
    shares : ndarray of shape (n_y, n_x, n_classes), float64
        Probabilities of the classes in each cell.
    classes : ndarray of shape (n_classes,)
        Labels.
    points : ndarray of shape (n_rows, 2), float64
        Rows to be drawn: values, or codes of levels.
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

    def __init__(
        self,
        names: Sequence[str],
        edges: Sequence[Floats],
        shares: Floats,
        *,
        classes: np.ndarray,
        points: Floats,
        labels: np.ndarray | None = None,
        ticks: Sequence[tuple[str, ...] | None] = (None, None),
    ) -> None:
        self.names = list(names)
        self.edges = list(edges)
        self.shares = shares
        self.classes = classes
        self.points = points
        self.labels = labels
        self.ticks = list(ticks)

    @classmethod
    def from_estimator(
        cls, classifier: Any, X: Any, y: Any = None, *, columns: Sequence[Any]
    ) -> BoundaryDisplay:
        """Ask a fitted tree for its answers in the plane of two columns.

        Parameters
        ----------
        classifier : TreeClassifier
            A fitted tree classifier.
        X : ndarray or DataFrame of shape (n_rows, n_features)
            Rows to be drawn; they set how far the plane reaches.
        y : array-like of shape (n_rows,) or None, default=None
            Their classes.
        columns : sequence of two str or int
            Names or numbers of the columns. All others count as missing: where the tree
            tests one of them, its branches are averaged by training weight.

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
            ticks=[_levels(attributes[a]) for a in pair],
        )

    def to_frame(self) -> Any:
        """Return a DataFrame with one row per cell.

        Returns
        -------
        DataFrame
            Columns `x_low`, `x_high`, `y_low`, `y_high` (a cell has its high end, not its low
            one; levels lie at their codes), `class`, and `share of LABEL` for each class.
        """
        import pandas as pd

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


def _levels(attribute: Attribute) -> tuple[str, ...] | None:
    return None if attribute.kind == NUMERIC else attribute.levels


def _edges(tree: Tree, a: int, values: Floats) -> Floats:
    """Return where the cells of an attribute begin and end: at the thresholds of the tree."""
    attribute = tree.attributes[a]
    if attribute.kind != NUMERIC:
        return np.arange(attribute.n_levels + 1, dtype=np.float64) - 0.5
    if np.isnan(values).all():
        raise InvalidArgumentError(
            f"Column {attribute.name!r} of X must have at least one value; got none. "
            "Hand over rows that have it."
        )
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = _MARGIN * (high - low) if high > low else 1.0
    low, high = low - margin, high + margin
    if len(tree.directions) and (tree.directions[:, a] != 0).any():
        return np.linspace(low, high, _N_FINE + 1)
    cuts = np.unique(tree.threshold[(tree.attribute == a) & (tree.kind == THRESHOLD)])
    inner = cuts[(cuts > low) & (cuts < high)]
    return np.array([low, *inner, high], dtype=np.float64)
