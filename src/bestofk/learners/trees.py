"""Former home of `bestofk.trees`, which works for one more release."""

from typing import Any

from bestofk import trees
from bestofk.errors import warn_of_new_name


def __getattr__(name: str) -> Any:
    """Return a name of `bestofk.trees`, with a warning."""
    if name.startswith("__") or name not in dir(trees):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_of_new_name(f"bestofk.learners.trees.{name}", f"bestofk.trees.{name}")
    return getattr(trees, name)
