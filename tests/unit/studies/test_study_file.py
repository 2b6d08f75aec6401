"""Study files: what is read, and every mistake named at once."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.guarded.limits import Limits
from bestofk.studies import DataItem, LearnerItem, StudySettings, read_study_file
from bestofk.studies.new_study_file import new_study_file, with_result
from bestofk.studies.problems import Problems
from bestofk.studies.study_file import settings_of
from bestofk.studies.study_learners import made_learners, names_in_store

EVERYTHING = """
data = [
    "iris", "sets/*.arff", {file = "x.csv", target = "y", name = "x"}, {openml_task = 31},
    {openml_suite = 99},
]
cv = "5x2"
random_state = 3
scoring = ["auroc", "error"]
timeout = 300
memory = "2GB"
retries = 2
keep = "labels"
engine = "serial"
n_jobs = 2
budget = "10m"
prefer = "fit-time"
control = "cart"
test = "paired-t"
correction = "bonferroni"
alpha = 0.1
rope = 0.02
results = ["a.csv"]
store = "all.db"

[[learners]]
learner = "cart"

[[learners]]
name = "rf-500"
learner = "random-forest(max_depth=3)"
parameters = {n_estimators = 500}
timeout = 60
memory = "1GB"
"""


def settings(text):
    return settings_of(tomllib.loads(text), folder="there", title="my.toml")


def test_every_key_is_read():
    read = settings(EVERYTHING)
    assert read.data == (
        DataItem("iris"),
        DataItem("sets/*.arff"),
        DataItem("x.csv", "file", {"target": "y", "name": "x"}),
        DataItem(31, "openml_task"),
        DataItem(99, "openml_suite"),
    )
    assert read.learners == (
        LearnerItem("cart"),
        LearnerItem(
            "random-forest(max_depth=3,n_estimators=500)", "rf-500", Limits(60, 1_000_000_000)
        ),
    )
    assert read.options == {
        "cv": "5x2", "random_state": 3, "scoring": ["auroc", "error"], "timeout": 300,
        "memory": "2GB", "keep": "labels", "prefer": "fit-time", "control": "cart",
        "test": "paired-t", "correction": "bonferroni", "alpha": 0.1, "rope": 0.02,
    }  # fmt: skip
    assert (read.engine, read.n_jobs, read.budget, read.retries) == ("serial", 2, 600.0, 2)
    assert [str(path) for path in (read.store, *read.results)] == ["there/all.db", "there/a.csv"]


def test_what_is_left_out_has_the_usual_value():
    read = settings('data = ["iris", "wine"]')
    assert (read.learners, read.options, read.engine, read.n_jobs) == ((), {}, "processes", -1)
    assert (str(read.store), read.retries, read.budget) == ("there/my.db", 0, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"my\.toml, data: it must name data sets; got none\. Write data ="),
        ('data = "iris"', "data: it must be a list; got str"),
        ("data = [3]", "data, item 1: it must be a text or a table; got int"),
        ('data = ["iris", {target = "y"}]', "item 2: it must have one of file, .*; got none"),
        ('data = [{file = "x", openml_task = 3}]', "got file and openml_task"),
        ("data = [{openml_task = 0}]", "item 1, openml_task: it must be a number of OpenML; got 0"),
        ('data = [{file = "x", tagret = "y"}]', "got 'tagret'. Did you mean 'target'"),
        ('data = [{file = "x", roles = {a = 3}}]', "item 1, roles: it must be a table of roles"),
        ('data = ["iris"]\nlearner = ["cart"]', "got 'learner'. Did you mean 'learners'"),
        ('data = ["iris"]\nlearners = [{name = "x"}]', "learners, item 1: it must name a learner"),
        ('data = ["iris"]\nlearners = ["svm(C"]', "learners, item 1: brackets of a learner must"),
        ('data = ["iris"]\nlearners = [{learner = "cart", memory = "x"}]', "memory must be an am"),
        ('data = ["iris"]\ncv = [1]', r'cv: it must be a text or a whole number; got \[1\]'),
        ('data = ["iris"]\nalpha = 2', "settings: alpha must be"),
        ('data = ["iris"]\nretries = -1', "retries: it must be a whole number from 0; got -1"),
        ('data = ["iris"]\nbudget = "x"', "budget: budget must be a length of time"),
        ('data = ["iris"]\ntest = "u"', "settings: .*got 'u'"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_its_key(text, message):
    with pytest.raises(InvalidArgumentError, match=message):
        settings(text)


def test_all_mistakes_are_named_at_once():
    text = 'data = ["iris", 3]\ncvv = "5x2"\nlearners = [{name = "x"}]\nalpha = "high"'
    with pytest.raises(InvalidArgumentError) as caught:
        settings(text)
    first, *lines = str(caught.value).splitlines()
    assert first == "my.toml must have no mistakes; got 4. Correct each:"
    assert [line.split(":")[0] for line in lines] == [
        "- cvv", "- alpha", "- data, item 2", "- learners, item 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "a study must be a TOML file; got .*: No such file.*bestofk study init"),
        (b"\xff\xfe", "it is not UTF-8 text"),
        (b"data = [1 2]\n", r"study\.toml must be TOML; got a mistake: .*line 1"),
        (b"a = 1\na = 2\n", r"got a mistake: .*line 2"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path, content, message):
    path = tmp_path / "study.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidArgumentError, match=message):
        read_study_file(path)


def test_a_new_file_is_read_and_names_every_key():
    text = new_study_file("trees.toml", ['sets/"odd".csv'])
    read = settings_of(tomllib.loads(text), title="trees.toml")
    assert read.data == (DataItem('sets/"odd".csv'),)
    bare = text.replace("# ", "\n").splitlines()
    keys = {line.partition(" =")[0] for line in bare if " = " in line}
    assert keys >= {
        "data", "learners", "cv", "random_state", "scoring", "keep", "timeout", "memory",
        "retries", "engine", "n_jobs", "budget", "control", "prefer", "test", "correction",
        "alpha", "rope", "results", "store",
    }  # fmt: skip


def test_a_table_of_results_is_added_to_the_list_of_a_file():
    text = '# mine\nresults = [\n  "a.csv",\n] # theirs\ndata = ["iris"]\n'
    new = with_result(text, "b.csv")
    assert new == '# mine\nresults = ["a.csv", "b.csv"] # theirs\ndata = ["iris"]\n'
    table = {"data": ["iris"], "results": ["a.csv"], "learners": [{"learner": "cart"}]}
    new = with_result('data = ["iris"]\n[[learners]]\nlearner = "cart"\n', "a.csv")
    assert tomllib.loads(new) == table


def test_a_list_of_results_that_cannot_be_found_is_left_to_its_writer():
    text = 'data = ["iris"]\n"results" = ["a.csv"]\n'
    with pytest.raises(InvalidArgumentError, match=r'Write there: results = \["a.csv", "b.csv"\]'):
        with_result(text, "b.csv")


KEYS = st.sampled_from(["data", "learners", "cv", "budget", "prefer", "timeout", "n_jobs", "x"])
INNER = st.sampled_from(["file", "target", "learner", "parameters", "roles", "openml_task", "z"])
LEAVES = st.one_of(
    st.text(max_size=8), st.integers(), st.floats(), st.booleans(), st.sampled_from(["iris", "5x2"])
)
VALUES = st.recursive(
    LEAVES, lambda v: st.lists(v, max_size=3) | st.dictionaries(INNER, v, max_size=3)
)


def outcome(table):
    """Return the settings of a table, or the sentence that refuses it."""
    try:
        return settings_of(table)
    except InvalidArgumentError as error:
        return str(error)


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_any_table_is_read_or_refused_with_a_sentence(table):
    result = outcome(table)
    assert isinstance(result, StudySettings) or " must " in result


@given(st.text(alphabet='data=[]"{}.\n#iris, 1', max_size=40))
def test_any_text_is_read_or_refused_with_a_sentence(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(text, encoding="utf-8")
    try:
        result = read_study_file(path)
    except InvalidArgumentError as error:
        result = str(error)
    assert isinstance(result, StudySettings) or " must " in result


def test_groups_of_learners_are_made_together_and_leave_names_open():
    read = settings('data = ["iris", "wine"]\nlearners = ["default", "-trees", "lda"]')
    problems = Problems(read.title)
    made = made_learners(read, "classification", problems)
    assert not problems.texts
    assert [learner.name for learner in made] == [
        "majority", "naive-bayes", "logistic", "5nn", "svm", "lda",
    ]  # fmt: skip
    assert names_in_store(read) == []
