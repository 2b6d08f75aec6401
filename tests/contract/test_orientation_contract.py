"""Every function of a table of learners refuses one that lies on its side, with both readings."""

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest

from bestofk.errors import DesignError
from bestofk.inference import Sampling, paired_test
from bestofk.stopping import stopping_rule

TABLE = re.compile(r"array-like of shape \(n_(?!learners)\w+, n_learners\)")
# Tables of past results often have few data sets and many learners.
LEFT_OUT = ("bestofk.inference.many_data_sets.ranks",)
SPLITS = Sampling("k-fold", 2, 2, n_train=50, n_test=50)
ON_ITS_SIDE = np.random.default_rng(0).uniform(size=(4, 50))


def functions_of_tables() -> Iterator[Callable[..., Any]]:
    """Yield public functions that take a table of learners and can do without their names."""
    for package in map(import_module, ("bestofk.inference", "bestofk.verdict", "bestofk.stopping")):
        for item in walk_packages(package.__path__, f"{package.__name__}."):
            for name, function in vars(import_module(item.name)).items():
                if (
                    inspect.isfunction(function)
                    and function.__module__ == item.name not in LEFT_OUT
                    and not name.startswith("_")
                    and TABLE.search((function.__doc__ or "").partition("Returns")[0])
                    and not is_named(function)
                ):
                    yield function


def is_named(function: Callable[..., Any]) -> bool:
    names = inspect.signature(function).parameters.get("names")
    return names is not None and names.default is inspect.Parameter.empty


def call(function: Callable[..., Any], table: np.ndarray) -> None:
    """Call with a table and whatever else is needed."""
    needed = {
        "best_value": 0.0,
        "greater_is_better": False,
        "n_samples": 100,
        "n_test": 50.0,
        "n_train": 50.0,
        "rule": stopping_rule("fixed"),
        "sampling": SPLITS,
        "test": paired_test("corrected-t"),
    }
    arguments = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            arguments[name] = needed.get(name, table)
    function(**arguments)


@pytest.mark.parametrize("function", list(functions_of_tables()), ids=lambda item: item.__name__)
def test_four_by_fifty_without_names_is_refused_with_both_readings(function):
    readings = r"50 learners on 4 .*\. Transpose it if it is 4 learners on 50 "
    with pytest.raises(DesignError, match=readings):
        call(function, ON_ITS_SIDE)


def test_the_functions_of_tables_are_seen():
    seen = {function.__name__ for function in functions_of_tables()}
    assert {"anova_test", "friedman_test", "last_crossing", "orderings"} <= seen
