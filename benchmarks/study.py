"""CPU seconds of a study, of its second call, and bytes that its store takes per run.

The study compares eight learners by 5x2 cross-validation on every ARFF file of a folder. It is run
by the command line in a fresh process, then again, which finds all runs and fits nothing. Bytes
beside predictions: the whole file less the predictions, over the runs in it (those repeated for
their times too).

    OMP_NUM_THREADS=1 python benchmarks/study.py FOLDER [--rounds 3]
"""

from __future__ import annotations

import argparse
import platform
import resource
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import bestofk

LEARNERS = ["majority", "nearest-mean", "naive-bayes", "1nn", "5nn", "lda", "logistic", "cart"]


def cpu_seconds(command: list[str], folder: Path) -> float:
    """Return the CPU seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def bytes_per_run(path: Path) -> tuple[int, float, float]:
    """Return the runs of a store, and bytes per run beside predictions and of predictions."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
        n_runs, predictions = store.execute(
            "SELECT count(*), coalesce(sum(length(predictions)), 0) FROM run"
        ).fetchone()
    return n_runs, (path.stat().st_size - predictions) / n_runs, predictions / n_runs


def main() -> None:
    """Run the study, call it again, and print what both cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        pattern = (options.folder.resolve() / "*.arff*").as_posix()
        text = f'data = ["{pattern}"]\nlearners = {LEARNERS}\ncv = "5x2"\n'
        (folder / "study.toml").write_text(text.replace("'", '"'))
        command = [sys.executable, "-m", "bestofk", "study", "run", "study.toml", "-q"]
        first = cpu_seconds(command, folder)
        again = [cpu_seconds(command, folder) for _ in range(options.rounds)]
        n_runs, other, predictions = bytes_per_run(next(folder.glob("*.db")))
    print(f"bestofk {bestofk.__version__}, Python {platform.python_version()}")
    print(f"first call: {first:.1f} CPU s, {n_runs:,} runs")
    print(f"second call: {median(again):.1f} CPU s (median of {len(again)}: {min(again):.1f} to "
          f"{max(again):.1f})")  # fmt: skip
    print(f"store: {other:,.0f} bytes per run beside predictions, {predictions:,.0f} of them")


if __name__ == "__main__":
    main()
