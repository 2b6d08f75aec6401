"""Source text of functions, compared with that of `inspect`."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import textwrap
import types

import pytest
import sklearn.base
import sklearn.pipeline
import sklearn.utils.validation

import bestofk.evaluation.fingerprint
import bestofk.evaluation.runner
from bestofk.evaluation.sources import source_of

ODD = '''
import functools

def one_line(): return 1
    # deeper than the function

def commented():
    return 1
    # of the function
  # of nobody

def closing(
    a=1,
): return (a
)

def of_text():
    """Text
that goes on."""

def of_late_text():
    return """
late
"""

def with_text_after():
    return 1
    """
never
    """

@functools.cache
def described():
    """Of instructions there are none but those of the first line."""

def dead():
    if False:
        return 1

@functools.lru_cache(
    maxsize=None
)
@functools.cache
def decorated(f=lambda x: x):
    def inner():
        return lambda: (
            1
        )

    return inner

short = lambda x: x; other = 1

class Holder:

    @property

    def spaced(self):

        return 1


    async def waiting(self): \\
        return 1
'''


def codes_of(code: types.CodeType) -> list[types.CodeType]:
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return inner + [deeper for item in inner for deeper in codes_of(item)]


def assert_as_inspect_gives_it(code: types.CodeType) -> None:
    try:
        expected = textwrap.dedent(inspect.getsource(code))
    except (OSError, TypeError, IndexError) as error:
        with pytest.raises(type(error)):
            source_of(code)
        return
    assert source_of(code) == expected


def test_odd_functions_have_the_text_that_inspect_gives(tmp_path):
    file = tmp_path / "odd_functions.py"
    file.write_text(ODD)
    codes = codes_of(compile(ODD, str(file), "exec"))
    assert len(codes) == 16
    for code in codes:
        assert_as_inspect_gives_it(code)


@pytest.mark.parametrize(
    "module",
    [
        functools, json.encoder, asyncio.tasks, sklearn.base, sklearn.pipeline,
        sklearn.utils.validation, bestofk.evaluation.fingerprint, bestofk.evaluation.runner,
    ],
    ids=lambda module: module.__name__,
)  # fmt: skip
def test_functions_have_the_text_that_inspect_gives(module):
    with open(module.__file__, encoding="utf-8") as file:
        code = compile(file.read(), module.__file__, "exec")
    for code_type in codes_of(code):
        assert_as_inspect_gives_it(code_type)


def test_without_a_file_there_is_no_text():
    code = codes_of(compile("def f():\n    return 1\n", "<nowhere>", "exec"))[0]
    with pytest.raises(OSError, match="source"):
        source_of(code)
