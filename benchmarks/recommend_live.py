"""How `bestofk recommend` spends a budget on files, and what its pick is worth.

Each file is read by two fresh commands with the same budget: one with the history that comes
along, and one with a history that knows none of the learners, so that they are tried in the order
of the catalogue. Printed for each: seconds until the answer is known; seconds of the processor,
and of the clock, until the first learner starts; share of the budget in training and testing; the
pick and what it loses, in percentage points of the error by ten folds, against the best of a
reference; and which learners had no turn. Where all had their turn in less time, the budget counts
as used.

    OMP_NUM_THREADS=1 python benchmarks/recommend_live.py FILE[@TARGET] ... --work FOLDER
        [--budget 60] [--beside 2] [--reference NAMES]

Without @TARGET it is the last column. --beside starts processes that do nothing but work.
The reference is a comparison of all classifiers, or of those named, on the ten folds that
`recommend` uses; its runs are kept in FOLDER, outside of the repository.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

import bestofk
from bestofk.data import DataSet, load_data
from bestofk.learners import learner_catalogue

_RUN_SECONDS = 60.0  # of the reference: a learner with a longer run is no part of it
_MOST_PROMPT = 3.0  # seconds of the processor until the first learner starts
_LEAST_SHARE = 0.8  # of the budget, in training and testing
# Runs the command, and writes when the first learner starts and when the answer is known: seconds
# of the processor, and of the clock.
_COMMAND = """
import sys, time
started = time.monotonic()
from bestofk.cli import main
from bestofk.evaluation.queue.sequential import SequentialEvaluation
from bestofk.recommendation.report import Recommendation
note = open(sys.argv.pop(1), "w")
def noted(owner, name):
    method = getattr(owner, name)
    def first(*given, **options):
        setattr(owner, name, method)
        print(time.process_time(), time.monotonic() - started, file=note, flush=True)
        return method(*given, **options)
    setattr(owner, name, first)
noted(SequentialEvaluation, "test")
noted(Recommendation, "to_json")
sys.exit(main())
"""
_KNOWS_NONE = "data_set,learner,accuracy,seconds\nearlier,unknown,0.5,1\n"


def recommended(file: str, target: str | None, budget: float, *options: str) -> dict[str, Any]:
    """Return the JSON of a command, with its seconds and those to its first test."""
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "first"
        command = [sys.executable, "-c", _COMMAND, str(note), "recommend", file]
        command += ["--scoring", "error", "--budget", f"{budget}s", "--json", "--quiet", *options]
        command += [] if target is None else ["--target", target]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
        )  # fmt: skip
        if done.returncode > 1:
            raise SystemExit(f"{file}: {done.stderr}")
        first, answer = (list(map(float, row.split())) for row in note.read_text().splitlines())
    return json.loads(done.stdout) | {"first": first, "answer_seconds": answer[1]}


def reference(data: DataSet, learners: list[str], work: Path) -> dict[str, float]:
    """Return the error of each learner by ten folds; what is done is in the store."""
    compared = bestofk.compare(
        learners, data, cv="1x10", scoring="error", keep="labels",
        store=work / f"{data.name}.db", timeout=_RUN_SECONDS, progress=False,
    )  # fmt: skip
    errors = compared.scores[0].values.mean(axis=1)
    return {
        name: float(error)
        for name, error in zip(compared.evaluation.names, errors, strict=True)
        if not np.isnan(error)
    }


def line(which: str, found: dict[str, Any], budget: float, best: float) -> tuple[str, dict]:
    """Return what is said of a command, and the facts that are counted."""
    errors = {row["learner"]: row["value"] for row in found["tried"] if row["state"] == "done"}
    without_turn = [row["learner"] for row in found["left_out"]]
    spent, whole = found["spent_seconds"], found["answer_seconds"]
    share = spent["tests"] / budget
    is_through = not without_turn and all(row["state"] != "cut off" for row in found["tried"])
    error = errors.get(found["best"], float("nan"))
    cpu, clock = found["first"]
    turns = f"no turn: {', '.join(without_turn) or '-'}"
    text = (
        f"  {which}: {whole:.1f} of {budget:g} s; first test after {cpu:.1f} s of the processor, "
        f"{clock:.1f} s; {share:.0%} in tests, evidence {spent['evidence']:.1f} s; {found['best']} "
        f"loses {100 * (error - best):.2f} points; {len(errors)} in full, "
        f"{'all had their turn' if is_through else turns}"
    )
    return text, {
        "error": error, "is_kept": whole <= 1.05 * budget + 1, "is_prompt": cpu <= _MOST_PROMPT,
        "is_used": is_through or share >= _LEAST_SHARE,
    }  # fmt: skip


def main() -> None:
    """Recommend on each file in both ways, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE[@TARGET]")
    parser.add_argument("--work", type=Path, required=True, help="where the reference is kept")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds")
    parser.add_argument("--beside", type=int, default=0, help="busy processes beside it")
    parser.add_argument("--reference", help="learners of the reference, with commas")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, scikit-learn {sklearn.__version__}, bestofk "
          f"{bestofk.__version__}, {os.cpu_count()} cores, {options.beside} busy processes beside, "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    options.work.mkdir(parents=True, exist_ok=True)
    unknown = options.work / "knows_none.csv"
    unknown.write_text(_KNOWS_NONE)
    names = (options.reference or ",".join(learner_catalogue("classification"))).split(",")
    counted = []
    for item in options.files:
        file, _, target = item.partition("@")
        data = load_data(file, target=target or None)
        errors = reference(data, names, options.work)
        with ExitStack() as stack:
            for _ in range(options.beside):
                busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
                stack.callback(busy.kill)
            both = [
                recommended(file, target or None, options.budget, *more)
                for more in ((), ("--history", str(unknown)))
            ]
        (options.work / f"{data.name}-{options.beside}.json").write_text(json.dumps(both))
        for found in both:
            errors |= {row["learner"]: row["value"] for row in found["tried"]
                       if row["state"] == "done"}  # fmt: skip
        best = min(errors, key=lambda name: errors[name])
        print(f"{data.name}: {data.n_samples} rows, load {os.getloadavg()[0]:.1f}, best {best} "
              f"{100 * errors[best]:.2f}% error")  # fmt: skip
        facts = []
        for which, found in zip(("recommended", "in order of the list"), both, strict=True):
            text, fact = line(which, found, options.budget, errors[best])
            facts.append(fact)
            print(text)
        sys.stdout.flush()
        ours, theirs = (np.nan_to_num(fact["error"], nan=np.inf) for fact in facts)  # no pick
        is_good = bool(ours <= theirs)
        counted.append(facts[0] | {"is_good": is_good})
    said = {"is_kept": "budget, 5 % and one second kept", "is_prompt": "first test within 3 s of "
            "the processor", "is_used": "80 % of the budget in tests, or all tested",
            "is_good": "pick at least as good as in the order of the list"}  # fmt: skip
    for fact, words in said.items():
        print(f"{words}: {sum(item[fact] for item in counted)} of {len(counted)}")


if __name__ == "__main__":
    main()
