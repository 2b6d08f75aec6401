"""The command that keeps quoted output current."""

import pytest
from tests.printed_output import UnplacedError, quoted_again, rewritten, shell_commands


def test_a_quote_without_cuts_becomes_the_whole_output():
    assert quoted_again(["one line"], ["Use lda.", "4 splits"]) == ["Use lda.", "4 splits"]


def test_cuts_stay_between_the_lines_that_are_alike():
    output = [
        "Use lda: 4% error.",
        "lda  0.04",
        "cart  0.05",
        "Details",
        "- 5 repeats of lda",
        "end",
    ]
    quoted = ["Use lda: 3% error.", "[...]", "Details", "- 10 repeats of lda", "[...]"]
    again = ["Use lda: 4% error.", "[...]", "Details", "- 5 repeats of lda", "[...]"]
    assert quoted_again(quoted, output) == again


def test_a_part_gets_the_lines_that_came_between_its_first_and_last():
    quoted = ["[...]", "learner  error", "majority  66%", "[...]"]
    output = ["head", "learner  error", "new-learner  1%", "majority  66%", "foot"]
    assert quoted_again(quoted, output) == ["[...]", *output[1:4], "[...]"]


def test_a_quote_that_begins_or_ends_the_output_still_does():
    output = ["new first line", "Use lda: 4% error.", "middle", "Report written.", "new last line"]
    again = quoted_again(["Use lda: 4% error.", "[...]", "Report written."], output)
    assert again == [*output[:2], "[...]", *output[3:]]


def test_of_lines_that_are_alike_the_first_is_quoted():
    output = ["x,y", "iris,0,0.1", "iris,1,0.2", "iris,2,0.3"]
    assert quoted_again(["x,y", "iris,0,0.4", "[...]"], output) == ["x,y", "iris,0,0.1", "[...]"]


def test_output_that_differs_in_seconds_alone_stays():
    quoted, output = ["lda  4.4%   10 ms"], ["lda  4.4%  9.75 ms"]
    assert quoted_again(quoted, output) == quoted
    assert quoted_again(quoted, ["lda  4.5%  9.75 ms"]) == ["lda  4.5%  9.75 ms"]


def test_a_part_like_nothing_in_the_output_is_refused():
    with pytest.raises(UnplacedError, match="wholly different"):
        quoted_again(["a", "[...]", "wholly different"], ["a", "b", "c"])


def test_shell_lines_have_exit_codes_and_numbers_of_lines():
    block = "```sh\n$ bestofk a\nout\n[...]\n$ bestofk b\n$ echo $?\n2\n```\n"
    page = f"Text.\n\n{block}\n```sh\nls\n```\n"
    first, second = shell_commands(page)
    assert (first.line, first.exit_code, first.quoted, first.start) == (
        *("bestofk a", 0, ["out", "[...]"]),
        4,
    )
    assert (second.line, second.exit_code, second.quoted, second.start) == ("bestofk b", 2, [], 7)


def test_a_page_is_rewritten_where_it_is_stale_and_nowhere_else():
    page = """Text.

```python
>>> 1 + 1
3
>>> print("a", "", "b", sep="\\n")
a
<BLANKLINE>
b
>>> print("x\\ny\\nz\\n0.5\\nend")  # doctest: +ELLIPSIS
x
...
0.4
end
>>> int("x")
Traceback (most recent call last):
    ...
ValueError: invalid

```
"""
    problems: list[str] = []
    again = rewritten(page, "page.md", problems)
    assert problems == []
    message = "ValueError: invalid literal for int() with base 10: 'x'"
    assert again == page.replace("3\n", "2\n").replace("0.4", "0.5").replace(
        "ValueError: invalid", message
    )


def test_an_example_that_raises_is_named():
    problems: list[str] = []
    page = ">>> 1 / 0\n1\n"
    assert rewritten(page, "page.md", problems) == page
    assert problems == ["line 1 raises ZeroDivisionError: division by zero"]
