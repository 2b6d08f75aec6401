"""Errors of a tree by its size, as its weakest links are pruned one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.trees.cost_complexity import prune_path
from bestofk.trees.display import Display
from bestofk.trees.prediction import probabilities

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Colors of Okabe & Ito (2008) that stand out on white and on black.
_COLORS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_MARKERS: Final = "os^D"


class PruningEffectDisplay(Display):
    """Error rates of a tree and of all trees that pruning makes of it, by their size.

    The trees are nested: each lacks the subtree that saves the fewest training errors per
    leaf (Breiman et al. 1984), down to the root alone. Training errors therefore never rise
    with the size; those on other rows fall first and often rise again.

    Parameters
    ----------
    n_nodes, n_leaves : array-like of shape (n_trees,), int
        Sizes, the whole tree first.
    alphas : array-like of shape (n_trees,), float
        Errors saved per leaf, as a share of all training weight, from which on a tree is
        too large.
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
        """Prune a fitted tree step by step, and count its errors.

        Parameters
        ----------
        classifier : TreeClassifier
            A fitted tree classifier, best one that did not prune.
        rows : mapping of str to (X, y)
            What to count errors on, as `{"training": (X, y), "test": (X_test, y_test)}`.

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
                answers = tree.probabilities(laplace=bool(getattr(classifier, "laplace", False)))
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
            Columns `n_nodes`, `n_leaves`, `alpha`, and the error rate on each of the named
            rows, under its name.
        """
        import pandas as pd

        sizes = {"n_nodes": self.n_nodes, "n_leaves": self.n_leaves, "alpha": self.alphas}
        return pd.DataFrame({**sizes, **self.errors})

    def _draw(self, ax: Axes) -> None:
        for k, (name, rates) in enumerate(self.errors.items()):
            style: Any = {"color": _COLORS[k % len(_COLORS)], "marker": _MARKERS[k % len(_MARKERS)]}
            ax.plot(self.n_nodes, rates, label=name, ms=4, lw=1.3, zorder=2 + k, **style)
            best = len(rates) - 1 - int(rates[::-1].argmin())
            ring: Any = {**style, "marker": "o", "mfc": "none", "ms": 12}
            ax.plot(self.n_nodes[best], rates[best], zorder=2, **ring)
        ax.set_xlabel("nodes of the tree; ring: fewest errors")
        ax.set_ylabel("error rate")
        ax.set_ylim(bottom=0)
        ax.grid(alpha=0.3)
        ax.legend(frameon=False)
