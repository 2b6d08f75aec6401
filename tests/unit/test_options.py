"""Options of functions: declared once, listed by signature, help and type checkers alike."""

import ast
import inspect

import pytest
from sklearn.base import clone

from bestofk import BestOfK, compare, learning_curve, recommend, validation_curve
from bestofk.cli.options import OPTIONS as SHELL_OPTIONS
from bestofk.comparison import best_of_k, entry_point
from bestofk.comparison.options import OPTIONS
from bestofk.curves import imbalance, imbalance_effect, learning, noise, noise_curve, validation
from bestofk.recommendation import session
from bestofk.studies import study_file

FUNCTIONS = {
    compare: entry_point.CompareArguments,
    BestOfK: best_of_k._Arguments,
    learning_curve: learning._Arguments,
    noise_curve: noise._Arguments,
    validation_curve: validation._Arguments,
    imbalance_effect: imbalance._Arguments,
    recommend: session._Arguments,
}


def documented_names(function):
    section = inspect.getdoc(function).split("Parameters\n----------\n")[1].split("\n\n")[0]
    lines = [line for line in section.splitlines() if not line.startswith(" ")]
    return [name for line in lines for name in line.partition(" : ")[0].split(", ")]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_types_that_a_checker_reads_are_those_of_the_signature(function):
    parameters = inspect.signature(function).parameters
    typed = {
        name: item.__forward_arg__ for name, item in FUNCTIONS[function].__annotations__.items()
    }
    assert {name: parameters[name].annotation for name in typed} == typed


@pytest.mark.parametrize("function", FUNCTIONS)
def test_help_documents_every_parameter_of_the_signature_once(function):
    assert sorted(documented_names(function)) == sorted(inspect.signature(function).parameters)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_help_states_the_default_that_holds(function):
    lines = inspect.getdoc(function).splitlines()
    for name, item in inspect.signature(function).parameters.items():
        said = [line for line in lines if line.startswith(f"{name} : ") and "default=" in line]
        for line in said:
            assert ast.literal_eval(line.rpartition("default=")[2]) == item.default


def test_an_option_that_a_function_has_not_is_refused_as_python_does():
    with pytest.raises(TypeError, match=r"learning_curve\(\) got an unexpected .* 'keep'"):
        learning_curve(["cart"], "iris", keep="scores")
    with pytest.raises(TypeError, match=r"BestOfK.__init__\(\) got an unexpected .* 'budget'"):
        BestOfK(budget=3)


def test_the_estimator_has_its_options_as_parameters():
    model = clone(BestOfK(["cart"], cv="5x2", timeout=3))
    names = set(inspect.signature(BestOfK).parameters)
    assert set(model.get_params()) == names
    assert vars(model) == {name: getattr(model, name) for name in names}
    assert (model.cv, model.timeout, model.alpha) == ("5x2", 3, 0.05)


@pytest.mark.parametrize("name", [name for name, item in OPTIONS.items() if item.shell])
def test_the_shell_says_of_an_option_what_its_declaration_says(name):
    shown = SHELL_OPTIONS[OPTIONS[name].word or name]
    assert (shown.help, shown.argument) == (OPTIONS[name].shell, name)


@pytest.mark.parametrize("name", [name for name, item in OPTIONS.items() if item.rule])
def test_the_example_of_an_option_can_stand_in_a_study_file(name):
    rule = {**study_file._OPTIONS, **study_file._OTHERS}[name]
    assert rule.holds(OPTIONS[name].example)


def test_compare_has_all_options():
    assert set(entry_point.CompareArguments.__annotations__) == set(OPTIONS)
