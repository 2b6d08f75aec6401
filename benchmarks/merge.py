"""Seconds of a merge of ten stores with a million runs of which one score is kept.

The stores are the shards of one comparison: 100 learners on 1,000 repeats of 10 folds of iris. They
are written without training, from scores drawn at random (20 s). Then they are merged into a new
file, again into that file, which changes nothing, and one of them into a copy of itself.

    OMP_NUM_THREADS=1 python benchmarks/merge.py [--learners 100] [--repeats 1000] [--shards 10]
"""

from __future__ import annotations

import argparse
import platform
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bestofk
from bestofk import Store, load_data, merge_stores
from bestofk.evaluation.identity.identity import LearnerIdentity
from bestofk.evaluation.queue.shards import Shard
from bestofk.evaluation.run_table import RunTable
from bestofk.randomness import derive_rng, derive_seeds
from bestofk.resampling import make_plan


def write_shard(path: Path, shard: Shard, data: Any, plan: Any, n_learners: int) -> None:
    """Write the runs of a shard as `compare` with ``keep="scores"`` does."""
    with Store(path) as store:
        data_number = store.register_data(data)
        plan_number, splits = store.register_plan(plan)
        numbers = []
        for index in range(n_learners):
            text = f"{derive_rng('learner', index).integers(2**62):032x}-{0:016x}"
            identity = LearnerIdentity(
                text, True, f"learner {index}", "benchmark.Learner", "1.0", "{}", (), (), ""
            )
            numbers.append((f"learner {index}", store.register_learner(identity)))
        store.register_comparison(data_number, plan_number, 0, numbers)
        for name, number in numbers:
            streams = derive_seeds(0, data.id, name, shape=(plan.n_repeats, plan.n_folds))
            is_here = np.repeat(shard.runs(data.id, name, plan.n_repeats), plan.n_folds)
            indices = np.flatnonzero(is_here)
            rng = derive_rng(name, shard.number)
            table = RunTable(len(indices))
            seconds = rng.random((2, len(indices)))
            table.put_block(np.arange(len(indices)), None, *seconds, is_batched=True)
            store.add(
                (data_number, number),
                [splits[index] for index in indices.tolist()],
                streams.ravel()[indices].tolist(),
                table,
                keep="scores",
                n_classes=3,
                scores={"error": rng.random(len(indices))},
            )


def measured(action: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall-clock and CPU seconds of an action, and what it returned."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def main() -> None:
    """Print what each merge takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--learners", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--shards", type=int, default=10)
    asked = parser.parse_args()
    print(
        f"bestofk {bestofk.__version__}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, {platform.machine()}"
    )
    data = load_data("iris")
    plan = make_plan(data, f"{asked.repeats}x10", random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{i}.db" for i in range(1, asked.shards + 1)]

        def write() -> None:
            for index, path in enumerate(paths):
                write_shard(path, Shard(index + 1, asked.shards), data, plan, asked.learners)

        merged, copy = Path(folder) / "all.db", Path(folder) / "copy.db"
        steps = {
            "write": write,
            "merge": lambda: merge_stores(paths, merged),
            "merge again": lambda: merge_stores(paths, merged),
            "merge one": lambda: merge_stores(paths[:1], copy),
            "merge the others into it": lambda: merge_stores(paths[1:], copy),
        }
        for name, step in steps.items():
            wall, cpu, counts = measured(step)
            n_runs = f"{counts.n_runs:,} runs" if counts else ""
            print(f"{name:<26}{wall:8.1f} s, of CPU {cpu:6.1f} s  {n_runs}")
        sizes = [sum(path.stat().st_size for path in paths), merged.stat().st_size]
        print(f"sources {sizes[0] / 1e6:.0f} MB, merged {sizes[1] / 1e6:.0f} MB")
        with Store(merged) as store:
            wall, cpu, damaged = measured(store.check)
        print(f"{'check':<26}{wall:8.1f} s, of CPU {cpu:6.1f} s  {len(damaged)} damaged")


if __name__ == "__main__":
    main()
