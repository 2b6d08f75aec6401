"""Trees and fitted tree classifiers as JSON text, written and read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bestofk.errors import InvalidArgumentError
from bestofk.trees.attributes import KINDS, NUMERIC, Attribute
from bestofk.trees.tree import LOOKUP, MULTIWAY, THRESHOLD, Tree

if TYPE_CHECKING:
    from bestofk.trees.base import TreeClassifier

# A higher version is refused, every lower one is read.
VERSION: Final = 1
_TREE: Final = "bestofk tree"
_CLASSIFIER: Final = "bestofk tree classifier"
_NODE_NUMBERS: Final = {
    "kind": np.int8,
    "attribute": np.int32,
    "first_child": np.int32,
    "n_children": np.int32,
    "lookup_start": np.int32,
    "default_branch": np.int32,
}
_LABEL_KINDS: Final = "biufUO"  # of numpy: booleans, numbers, texts, and any of them mixed
_REMEDY: Final = "Write the tree again with `to_json`."


def tree_to_json(tree: Tree) -> str:
    """Return a tree as JSON text.

    Parameters
    ----------
    tree : Tree
        Any tree.

    Returns
    -------
    str
        One object with the format, its version and every array; floats read back to the same
        bits, nan is null.

    Raises
    ------
    InvalidArgumentError
        If a class label is neither number, text nor boolean.
    """
    return _dumps({"format": _TREE, "version": VERSION, **_tree_object(tree)})


def tree_from_json(text: str) -> Tree:
    """Return the tree that a JSON text holds.

    Parameters
    ----------
    text : str
        What `tree_to_json` gave, in this version of the package or an earlier one.

    Returns
    -------
    Tree

    Raises
    ------
    InvalidArgumentError
        If the text is no JSON, no tree, of a later format, or contradicts itself.
    """
    return _read_tree(_loads(text, _TREE))


def classifier_to_json(classifier: TreeClassifier) -> str:
    """Return a fitted tree classifier as JSON text: parameters, columns and tree.

    Parameters
    ----------
    classifier : TreeClassifier
        A fitted learner of this package.

    Returns
    -------
    str
        One object with the format, its version, and all that it takes to predict.

    Raises
    ------
    InvalidArgumentError
        If a parameter or a class label has no form in JSON.
    """
    check_is_fitted(classifier)
    names = getattr(classifier, "feature_names_in_", None)
    content = {
        "format": _CLASSIFIER,
        "version": VERSION,
        "learner": type(classifier).__name__,
        "parameters": {
            name: _plain(value, name) for name, value in classifier.get_params(deep=False).items()
        },
        "feature_names": None if names is None else [str(name) for name in names],
        "attributes": [_attribute_object(attribute) for attribute in classifier.attributes_],
        "tree": _tree_object(classifier.tree_),
    }
    return _dumps(content)


def classifier_from_json(text: str) -> TreeClassifier:
    """Return the fitted tree classifier that a JSON text holds.

    Parameters
    ----------
    text : str
        What `classifier_to_json` gave, in this version of the package or an earlier one.
        Parameters that it does not name have their default.

    Returns
    -------
    TreeClassifier
        Predicts bit for bit as the one that was written.

    Raises
    ------
    InvalidArgumentError
        If the text is no JSON, no tree classifier, of a later format, or contradicts itself.
    """
    content = _loads(text, _CLASSIFIER)
    try:
        learner = _learner(content["learner"])
        parameters = {name: _restored(value) for name, value in content["parameters"].items()}
        names = content["feature_names"]
        attributes = _read_attributes(content["attributes"])
        tree = _read_tree(content["tree"])
    except (KeyError, TypeError, AttributeError) as error:
        raise _broken(f"have all entries of a tree classifier; got a gap at {error}") from error
    try:
        classifier = learner(**parameters)
    except TypeError as error:
        raise _broken(f"name parameters of {learner.__name__}; got {error}") from error
    classifier.attributes_ = attributes
    classifier.classes_ = tree.classes
    classifier.n_classes_ = len(tree.classes)
    classifier.n_features_in_ = len(attributes)
    if names is not None:
        classifier.feature_names_in_ = np.array(names, dtype=object)
    classifier.tree_ = tree
    return classifier


def _dumps(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def _broken(rule: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"text of a tree must {rule}. {_REMEDY}")


def _loads(text: str, form: str) -> dict[str, Any]:
    """Return the object that a text holds, once its format and version are known."""
    try:
        content: dict[str, Any] = json.loads(text)
    except (json.JSONDecodeError, TypeError) as error:
        raise _broken(f"be JSON; got {str(text)[:30]!r} ({error})") from error
    result = content.get("format") if isinstance(content, dict) else None
    if result != form:
        raise _broken(f"have the format {form!r}; got {result!r}")
    version = content.get("version")
    if not (isinstance(version, int) and 1 <= version <= VERSION):
        raise InvalidArgumentError(
            f"version of a {form} must be a number from 1 to {VERSION}; got {version!r}. "
            "A later release of bestofk wrote it: update this one, or write it with this one."
        )
    return content


def _attribute_object(attribute: Attribute) -> dict[str, Any]:
    content = {"name": attribute.name, "kind": attribute.kind, "levels": list(attribute.levels)}
    return content if attribute.edges is None else content | {"edges": list(attribute.edges)}


def _read_attributes(content: Any) -> tuple[Attribute, ...]:
    result = tuple(_read_attribute(x) for x in content)
    unknown = {attribute.kind for attribute in result} - set(KINDS)
    if unknown:
        raise _broken(f"have attributes of the kinds {', '.join(KINDS)}; got {sorted(unknown)}")
    return result


def _read_attribute(content: Mapping[str, Any]) -> Attribute:
    edges = content.get("edges")
    if edges is not None:
        edges = tuple(float(edge) for edge in edges)
    return Attribute(content["name"], content["kind"], tuple(content["levels"]), edges)


def _tree_object(tree: Tree) -> dict[str, Any]:
    return {
        "attributes": [_attribute_object(attribute) for attribute in tree.attributes],
        "classes": _plain(tree.classes, "y"),
        "nodes": {name: getattr(tree, name).tolist() for name in _NODE_NUMBERS},
        "threshold": [None if math.isnan(x) else x for x in tree.threshold.tolist()],
        "class_weights": tree.class_weights.tolist(),
        "lookup": tree.lookup.tolist(),
        "directions": tree.directions.tolist(),
        "direction_means": tree.direction_means.tolist(),
        "direction_scales": tree.direction_scales.tolist(),
    }


def _read_tree(content: Mapping[str, Any]) -> Tree:
    try:
        attributes = _read_attributes(content["attributes"])
        shape = (-1, len(attributes))
        # Texts of before trees kept them have none, and no directions either.
        scales = content.get("direction_scales", [])
        threshold = [math.nan if x is None else x for x in content["threshold"]]
        tree = Tree(
            attributes=attributes,
            classes=_restored(content["classes"]),
            threshold=np.array(threshold, dtype=np.float64),
            lookup=np.array(content["lookup"], dtype=np.int32),
            class_weights=np.array(content["class_weights"], dtype=np.float64),
            directions=np.array(content["directions"], dtype=np.float64).reshape(shape),
            direction_means=np.array(content["direction_means"], dtype=np.float64).reshape(shape),
            direction_scales=np.array(scales, dtype=np.float64).reshape(shape),
            **{n: np.array(content["nodes"][n], dtype=t) for n, t in _NODE_NUMBERS.items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise _broken(f"have all arrays of a tree; got a gap or a misfit at {error}") from error
    _check_structure(tree)
    return tree


def _check_structure(tree: Tree) -> None:
    """Refuse a tree that would be read beyond its arrays, or in circles."""
    n, d = tree.n_nodes, len(tree.attributes)
    arrays = [tree.threshold, tree.class_weights, *(getattr(tree, x) for x in _NODE_NUMBERS)]
    if not n or any(len(array) != n for array in arrays):
        raise _broken(f"have arrays of one length, 1 or more; got {[len(x) for x in arrays]}")
    if tree.class_weights.shape != (n, tree.n_classes):
        raise _broken(f"have a weight for each class; got shape {tree.class_weights.shape}")
    weights = tree.class_weights
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights[0].sum() > 0):
        raise _broken("have finite weights, above 0 at the root; got others")
    shapes = {tree.directions.shape, tree.direction_means.shape, tree.direction_scales.shape}
    if len(shapes) > 1:
        raise _broken("have a mean for each coefficient; got other shapes")
    nodes = np.flatnonzero(~tree.is_leaf)
    counts = tree.n_children[nodes].astype(np.int64)
    is_counted = bool((counts > 0).all()) and counts.sum() == n - 1
    inner = nodes.tolist()
    below = [child for node in inner for child in tree.children(node)] if is_counted else []
    if not is_counted or sorted(below) != list(range(1, n)):
        raise _broken("lead to every node but the root once; got others")
    for node in inner:
        if not _is_sound(tree, node, d):
            raise _broken(f"have sound tests; got another at node {node}")


def _is_sound(tree: Tree, node: int, d: int) -> bool:
    """Return whether a test reads and leads where there is something."""
    a, kind, n_children = (int(x[node]) for x in (tree.attribute, tree.kind, tree.n_children))
    if not (tree.first_child[node] > node and -1 <= tree.default_branch[node] < n_children):
        return False
    if kind == THRESHOLD:
        is_number = 0 <= a < d + len(tree.directions) and math.isfinite(tree.threshold[node])
        return is_number and n_children == 2
    if not (kind in (MULTIWAY, LOOKUP) and 0 <= a < d and tree.attributes[a].kind != NUMERIC):
        return False
    n_levels = tree.attributes[a].n_levels
    if kind == MULTIWAY:
        return n_children == n_levels
    start = int(tree.lookup_start[node])
    branches = tree.lookup[start : start + n_levels] if start >= 0 else np.empty(0)
    return len(branches) == n_levels and bool(((branches >= -1) & (branches < n_children)).all())


def _plain(value: Any, what: str) -> Any:
    """Return a parameter or labels as JSON can hold them; what has no such form is an object."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in _LABEL_KINDS and value.ndim == 1:
        items = [_plain(item, what) for item in value.tolist()]
        return {"array": items, "dtype": "object" if value.dtype.kind == "O" else value.dtype.str}
    if isinstance(value, list):
        return [_plain(item, what) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_plain(item, what) for item in value]}
    if isinstance(value, Mapping):
        return {"mapping": [[_plain(x, what) for x in pair] for pair in value.items()]}
    raise InvalidArgumentError(
        f"{what} must be made of numbers, texts and booleans to be written as JSON; got "
        f"{type(value).__name__}. Set it to such a value first."
    )


def _restored(value: Any) -> Any:
    """Return what `_plain` was given."""
    if isinstance(value, list):
        return [_restored(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "number" in value:
        return float(value["number"])
    if "tuple" in value:
        return tuple(_restored(item) for item in value["tuple"])
    if "mapping" in value:
        return {_restored(key): _restored(item) for key, item in value["mapping"]}
    return _restored_array(value["array"], np.dtype(value["dtype"]))


def _restored_array(items: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.array([_restored(item) for item in items], dtype=dtype)


def _learner(name: str) -> type[TreeClassifier]:
    from bestofk import trees
    from bestofk.trees.base import TreeClassifier

    result = getattr(trees, name) if name in trees.__all__ else None
    if not (isinstance(result, type) and issubclass(result, TreeClassifier)):
        raise _broken(f"name a tree classifier of this package; got {name!r}")
    return result
