"""Cautions: sentences that know which of the fourteen they are."""

import copy
import json
import pickle

import pytest

from bestofk.inference import Caution


def test_a_caution_is_its_sentence_and_takes_no_further_attribute():
    caution = Caution("few-scores", "Only 3 scores.")
    assert caution == "Only 3 scores."
    assert caution.code == "few-scores"
    assert json.dumps([caution]) == '["Only 3 scores."]'
    with pytest.raises(AttributeError):
        Caution("overlap", "Rows are shared.").weight = 2


@pytest.mark.parametrize(
    "passed", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
def test_the_code_survives_copying_and_pickling(passed):
    again = passed(Caution("overlap", "Rows are shared."))
    assert (again.code, again) == ("overlap", "Rows are shared.")
