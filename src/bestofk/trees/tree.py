"""Grown trees with HTML and JSON forms, and conversion of scikit-learn's trees."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from bestofk.trees.attributes import NUMERIC, Attribute
from bestofk.trees.json_form import tree_from_json, tree_to_json
from bestofk.trees.text_form import tree_html
from bestofk.trees.tree_structure import RegressionTree, TreeStructure, no_directions
from bestofk.words import number


class Tree(TreeStructure):
    """Decision tree as arrays, one entry per node; see `TreeStructure`."""

    def _repr_html_(self) -> str:
        return tree_html(self)

    def to_json(self) -> str:
        """Return the tree as JSON text; see `json_form.tree_to_json`."""
        return tree_to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the tree of a JSON text; see `json_form.tree_from_json`."""
        return tree_from_json(text, cls)


def tree_of_scikit(learner: Any, names: Sequence[str]) -> TreeStructure:
    r"""Return a tree of scikit-learn in the form of this package, to print and draw it.

    Parameters
    ----------
    learner : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted learner with one target.
    names : sequence of str
        Names of the columns that it was fitted on.

    Returns
    -------
    Tree, or RegressionTree of a regressor

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from bestofk.trees.text_form import tree_text
    >>> learner = DecisionTreeRegressor().fit([[1], [2], [8], [9]], [10, 10, 30, 30])
    >>> print(tree_text(tree_of_scikit(learner, ["size"])).partition("\n\n")[0])
    size <= 5: 10.00 (2.0)
    size > 5: 30.00 (2.0)
    """
    grown, order = learner.tree_, [0]
    left, right = grown.children_left, grown.children_right
    for node in order:  # breadth first, so that the children of a node are neighbors
        order += [left[node], right[node]] if left[node] >= 0 else []
    is_leaf, weight = left[order] < 0, grown.weighted_n_node_samples[order, None]
    values, none = grown.value[order, 0], np.full(len(order), -1, np.int32)
    arrays: dict[str, Any] = {
        "attributes": tuple(Attribute(name, NUMERIC) for name in names),
        "kind": (~is_leaf).astype(np.int8),  # leaf or threshold
        "attribute": np.where(is_leaf, -1, grown.feature[order]).astype(np.int32),
        "threshold": np.where(is_leaf, np.nan, grown.threshold[order]),
        "first_child": np.where(is_leaf, -1, np.argsort(order)[left[order]]).astype(np.int32),
        "n_children": np.where(is_leaf, 0, 2).astype(np.int32),
        "lookup_start": none,
        "lookup": none[:0],
        "default_branch": none,
        **no_directions(len(names)),
    }
    if hasattr(learner, "classes_"):
        return Tree(classes=learner.classes_, class_weights=values * weight, **arrays)
    classes = np.array([f"mean, {number(values.min())} to {number(values.max())}"])
    return RegressionTree(classes=classes, class_weights=weight, means=values[:, 0], **arrays)
