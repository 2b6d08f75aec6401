import inspect
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.learners import learner_from_file

SOURCE = """
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

class Mine(ClassifierMixin, BaseEstimator):
    def __init__(self, label=1):
        self.label = label
    def fit(self, X, y):
        self.classes_ = sorted(set(y))
        return self
    def predict(self, X):
        return [self.label for _ in X]

class Needy(Mine):
    def __init__(self, label):
        self.label = label

ready = LogisticRegression(C=2.0)
number = 3

def make():
    return Mine(label=4)

def broken():
    raise RuntimeError("out of luck")

def useless():
    return 5
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    yield path
    for name in [name for name in sys.modules if name.startswith("bestofk_file_")]:
        module = sys.modules.pop(name)
        cloudpickle.unregister_pickle_by_value(module)


@pytest.mark.parametrize(
    ("name", "text"),
    [("ready", "LogisticRegression(C=2.0)"), ("Mine", "Mine()"), ("make", "Mine(label=4)")],
)
def test_estimator_class_or_function_gives_a_learner(file, name, text):
    given, estimator = learner_from_file(f"{file}:{name}")
    assert (given, repr(estimator)) == (name, text)


def test_learner_works_in_a_process_that_does_not_have_the_file(file, tmp_path):
    _, estimator = learner_from_file(f"{file}:make")
    (tmp_path / "learner.pickle").write_bytes(cloudpickle.dumps(estimator.fit([[0]], [1])))
    file.unlink()
    code = (
        "import pickle; learner = pickle.load(open('learner.pickle', 'rb')); "
        "print(learner.predict([0, 1]))"
    )
    command = [sys.executable, "-c", code]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[4, 4]"


def test_source_of_the_class_can_be_read(file):
    _, estimator = learner_from_file(f"{file}:Mine")
    assert "return [self.label for _ in X]" in inspect.getsource(type(estimator))


def test_changed_file_is_run_again(file):
    before = learner_from_file(f"{file}:make")[1]
    file.write_text(SOURCE.replace("label=4", "label=8"))
    after = learner_from_file(f"{file}:make")[1]
    assert (before.label, after.label) == (4, 8)


def test_two_files_of_one_name_do_not_meet(file, tmp_path):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "mine.py"
    other.write_text(SOURCE.replace("label=4", "label=8"))
    pair = [learner_from_file(f"{path}:make")[1] for path in (file, other)]
    assert [estimator.label for estimator in pair] == [4, 8]
    assert type(pair[0]).__module__ != type(pair[1]).__module__


def test_no_compiled_file_is_left(file, tmp_path):
    learner_from_file(f"{file}:make")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Mime", "NAME must be defined in mine.py; got 'Mime'. Did you mean 'Mine'"),
        ("number", "must be an estimator with fit and predict; got int. Write FILE.py:NAME"),
        ("useless", "must be an estimator with fit and predict; got int"),
        ("broken", "mine.py must run without an error; got RuntimeError: out of luck in line 25"),
        ("Needy", "without an error; got TypeError: .*missing 1 required .*'label'"),
    ],
)
def test_name_that_gives_no_learner_is_refused(file, name, message):
    with pytest.raises(InvalidArgumentError, match=message):
        learner_from_file(f"{file}:{name}")


@pytest.mark.parametrize(
    "reference", ["mine.py", "mine:Mine", "mine.py:", ":Mine", "mine.txt:Mine"]
)
def test_reference_of_another_form_is_refused(reference):
    with pytest.raises(InvalidArgumentError, match=r"must have the form FILE.py:NAME; got"):
        learner_from_file(reference)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(InvalidArgumentError, match=r"must exist; got no file .*absent\.py\. Check"):
        learner_from_file(f"{tmp_path}/absent.py:Mine")
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(InvalidArgumentError, match="must exist; got no file"):
        learner_from_file(f"{tmp_path}/folder.py:Mine")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\n\n1 / 0\n", "got ZeroDivisionError: division by zero in line 3"),
        ("import nowhere_to_be_found\n", "got ModuleNotFoundError: .* in line 1"),
        ("x = = 1\n", r"got SyntaxError: invalid syntax \(mine.py, line 1\)\. Run"),
        ("raise SystemExit('no')\n", "got SystemExit: no in line 1"),
        ("x = '\0'\n", "must run without an error; got "),
    ],
)
def test_file_that_raises_is_refused_with_its_line_and_leaves_no_module(file, source, message):
    modules = set(sys.modules)
    file.write_text(source)
    with pytest.raises(InvalidArgumentError, match=message):
        learner_from_file(f"{file}:x")
    assert not [name for name in set(sys.modules) - modules if name.startswith("bestofk_file_")]


def test_broken_new_version_leaves_the_module_of_the_old_one(file):
    _, estimator = learner_from_file(f"{file}:Mine")
    module = sys.modules[type(estimator).__module__]
    file.write_text("1 / 0")
    with pytest.raises(InvalidArgumentError, match="division by zero"):
        learner_from_file(f"{file}:Mine")
    assert sys.modules[type(estimator).__module__] is module


def test_empty_file_defines_nothing(file):
    file.write_text("x = 1")
    with pytest.raises(InvalidArgumentError, match="It defines nothing that could be a learner"):
        learner_from_file(f"{file}:Mine")


def test_learner_of_a_file_predicts(file):
    _, estimator = learner_from_file(f"{file}:ready")
    X = np.array([[0.0], [1.0], [4.0], [5.0]])
    assert estimator.fit(X, [0, 0, 1, 1]).predict(X).tolist() == [0, 0, 1, 1]
