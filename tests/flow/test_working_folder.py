"""No process that the package starts imports what lies beside the data of its user."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.slow

NAMES = (
    "bestofk", "cloudpickle", "joblib", "lazy_loader", "multiprocessing", "numpy", "psutil",
    "random", "sitecustomize", "sklearn", "subprocess", "threading", "typing", "usercustomize",
)  # fmt: skip
FOREIGN = """
import sys
with open({ran!r}, "a") as file:
    print(__name__, sys.orig_argv, file=file)
raise ImportError("foreign")
"""
# as the console script that pip writes; the folder of the script comes first on its path
CONSOLE = """
import sys
import bestofk.evaluation.queue.run_queue as run_queue
from bestofk.cli import main
run_queue._PARALLEL_SECONDS = 0.0
for words in {commands!r}:
    code = main(words)
    if code:
        sys.exit(f"{{words}} ended with {{code}}")
"""
SEARCH = """
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
Search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, n_jobs=2, cv=2)
"""
STUDY = """
data = ["data/data.csv", "iris"]
learners = ["majority", "logistic"]
cv = "2x2"
timeout = 60
"""
MODULE = """
import os
from sklearn.naive_bayes import GaussianNB

class Mine(GaussianNB):
    def fit(self, X, y):
        open({seen!r}, "a").write(f"{{os.getpid()}} ")
        return super().fit(X, y)
"""
USE = """
import os
import bestofk.evaluation.queue.run_queue as run_queue
from bestofk import compare
from mymodels import Mine
run_queue._PARALLEL_SECONDS = 0.0
for way in ({"timeout": 60}, {"n_jobs": 2}):
    result = compare({"mine": Mine(), "majority": "majority"}, "iris", cv="2x2", **way)
    print(result.best, set(result.evaluation.status.ravel().tolist()))
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with data, and modules that write down that they were run."""
    path = tmp_path / "data"
    path.mkdir()
    table = np.random.default_rng(0).normal(size=(60, 3))
    frame = pd.DataFrame(table, columns=list("abc")).assign(y=table[:, 0] > 0)
    frame.to_csv(path / "data.csv", index=False)
    for name in NAMES:
        (path / f"{name}.py").write_text(FOREIGN.format(ran=str(tmp_path / "ran")))
    return path


def run(folder, *words, n_seconds=300, **variables):
    """Run Python in a folder; return what it prints and what was run of the folder."""
    paths = [path for path in sys.path if path and Path(path) != Path.cwd()]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | variables
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment,
        capture_output=True, text=True, timeout=n_seconds, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ran = folder.parent / "ran"
    return done.stdout, ran.read_text() if ran.exists() else ""


DATA = ["data.csv", "--cv", "2x2"]
COMMANDS = {
    "children": [
        ["compare", *DATA, "--quiet", "--learners", "cart,logistic", "--timeout", "60"],
        ["compare", *DATA, "--quiet", "--learners", "cart,logistic", "--n-jobs", "2"],
        ["study", "run", "../study.toml", "--n-jobs", "2"],
        ["calibrate", "tests", *DATA, "--learners", "cart", "--tests", "corrected-t",
         "--n-data-sets", "4", "--n-jobs", "2"],
    ],
    "workers that a learner starts": [
        ["compare", "data.csv", "--cv", "2", "--quiet", "--learners", "../search.py:Search,cart"]
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_console_script_runs_nothing_beside_the_data(folder, kind):
    (folder.parent / "search.py").write_text(SEARCH)
    (folder.parent / "study.toml").write_text(STUDY)
    script = folder.parent / "bin" / "bestofk"
    script.parent.mkdir()
    script.write_text(CONSOLE.format(commands=COMMANDS[kind]))
    assert run(folder, str(script))[1] == ""


def test_python_m_bestofk_runs_nothing_beside_the_data(folder):
    (folder / "bestofk.py").unlink()  # Python itself takes that for what is to be run
    words = ["compare", *DATA, "--quiet", "--learners", "cart,logistic", "--timeout", "60"]
    assert run(folder, "-m", "bestofk", *words)[1] == ""


@pytest.mark.parametrize("is_notebook", [False, True])
def test_a_module_beside_a_script_or_notebook_works_in_children(folder, is_notebook):
    seen = folder.parent / "seen"
    home = folder.parent / "home"
    home.mkdir()
    (home / "mymodels.py").write_text(MODULE.format(seen=str(seen)))
    (home / "script.py").write_text(USE)
    if is_notebook:
        output, ran = run(home, "-c", USE)
    else:
        output, ran = run(folder, str(home / "script.py"))
    assert output.splitlines() == ["mine {'ok'}"] * 2
    assert ran == ""
    assert len(set(seen.read_text().split())) >= 2


def test_an_empty_part_of_pythonpath_is_the_folder_where_python_began(folder):
    """A child does not look beside data to which the call has moved since."""
    home = folder.parent / "home"
    home.mkdir()
    (home / "mymodels.py").write_text(MODULE.format(seen=str(folder.parent / "seen")))
    use = USE.replace("import os\n", f"import os, bestofk\nos.chdir({str(folder)!r})\n")
    (home / "script.py").write_text(use)
    paths = os.pathsep.join(["", *filter(None, sys.path)])
    output, ran = run(home, str(home / "script.py"), PYTHONPATH=paths)
    assert output.splitlines() == ["mine {'ok'}"] * 2
    assert ran == ""
