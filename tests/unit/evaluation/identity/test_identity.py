"""Identities: what makes a learner the same, and what another one."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from bestofk.evaluation.identity.identity import identify
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


@pytest.mark.slow
def test_the_same_source_in_another_process_gives_the_same_identity(tmp_path):
    module = load(tmp_path, SOURCE)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from mine import Mine\nfrom bestofk.evaluation.identity.identity import identify\n"
        "print(identify('x', Mine()).id)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == identify("y", module.Mine()).id


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


def test_functions_arrays_and_containers_are_read():
    def shift(X):
        return X + 1

    def shift_more(X):
        return X + 2

    identity = identify("f", FunctionTransformer(shift))
    assert not identity.reason
    assert identity.id == identify("f", FunctionTransformer(shift)).id
    assert identity.id != identify("f", FunctionTransformer(shift_more)).id
    keyed = FunctionTransformer(kw_args={"a": np.arange(3), "b": {1, 2}, "c": (1.0, None)})
    other = FunctionTransformer(kw_args={"a": np.arange(3) + 1, "b": {1, 2}, "c": (1.0, None)})
    assert identify("k", keyed).id != identify("k", other).id


class WithObject(ClassifierMixin, BaseEstimator):
    """A learner whose parameter is an object without a parameter interface."""

    def __init__(self, thing=None):
        self.thing = thing


class Thing:
    """Holds a value."""

    def __init__(self, value):
        self.value = value


def test_objects_are_read_by_their_state():
    assert identify("t", WithObject(Thing(1))).id == identify("t", WithObject(Thing(1))).id
    assert identify("t", WithObject(Thing(1))).id != identify("t", WithObject(Thing(2))).id


def test_what_cannot_be_pickled_or_holds_itself_cannot_be_read():
    loop: list = []
    loop.append(loop)
    assert identify("loop", WithObject(loop)).reason
    assert identify("generator", WithObject(i for i in range(3))).reason
