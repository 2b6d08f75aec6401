"""Former home of `bestofk.trees`, which works for one more release."""

import warnings
from typing import Any

from bestofk import trees


def __getattr__(name: str) -> Any:
    """Return a name of `bestofk.trees`, with a warning."""
    if name.startswith("__") or name not in trees.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        f"bestofk.learners.trees.{name} is now bestofk.trees.{name}; the old name goes with the "
        "next release.",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(trees, name)
