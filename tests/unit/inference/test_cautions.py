"""Cautions: sentences that know which of the fourteen they are."""

import copy
import json
import pickle

import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import CAUTIONS, Caution


def test_there_are_sixteen():
    assert len(CAUTIONS) == 16


def test_a_caution_is_its_sentence():
    caution = Caution("few-scores", "Only 3 scores.")
    assert caution == "Only 3 scores."
    assert caution.code == "few-scores"
    assert json.dumps([caution]) == '["Only 3 scores."]'


@pytest.mark.parametrize(
    "passed", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
def test_the_code_survives_copying_and_pickling(passed):
    again = passed(Caution("overlap", "Rows are shared."))
    assert (again.code, again) == ("overlap", "Rows are shared.")


def test_a_caution_takes_no_further_attribute():
    with pytest.raises(AttributeError):
        Caution("overlap", "Rows are shared.").weight = 2


def test_an_unknown_code_is_refused_with_the_nearest():
    with pytest.raises(InvalidArgumentError, match=r"got 'overlp'\. Did you mean 'overlap'"):
        Caution("overlp", "Rows are shared.")
