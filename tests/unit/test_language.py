"""The linter of the words, on sources made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.language import (
    WAYS_OUT,
    findings_in_file,
    findings_in_python,
    findings_in_text,
    main,
)


def rules(source: str) -> list[tuple[int, str]]:
    return [(finding.line, finding.rule) for finding in findings_in_python(source)]


@pytest.mark.parametrize("phrase", WAYS_OUT)
def test_a_banned_phrase_is_found_in_docstring_string_comment_and_page(phrase: str) -> None:
    source = f'"""Return {phrase} x."""\nTEXT = "a {phrase} b"\n# {phrase}, c\n'
    assert rules(source) == [(1, phrase), (2, phrase), (3, phrase)]
    assert [(f.line, f.rule) for f in findings_in_text(f"# Head\n\nIt {phrase} x.")] == [
        (3, phrase)
    ]


def test_rule_6_is_held_word_for_word() -> None:
    assert set(WAYS_OUT) == {
        *("nobody", "somebody", "who", "is told", "are told", "is said", "what is known"),
        *("beside", "goes on with", "go on with", "taken up", "told apart", "is shown to be"),
        *("not shown to differ", "by one's", "a coin"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "besides",
        "a coincidence",
        "anybody",
        "the whole",
        "is unsaid",
        "It was told.",
        "retold apart",
    ],
)
def test_longer_words_and_other_words_are_allowed(text: str) -> None:
    assert findings_in_text(text) == []


@pytest.mark.parametrize("person", ["anyone", "Users", "a reader", "people", "someone"])
def test_who_is_right_of_persons(person: str) -> None:
    assert findings_in_text(f"It is for {person}\n    who waits.") == []
    assert rules(f'"""Return what {person} who waits wants."""\n') == []


def test_who_of_a_learner_is_found_beyond_a_person() -> None:
    text = "For users who wait, and for the learner who leads."
    assert [finding.rule for finding in findings_in_text(text)] == ["who"]


def test_a_phrase_broken_over_lines_is_found_where_it_begins() -> None:
    source = (
        'def mean():\n    """Return the mean.\n\n    More is\n    told below.\n    """\n'
        "    # the second is told\n    # apart\n"
        '    return ("it is shown "\n            "to be so")\n'
    )
    assert rules(source) == [(4, "is told"), (7, "is told"), (9, "is shown to be")]
    assert rules("# the rows are kept, told\n# apart later\n") == [(1, "told apart")]


def test_comments_of_distant_lines_are_not_one_text() -> None:
    assert rules("# it is\n\nx = 1\n# told\n") == []


def test_f_strings_are_read_between_their_values() -> None:
    assert rules('x = f"{y} is said to be {z} beside it"\n') == [(1, "beside"), (1, "is said")]
    assert rules('x = f"is {y} said, taken {z} up"\n') == []


def test_a_banned_word_inside_a_name_is_found() -> None:
    assert rules("def is_taken_up(nobody_left):\n    told = who_leads = 1\n") == [
        (1, "nobody"),
        (1, "taken up"),
        (2, "who"),
    ]


@pytest.mark.parametrize(
    "docstring",
    [
        "Which learner is the best.",
        "How far two learners differ",
        "Is it so? Yes.",
        "The mean of what?",
        "The mean\n    of what?",
        "Do the scores differ?",
        "What's left.",
    ],
)
def test_a_docstring_that_is_a_question_is_found(docstring: str) -> None:
    assert rules(f'def f():\n    """{docstring}"""\n') == [(2, "question")]
    assert rules(f'class C:\n    """{docstring}"""\n') == [(2, "question")]
    assert rules(f'"""{docstring}"""\n') == [(1, "question")]


@pytest.mark.parametrize(
    "docstring",
    [
        "Return the mean loss.",
        "Do nothing.",
        "Whichever comes first.",
        "Mean loss.\n\n    Is it robust? See below?",
        "Island of rows.",
        "",
    ],
)
def test_a_docstring_that_starts_with_a_verb_or_noun_is_allowed(docstring: str) -> None:
    assert rules(f'def f():\n    """{docstring}"""\n') == []


@pytest.mark.parametrize(
    "source",
    [
        "{} = 1",
        "{}: int = 1",
        "for i, {} in pairs:\n    pass",
        "def {}(): pass",
        "class {}: pass",
        "def f(*, {}=1): pass",
        "f = lambda {}: 1",
        "self.{} = 1",
        "import numpy as {}",
        "with open(x) as {}: pass",
        "if ({} := 1): pass",
        "values = [1 for {} in x]",
        "try:\n    x = 1\nexcept ValueError as {}:\n    pass",
        "match x:\n    case [1, {}]: pass",
    ],
)
@pytest.mark.parametrize("name", ["one", "found", "place", "way", "room"])
def test_a_vague_name_is_found_where_it_is_defined(source: str, name: str) -> None:
    assert [rule for _, rule in rules(source.format(name) + "\n")] == ["name"]
    assert rules(source.format(f"{name}_index") + "\n") == []


def test_uses_and_texts_of_a_vague_name_are_allowed() -> None:
    assert rules('x = other.place + table["way"]  # one way is found\n') == []


def test_findings_are_printed_with_file_line_and_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = tmp_path / "folder" / "module.py"
    module.parent.mkdir()
    module.write_text('"""Which learner leads."""\n\nplace = 1  # beside\n', encoding="utf-8")
    (tmp_path / "folder" / "table.csv").write_text("who\n", encoding="utf-8")
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{module}:1: docstring must not be a question; got 'Which learner leads.'. "
        "Start with an imperative verb or a noun phrase",
        f"{module}:3: text must not say 'beside'. Say 'with', 'next to' or 'in addition to'",
        f"{module}:3: name must be a noun of the field; got 'place'. "
        "Name what it holds, a position `..._index`",
    ]
    page = tmp_path / "page.md"
    page.write_text("Learners are eliminated.\n", encoding="utf-8")
    assert findings_in_file(page) == []
    assert main([str(page)]) == 0
    assert capsys.readouterr().out == ""
