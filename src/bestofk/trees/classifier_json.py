"""Fitted tree classifiers as JSON text, written and read."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bestofk.registry import Registry
from bestofk.trees.json_form import (
    CLASSIFIER_FORMAT,
    VERSION,
    attribute_object,
    broken_text_error,
    json_content,
    json_text,
    plain_value,
    read_attributes,
    read_tree,
    restored_value,
    tree_object,
)
from bestofk.trees.tree import Tree

# A text names the learner that is imported.
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


def classifier_to_json(classifier: Any) -> str:
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


def classifier_from_json(text: str) -> Any:
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
    content = json_content(text, CLASSIFIER_FORMAT)
    try:
        learner = _learner_class(content["learner"])
        parameters = {name: restored_value(value) for name, value in content["parameters"].items()}
        names = content["feature_names"]
        attributes = read_attributes(content["attributes"])
        tree = read_tree(content["tree"], Tree)
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


def _learner_class(name: str) -> Any:
    if name not in _LEARNERS:
        raise broken_text_error(f"name a tree classifier of this package; got {name!r}")
    return _LEARNERS[name]
