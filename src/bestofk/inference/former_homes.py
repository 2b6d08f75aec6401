"""Names that stood in folders of `bestofk.inference`, and are names of the package now."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from bestofk.errors import warn_of_new_name


def former_home(folder: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a folder, which warns and gives the name of the package.

    Parameters
    ----------
    folder : str
        Full name of the folder, such as "bestofk.inference.two_learners".

    Returns
    -------
    callable
        Takes a name; raises AttributeError if the package has no such name.
    """

    def look_up(name: str) -> Any:
        package = importlib.import_module("bestofk.inference")
        if name not in package.__all__:
            raise AttributeError(f"module {folder!r} has no attribute {name!r}")
        warn_of_new_name(f"{folder}.{name}", f"bestofk.inference.{name}")
        return getattr(package, name)

    return look_up
