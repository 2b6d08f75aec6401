"""Mutated files and options end in a result or in one sentence, in little time and memory."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

import bestofk
from tests.fuzz import seeds
from tests.fuzz.checks import passes_first_check
from tests.fuzz.inputs import Input, make_input
from tests.given import ROOT

_N_QUICK, _N_ALL, _N_BLOCK = 500, 50_000, 2_500
_BLOCKS = [(first, first + 250) for first in range(0, _N_QUICK, 250)]
_SLOW_BLOCKS = [(first, first + _N_BLOCK) for first in range(0, _N_ALL, _N_BLOCK)]
_MOST_BYTES = 10**9  # of memory
_LEAST_PASSED = 1 / 3  # of the mutated files of each reader


def run_inputs(first: int, stop: int) -> dict[str, Counter[str]]:
    """Return the counts of some inputs, or fail with how to see the first that broke a rule."""
    package = Path(bestofk.__file__).parents[1]  # with its compiled loops
    paths = [str(package), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
    }
    command = [sys.executable, "-m", "tests.fuzz", str(first), str(stop)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    if not done.stdout:  # ended on the way, by a signal or for its time
        last = done.stderr.rpartition("input ")[2]
        pytest.fail(f"the process ended ({done.returncode}); python -m tests.fuzz {last[-3000:]}")
    counts = json.loads(done.stdout)
    for number, broken in counts["failures"][:1]:
        n_failures = len(counts["failures"])
        pytest.fail(f"{n_failures} failures; python -m tests.fuzz {number} shows\n{broken}")
    assert counts["peak_bytes"] < _MOST_BYTES
    return {"inputs": Counter(counts["inputs"]), "passed": Counter(counts["passed"])}


def check_passed(found: Iterable[dict[str, Counter[str]]]) -> None:
    """Assert that enough mutants got past the first check of their reader."""
    inputs, passed = Counter[str](), Counter[str]()
    for counts in found:
        inputs.update(counts["inputs"])
        passed.update(counts["passed"])
    shares = {kind: passed[kind] / inputs[kind] for kind in inputs}
    assert min(shares.values()) >= _LEAST_PASSED, shares


SEEDS = {
    "csv": seeds.csv_files,
    "arff": seeds.arff_files,
    "parquet": lambda: [{"data.parquet": seeds.parquet_file()}],
    "long scores": seeds.long_scores,
    "wide scores": seeds.wide_scores,
    "aslib": seeds.aslib_scenarios,
    "history": seeds.histories,
    "store": seeds.stores,
    "study": seeds.study_files,
}


@pytest.mark.parametrize("kind", SEEDS)
def test_mutations_start_from_valid_files(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for files in SEEDS[kind]():
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        assert passes_first_check(Input(0, kind, dict(files), []))


def test_an_input_depends_on_its_number_alone():
    first = [make_input(number) for number in (7, 1234)]
    assert [make_input(number) for number in (1234, 7)] == first[::-1]
    assert {make_input(number).kind for number in range(100)} == {*SEEDS, "special", "options"}


@pytest.mark.parametrize(("first", "stop"), _BLOCKS)
def test_mutants_end_in_a_result_or_in_one_sentence(first, stop):
    counts = run_inputs(first, stop)
    assert counts["inputs"].total() == stop - first
    check_passed([counts])


@pytest.mark.slow
@pytest.mark.parametrize(("first", "stop"), _SLOW_BLOCKS)
def test_many_mutants_end_in_a_result_or_in_one_sentence(first, stop):
    check_passed([run_inputs(first, stop)])
