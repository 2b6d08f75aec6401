"""Trees and fitted tree classifiers as JSON text, written and read."""

import json
import math
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bestofk.errors import InvalidArgumentError
from bestofk.registry import Registry
from bestofk.trees.attributes import KINDS, NUMERIC, Attribute
from bestofk.trees.tree_structure import LOOKUP, MULTIWAY, THRESHOLD, TreeStructure

T = TypeVar("T", bound=TreeStructure)

# Higher versions are refused, lower ones are read.
VERSION: Final = 1
_TREE_FORMAT: Final = "bestofk tree"
CLASSIFIER_FORMAT: Final = "bestofk tree classifier"
_NODE_NUMBERS: Final = {
    "kind": np.int8,
    "attribute": np.int32,
    "first_child": np.int32,
    "n_children": np.int32,
    "lookup_start": np.int32,
    "default_branch": np.int32,
}
_DIRECTIONS: Final = ("directions", "direction_means", "direction_scales")
_LABEL_KINDS: Final = "biufUO"  # numpy kinds: booleans, numbers, texts, and mixtures
_REMEDY: Final = "Write the tree again with `to_json`."
# The text names the class to import.
_LEARNERS: Registry[Any] = Registry(
    "tree classifier",
    {
        "C45Classifier": "bestofk.trees.c45.C45Classifier",
        "C45RulesClassifier": "bestofk.trees.c45_rules.C45RulesClassifier",
        "CARTClassifier": "bestofk.trees.cart.CARTClassifier",
        "HellingerTreeClassifier": "bestofk.trees.hellinger.HellingerTreeClassifier",
        "ID3Classifier": "bestofk.trees.id3.ID3Classifier",
    },
)


def tree_to_json(tree: TreeStructure) -> str:
    """Return a tree as JSON text.

    Parameters
    ----------
    tree : TreeStructure
        Any tree.

    Returns
    -------
    str
        One object with the format, its version and every array; floats are restored to the same
        bits, nan is null.

    Raises
    ------
    InvalidArgumentError
        If a class label is not a number, text or boolean.
    """
    return json_text({"format": _TREE_FORMAT, "version": VERSION, **tree_object(tree)})


def tree_from_json(text: str, kind: type[T]) -> T:
    """Return the tree in a JSON text.

    Parameters
    ----------
    text : str
        Result of `tree_to_json`, from this version of the package or an earlier one.
    kind : type
        `TreeStructure`, or a class that inherits from it.

    Returns
    -------
    kind

    Raises
    ------
    InvalidArgumentError
        If the text is not JSON, not a tree, of a later format, or inconsistent.
    """
    return read_tree(json_content(text, _TREE_FORMAT), kind)


def json_text(content: Mapping[str, Any]) -> str:
    """Return a JSON object as text with a line end."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def broken_text_error(rule: str) -> InvalidArgumentError:
    """Return the error of a text that breaks a rule."""
    return InvalidArgumentError(f"text of a tree must {rule}. {_REMEDY}")


def json_content(text: str, form: str) -> dict[str, Any]:
    """Return the object in a text, after a check of format and version."""
    try:
        content: dict[str, Any] = json.loads(text)
    except (json.JSONDecodeError, TypeError) as error:
        raise broken_text_error(f"be JSON; got {str(text)[:30]!r} ({error})") from error
    result = content.get("format") if isinstance(content, dict) else None
    if result != form:
        raise broken_text_error(f"have the format {form!r}; got {result!r}")
    version = content.get("version")
    if not (isinstance(version, int) and 1 <= version <= VERSION):
        raise InvalidArgumentError(
            f"version of a {form} must be a number from 1 to {VERSION}; got {version!r}. "
            "A later release of bestofk wrote it: update bestofk, or write it again with this "
            "release."
        )
    return content


def attribute_object(attribute: Attribute) -> dict[str, Any]:
    """Return an attribute as a JSON object."""
    content = {"name": attribute.name, "kind": attribute.kind, "levels": list(attribute.levels)}
    return content if attribute.edges is None else content | {"edges": list(attribute.edges)}


def read_attributes(content: Any) -> tuple[Attribute, ...]:
    """Return the attributes of a list of JSON objects, or raise."""
    result = tuple(_read_attribute(x) for x in content)
    unknown = {attribute.kind for attribute in result} - set(KINDS)
    if unknown:
        raise broken_text_error(
            f"have attributes of the kinds {', '.join(KINDS)}; got {sorted(unknown)}"
        )
    return result


def _read_attribute(content: Mapping[str, Any]) -> Attribute:
    edges = content.get("edges")
    if edges is not None:
        edges = tuple(float(edge) for edge in edges)
    return Attribute(content["name"], content["kind"], tuple(content["levels"]), edges)


def tree_object(tree: TreeStructure) -> dict[str, Any]:
    """Return the arrays of a tree as a JSON object."""
    return {
        "attributes": [attribute_object(attribute) for attribute in tree.attributes],
        "classes": plain_value(tree.classes, "y"),
        "nodes": {name: getattr(tree, name).tolist() for name in _NODE_NUMBERS},
        "threshold": [None if math.isnan(x) else x for x in tree.threshold.tolist()],
        "class_weights": tree.class_weights.tolist(),
        "lookup": tree.lookup.tolist(),
        **{name: getattr(tree, name).tolist() for name in _DIRECTIONS},
    }


def read_tree(content: Mapping[str, Any], kind: type[T]) -> T:
    """Return the tree of the arrays in a JSON object; errors as for `tree_from_json`."""
    try:
        attributes = read_attributes(content["attributes"])
        directions: dict[str, Any] = {
            name: np.array(content[name], dtype=np.float64).reshape(-1, len(attributes))
            for name in _DIRECTIONS
        }
        threshold = [math.nan if x is None else x for x in content["threshold"]]
        tree = kind(
            attributes=attributes,
            classes=restored_value(content["classes"]),
            threshold=np.array(threshold, dtype=np.float64),
            lookup=np.array(content["lookup"], dtype=np.int32),
            class_weights=np.array(content["class_weights"], dtype=np.float64),
            **directions,
            **{n: np.array(content["nodes"][n], dtype=t) for n, t in _NODE_NUMBERS.items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise broken_text_error(
            f"have all arrays of a tree; got a gap or a misfit at {error}"
        ) from error
    _check_structure(tree)
    return tree


def _check_structure(tree: TreeStructure) -> None:
    """Refuse a tree with indices outside its arrays, or with cycles."""
    n, d = tree.n_nodes, len(tree.attributes)
    arrays = [tree.threshold, tree.class_weights, *(getattr(tree, x) for x in _NODE_NUMBERS)]
    if not n or any(len(array) != n for array in arrays):
        raise broken_text_error(
            f"have arrays of one length, 1 or more; got {[len(x) for x in arrays]}"
        )
    if tree.class_weights.shape != (n, tree.n_classes):
        raise broken_text_error(
            f"have a weight for each class; got shape {tree.class_weights.shape}"
        )
    weights = tree.class_weights
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights[0].sum() > 0):
        raise broken_text_error("have finite weights, above 0 at the root; got others")
    shapes = {tree.directions.shape, tree.direction_means.shape, tree.direction_scales.shape}
    if len(shapes) > 1:
        raise broken_text_error("have a mean for each coefficient; got other shapes")
    nodes = np.flatnonzero(~tree.is_leaf)
    counts = tree.n_children[nodes].astype(np.int64)
    is_counted = bool((counts > 0).all()) and counts.sum() == n - 1
    inner = nodes.tolist()
    below = [child for node in inner for child in tree.children(node)] if is_counted else []
    if not is_counted or sorted(below) != list(range(1, n)):
        raise broken_text_error("lead to every node but the root once; got others")
    for node in inner:
        if not _is_sound(tree, node, d):
            raise broken_text_error(f"have sound tests; got another at node {node}")


def _is_sound(tree: TreeStructure, node: int, d: int) -> bool:
    """Return whether the attribute and the branches of a test exist."""
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


def plain_value(value: Any, what: str) -> Any:
    """Return a parameter or labels in JSON form; values without a plain form become objects."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in _LABEL_KINDS and value.ndim == 1:
        items = [plain_value(item, what) for item in value.tolist()]
        return {"array": items, "dtype": "object" if value.dtype.kind == "O" else value.dtype.str}
    if isinstance(value, list):
        return [plain_value(item, what) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [plain_value(item, what) for item in value]}
    if isinstance(value, Mapping):
        return {"mapping": [[plain_value(x, what) for x in pair] for pair in value.items()]}
    raise InvalidArgumentError(
        f"{what} must be made of numbers, texts and booleans to be written as JSON; got "
        f"{type(value).__name__}. Set it to such a value first."
    )


def restored_value(value: Any) -> Any:
    """Return the value that `plain_value` converted."""
    if isinstance(value, list):
        return [restored_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "number" in value:
        return float(value["number"])
    if "tuple" in value:
        return tuple(restored_value(item) for item in value["tuple"])
    if "mapping" in value:
        return {restored_value(key): restored_value(item) for key, item in value["mapping"]}
    return np.array([restored_value(item) for item in value["array"]], np.dtype(value["dtype"]))


def classifier_to_json(classifier: Any) -> str:
    """Return a fitted tree classifier as JSON text: parameters, columns and tree.

    Parameters
    ----------
    classifier : TreeClassifier
        A fitted learner of this package.

    Returns
    -------
    str
        One object with the format, its version, and everything needed for predictions.

    Raises
    ------
    InvalidArgumentError
        If a parameter or a class label has no form in JSON.
    """
    check_is_fitted(classifier)
    names = getattr(classifier, "feature_names_in_", None)
    content = {
        "format": CLASSIFIER_FORMAT,
        "version": VERSION,
        "learner": type(classifier).__name__,
        "parameters": {
            name: plain_value(value, name)
            for name, value in classifier.get_params(deep=False).items()
        },
        "feature_names": None if names is None else [str(name) for name in names],
        "attributes": [attribute_object(attribute) for attribute in classifier.attributes_],
        "tree": tree_object(classifier.tree_),
    }
    return json_text(content)


def classifier_from_json(text: str, kind: type[TreeStructure]) -> Any:
    """Return the fitted tree classifier in a JSON text.

    Parameters
    ----------
    text : str
        Result of `classifier_to_json`, from this version of the package or an earlier one. Missing
        parameters get their default.
    kind : type
        Class of the tree.

    Returns
    -------
    TreeClassifier
        The classifier; predictions equal those of the original to the bit.

    Raises
    ------
    InvalidArgumentError
        If the text is not JSON, not a tree classifier, of a later format, or inconsistent.
    """
    content = json_content(text, CLASSIFIER_FORMAT)
    try:
        name = content["learner"]
        if name not in _LEARNERS:
            raise broken_text_error(f"name a tree classifier of this package; got {name!r}")
        learner = _LEARNERS[name]
        parameters = {name: restored_value(value) for name, value in content["parameters"].items()}
        names = content["feature_names"]
        attributes = read_attributes(content["attributes"])
        tree = read_tree(content["tree"], kind)
    except (KeyError, TypeError, AttributeError) as error:
        raise broken_text_error(
            f"have all entries of a tree classifier; got a gap at {error}"
        ) from error
    try:
        classifier = learner(**parameters)
    except TypeError as error:
        raise broken_text_error(f"name parameters of {learner.__name__}; got {error}") from error
    classifier.attributes_ = attributes
    classifier.classes_ = tree.classes
    classifier.n_classes_ = len(tree.classes)
    classifier.n_features_in_ = len(attributes)
    if names is not None:
        classifier.feature_names_in_ = np.array(names, dtype=object)
    classifier.tree_ = tree
    return classifier
