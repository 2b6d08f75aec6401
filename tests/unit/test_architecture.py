"""Architecture: imports between packages, and the cost of importing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import bestofk

SOURCE = Path(bestofk.__file__).parent
# The packages from top to bottom; each imports only packages of later lines.
LAYERS = [
    {"cli", "testing"},
    {"recommendation", "calibration", "curves"},
    {"score_tables", "comparison"},
    {"report"},
    {"verdict"},
    {"stopping"},
    {"evaluation", "inference"},
    {"resampling", "batched"},
    {"learners"},
    {"trees"},
    {"data", "measures"},
    {"errors", "randomness"},
]


def parts():
    return {path.stem if path.is_file() else path.name for path in SOURCE.iterdir()
            if path.suffix == ".py" or (path / "__init__.py").exists()}  # fmt: skip


def test_every_part_has_a_layer():
    assert parts() == {"__init__", "__main__"}.union(*LAYERS)


def test_every_file_says_what_it_answers():
    for path in SOURCE.rglob("*.py"):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert docstring, path


def test_public_names_can_be_imported_and_do_not_look_like_tests():
    for name in bestofk.__all__:
        assert getattr(bestofk, name) is not None
        assert not name.lower().startswith("test")
    assert dir(bestofk) == sorted(bestofk.__all__)
    with pytest.raises(AttributeError, match=r"attribute '?nothing"):
        _ = bestofk.nothing


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, bestofk\n"
        "heavy = {'numpy', 'pandas', 'sklearn', 'scipy', 'matplotlib', 'rich', 'typer'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_no_part_hides_a_public_name_of_the_package():
    assert not parts() & set(bestofk.__all__)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("AcrossComparison", "ComparisonAcross"),
        ("apply_to_scores", "apply_procedure"),
        ("judge_across", "compare_scores_across"),
        ("judge_scores", "compare_scores"),
    ],
)
def test_an_old_public_name_works_and_names_the_new_one(old, new):
    with pytest.warns(DeprecationWarning, match=f"bestofk.{old} is now bestofk.{new}"):
        assert getattr(bestofk, old) is getattr(bestofk, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("JointAgreement", "BatchedAgreement"),
        ("check_joint_form", "check_batched_form"),
        ("joint_agreement", "batched_agreement"),
    ],
)
def test_an_old_name_of_the_checks_works_and_names_the_new_one(old, new):
    from bestofk import testing

    with pytest.warns(DeprecationWarning, match=f"testing.{old} is now bestofk.testing.{new}"):
        assert getattr(testing, old) is getattr(testing, new)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = testing.nothing


def test_the_former_home_of_the_trees_works_and_names_the_new_one():
    from bestofk.trees import C45Classifier

    with pytest.warns(DeprecationWarning, match="is now bestofk.trees.C45Classifier"):
        from bestofk.learners.trees import C45Classifier as former
    assert former is C45Classifier
