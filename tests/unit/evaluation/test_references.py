"""References: what code reads from outside, and which modules are installed."""

from __future__ import annotations

import sys

import numpy as np

from bestofk.evaluation.references import package_version, references_of

PYTHON = f"python {sys.version_info.major}.{sys.version_info.minor}"


def outer(X):
    import os.path
    from json import dumps, loads

    def inner(Z):
        return np.linalg.norm(Z) + len(Z) + Z.shape

    return inner(X), os, dumps, loads


def test_names_come_with_the_attributes_taken_of_them():
    assert references_of(outer.__code__).names == {("len", ()), ("np", ("linalg", "norm"))}


def test_imports_inside_a_function_come_with_the_names_taken():
    assert references_of(outer.__code__).imports == {
        ("json", 0, ("dumps", "loads")),
        ("os.path", 0, ()),
    }


class Class:
    n = 0
    calls: list = []  # noqa: RUF012  # as a learner may have it


count, calls, times, counts = 0, [], {}, {"a": 0}


def updating(key):
    global count
    count += 1
    calls.append(key)
    times[key] = 1.0
    counts[key] += 1
    Class.n += 1
    return Class.calls.append(key)


def reading(key):
    a = count + 1
    b = calls[key]
    c = key[counts]
    d = times[key] + len(calls)
    key[counts] = c
    return a, b, d, Class.n, Class.calls


def test_what_is_only_added_to_or_counted_up_is_not_read():
    references = references_of(updating.__code__)
    assert references.updated == {"count", "calls", "times", "counts", "n"}
    assert {name for name, _ in references.names} == {"Class"}
    assert references.attributes == {"append"}


def test_what_is_used_in_any_other_way_is_read():
    references = references_of(reading.__code__)
    assert {name for name, _ in references.names} == {
        "Class", "calls", "count", "counts", "len", "times",
    }  # fmt: skip
    assert references.attributes == {"n", "calls"}
    assert references.updated == set()


def test_names_of_enclosing_functions_are_read_or_only_updated():
    calls, limit = [], 3

    def inner(X):
        calls.append(X)
        return limit > X

    references = references_of(inner.__code__)
    assert (references.cells, references.updated) == ({"limit"}, {"calls"})


def test_installed_packages_have_a_version():
    assert package_version("numpy.linalg") == f"numpy {np.__version__}"
    assert package_version("sklearn.svm").startswith("sklearn 1.")
    assert package_version("PIL").startswith("PIL ")  # not imported: found all the same


def test_the_standard_library_has_that_of_python():
    names = ("builtins", "math", "json.decoder", "sys", "os")
    assert {package_version(name) for name in names} == {PYTHON}


def test_everything_else_has_none():
    assert package_version("__main__") == ""
    assert package_version(__name__) == ""
    assert package_version("nowhere_at_all") == ""


def test_a_file_that_somebody_put_among_the_packages_has_none(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "put_there_by_hand.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(folder))
    assert package_version("put_there_by_hand") == ""
