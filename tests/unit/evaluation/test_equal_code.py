"""Equal code: code that was only moved or renamed keeps the keys of stored runs."""

from __future__ import annotations

import csv

import pytest
from tests.equal_code import COLUMNS, SOURCE, TABLE, recorded_digests

from bestofk.evaluation.code_digests import digest_of

ROOTS = frozenset({("bestofk.core", "predict")})


def package(folder, text):
    (folder / "evaluation").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "core.py").write_text(text)
    return folder


def test_code_in_the_table_has_the_earlier_digest_and_packages(tmp_path):
    before = package(
        tmp_path / "before", "import numpy\ndef predict(x):\n    return numpy.sin(x)\n"
    )
    after = package(tmp_path / "after", "import numpy\ndef predict(y):\n    return numpy.sin(y)\n")
    earlier, renamed = (digest_of(ROOTS, folder=folder) for folder in (before, after))
    assert earlier.text != renamed.text
    known = package(tmp_path / "known", (after / "core.py").read_text())
    with (known / "evaluation" / "equal_code.csv").open("w", newline="") as file:
        rows = [COLUMNS, [renamed.text, earlier.text, "numpy scipy", "predict"]]
        csv.writer(file).writerows(rows)
    found = digest_of(ROOTS, folder=known)
    assert (found.text, found.packages) == (earlier.text, ("numpy", "scipy"))


@pytest.mark.skipif(not TABLE.exists(), reason="no code is equal to that of an earlier version")
def test_every_row_is_about_code_as_it_is_now():
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len({row["digest"] for row in rows}) > 0
    now = recorded_digests(SOURCE.parent)
    for row in rows:  # code changed since then has another digest: then the row is dead
        assert now[row["roots"]] == (row["equal_to"], row["packages"]), row["roots"]
