"""Traits of a family of estimators: what it costs, how stable it is, its batched form."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

# Numbers of rows, of features and of classes -> number of parameters.
ParameterCount = Callable[[int, int, int], float]


@dataclass(frozen=True)
class Traits:
    """Facts about a family of estimators that do not depend on data.

    Parameters
    ----------
    classes : tuple of str
        Paths of the classes, such as ``"sklearn.svm.SVC"``. Subclasses share all traits but the
        batched form.
    n_parameters : callable or None
        Number of parameters for a number of rows, of features and of classes, before fitting;
        None where there is no formula.
    is_unstable : callable or None
        Takes an estimator and returns whether it changes much with its training rows; None
        where no settings of the family do.
    is_baseline : bool
        Whether the family ignores the features.
    batched_form : str
        Path of the class that trains the family on all splits at once; empty where there is
        none.
    setting_path : str
        Path of the class that trains the family under many settings at once; empty where there
        is none.

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
    batched_form: str = ""
    setting_path: str = ""

    def includes(self, estimator: Any) -> bool:
        """Return whether an estimator belongs to the family."""
        return isinstance(estimator, tuple(self._loaded()))

    def names(self, cls: type) -> bool:
        """Return whether a class itself, not only one that it inherits from, is listed."""
        return any(cls is loaded for loaded in self._loaded())

    def _loaded(self) -> Iterator[type]:
        """Give the classes of modules in memory: of others there are no objects."""
        for path in self.classes:
            module, _, name = path.rpartition(".")
            if module in sys.modules:
                yield getattr(sys.modules[module], name)


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
