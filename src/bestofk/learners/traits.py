"""Traits of a family of estimators: what it costs and how stable it is."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from bestofk.registry import Registry

T = TypeVar("T")
# Numbers of rows, of features and of classes -> number of parameters.
ParameterCount = Callable[[int, int, int], float]


@dataclass(frozen=True)
class Traits:
    """Facts about a family of estimators that do not depend on data.

    Parameters
    ----------
    classes : tuple of str
        Paths of the classes, such as ``"sklearn.svm.SVC"``. Subclasses share all traits.
    n_parameters : callable or None
        Number of parameters for a number of rows, of features and of classes, before fitting;
        None where there is no formula.
    is_unstable : callable or None
        Takes an estimator and returns whether it changes much with its training rows; None
        where no settings of the family do.
    is_baseline : bool
        Whether the family ignores the features.

    Raises
    ------
    AttributeError
        Of `includes`, if a path names no class of its module.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> Traits(("sklearn.svm.SVC",)).includes(SVC())
    True
    """

    classes: tuple[str, ...]
    n_parameters: ParameterCount | None = None
    is_unstable: Callable[[Any], bool] | None = None
    is_baseline: bool = False

    def includes(self, estimator: Any) -> bool:
        """Return whether an estimator belongs to the family."""
        known = map(class_in_memory, self.classes)
        return isinstance(estimator, tuple(cls for cls in known if cls is not None))


def class_in_memory(path: str) -> type | None:
    """Return the class of a path if its module is in memory: of others there are no objects."""
    module, _, name = path.rpartition(".")
    # a module that is being imported has no class yet
    cls: type | None = getattr(sys.modules.get(module), name, None)
    return cls


def entry_of_class(entries: Registry[T], cls: type) -> T | None:
    """Return the entry for a class itself, not one that it inherits from; None where none is.

    Parameters
    ----------
    entries : Registry
        By paths of classes.
    cls : type
        The class of a learner.
    """
    same = (path for path in entries if class_in_memory(path) is cls)
    path = next(same, None)
    return None if path is None else entries[path]


NO_TRAITS: Final = Traits(())


def linear_count(n_rows: int, n_features: int, n_classes: int) -> float:
    """Return the number of coefficients and intercepts of a linear model."""
    return n_classes * (n_features + 1)


def stored_rows_count(n_rows: int, n_features: int, n_classes: int) -> float:
    """Return the number of values in the training rows, which the model keeps."""
    return n_rows * n_features


def tree_count(n_rows: int, n_features: int, n_classes: int) -> float:
    """Return the geometric mean of linear and row-keeping learners, between which trees are."""
    return math.sqrt(
        linear_count(n_rows, n_features, n_classes)
        * stored_rows_count(n_rows, n_features, n_classes)
    )
