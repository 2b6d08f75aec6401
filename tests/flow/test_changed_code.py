"""New fits after changes of the package's code: all that are needed, and no others."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bestofk
from bestofk.evaluation.code_digests import INDEX_NAME

pytestmark = pytest.mark.slow  # calls copies of the package, one after another

LEARNERS = ["majority", "nearest-mean", "naive-bayes", "c45", "gradient-boosting"]
SCRIPT = """
import json, sys, warnings
warnings.simplefilter("ignore")
from bestofk.data import load_data
from bestofk.resampling import make_plan
from bestofk.evaluation import EvaluationRequest, Observer, Store, evaluate
from bestofk.learners import resolve_learners
from bestofk.measures import get_measure

class Counting(Observer):
    outdated = 0
    def start(self, request, store, *, n_reused, snapshot):
        self.reused = n_reused
    def passed_over(self, n_runs):
        self.outdated = n_runs

data = load_data("iris")
names = json.loads(sys.argv[2])
request = EvaluationRequest(data, make_plan(data, "2x5"), resolve_learners(names, data.task))
counting = Counting()
with Store(sys.argv[1]) as store:
    found = evaluate(request, store, counting)
errors = found.measured(get_measure("error", task=data.task, classes=data.classes))
print(json.dumps({
    "reused": dict(zip(names, counting.reused)), "outdated": counting.outdated,
    "error": {name: round(float(v.mean()), 3) for name, v in zip(names, errors.values)},
    "modes": {name: sorted({run.fit_mode for run in runs})
              for name, runs in zip(names, found.records)},
}))
"""


class Copy:
    """A copy of the package that can be edited, and a store of its runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, folder / "runs.db"
        self.package = folder / "src" / "bestofk"

    def compare(self, store: Path | None = None, learners: list[str] = LEARNERS):
        """Compare the learners in a process of its own; return what was found and scored."""
        command = [sys.executable, "-c", SCRIPT, str(store or self.store), json.dumps(learners)]
        environment = os.environ | {"PYTHONPATH": str(self.package.parent)}
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=self.folder, check=False
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.package / path
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")

    def move(self, old: str, new: str) -> None:
        """Give a module another name, and adapt the imports of it."""
        source, target = self.package / f"{old}.py", self.package / f"{new}.py"
        source.rename(target)
        before, after = (f"bestofk.{item.replace('/', '.')}" for item in (old, new))
        for file in self.package.rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            file.write_text(re.sub(rf"{before}\b", after, text), encoding="utf-8")


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """Return the folder of a copy that has compared the learners."""
    made = Copy(tmp_path_factory.mktemp("copy"))
    ignored = shutil.ignore_patterns("__pycache__", INDEX_NAME)
    shutil.copytree(Path(bestofk.__file__).parent, made.package, ignore=ignored)
    first = made.compare()
    assert first["reused"] == dict.fromkeys(LEARNERS, 0)
    assert first["modes"]["naive-bayes"] == ["batched"]
    return made.folder


@pytest.fixture
def copy(compared, tmp_path):
    shutil.copytree(compared, tmp_path / "copy")
    return Copy(tmp_path / "copy")


def all_but(*changed):
    return {name: 0 if name in changed else 10 for name in LEARNERS}


FORM = "batched/gaussian_naive_bayes.py"


def test_runs_of_an_edited_form_are_fitted_again_and_no_others(copy, tmp_path):
    copy.edit(FORM, "return labels, logs", "return labels * 0, logs")
    edited = copy.compare()
    assert edited["reused"] == all_but("naive-bayes")
    assert edited["outdated"] == 10
    assert edited["error"]["naive-bayes"] == 0.667
    assert edited == copy.compare(tmp_path / "fresh.db") | {
        "reused": edited["reused"],
        "outdated": edited["outdated"],
    }
    again = copy.compare()
    assert (again["reused"], again["outdated"]) == (all_but(), 0)


def test_comments_docstrings_and_moves_change_no_key(copy):
    copy.edit(FORM, "from __future__", "# a comment\n\nfrom __future__")
    copy.edit(FORM, '"""Predict by log', '"""Tell of log')
    copy.move("batched/gaussian_naive_bayes", "batched/bayes")
    copy.move("batched/moments", "learners/means_of_parts")
    copy.move("trees/growing", "learners/growing")
    copy.move("learners/nearest_mean_classifier", "learners/nearest")
    copy.move("evaluation/run", "evaluation/fitting")
    again = copy.compare()
    assert (again["reused"], again["outdated"]) == (all_but(), 0)
    assert again["modes"]["naive-bayes"] == ["batched"]


STEPS = [
    (
        [
            # a loop that two forms call, deep below them
            ("batched/_moments.pyx", "total = 0.0", "total = 0.0 + 0.0"),
            ("trees/growing.py", "rules.min_split - 1e-6", "rules.min_split - 1e-7"),
            # what shows trees, counts models and writes reports predicts nothing
            ("trees/html_form.py", "_MOST_NODES: Final = 1", "_MOST_NODES: Final = 2"),
            ("learners/model_complexity.py", "math.prod(", "1 * math.prod("),
            ("report/details.py", "_MUCH_MEMORY = 100e6", "_MUCH_MEMORY = 200e6"),
        ],
        ["nearest-mean", "naive-bayes", "c45"],
    ),
    # the moments of all parts, for two forms
    ([("batched/moments.py", "_ROUGH = 1e8", "_ROUGH = 1e9")],
     ["nearest-mean", "naive-bayes"]),
    # how a batched run becomes predictions, and how a plain run does
    ([("evaluation/batched_fit.py", "result.labels, ", "1 * result.labels, ")],
     ["majority", "nearest-mean", "naive-bayes", "c45"]),
    ([("evaluation/run.py", "return codes.astype(", "return 1 * codes.astype(")], LEARNERS),
]  # fmt: skip


def test_an_edit_changes_the_keys_of_what_can_reach_it(copy):
    for edits, changed in STEPS:
        for path, old, new in edits:
            copy.edit(path, old, new)
        assert copy.compare()["reused"] == all_but(*changed)
