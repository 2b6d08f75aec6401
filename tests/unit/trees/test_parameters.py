"""Parameters of tree learners: their meaning, and errors for wrong ones."""

from __future__ import annotations

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
    check_choice,
    check_fields,
    check_flag,
    check_number,
    choice,
    cost_array,
    flag,
    number,
)

NAMES = ["outlook", "wind"]


@pytest.mark.parametrize("value", ["gain", None])
def test_a_known_word_or_none_passes(value):
    assert check_choice(what="criterion", value=value, allowed=("gain", None)) is None


@pytest.mark.parametrize("value", ["gian", 3, np.zeros(2)])
def test_an_unknown_word_is_refused_with_the_known_ones(value):
    with pytest.raises(
        InvalidArgumentError,
        match=r"^criterion must be a known choice; got .* Known: 'g",
    ):
        check_choice(what="criterion", value=value, allowed=("gain", None))


def test_the_nearest_word_is_offered():
    with pytest.raises(InvalidArgumentError, match=r"Did you mean \"'gain'\"\?"):
        check_choice(what="criterion", value="gian", allowed=("gain", "gain_ratio"))


@pytest.mark.parametrize("value", [True, np.False_])
def test_flags_pass(value):
    assert check_flag(what="laplace", value=value) is None


@pytest.mark.parametrize("value", [1, "yes", None])
def test_what_is_no_flag_is_refused(value):
    with pytest.raises(InvalidArgumentError, match=r"^laplace must be True or False; got"):
        check_flag(what="laplace", value=value)


@pytest.mark.parametrize(
    ("value", "limits"),
    [
        (2, {"low": 2, "is_whole": True}),
        (np.int64(2), {"low": 2, "is_whole": True}),
        (0.5, {"low": 0, "high": 1, "closed": "neither"}),
        (1, {"low": 0, "high": 1, "closed": "right"}),
        (None, {"low": 0, "or_none": True}),
    ],
)
def test_numbers_in_their_range_pass(value, limits):
    assert check_number(what="it", value=value, way_out="", **limits) is None


@pytest.mark.parametrize(
    ("value", "limits", "rule"),
    [
        (1, {"low": 2, "is_whole": True}, "an integer from 2 upwards; got 1"),
        (2.0, {"low": 2, "is_whole": True}, "an integer from 2 upwards; got 2.0"),
        (True, {"low": 0}, "a number from 0 upwards; got True"),
        (None, {"low": 0}, "a number from 0 upwards; got None"),
        (np.inf, {"low": 0}, "a number from 0 upwards; got inf"),
        (np.nan, {"low": 0}, "a number from 0 upwards; got nan"),
        (0, {"low": 0, "closed": "neither"}, "a number above 0; got 0"),
        (1, {"low": 0, "high": 1, "closed": "left"}, "a number from 0 below 1; got 1"),
        (0, {"low": 0, "high": 1, "closed": "right"}, "a number above 0 to 1; got 0"),
        ("a", {"low": 0, "or_none": True}, "a number from 0 upwards or None; got 'a'"),
    ],
)
def test_numbers_out_of_their_range_are_refused(value, limits, rule):
    with pytest.raises(InvalidArgumentError, match=rf"^it must be {rule}\. Take another\.$"):
        check_number(what="it", value=value, way_out="Take another.", **limits)


@dataclass
class Learner:
    criterion: str = choice("gain", ("gain",))
    laplace: bool = flag(True)
    max_depth: int | None = number(None, low=1, or_none=True, way_out="Use None.")
    anything: object = None


def test_a_learner_with_good_parameters_passes():
    assert check_fields(Learner(anything="wrong")) is None


@pytest.mark.parametrize(
    ("name", "value"), [("criterion", "gini"), ("laplace", 1), ("max_depth", 0)]
)
def test_a_wrong_parameter_is_named_with_its_learner(name, value):
    learner = Learner()
    setattr(learner, name, value)
    with pytest.raises(InvalidArgumentError, match=f"^{name} of Learner must be "):
        check_fields(learner)


@pytest.mark.parametrize("value", [{"wind": 2, "outlook": 1}, [1, 2], np.array([1.0, 2.0])])
def test_costs_come_by_name_or_in_order(value):
    result = cost_array(what="costs", value=value, names=NAMES, may_be_zero=False)
    np.testing.assert_array_equal(result, [1.0, 2.0])


def test_no_costs_are_none():
    assert cost_array(what="costs", value=None, names=NAMES, may_be_zero=False) is None


def test_a_cost_of_zero_passes_where_it_may():
    result = cost_array(what="costs", value=[0, 2], names=NAMES, may_be_zero=True)
    np.testing.assert_array_equal(result, [0.0, 2.0])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"outlook": 1}, "costs must have a cost for every column; got none for wind"),
        (
            {"outlook": 1, "wnid": 1},
            "costs must name columns of X; got 'wnid'. Did you mean 'wind'",
        ),
        ([1], "costs must be a mapping or one cost for each of 2 columns; got"),
        (3.0, "costs must be a mapping or one cost for each of 2 columns; got 3.0"),
        ("ab", "costs must be a mapping or one cost for each of 2 columns; got 'ab'"),
        ([1, 0], "costs must be above 0 for every column; got 0 for column 'wind'"),
        ([1, -1], "costs must be above 0 for every column; got -1 for column 'wind'"),
        ([1, np.nan], "costs must be above 0 for every column; got nan for column 'wind'"),
        ([1, "x"], "costs must be above 0 for every column; got 'x' for column 'wind'"),
        ([1, True], "costs must be above 0 for every column; got True for column 'wind'"),
    ],
)
def test_costs_that_are_missing_or_not_positive_are_refused(value, message):
    with pytest.raises(InvalidArgumentError, match=f"^{message}"):
        cost_array(what="costs", value=value, names=NAMES, may_be_zero=False)


def test_negative_costs_are_refused_where_zero_passes():
    with pytest.raises(InvalidArgumentError, match=r"^costs must be 0 or more for every column"):
        cost_array(what="costs", value=[-1, 2], names=NAMES, may_be_zero=True)


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
    assert text.count("Least decrease of impurity") == text.count("min_impurity_decrease :") == 1
    assert text.index("Attributes\n---") < text.index("ccp_alpha_ : float") < text.index("Notes\n")
