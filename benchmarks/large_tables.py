"""Time and memory of the default comparison on large tables, each in a process of its own.

Printed per table: CPU seconds to the first provisional verdict and to the final one; CPU seconds
that the learners trained on all rows take for that alone, done again by scikit-learn's `fit` and
`predict` in the same process (the unit), and how many units the comparison took; CPU seconds of
all learners on all rows, as forecast from the largest sizes they got to; peak memory of the
process over that of the table, all in all and without what imports take; and the pick. With
--check, also the pick where all learners are trained on all rows of the same split.

    OMP_NUM_THREADS=1 python benchmarks/large_tables.py [--data FOLDER] [--tables NAME ...]
        [--check]

Tables are twonorm and waveform (its first 20 inputs) with 100,000 and 1,000,000 rows. FOLDER holds
uci/pendigits.arff.gz and uci/pendigits-test.arff; their rows, taken ten times with normal noise of
0.3 standard deviations of each input, are a table of 109,920 rows.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone

import bestofk
from bestofk import Store, compare, load_data
from bestofk.data.generators import twonorm, waveform
from bestofk.evaluation import Observer
from bestofk.evaluation.guarded.resources import measured_peak
from bestofk.learners import resolve_learners
from bestofk.randomness import derive_rng
from bestofk.stopping.growing_rows import SizeResult, forecast_seconds

GENERATORS = {"twonorm": twonorm, "waveform": waveform}
TABLES = ["pendigits-x10", *(f"{name}-{n}" for n in (100_000, 1_000_000) for name in GENERATORS)]
COPIES, NOISE = 10, 0.3


class Clock(Observer):
    """CPU seconds at each provisional verdict, and of each run."""

    def __init__(self) -> None:
        self.start_seconds = time.process_time()
        self.verdicts: list[float] = []
        self.seconds: dict[str, list[tuple[int, float]]] = {}
        self.before = 0.0

    def start(self, request: Any, store: Any, *, n_reused: Any, snapshot: Any) -> None:
        """Take note of the training rows."""
        self.request, self.before = request, time.process_time()

    def finished(self, learner_index: int, records: Any, store: Any) -> None:
        """Take the CPU seconds since the last run."""
        now = time.process_time()
        name = self.request.learners[learner_index].name
        done = (int(self.request.plan.n_train), now - self.before)
        self.seconds.setdefault(name, []).append(done)
        self.before = now

    def provisional(self, verdict: str) -> None:
        """Take the time."""
        self.verdicts.append(time.process_time() - self.start_seconds)
        print(f"  {self.verdicts[-1]:6.1f} s  {verdict}", file=sys.stderr)


def make_table(name: str, data: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and target of a table."""
    kind, _, n_rows = name.rpartition("-")
    if kind in GENERATORS:
        drawn = GENERATORS[kind](int(n_rows))
        return np.ascontiguousarray(drawn.features[:, :20]), np.asarray(drawn.target)
    if data is None:
        sys.exit("--data is missing: name the folder that holds uci/pendigits.arff.gz")
    files = ("pendigits.arff.gz", "pendigits-test.arff")
    parts = [load_data(data / "uci" / file, target="class") for file in files]
    inputs = np.vstack([np.asarray(part.features, dtype=float) for part in parts])
    target = np.concatenate([part.target_array.astype(str) for part in parts])
    rng = derive_rng(0, "noise", name)
    noise = NOISE * inputs.std(axis=0) * rng.standard_normal((COPIES, *inputs.shape))
    return (inputs + noise).reshape(-1, inputs.shape[1]), np.tile(target, COPIES)


def peak_bytes() -> int:
    """Return the most memory that this process has taken by now."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(folder: Path, *, check: bool) -> dict[str, Any]:
    """Compare on a saved table in this process, which does nothing else."""
    resolve_learners(None, "classification")  # imported before memory is looked at
    at_start = peak_bytes()
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    clock = Clock()
    with Store() as store:
        with measured_peak():  # or every run would set the peak of the process back
            result = compare(None, X, y, store=store, progress=clock)
        final = time.process_time() - clock.start_seconds
        peak = peak_bytes()
        plan, history = result.evaluation.plan, result.rows_history
        assert history is not None
        assert not history.ending
        survivors = [learner for learner in result.evaluation.learners
                     if learner.name in result.findings.verdict.order]  # fmt: skip
        unit = own_seconds(survivors, X, y, plan)
        checked = ""
        if check:
            checked = compare(None, X, y, cv=plan.name, store=store).best
    return {
        "first": clock.verdicts[0],
        "final": final,
        "survivors": [learner.name for learner in survivors],
        "unit": unit,
        "all": sum(forecast(runs, history.n_all) for runs in clock.seconds.values()),
        "table_bytes": X.nbytes,
        "peak": peak / X.nbytes,
        "peak_without_imports": (peak - at_start) / X.nbytes,
        "pick": result.best,
        "checked": checked,
    }


def own_seconds(learners: Any, X: np.ndarray, y: np.ndarray, plan: Any) -> float:
    """Return the CPU seconds of training and predicting by some learners, nothing else."""
    start = time.process_time()
    for learner in learners:
        fitted = clone(learner.estimator).fit(X[plan.train_rows[0]], y[plan.train_rows[0]])
        fitted.predict(X[plan.test_rows[0]])
        fitted.predict_proba(X[plan.test_rows[0]])
    return time.process_time() - start


def forecast(runs: list[tuple[int, float]], n_all: int) -> float:
    """Return the CPU seconds of a learner on all rows, from the sizes it got to."""
    if runs[-1][0] == n_all:
        return runs[-1][1]
    results = [SizeResult(n_rows, 0.0, np.zeros(1), seconds) for n_rows, seconds in runs]
    return forecast_seconds(results, n_all)


def main() -> None:
    """Measure every table in a fresh process, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tables", nargs="+", default=TABLES, choices=TABLES)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--make", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        X, y = make_table(options.make, options.data)
        np.save(options.folder / "X.npy", X)
        np.save(options.folder / "y.npy", y)
        return
    if options.folder:
        print(json.dumps(measure(options.folder, check=options.check)))
        return
    print(
        f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, numpy "
        f"{np.__version__}, Python {platform.python_version()}"
    )
    print(
        "table                MB  first s  final s   unit s  units    all s  peak  -imports  "
        "pick (all on all rows); trained on all rows"
    )
    for name in options.tables:
        with tempfile.TemporaryDirectory() as folder:
            # a process begins with the peak of the one that started it, so that one stays small
            command = [sys.executable, __file__, "--folder", folder]
            data = ["--data", str(options.data)] if options.data else []
            subprocess.run([*command, *data, "--make", name], check=True)
            command += ["--check"] if options.check else []
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        print(line(name, json.loads(done.stdout)), flush=True)


def line(name: str, row: dict[str, Any]) -> str:
    """Return the figures of a table in one line."""
    seconds = [row[key] for key in ("first", "final", "unit")]
    figures = [f"{value:>8.1f}" for value in seconds]
    figures += [f"{row['final'] / row['unit']:>6.1f} {row['all']:>8.1f} {row['peak']:>5.1f}"]
    figures += [f"{row['peak_without_imports']:>9.1f}"]
    picks = f"{row['pick']} ({row['checked'] or 'not checked'}); {', '.join(row['survivors'])}"
    return f"{name:<18} {row['table_bytes'] / 1e6:>4.0f} {' '.join(figures)}  {picks}"


if __name__ == "__main__":
    main()
