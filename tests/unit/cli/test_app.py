import json
import os

import pytest
from tests.calls import printed, refused

from bestofk.cli import compare_command, list_commands, main
from bestofk.cli.arguments import parse_costs, parse_roles, plain_value, preference
from bestofk.measures import measure_names


def test_every_measure_is_listed_with_its_direction(capsys):
    assert main(["measures"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    names = [*measure_names("classification"), *measure_names("regression")]
    assert [line[0] for line in lines] == ["measure", *names]
    assert ["auroc", "classification", "higher", "0", "to", "1", "scores"] in lines
    listed = json.loads(printed(capsys, "measures", "--task", "regression", "--json"))["measures"]
    assert [item["measure"] for item in listed] == list(measure_names("regression"))
    assert "task must be" in refused(capsys, "measures", "--task", "ranking")


def test_the_help_names_measures_and_bootstrap_plans(capsys):
    for command in (["compare"], ["curve", "learning"], ["recommend"]):
        out = " ".join(printed(capsys, *command, "--help-all").split())
        assert "'bestofk measures'" in out
        assert "100xbootstrap:full" in out or "--cv" not in out


def test_without_a_command_the_help_goes_to_standard_error(capsys):
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "compare" in err


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "memory ran out"),
        (PermissionError(13, "Permission denied", "x.csv"), "x.csv cannot be used: Permission"),
        (OSError("odd"), "OSError: odd"),
        (UnicodeEncodeError("ascii", "ü", 0, 1, "no\nway"), "UnicodeEncodeError"),
    ],
)
def test_errors_of_the_system_become_a_sentence(capsys, monkeypatch, error, sentence):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("bestofk.learners.learner_catalogue", fail)
    assert sentence in refused(capsys, "learners")


def test_a_reader_that_has_seen_enough_is_no_error(monkeypatch):
    def fail(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr(list_commands, "write_table", fail)
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    assert main(["learners"]) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [("0,1;5", "rows of --cost-matrix must have the same length"), ("0,x", "must be numbers")],
)
def test_a_cost_matrix_that_is_none_is_refused(capsys, text, message):
    assert message in refused(capsys, "compare", "iris", "--cost-matrix", text)


def test_options_of_compare_that_make_no_sense_are_refused(capsys):
    assert "--role must have the form" in refused(capsys, "compare", "iris", "--role", "numeric")
    assert "--learners must name at least" in refused(capsys, "compare", "iris", "--learners", ",")
    assert "the form FILE.py:NAME" in refused(capsys, "compare", "iris", "--learners", "mine.py")
    message = refused(capsys, "compare", "iris", "--format", "latecs")
    assert "--format must be one of text, markdown, latex, methods, bibtex, csv" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", str(2**63)), "random_state must be a whole number from -2**63 to 2**63 - 1"),
        (("--timeout", "inf"), "timeout must be a positive number of seconds; got inf"),
        (("--cv", "9" * 400 + "x2"), "cv must be one of"),
    ],
)
def test_numbers_of_any_size_are_refused_in_a_sentence(capsys, arguments, message):
    assert message in refused(capsys, "compare", "iris", *arguments)


def test_words_of_the_shell_become_arguments():
    assert parse_costs("0,1;5,0") == [[0.0, 1.0], [5.0, 0.0]]
    assert parse_roles(["a=b=nominal"]) == {"a=b": "nominal"}
    assert parse_roles(["a=b=ordinal:<=5,=6"]) == {"a=b": "ordinal:<=5,=6"}
    assert preference("cart,lda") == ["cart", "lda"]
    assert preference("fit-time") == "fit-time"
    assert [plain_value(text) for text in ("1", "1.0", "TRUE", "none")] == [1, 1.0, True, "none"]


def test_the_line_that_resumes_can_be_pasted(tmp_path):
    arguments = ["compare", "my data.csv"]
    said = compare_command.resume_line(arguments, tmp_path)
    assert said == "To go on, run: bestofk compare 'my data.csv'"
    assert "--store FILE" in compare_command.resume_line(arguments, None)
