"""Decision trees: ID3, C4.5, CART and HDDT, grown by one core, as scikit-learn estimators.

c45, id3, cart, hellinger         the learners
reading, parameters               checks of what a learner is handed
attributes, sorting               what the columns are, sorted once
growth_rules, growing, level      growth level by level: measuring, choosing, dividing
discretization, oblique           intervals of numbers, and directions through them
tree, prediction                  the grown tree and its answers
error_based_pruning               what C4.5 cuts off again
cost_complexity, ...              other pruning
simple_cart                       the ways of Weka's SimpleCart
text_form, json_form, ...         a tree as text, JSON, Graphviz, HTML
node_table                        why a node tests what it tests
picture, boundaries, ...          displays

The compiled loops (`_kernels` and the like) are imported with the first fit; the compiler with
a learner that is asked for here. Its own module (`c45`, ...) gives a learner without it, for
comparisons that may have nothing left to fit.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Attribute": "attributes",
    "BoundaryDisplay": "boundaries",
    "C45Classifier": "c45",
    "C45RulesClassifier": "c45_rules",
    "CARTClassifier": "cart",
    "HellingerTreeClassifier": "hellinger",
    "ID3Classifier": "id3",
    "PruningEffectDisplay": "pruning_effect",
    "RuleSet": "rules",
    "Tree": "tree",
    "TreeDisplay": "picture",
    "added_errors": "error_based_pruning",
    "fit_batched": "batched",
    "grow_from_file": "on_disk",
    "induction_steps": "node_table",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Import a part at its first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.endswith("Classifier"):
        importlib.import_module("numba")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
