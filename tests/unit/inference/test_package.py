"""The package by itself: names load when they are asked for, and nothing above it is loaded."""

import subprocess
import sys

import pytest

import bestofk.inference
from bestofk.inference import PROCEDURES

ALONE = """
import sys
from bestofk.inference import paired_t_test, procedure
assert paired_t_test([0.1, 0.2, 0.3], [0.2, 0.2, 0.5]).n == 3
assert procedure("friedman").title == "Friedman test"
names = [name for name in sys.modules if name.startswith("bestofk.")]
print(*names)
"""
BELOW = (
    "inference",
    "measures",
    "registry",
    "array_types",
    "words",
    "checks",
    "errors",
    "randomness",
)


def modules_of(program: str) -> list[str]:
    """Return the modules of the package that a fresh interpreter has loaded in the end."""
    run = [sys.executable, "-c", program]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()


def test_inference_works_alone_and_loads_only_what_is_asked_for():
    loaded = modules_of(ALONE)
    assert "bestofk.inference.many_data_sets.rank_omnibus" in loaded
    assert {name.split(".")[1] for name in loaded} <= set(BELOW)
    assert "bestofk.inference.many_data_sets.posteriors" not in loaded
    assert len(loaded) < 30


@pytest.mark.parametrize("name", bestofk.inference.__all__)
def test_every_public_name_is_there(name):
    assert getattr(bestofk.inference, name) is not None


def test_the_catalogue_names_every_entry_as_the_entry_names_itself():
    assert len(PROCEDURES) == 46
    assert [entry.name for entry in PROCEDURES.values()] == list(PROCEDURES)
