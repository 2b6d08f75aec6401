"""Contents: what must not be taken for the same, and what must be the same in every process."""

import collections
import dataclasses
import enum
import functools
import importlib
import linecache
import logging
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.special
import scipy.stats
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from bestofk.evaluation.identity.fingerprint import (
    UnreadableError,
    fingerprint,
)
from bestofk.evaluation.identity.identity import identify
from bestofk.trees import C45Classifier

# fmt: off
add_one, add_two = lambda X: X + 1, lambda X: X + 2
plain, starred = lambda x, a: a, lambda x, *a: a
# fmt: on


def times(factor):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(X):
            return function(X) * factor

        return wrapper

    return decorate


def base(X):
    return X


def guarded(X):
    try:
        return X / 2
    except ValueError:
        return X


class One(dict):
    def __missing__(self, key):
        return 1


class Two(dict):
    def __missing__(self, key):
        return 2


Two.__name__ = Two.__qualname__ = "One"


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


Point = collections.namedtuple("Point", "a b")


@dataclasses.dataclass
class Settings:
    a: int = 1
    b: list = dataclasses.field(default_factory=list)


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


class OwnDistribution(scipy.stats.rv_continuous):
    def _pdf(self, x):
        return 1.0


class OwnTransformer(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X

    def get_feature_names_out(self, names=None):
        return names


# Each makes two objects that differ in what a learner would do with them.
DIFFERENT = {
    "the same function twice": lambda: ([add_one, add_two, add_one], [add_one, add_two, add_two]),
    "lambdas of one line": lambda: (add_one, add_two),
    "kinds of parameters": lambda: (plain, starred),
    "decorators": lambda: (times(2)(base), times(3)(base)),
    "caches": lambda: (functools.lru_cache(add_one), functools.lru_cache(add_two)),
    "partials": lambda: (functools.partial(base, 1), functools.partial(base, 2)),
    "methods of dicts": lambda: ({"a": 1}.get, {"a": 2}.get),
    "methods of arrays": lambda: (np.arange(3).dot, np.arange(1, 4).dot),
    "vectorized functions": lambda: (np.vectorize(add_one), np.vectorize(add_two)),
    "masks": lambda: (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0])),
    "own dicts": lambda: (One(a=1), Two(a=1)),
    "orders of dicts": lambda: ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "members of an enum": lambda: (Colour.RED, Colour.BLUE),
    "named tuples": lambda: (Point(1, 2), Point(1, 3)),
    "dataclasses": lambda: (Settings(1), Settings(2)),
    "slots": lambda: (Slotted(1, 2), Slotted(1, 3)),
    "generators": lambda: (np.random.default_rng(0), np.random.default_rng(1)),
    "frames": lambda: (pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 3]})),
    "patterns": lambda: (re.compile("a"), re.compile("b")),
    "outputs": lambda: (StandardScaler(), StandardScaler().set_output(transform="pandas")),
    "distributions": lambda: (scipy.stats.randint(1, 30), scipy.stats.randint(1, 31)),
    "names of distributions": lambda: (scipy.stats.norm, scipy.stats.uniform),
    "words of distributions": lambda: (scipy.stats.norm(loc=1), scipy.stats.norm(loc=2)),
    "own distributions": lambda: (OwnDistribution(), OwnDistribution(a=0)),
    "numbers": lambda: (1, 1.0),
    "truth": lambda: (True, 1),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_what_behaves_differently_has_another_content(kind):
    first, other = DIFFERENT[kind]()
    assert fingerprint(first) != fingerprint(other)


SAME = {
    "decorated functions": lambda: times(2)(base),
    "caches": lambda: functools.lru_cache(base),
    "members of an enum": lambda: Colour.RED,
    "named tuples": lambda: Point(1, 2),
    "dataclasses": lambda: Settings(1, [2]),
    "slots": lambda: Slotted(1, 2),
    "patterns": lambda: re.compile("a"),
    "sets of functions": lambda: {add_one, add_two, base, guarded},
    "generators": lambda: np.random.RandomState(0),
    "frames": lambda: pd.DataFrame({"a": ["x", "y"]}, dtype="category"),
    "loggers": lambda: logging.getLogger("content"),
    "functions of packages": lambda: [np.log1p, np.clip, scipy.special.expit, np.dot, len],
    "transformers": lambda: OwnTransformer().set_output(transform="pandas"),
    "searches": lambda: RandomizedSearchCV(
        LogisticRegression(), {"C": scipy.stats.loguniform(1, 9)}
    ),
    "distributions": lambda: [
        scipy.stats.randint(1, 30),
        scipy.stats.norm,
        scipy.stats.binom(3, 0.2),
    ],
    "pipelines": lambda: make_pipeline(FunctionTransformer(guarded), "passthrough"),
}


@pytest.mark.parametrize("kind", SAME)
def test_what_is_made_twice_has_one_content(kind):
    assert fingerprint(SAME[kind]()) == fingerprint(SAME[kind]())


def test_contents_are_the_same_in_every_process():
    code = (
        "from tests.unit.evaluation.identity import test_fingerprint as t\n"
        "print(t.fingerprint([make() for make in t.SAME.values()]))"
    )
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert answer == fingerprint([make() for make in SAME.values()]) + "\n"


def test_what_scikit_learn_is_told_about_weights_counts():
    with sklearn.config_context(enable_metadata_routing=True):
        plain_one = LogisticRegression()
        asking = LogisticRegression().set_fit_request(sample_weight=True)
        assert fingerprint(plain_one) != fingerprint(asking)
        assert fingerprint(asking) == fingerprint(
            LogisticRegression().set_fit_request(sample_weight=True)
        )


@pytest.mark.parametrize(
    "settings", [{"enable_metadata_routing": True}, {"transform_output": "pandas"}]
)
def test_settings_of_scikit_learn_make_another_learner(settings):
    before = identify("a", LogisticRegression()).id
    with sklearn.config_context(**settings):
        assert identify("a", LogisticRegression()).id != before
    assert identify("a", LogisticRegression()).id == before


FACTOR = 1
FACTORS = [1]


def by_global(X):
    return X * FACTOR


def by_list(X):
    return X * FACTORS[0]


def by_own_attribute(X):
    return X * by_own_attribute.factor


def by_attribute_of_its_input(X):
    return X.FACTORS


CALLS, SECONDS = [], {}


def by_counting(X):
    CALLS.append(len(X))
    SECONDS["last"] = 1.0
    return X


def test_what_a_function_reads_counts_and_what_it_only_adds_to_does_not(monkeypatch):
    readers = (by_global, by_list, by_own_attribute, by_attribute_of_its_input, by_counting)
    by_own_attribute.factor = 1
    before = [fingerprint(function) for function in readers]
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 2)
    monkeypatch.setattr(sys.modules[__name__], "FACTORS", [2])
    by_own_attribute.factor = 2
    by_counting([1])
    is_same = [fingerprint(f) == one for f, one in zip(readers, before, strict=True)]
    # the name of an attribute is no global, so a notebook's variables do not count
    assert is_same == [False, False, False, True, True]


N_FITS = 0


class ByGlobal(BaseEstimator):
    def fit(self, X, y):
        global N_FITS
        N_FITS += 1


class ByClass(BaseEstimator):
    n_fits = 0

    def fit(self, X, y):
        type(self).n_fits += 1


class ByName(BaseEstimator):
    n_fits = 0

    def fit(self, X, y):
        ByName.n_fits += 1


class ByClassList(BaseEstimator):
    calls: list = []  # noqa: RUF012  # shared, as a log may be

    def fit(self, X, y):
        self.calls.append(1)


class ByBase(ByClass):
    pass


@pytest.mark.parametrize("make", [ByGlobal, ByClass, ByName, ByClassList, ByBase])
def test_a_learner_that_counts_its_fits_stays_the_same(make):
    learner = make()
    before = fingerprint(learner)
    learner.fit(None, None)
    assert fingerprint(learner) == before


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Give a function that writes modules of one's own anew and returns the content of top.f."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def forget():
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
                del sys.modules[name]

    def write(**sources):
        forget()
        for name, source in sources.items():
            path = tmp_path / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(source)
        importlib.invalidate_caches()
        linecache.checkcache()
        return fingerprint(importlib.import_module("top").f)

    yield write
    forget()


HELPER = "def s(X):\n    return X + 1\nother = 5\n"
TOPS = {
    "at the top": "import helper\ndef f(X):\n    return helper.s(X)\n",
    "from at the top": "from helper import s\ndef f(X):\n    return s(X)\n",
    "inside": "def f(X):\n    import helper\n    return helper.s(X)\n",
    "from inside": "def f(X):\n    from helper import s\n    return s(X)\n",
    "as a value": "import helper\ndef f(X):\n    h = helper\n    return h.s(X)\n",
}


@pytest.mark.parametrize("how", TOPS)
def test_a_helper_module_counts_however_it_is_imported(modules, how):
    before = modules(helper=HELPER, top=TOPS[how])
    assert before == modules(helper=HELPER, top=TOPS[how])
    assert before != modules(helper=HELPER.replace("+ 1", "+ 2"), top=TOPS[how])


@pytest.mark.parametrize("how", TOPS)
def test_what_a_helper_module_imports_counts(modules, how):
    helper = "from deep import K\ndef s(X):\n    return X + K\n"
    before = modules(deep="K = 1\n", helper=helper, top=TOPS[how])
    assert before != modules(deep="K = 2\n", helper=helper, top=TOPS[how])


def test_a_helper_counts_by_its_content_in_a_folder_too_and_a_failing_import_is_no_obstacle(
    modules, tmp_path
):
    top = "import folder.part\ndef f(X):\n    return folder.part.s(X)\n"
    before = modules(folder__part=HELPER, top=top)
    assert before != modules(folder__part=HELPER.replace("+ 1", "+ 2"), top=top)
    top = "def f(X):\n    import helper\n    return helper.s(X)\n"
    before = modules(helper="def s(X:\n", top=top)
    assert before != modules(helper="def s(Y:\n", top=top)
    top = "def f(X):\n    import nowhere_at_all\n    return X\n"
    assert modules(top=top) == modules(top=top)


def test_loaded_code_counts_by_its_file_and_under_another_name_is_the_same(modules, tmp_path):
    before = modules(top=HELPER.replace("s(X)", "f(X)"))
    (tmp_path / "top.py").write_text(HELPER.replace("s(X)", "f(X)").replace("+ 1", "+ 2"))
    loaded = fingerprint(sys.modules["top"].f)
    assert len({before, loaded, modules(top=(tmp_path / "top.py").read_text())}) == 3
    before = modules(top=HELPER.replace("s(X)", "f(X)"))
    (tmp_path / "renamed.py").write_text((tmp_path / "top.py").read_text())
    importlib.invalidate_caches()
    assert fingerprint(importlib.import_module("renamed").f) == before


def test_a_plain_value_of_a_script_counts_though_its_text_stays(modules):
    top = "import sys\nLIMIT = len(sys.orig_argv)\ndef f(X):\n    return X + LIMIT\n"
    before = modules(top=top)
    sys.modules["top"].LIMIT += 1
    assert fingerprint(sys.modules["top"].f) != before


def test_the_version_of_this_package_counts_where_a_helper_uses_it(modules, monkeypatch):
    top = "import helper\ndef f(X):\n    return helper.C45Classifier\n"
    helper = "from bestofk.trees import C45Classifier\n"
    before = modules(helper=helper, top=top)
    monkeypatch.setattr(
        "bestofk.evaluation.identity.user_code.version_of_package", lambda name: "2.0"
    )
    assert modules(helper=helper, top=top) != before


def test_the_number_of_a_class_of_this_package_counts_and_its_module_does_not(monkeypatch):
    before = fingerprint(C45Classifier())
    monkeypatch.setattr(
        "bestofk.evaluation.identity.fingerprint.version_of_package", lambda name: "9.9"
    )
    assert fingerprint(C45Classifier()) != before  # numpy computes
    monkeypatch.undo()
    assert fingerprint(C45Classifier()) == before
    monkeypatch.setattr(C45Classifier, "code_version", 7)
    assert fingerprint(C45Classifier()) != before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: np.frompyfunc(add_one, 1, 1), "has no readable source"),
        (lambda: (i for i in range(3)), "generator object"),
        (lambda: eval("lambda X: X"), "source of <lambda>"),
    ],
)
def test_what_cannot_be_read_is_said_to_be_unreadable(make, message):
    with pytest.raises(UnreadableError, match=message):
        fingerprint(make())


def test_what_cannot_be_read_or_kept_is_said():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(UnreadableError, match="nested too deeply"):
        fingerprint(deep)

    class Careless(ClassifierMixin, BaseEstimator):
        def __init__(self, a=1):
            self.b = a

    identity = identify("careless", Careless())
    assert identity.reason
    assert "has no attribute 'a'" in identity.reason


@pytest.mark.parametrize("random_state", [0, np.random.RandomState(0)])
def test_random_states_that_repeat_themselves_are_fixed(random_state):
    assert identify("l", LogisticRegression(random_state=random_state)).fixed == ("random_state",)
