"""Run the paper again: python -m replications.multitest_2006 --data FOLDER --jobs 2."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path

import pandas as pd

from replications.multitest_2006 import figures, tables
from replications.multitest_2006.experiment import Errors, find_data, run_data_set
from replications.multitest_2006.nominal_codings import NOMINAL, nominal_codings
from replications.multitest_2006.protocol import DATA_SETS, LARGEST

HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, write all tables and figures; return 0 if all was done."""
    options = _options(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    options.results.mkdir(parents=True, exist_ok=True)
    found = run_all(options.sets, options.data, options.work, options.runs, options.jobs)
    if len(found) < len(options.sets):
        sys.stderr.write(
            f"Interrupted: {len(found)} of {len(options.sets)} data sets are done. The runs are "
            f"kept in {options.work}; the same command goes on from there.\n"
        )
        return 1
    write_results(found, options.results)
    if set(NOMINAL) <= set(options.sets):
        _write(nominal_codings(options.data), options.results / "nominal_codings.csv")
    sys.stderr.write(f"Tables and figures are in {options.results}.\n")
    return 0


def run_all(names: Sequence[str], data: Path, work: Path, n_runs: int, n_jobs: int) -> list[Errors]:
    """Return the errors of the data sets that were finished, in the order of the paper."""
    for name in names:
        find_data(name, data)  # before anything is run
    largest_first = sorted(names, key=lambda name: (name not in LARGEST, _place(name)))
    if n_jobs == 1:
        done = []
        for name in largest_first:
            one = run_data_set(name, data, work, n_runs)
            if one is None:
                break
            done.append(_told(one))
    else:
        done = _in_processes(largest_first, data, work, n_runs, n_jobs)
    return sorted(done, key=lambda one: list(DATA_SETS).index(one.name))


def _place(name: str) -> int:
    return (LARGEST if name in LARGEST else list(DATA_SETS)).index(name)


def _in_processes(
    names: Sequence[str], data: Path, work: Path, n_runs: int, n_jobs: int
) -> list[Errors]:
    done: list[Errors] = []
    left = list(names)[::-1]
    waiting: set[Future[Errors | None]] = set()
    with ProcessPoolExecutor(n_jobs) as pool:
        try:
            while left or waiting:
                # No more than run at once: what waits in the pool could not be called off.
                while left and len(waiting) < n_jobs:
                    waiting.add(pool.submit(run_data_set, left.pop(), data, work, n_runs))
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                results = [future.result() for future in finished]
                done += [_told(one) for one in results if one is not None]
                if None in results:
                    break
        except KeyboardInterrupt:
            # Ctrl-C reaches the processes as well: each keeps what it has done, and ends.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    return done


def _told(one: Errors) -> Errors:
    sys.stderr.write(f"{one.name}: {one.values.size} fits, {one.cpu_seconds:.0f} s\n")
    return one


def write_results(errors: Sequence[Errors], folder: Path) -> None:
    """Write the three tables, how they agree, what it cost, and the two figures."""
    first, found = tables.table_1(errors), tables.selections(errors)
    second = tables.table_2(found)
    written = {
        "table_1": first,
        "table_2": second,
        "table_3": tables.table_3(found),
        "agreement": tables.agreement(first, second),
        "cost": tables.cost(errors),
    }
    for name, table in written.items():
        _write(table, folder / f"{name}.csv")
    for one in errors:
        if one.name in figures.FIGURES:
            figures.draw(one, folder / f"{figures.FIGURES[one.name]}.png")


def _write(table: pd.DataFrame, file: Path) -> None:
    table.to_csv(file, index=False, lineterminator="\n")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m replications.multitest_2006",
        description="Yildiz & Alpaydin (2006) on its 30 data sets; may be interrupted and resumed.",
    )
    parser.add_argument("--runs", type=int, default=1000, help="runs of 5x2 on each data set")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("BESTOFK_DATA"), help="holds uci/*.arff"
    )
    parser.add_argument(
        "--work", type=Path, default=Path("multitest_2006_runs"), help="where runs are kept"
    )
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where tables go")
    parser.add_argument(
        "--sets", nargs="+", choices=list(DATA_SETS), default=list(DATA_SETS), metavar="SET",
        help="some of the data sets, by their names in the paper",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error(
            "--data is missing: name the folder that holds uci/*.arff, or set BESTOFK_DATA"
        )
    return options


if __name__ == "__main__":
    sys.exit(main())
