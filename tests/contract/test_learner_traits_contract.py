"""Traits of learners: every path names something, and every entry belongs to its own family."""

import pytest
from tests.unit.learners.test_model_complexity import X, y

from bestofk.batched import BatchedForm
from bestofk.batched.forms import BATCHED_FORMS, form_class
from bestofk.learners import learner_catalogue, model_complexity, traits_of
from bestofk.learners.catalogue import _OTHER_TRAITS
from bestofk.learners.entry import entry_of_class
from bestofk.registry import loaded
from bestofk.tuning.paths.catalogue import SETTING_PATHS
from bestofk.tuning.training_parts import SettingPath

ENTRIES = learner_catalogue()
TRAITS = list(dict.fromkeys([*(entry.traits for entry in ENTRIES.values()), *_OTHER_TRAITS]))


@pytest.mark.parametrize("traits", TRAITS, ids=lambda traits: "-".join(traits.classes))
def test_every_path_names_a_class(traits):
    for path in traits.classes:
        assert isinstance(loaded(path), type)


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_makes_a_learner_of_its_own_family(name):
    entry = ENTRIES[name]
    assert traits_of(entry.make()) == entry.traits


@pytest.mark.parametrize("path", BATCHED_FORMS)
def test_the_batched_form_of_a_class_is_found(path):
    assert form_class(loaded(path)()) is BATCHED_FORMS[path]
    assert issubclass(BATCHED_FORMS[path], BatchedForm)


@pytest.mark.parametrize("path", SETTING_PATHS)
def test_the_shared_computation_of_a_class_is_found(path):
    assert entry_of_class(SETTING_PATHS, loaded(path)) is SETTING_PATHS[path]
    assert issubclass(SETTING_PATHS[path], SettingPath)


def test_a_subclass_shares_the_traits_but_not_the_batched_form():
    class Own(loaded("sklearn.naive_bayes.GaussianNB")):
        pass

    assert traits_of(Own()) == ENTRIES["naive-bayes"].traits
    assert form_class(Own()) is None


@pytest.mark.parametrize("name", learner_catalogue("classification"))
def test_the_complexity_of_every_classifier_is_known(name):
    assert model_complexity(ENTRIES[name].make().fit(X, y)).count > 0
