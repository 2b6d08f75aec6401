"""CPU seconds of first calls: in a fresh process, from a fresh installation, with nothing cached.

Every figure is user and system time of a process and its children, the median over the rounds;
the sides of a subject run in turn. A fresh installation is a copy of the package as pip leaves
it: modules compiled, the index of its code written, loops compiled by `setup.py build_ext`.

readme_line    the command on top of the README, the first time and the second, against importing
               the parts of scikit-learn that it uses, and pandas (at most 1.4 times)
light_learners six learners on 846 rows and 18 columns: a process that compares once, against
               `import sklearn.base, pandas` and a second comparison in the same process (at most
               1.3 times)
import_package `import bestofk` against a bare interpreter
cheap_learners 100x10 of four learners, three measures, a store on disk, on 569 and on 1,000 rows:
               time of `cross_validate`, one repeat times 100, over that of the first comparison
               of a process (at least 80) and of a second one (at least 120)
learner_times  the seconds of a fit that a first comparison reports against those of a second one
               in the same process (within a tenth), and whether both list the learners in the
               same order of them

    OMP_NUM_THREADS=1 python benchmarks/first_call.py [--rounds 7] [--only readme_line ...]
"""

from __future__ import annotations

import argparse
import compileall
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
import sklearn

import bestofk

_PACKAGE = Path(bestofk.__file__).parent
_IMPORTS = ["-c", "import sklearn.base, pandas"]
_PARTS = ["base", "datasets", "dummy", "impute", "linear_model", "neighbors", "pipeline"]
_PARTS = ["-c", "import pandas; from sklearn import preprocessing, " + ", ".join(_PARTS)]
_README = ["-m", "bestofk", "compare", "iris", "--learners"]
_README += ["majority,nearest-mean,logistic,cart,1nn"]
# Prints the CPU seconds of a second comparison, which no cache of the first one helps but code.
_LIGHT = """
import sys, time
from sklearn.datasets import make_classification
from bestofk import compare
X, y = make_classification(846, 18, n_informative=12, n_classes=4, random_state=0)
learners = ["majority", "nearest-mean", "naive-bayes", "logistic", "cart", "5nn"]
for _ in range(int(sys.argv[1])):
    start = time.process_time()
    compare(learners, X, y, cv="10x10", progress=False)
print(time.process_time() - start)
"""

# Prints the CPU seconds of a first and a second comparison, and those of one plain repeat.
_CHEAP = """
import gc, sys, tempfile, time, warnings
from pathlib import Path
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
import bestofk
warnings.simplefilter("ignore")
X, y = load_breast_cancer(return_X_y=True)
if sys.argv[1] == "1000":
    X, y = make_classification(1000, 16, n_informative=8, n_redundant=0, random_state=0)
scoring = {"error": "accuracy", "auroc": "roc_auc", "log_loss": "neg_log_loss"}
learners = {
    "nb": GaussianNB(),
    "lda": LinearDiscriminantAnalysis(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=10_000)),
    "5nn": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
}
seconds = [time.process_time()]
for _ in range(2):
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        bestofk.compare(learners, X, y, cv="100x10", scoring=list(scoring), store=store).to_frame()
    seconds.append(time.process_time())
gc.collect()  # takes a third of the repeat below, and would fall anywhere
plain = time.process_time()
for learner in learners.values():
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=1, random_state=0)
    cross_validate(learner, X, y, cv=cv, scoring=scoring)
plain = time.process_time() - plain
print(*(end - start for start, end in zip(seconds, seconds[1:])), plain)
"""

# Prints the seconds of a fit of every learner and their order, as two comparisons have them; by
# the clock of the processor, for others use the machine, too.
_TIMES = """
import time
time.perf_counter = time.process_time
from sklearn.datasets import make_classification
from bestofk import compare
X, y = make_classification(846, 18, n_informative=12, n_classes=4, random_state=0)
learners = ["random-forest", "logistic", "sklearn-cart", "cart", "naive-bayes", "majority"]
for _ in range(2):
    result = compare(learners, X, y, cv="1x5", prefer="fit-time", progress=False)
    print(*result.costs(range(6))["fit-time"], result.verdict().preference, sep=chr(9))
"""


def installed(folder: Path) -> Path:
    """Copy the package as an installation has it, and return the folder to import it from."""
    target = folder / "bestofk"
    shutil.copytree(_PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyx", "*.c"))
    compileall.compile_dir(target, quiet=1)
    return folder


def child_seconds(arguments: list[str], folder: Path) -> tuple[float, str]:
    """Run Python in a fresh process; return its CPU seconds and what it printed."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": ""}
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(
            [sys.executable, *arguments],
            env=environment,
            cwd=folder,
            stdout=output,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if child.returncode:
        raise SystemExit(f"{arguments} ended with {child.returncode}:\n{text}")
    return used.ru_utime + used.ru_stime, text


def readme_line(folder: Path) -> dict[str, float]:
    """Time the README's command, twice from one installation, and the imports."""
    imports, _ = child_seconds(_PARTS, folder)
    first, _ = child_seconds(_README, folder)
    second, _ = child_seconds(_README, folder)
    return {
        "imports": imports,
        "first": first,
        "second": second,
        "first / imports": first / imports,
        "second / imports": second / imports,
    }


def light_learners(folder: Path) -> dict[str, float]:
    """Time six light learners: all of a process, and a second comparison in one."""
    imports, _ = child_seconds(_IMPORTS, folder)
    whole, _ = child_seconds(["-c", _LIGHT, "1"], folder)
    _, warm = child_seconds(["-c", _LIGHT, "2"], folder)
    ratio = whole / (imports + float(warm))
    return {"imports": imports, "warm": float(warm), "first": whole, "first / rest": ratio}


def import_package(folder: Path) -> dict[str, float]:
    """Time the import of the package."""
    bare, _ = child_seconds(["-c", ""], folder)
    package, _ = child_seconds(["-c", "import bestofk"], folder)
    return {"bare": bare, "import bestofk": package}


def cheap_learners(folder: Path) -> dict[str, float]:
    """Time repeated cross-validation of four cheap learners, and `cross_validate`."""
    figures = {}
    for n_rows in ("569", "1000"):
        _, text = child_seconds(["-c", _CHEAP, n_rows], folder)
        first, warm, plain = map(float, text.split())
        figures |= {
            f"{n_rows} rows: first": first,
            f"{n_rows} rows: warm": warm,
            f"{n_rows} rows: plain / first": 100 * plain / first,
            f"{n_rows} rows: plain / warm": 100 * plain / warm,
        }
    return figures


def learner_times(folder: Path) -> dict[str, float]:
    """Compare what two comparisons of a process say that a fit takes."""
    _, text = child_seconds(["-c", _TIMES], folder)
    first, second = (line.split("\t") for line in text.splitlines())
    names = ["forest", "logistic", "sklearn-cart", "cart", "naive-bayes", "majority"]
    ratios = {name: float(a) / float(b) for name, a, b in zip(names, first, second, strict=False)}
    return {**ratios, "same order": float(first[-1] == second[-1])}


SUBJECTS: dict[str, Callable[[Path], dict[str, float]]] = {
    "readme_line": readme_line,
    "light_learners": light_learners,
    "import_package": import_package,
    "cheap_learners": cheap_learners,
    "learner_times": learner_times,
}


def main() -> None:
    """Measure in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=list(SUBJECTS), choices=SUBJECTS)
    arguments = parser.parse_args()
    versions = ", ".join(f"{item.__name__} {item.__version__}" for item in (
        bestofk, np, scipy, sklearn, pd))  # fmt: skip
    print(f"{versions}, python {platform.python_version()}, {platform.machine()}; "
          f"{arguments.rounds} rounds in turn")  # fmt: skip
    results: dict[str, list[dict[str, float]]] = {name: [] for name in arguments.only}
    for _ in range(arguments.rounds):
        for name, figures in results.items():
            with tempfile.TemporaryDirectory() as folder:
                figures.append(SUBJECTS[name](installed(Path(folder))))
    for name, figures in results.items():
        parts = [
            f"{key} {statistics.median(row[key] for row in figures):.2f}" for key in figures[0]
        ]
        print(f"{name:16s} {'   '.join(parts)}", flush=True)


if __name__ == "__main__":
    main()
