"""Help of every command: groups, the most used options first, all of them on demand."""

import re

import pytest

from bestofk.cli import main
from bestofk.cli.app import app
from bestofk.cli.options import _GROUPS

ONE_SCREEN = 45


def commands(command, words=()):
    for name, own in getattr(command, "commands", {}).items():
        yield from commands(own, (*words, name))
    if words:
        yield words, command


ALL = dict(commands(app))
AT_WORK = {words: command for words, command in ALL.items() if not hasattr(command, "commands")}


@pytest.fixture
def shown(capsys, monkeypatch):
    def show(words, option, width=100):
        monkeypatch.setenv("COLUMNS", str(width))
        assert main([*words, option]) == 0
        return capsys.readouterr().out

    return show


def options_by_group(text):
    """Return the flags of every group of a help."""
    groups, flags = {}, []
    for line in text.splitlines():
        if heading := re.fullmatch(r"(\S.*):", line):
            flags = groups.setdefault(heading[1], [])
        elif line.startswith("  -"):
            flags += re.findall(r"--[a-z-]+", re.split(r" {2,}", line.strip())[0])
    return groups


def flags_of(command):
    params = [param for param in command.params if param.param_type_name == "option"]
    return [max(param.opts, key=len) for param in params]


@pytest.mark.parametrize("words", [(), *ALL], ids=" ".join)
def test_the_help_has_one_screen(shown, words):
    lines = shown(words, "--help", width=80).splitlines()
    assert len(lines) <= ONE_SCREEN
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("words", AT_WORK, ids=" ".join)
def test_every_option_is_in_one_group_of_the_whole_help(shown, words):
    groups = options_by_group(shown(words, "--help-all"))
    listed = [flag for flags in groups.values() for flag in flags]
    for flag in flags_of(AT_WORK[words]):
        assert listed.count(flag) == 1
    assert not groups.pop("Positional arguments", [])
    assert list(groups) == [group for group in _GROUPS if group in groups]


@pytest.mark.parametrize("words", AT_WORK, ids=" ".join)
def test_the_help_counts_what_it_leaves_out(shown, words):
    text, flags = shown(words, "--help"), flags_of(AT_WORK[words])
    listed = [flag for own in options_by_group(text).values() for flag in own]
    n_left_out = len([flag for flag in flags if flag not in listed])
    count = f"{n_left_out} more option{'s' * (n_left_out > 1)}"
    if n_left_out:
        assert text.splitlines()[-1] == f"{count}: bestofk {' '.join(words)} --help-all"
        assert len(flags) - n_left_out == 11  # ten, and --help-all
    else:
        assert "more option" not in text


def test_every_place_in_the_help_is_of_an_option():
    names = " ".join(_GROUPS.values()).replace("|", " ").split()
    known = {param.name for command in AT_WORK.values() for param in command.params}
    assert len(names) == len(set(names))
    assert set(names) <= known


def test_required_options_are_never_left_out():
    for command in AT_WORK.values():
        assert not [
            param.name
            for param in command.params
            if param.required and getattr(param, "hidden", False)
        ]


def test_the_most_used_options_of_compare(shown):
    assert options_by_group(shown(["compare"], "--help")) == {
        "Positional arguments": [],
        "Data": ["--target", "--groups"],
        "Learners": ["--learners", "--tune"],
        "Plan": ["--cv", "--budget"],
        "Measure and test": ["--scoring"],
        "Where it runs": ["--store"],
        "Output": ["--report", "--verbose", "--help-all", "--help"],
    }
