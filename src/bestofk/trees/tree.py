"""Grown tree that shows itself in a notebook and is kept as JSON."""

from __future__ import annotations

from typing import Self

from bestofk.trees.json_form import tree_from_json, tree_to_json
from bestofk.trees.text_form import tree_html
from bestofk.trees.tree_structure import TreeStructure


class Tree(TreeStructure):
    """Decision tree as arrays, one entry a node; the arrays are those of `TreeStructure`."""

    def _repr_html_(self) -> str:
        return tree_html(self)

    def to_json(self) -> str:
        """Return the tree as JSON text; see `json_form.tree_to_json`."""
        return tree_to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the tree of a JSON text; see `json_form.tree_from_json`."""
        return tree_from_json(text, cls)
