"""Identities and names of random streams: what makes a learner the same, and what another one."""

import importlib.util
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from bestofk.evaluation.identity.identity import identify, stream_name
from bestofk.learners import learner_catalogue
from bestofk.learners.learner import Learner

SOURCE = '''
import numpy as np
SHIFT = 1
def helper(X):
    return X + SHIFT
class Mine:
    """A learner."""
    level = 2
    def __init__(self, a=1):
        self.a = a
    def fit(self, X, y):
        self.mean_ = helper(X).mean() * self.level
        return self
    def predict(self, X):
        return np.zeros(len(X), dtype=int)
'''


def load(tmp_path, source, name="mine"):
    """Load a module from source, as a script of a user would be."""
    path = tmp_path / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_equal_parameters_give_equal_identities_whatever_the_name():
    assert (
        identify("a", LogisticRegression(C=2.0)).id == identify("b", LogisticRegression(C=2.0)).id
    )


@pytest.mark.parametrize(
    "other",
    [
        LogisticRegression(C=2.5),
        DecisionTreeClassifier(),
        make_pipeline(StandardScaler(), LogisticRegression(C=2.0)),
        LogisticRegression(C=2.0, random_state=1),
    ],
)
def test_another_class_or_parameter_gives_another_identity(other):
    assert identify("a", LogisticRegression(C=2.0)).id != identify("a", other).id


def test_nested_random_states_are_found():
    bag = BaggingClassifier(DecisionTreeClassifier(random_state=3))
    assert identify("bag", bag).fixed == ("estimator__random_state",)
    assert Learner("bag", bag).unseeded == ("random_state",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("zeros(len(X)", "ones(len(X)"),  # the class itself
        ("X + SHIFT", "X - SHIFT"),  # a function that it calls
        ("SHIFT = 1", "SHIFT = 2"),  # a constant that the function reads
        ("level = 2", "level = 3"),  # an attribute of the class
        ("a=1)", "a=2)"),  # a default
    ],
)
def test_editing_the_code_of_a_learner_gives_another_identity(tmp_path, old, new):
    before = identify("m", load(tmp_path, SOURCE, "before").Mine(1)).id
    again = identify("m", load(tmp_path, SOURCE, "again").Mine(1)).id
    after = identify("m", load(tmp_path, SOURCE.replace(old, new), "after").Mine(1)).id
    assert before == again != after


def test_a_base_class_of_ones_own_counts_too(tmp_path):
    child = "\nclass Child(Mine):\n    pass\n"
    before = identify("m", load(tmp_path, SOURCE + child, "before").Child()).id
    changed = SOURCE.replace("ones", "zeros").replace("level = 2", "level = 5") + child
    assert before != identify("m", load(tmp_path, changed, "after").Child()).id


def test_a_class_without_source_is_never_the_same_twice():
    space: dict = {"__name__": "__nowhere__"}
    exec(SOURCE, space)
    learner = space["Mine"]()
    first, second = identify("m", learner), identify("m", learner)
    assert first.id != second.id
    assert first.reason
    assert "source of" in first.reason
    assert first.stream_name == second.stream_name


class WithObject(ClassifierMixin, BaseEstimator):
    """A learner whose parameter is an object without a parameter interface."""

    def __init__(self, thing=None):
        self.thing = thing


def test_what_cannot_be_pickled_or_holds_itself_cannot_be_read():
    loop: list = []
    loop.append(loop)
    assert identify("loop", WithObject(loop)).reason
    assert identify("generator", WithObject(i for i in range(3))).reason


def test_usual_settings_are_left_out_and_functions_and_objects_go_by_their_name():
    learner = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2, criterion="gini"))
    assert stream_name(learner) == (
        "Pipeline(steps=[['standardscaler', StandardScaler()], "
        "['decisiontreeclassifier', DecisionTreeClassifier(max_depth=2)]])"
    )
    nested = BaggingClassifier(DecisionTreeClassifier(), n_estimators=3)
    expected = "BaggingClassifier(estimator=DecisionTreeClassifier(), n_estimators=3)"
    assert stream_name(nested) == expected
    assert stream_name(FunctionTransformer(np.log1p)) == "FunctionTransformer(func=log1p)"
    assert stream_name(FunctionTransformer(len)) == "FunctionTransformer(func=len)"
    assert stream_name(object()) == "object"
    assert stream_name({"b": 1, "a": (2.5, None)}) == "{'a': [2.5, None], 'b': 1}"


def test_editing_the_code_of_a_class_changes_no_stream():
    def make(shift):
        class Mine:
            def predict(self, X):
                return X + shift

        return Mine()

    assert stream_name(make(1)) == stream_name(make(2)) == "Mine"


def test_every_learner_of_the_catalogue_has_a_stream_of_its_own():
    names = {name: stream_name(entry.make()) for name, entry in learner_catalogue().items()}
    assert len(set(names.values())) == len(names)
    assert not any(" at 0x" in name for name in names.values())
