"""Traits of learners: every path names something, and every entry belongs to its own family."""

from importlib import import_module

import pytest
from tests.unit.learners.test_model_complexity import X, y

from bestofk.batched import BatchedForm
from bestofk.batched.forms import form_class
from bestofk.learners import learner_catalogue, model_complexity, traits_of
from bestofk.learners.catalogue import _OTHER_TRAITS

ENTRIES = learner_catalogue()
TRAITS = list(dict.fromkeys([*(entry.traits for entry in ENTRIES.values()), *_OTHER_TRAITS]))


def resolved(path):
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


@pytest.mark.parametrize("traits", TRAITS, ids=lambda traits: "-".join(traits.classes))
def test_every_path_names_a_class(traits):
    for path in traits.classes:
        assert isinstance(resolved(path), type)
    if traits.batched_form:
        assert issubclass(resolved(traits.batched_form), BatchedForm)


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_makes_a_learner_of_its_own_family(name):
    entry = ENTRIES[name]
    assert traits_of(entry.make()) == entry.traits


@pytest.mark.parametrize("name", [n for n, entry in ENTRIES.items() if entry.traits.batched_form])
def test_the_batched_form_of_an_entry_is_the_one_that_its_traits_name(name):
    learner = ENTRIES[name].make().steps[-1][1]
    assert form_class(learner) is resolved(ENTRIES[name].traits.batched_form)


def test_a_subclass_shares_the_traits_but_not_the_batched_form():
    class Own(resolved("sklearn.naive_bayes.GaussianNB")):
        pass

    assert traits_of(Own()) == ENTRIES["naive-bayes"].traits
    assert form_class(Own()) is None


@pytest.mark.parametrize("name", learner_catalogue("classification"))
def test_the_complexity_of_every_classifier_is_known(name):
    assert model_complexity(ENTRIES[name].make().fit(X, y)).count > 0
