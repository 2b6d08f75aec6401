"""Requirements of other processes for the same numbers: versions, and the user's own code."""

import platform
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from bestofk.errors import RunError
from bestofk.evaluation.identity.packages import (
    is_ours,
    package_version,
    source_digest,
    version_of_package,
)
from bestofk.evaluation.identity.user_code import user_module

# Packages of which every run is made, whatever the learner.
_ALWAYS = ("bestofk", "numpy", "scipy", "scikit-learn", "pandas")
# Packages whose learners the catalogue offers by name, and those of their settings.
_KNOWN = frozenset({
    "bestofk", "sklearn", "imblearn", "xgboost", "lightgbm", "catboost",
    "numpy", "scipy", "pandas", "builtins",
})  # fmt: skip


class WorkerRefusedError(RunError):
    """A worker has other versions than the process that hands out runs."""


def requirements_of(estimators: Iterable[Any]) -> dict[str, str]:
    """Return what decides predictions apart from data, by name: plain text.

    Parameters
    ----------
    estimators : iterable
        Learners whose packages and files count, too.

    Returns
    -------
    dict of str to str
        Versions of packages and of Python, and hashes of code.
    """
    needed = {"python": platform.python_version(), "code of bestofk": source_digest()}
    needed |= {name: version_of_package(name) for name in _ALWAYS}
    for estimator in estimators:
        for module in modules_of(estimator):
            if module == "__main__":  # another one in a worker, to which its classes are sent
                continue
            if text := package_version(module):
                name, _, version = text.partition(" ")
                needed.setdefault(name, version)
            elif not is_ours(module) and (own := user_module(module)) is not None:
                needed[f"file of {module}"] = own.digest
    return needed


def check_requirements(wanted: dict[str, str], estimators: Iterable[Any]) -> None:
    """Raise WorkerRefusedError unless this process has what another one asks for."""
    here = requirements_of(estimators)
    other = [name for name, text in wanted.items() if here.get(name, text) != text]
    if other:
        name = other[0]
        raise WorkerRefusedError(
            f"{name} of a worker must be {wanted[name][:40]}; got {here[name][:40]} on "
            f"{platform.node()}. Install the same versions and files for all workers."
        )


def modules_of(estimator: Any) -> Iterator[str]:
    """Give the modules of the classes and functions that a learner is made of."""
    parts = [estimator]
    try:
        parts += estimator.get_params(deep=True).values()
    except Exception:  # none, or in its constructor a name that it does not keep
        parts += vars(estimator).values() if hasattr(estimator, "__dict__") else ()
    for part in parts:
        of_part = part if isinstance(part, type) or _is_function(part) else type(part)
        if of_part.__module__ in sys.modules:
            yield of_part.__module__


def _is_function(part: Any) -> bool:
    return callable(part) and hasattr(part, "__code__") and isinstance(part.__module__, str)


def is_from_outside(estimator: Any) -> bool:
    """Return whether code of a learner is from outside the packages of the catalogue.

    Such code may end its process, so its runs are done in one of their own.

    Examples
    --------
    >>> from shlex import quote  # of any package that is not known
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> is_from_outside(FunctionTransformer()), is_from_outside(FunctionTransformer(quote))
    (False, True)
    """
    return any(module.partition(".")[0] not in _KNOWN for module in modules_of(estimator))
