import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.svm import SVC

from bestofk import compare
from bestofk.cli.arguments import learner_names, preference
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.identity.identity import identify
from bestofk.learners import (
    WrittenLearner,
    learner_from_file,
    learner_pipeline,
    resolve_learners,
    split_at_commas,
)


@pytest.mark.parametrize(
    ("text", "settings", "name"),
    [
        ("cart", {}, "cart"),
        (" cart ( ) ", {}, "cart"),
        ("c45(pruning=mdl)", {"pruning": "mdl"}, "c45(pruning=mdl)"),
        ("c45( pruning = 'mdl' , min_cases=2,)", {"pruning": "mdl", "min_cases": 2},
         "c45(pruning=mdl,min_cases=2)"),
        ("svm(C=-1e-3,cache=None)", {"C": -0.001, "cache": None}, "svm(C=-0.001,cache=None)"),
        ("svm(a=TRUE,b=false,c=none)", {"a": True, "b": False, "c": None},
         "svm(a=True,b=False,c=None)"),
        ("svm(a='none',b=\"1\")", {"a": "none", "b": "1"}, "svm(a='none',b='1')"),
        ("svm(a='3x5',b=10x10,c='0x5')", {"a": "3x5", "b": "10x10", "c": "0x5"},
         "svm(a=3x5,b=10x10,c='0x5')"),
        ("svm(a='x, (y', b=gain-ratio)", {"a": "x, (y", "b": "gain-ratio"},
         "svm(a='x, (y',b=gain-ratio)"),
        ("mlp(hidden=(5, 3), names=[a,'b c',[1]])", {"hidden": (5, 3), "names": ["a", "b c", [1]]},
         "mlp(hidden=(5,3),names=[a,'b c',[1]])"),
        ("mlp(hidden=(5,), weights={'a': 1, 'b': 2})",
         {"hidden": (5,), "weights": {"a": 1, "b": 2}},
         "mlp(hidden=(5,),weights={'a': 1, 'b': 2})"),
    ],
)  # fmt: skip
def test_settings_are_read_and_written_in_one_form(text, settings, name):
    written = WrittenLearner.read(text)
    assert written.settings == settings
    assert str(written) == name
    assert WrittenLearner.read(name) == written


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5)
            | st.floats(allow_nan=False, allow_infinity=False),
            lambda values: st.lists(values, max_size=3) | st.tuples(values),
            max_leaves=4,
        ),
        max_size=3,
    )
)  # fmt: skip
@example({"_": "\\"})
@example({"_": "\\\\'"})
def test_what_is_written_is_read_again(settings):
    written = WrittenLearner("svm", settings)
    assert WrittenLearner.read(str(written)) == written
    assert split_at_commas(f"cart,{written}, 1nn") == ["cart", str(written), "1nn"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("svm(C)", r"settings of learner 'svm' must be parameter=value, each once; got 'C'"),
        ("svm(C=)", "each once; got 'C='"),
        ("svm(C=1,C=2)", "each once; got 'C=2'"),
        ("svm(C=1 2)", r"values of settings must be numbers.*; got 'C=1 2'. Write NAME\("),
        ("svm(C=[1,)", r"got 'C=\[1,'"),
        ("svm(kernl=a)", "those of SVC; got 'kernl'. Did you mean 'kernel'. Known: C, break_ti"),
        ("svm(C=1", r"brackets of a learner must be closed; got 'svm\(C=1'. Write NAME\("),
        ("svn(C=1)", "must be a name of the catalogue; got 'svn'. Did you mean 'svm'"),
        ("ridge(alpha=2)", "'ridge' must be for classification"),
    ],
)
def test_wrong_settings_are_refused_with_the_way_out(text, message):
    with pytest.raises(InvalidArgumentError, match=message):
        resolve_learners(text, "classification")


def test_settings_in_a_text_give_the_learner_that_is_made_in_python():
    (written,) = resolve_learners("svm( C=0.5, kernel=poly )", "classification")
    assert written.name == "svm(C=0.5,kernel=poly)"
    given = learner_pipeline(SVC(C=0.5, kernel="poly"), standardize=True)
    assert repr(written.estimator) == repr(given)
    assert identify("a", written.estimator).id == identify("a", given).id
    assert identify("a", written.estimator).id != identify("a", learner_pipeline(SVC())).id


def test_texts_are_taken_wherever_names_are():
    pair = resolve_learners([("mine", "5nn(n_neighbors=9)")], "classification")[0]
    assert (pair.name, pair.estimator["learner"].n_neighbors) == ("mine", 9)
    entered = resolve_learners({"a": "cart", "b": "1nn(n_neighbors=2)"}, "classification")
    assert entered[1].estimator["learner"].n_neighbors == 2
    comparison = compare("majority,5nn(n_neighbors=9)", "iris", cv="1x2")
    assert comparison.candidates == ["5nn(n_neighbors=9)"]


def test_a_learner_of_a_file_takes_settings(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("from sklearn.tree import DecisionTreeClassifier as Tree")
    name, estimator = learner_from_file(f"{path}:Tree(max_depth=3)")
    assert (name, estimator.max_depth) == ("Tree(max_depth=3)", 3)
    with pytest.raises(InvalidArgumentError, match="of learner 'Tree' must be those of Decision"):
        learner_from_file(f"{path}:Tree(depth=3)")


def test_the_command_line_takes_settings_in_preferences_too():
    learners = "svm(C=1,gamma=2),cart"
    assert learner_names([learners, "1nn"]) == ["svm(C=1,gamma=2)", "cart", "1nn"]
    assert preference(learners) == ["svm(C=1,gamma=2)", "cart"]
    assert preference("svm(C=1,gamma=2)=3,cart=1") == {"svm(C=1,gamma=2)": 3, "cart": 1}
    assert preference("svm(C=1)") == "svm(C=1)"
