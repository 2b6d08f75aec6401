"""Parameters of tree learners: their meaning, and errors for wrong ones."""

import inspect
import re
from dataclasses import dataclass

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.trees import (
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
)
from bestofk.trees.parameters import (
    TreeParameters,
    check_fields,
    choice,
    cost_array,
    flag,
    number,
)

NAMES = ["outlook", "wind"]


@dataclass
class Learner:
    criterion: str = choice("gain", ("gain",))
    laplace: bool = flag(True)
    max_depth: int | None = number(None, low=1, or_none=True, way_out="Use None.")
    anything: object = None


@pytest.mark.parametrize(
    ("name", "value"), [("criterion", "gini"), ("laplace", 1), ("max_depth", 0)]
)
def test_a_wrong_parameter_is_named_with_its_learner(name, value):
    assert check_fields(Learner(anything="wrong")) is None
    with pytest.raises(InvalidArgumentError, match=f"^{name} of Learner must be "):
        check_fields(Learner(**{name: value}))


@pytest.mark.parametrize("value", [{"wind": 2, "outlook": 1}, [1, 2], np.array([1.0, 2.0]), None])
def test_costs_come_by_name_or_in_order(value):
    result = cost_array(what="costs", value=value, names=NAMES, may_be_zero=False)
    assert (result is None) if value is None else result.tolist() == [1.0, 2.0]


def test_a_cost_of_zero_passes_where_it_may_and_negative_ones_never():
    costs = {"what": "costs", "names": NAMES, "may_be_zero": True}
    np.testing.assert_array_equal(cost_array(value=[0, 2], **costs), [0.0, 2.0])
    with pytest.raises(InvalidArgumentError, match=r"^costs for column 'outlook' .* from 0 up"):
        cost_array(value=[-1, 2], **costs)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"outlook": 1}, "costs must have a cost for every column; got none for wind"),
        (
            {"outlook": 1, "wnid": 1},
            "name in costs must be a column of X; got 'wnid'. Did you mean 'wind'",
        ),
        ([1], "costs must be a mapping or one cost for each of 2 columns; got"),
        (3.0, "costs must be a mapping or one cost for each of 2 columns; got 3.0"),
        ("ab", "costs must be a mapping or one cost for each of 2 columns; got 'ab'"),
        ([1, 0], "costs for column 'wind' must be a number above 0; got 0"),
        ([1, -1], "costs for column 'wind' must be a number above 0; got -1"),
        ([1, np.nan], "costs for column 'wind' must be a number above 0; got nan"),
        ([1, "x"], "costs for column 'wind' must be a number above 0; got 'x'"),
        ([1, True], "costs for column 'wind' must be a number above 0; got True"),
    ],
)
def test_costs_that_are_missing_or_not_positive_are_refused(value, message):
    with pytest.raises(InvalidArgumentError, match=f"^{message}"):
        cost_array(what="costs", value=value, names=NAMES, may_be_zero=False)


@pytest.mark.parametrize(
    "kind",
    [
        TreeParameters,
        C45Classifier,
        C45RulesClassifier,
        CARTClassifier,
        HellingerTreeClassifier,
        ID3Classifier,
    ],
)
def test_every_parameter_is_described_once_with_its_default(kind):
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n|\Z)", inspect.getdoc(kind), re.M | re.S)
    heads = [line for line in section[1].splitlines() if not line.startswith(" ")]
    described = {
        line.split(" : ")[0]: line.rpartition("default=")[2].replace('"', "'") for line in heads
    }
    parameters = inspect.signature(kind).parameters
    assert len(heads) == len(parameters)
    assert described == {name: repr(item.default) for name, item in parameters.items()}


def test_a_learner_keeps_its_own_description_and_has_those_of_its_bases():
    text = inspect.getdoc(CARTClassifier)
    assert text.index("flavor :") < text.index("pruning_folds :") < text.index("Attributes\n---")
    assert text.count("Minimum decrease of impurity") == text.count("min_impurity_decrease :") == 1
    assert text.index("Attributes\n---") < text.index("ccp_alpha_ : float") < text.index("Notes\n")
