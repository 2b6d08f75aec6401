"""Digests of code: what changes them, and what does not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import bestofk
from bestofk.evaluation import code_digests
from bestofk.evaluation.code_digests import (
    INDEX_NAME,
    UnknownCodeError,
    digest_of,
    roots_of,
    write_index,
)
from bestofk.trees.c45 import C45Classifier

FILES = {
    "__init__": "",
    "learner": '''
"""A learner."""
import numpy as np
from bestofk.help import helper as aid, LIMIT
from bestofk.base import Base
class Learner(Base):
    """Learns."""
    level: int = 2
    def fit(self, X):
        """Fit."""
        from bestofk.late import late
        return late(aid(X, LIMIT)) + getattr(self, "_named")() + np.floor(1.0)
    def _named(self):
        return 1
    def picture(self):
        return 2
''',
    "base": "class Base:\n    def predict(self, X):\n        return X\n",
    "help": (
        "LIMIT = 3\nFUNCTIONS = {}\ndef helper(x, y):\n    return x + FUNCTIONS['a'](y)\n"
        "FUNCTIONS['a'] = lambda y: y\ndef unused():\n    return 0\n"
    ),
    "late": "def late(x):\n    return -x\n",
}
LOOPS = {
    "loops.pyx": '''
"""Loops."""
from libc.math cimport log
from bestofk.worth cimport worth
import numpy as np

cdef enum:
    LEAST = 2


# values float64 (n,). O(n).
def total(
    const double[::1] values,
    bint is_log,
):
    """Add values up."""
    cdef double result = np.sum(values[:0])
    for i in range(values.shape[0]):
        result += add(values[i])  # each
    return result + worth(LEAST)


cdef inline double add(double value) noexcept nogil:
    return value + 1


def unused(x):
    return x
''',
    "loops.pxd": "cdef double add(double value) noexcept nogil\n",
    "worth.pyx": "cdef double worth(double x):\n    return log(x)\n\ncdef class Table:\n    pass\n",
    "caller.py": ("def call(x):\n    from bestofk import loops\n    return loops.total(x, True)\n"),
}


@pytest.fixture
def package(tmp_path):
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    for name, text in LOOPS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def digest(folder, module="learner", name="Learner", **options):
    code_digests._index.cache_clear()
    digest_of.cache_clear()
    return digest_of(frozenset({(f"bestofk.{module}", name)}), folder=folder, **options)


def edit(folder, name, old, new):
    path = folder / (name if "." in name else f"{name}.py")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("learner", "np.floor(1.0)", "np.floor(2.0)"),
        ("learner", "level: int = 2", "level: int = 3"),
        ("learner", "return 1", "return 5"),  # called by a name in a text
        ("learner", "import numpy as np", "import math as np"),
        ("base", "return X", "return -X"),
        ("help", "LIMIT = 3", "LIMIT = 4"),
        ("help", "x + FUNCTIONS", "x - FUNCTIONS"),
        ("help", "lambda y: y", "lambda y: -y"),  # entered in a table by a statement
        ("late", "return -x", "return x"),  # imported inside a function
        ("learner", "Base)", "Base, object)"),
    ],
)
def test_an_edit_of_what_is_reached_changes_the_digest(package, name, old, new):
    before = digest(package).text
    edit(package, name, old, new)
    assert digest(package).text != before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("learner", '"""Fit."""', '"""Fit it."""'),
        ("learner", "self, X)", "self, X: int) -> int"),
        ("learner", "import numpy as np", "# more\nimport numpy as np\nimport math"),
        ("learner", "return 2", "return 3"),  # nothing calls the method
        ("help", "return 0", "return 1"),
    ],
)
def test_an_edit_of_anything_else_changes_nothing(package, name, old, new):
    before = digest(package).text
    edit(package, name, old, new)
    assert digest(package).text == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("loops.pyx", "result + worth", "result - worth"),
        ("loops.pyx", "value + 1", "value + 2"),  # called by the loop
        ("loops.pyx", "LEAST = 2", "LEAST = 3"),
        ("loops.pyx", "cimport log", "cimport log2 as log"),
        ("loops.pyx", "const double[::1]", "const float[::1]"),
        ("loops.pxd", "double value", "float value"),
        ("worth.pyx", "log(x)", "log(2 * x)"),  # imported from another file
    ],
)
def test_an_edit_of_a_compiled_loop_that_is_reached_changes_the_digest(package, name, old, new):
    before = digest(package, "caller", "call").text
    edit(package, name, old, new)
    assert digest(package, "caller", "call").text != before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("loops.pyx", "# values float64 (n,). O(n).", "# values."),
        ("loops.pyx", '"""Add values up."""', '"""Add up.\n\n    All of them.\n    """'),
        ("loops.pyx", "  # each", ""),
        ("loops.pyx", "    return x\n", "    return -x\n"),  # in a loop that nothing calls
        ("loops.pyx", "    return x\n", "    return x\n\n\n# The end.\n"),
    ],
)
def test_an_edit_of_anything_else_near_compiled_loops_changes_nothing(package, name, old, new):
    before = digest(package, "caller", "call").text
    edit(package, name, old, new)
    assert digest(package, "caller", "call").text == before


def test_packages_that_loops_use_are_told(package):
    assert digest(package, "caller", "call").packages == ("numpy",)


def test_every_method_counts_where_it_is_asked_for(package):
    before = digest(package, every_method=True).text
    edit(package, "learner", "return 2", "return 3")
    assert digest(package, every_method=True).text != before


def test_a_moved_and_split_file_changes_nothing(package):
    before = digest(package).text
    (package / "part").mkdir()
    (package / "part" / "__init__.py").write_text("from bestofk.part.low import helper\n")
    moved = (package / "help.py").read_text()
    (package / "part" / "low.py").write_text(moved.replace("LIMIT = 3\n", ""))
    (package / "limits.py").write_text("LIMIT = 3\n")
    (package / "help.py").unlink()
    edit(package, "learner", "from bestofk.help import helper as aid, LIMIT",
         "from bestofk.part import helper as aid\nfrom bestofk.limits import LIMIT")  # fmt: skip
    assert digest(package).text == before


def test_two_names_that_are_swapped_at_their_import_change_the_digest(package):
    (package / "two.py").write_text("def a():\n    return 1\ndef b():\n    return 2\n")
    (package / "one.py").write_text(
        "from bestofk.two import a as x, b as y\ndef f():\n    return x() - y()\n"
    )
    before = digest(package, "one", "f").text
    edit(package, "one", "a as x, b as y", "b as x, a as y")
    assert digest(package, "one", "f").text != before


def test_packages_that_the_code_uses_are_told(package):
    assert digest(package).packages == ("numpy",)


def test_what_is_in_no_file_is_unknown(package):
    with pytest.raises(UnknownCodeError, match=r"gone of bestofk\.nothing"):
        digest(package, "nothing", "gone")


def test_a_file_that_did_not_change_is_not_read_again(package, monkeypatch):
    first = digest(package)
    read = []
    summary = code_digests._summary
    monkeypatch.setattr(
        code_digests, "_summary", lambda path: read.append(path.name) or summary(path)
    )
    assert digest(package) == first
    assert read == []
    edit(package, "help", "LIMIT = 3", "LIMIT = 40")
    assert digest(package) != first
    assert read == ["help.py"]


def test_half_an_index_and_a_folder_that_cannot_be_written_are_no_obstacle(package, monkeypatch):
    first = digest(package)
    (kept,) = package.rglob(INDEX_NAME)
    kept.write_text(kept.read_text(encoding="utf-8")[:-10], encoding="utf-8")
    assert digest(package) == first
    kept.unlink()

    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr(Path, "write_text", refuse)
    assert digest(package) == first
    assert not kept.exists()


def test_a_built_package_has_the_digests_of_its_files_and_reads_none(package):
    first = digest(package)
    assert write_index(package) == package / INDEX_NAME
    edit(package, "help", "LIMIT = 3", "LIMIT = 4")  # not done to an installed package
    assert digest(package) == first


def test_the_package_itself_has_the_same_digests_when_it_is_built(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__", INDEX_NAME)
    shutil.copytree(Path(bestofk.__file__).parent, tmp_path / "bestofk", ignore=ignored)
    write_index(tmp_path / "bestofk")
    roots = roots_of([C45Classifier])
    assert digest_of(roots, folder=tmp_path / "bestofk") == digest_of(roots)
