"""Run the paper again: python -m replications.multitest_2006 --data FOLDER --jobs 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from replications.multitest_2006 import figures, tables
from replications.multitest_2006.experiment import Errors, find_data, run_data_set
from replications.multitest_2006.levels import shares
from replications.multitest_2006.protocol import DATA_SETS, LARGEST
from replications.running import read_options, run_data_sets, tell_interrupted, write_table

HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, write all tables and figures; return 0 if all was done."""
    options = _options(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    options.results.mkdir(parents=True, exist_ok=True)
    result = run_all(options.sets, options.data, options.work, options.runs, options.jobs)
    if len(result) < len(options.sets):
        tell_interrupted(len(result), len(options.sets), options.work)
        return 1
    write_results(result, options.results)
    sys.stderr.write(f"Tables and figures are in {options.results}.\n")
    return 0


def run_all(names: Sequence[str], data: Path, work: Path, n_runs: int, n_jobs: int) -> list[Errors]:
    """Return the errors of the data sets that were finished, in the order of the paper."""
    for name in names:
        find_data(name, data)  # before anything is run
    largest_first = sorted(names, key=lambda name: (name not in LARGEST, _place(name)))
    run = partial(run_data_set, data_folder=data, work_folder=work, n_runs=n_runs)
    done = run_data_sets(largest_first, run, n_jobs, _told)
    return sorted(done, key=lambda item: list(DATA_SETS).index(item.name))


def _place(name: str) -> int:
    return (LARGEST if name in LARGEST else list(DATA_SETS)).index(name)


def _told(errors: Errors) -> str:
    return f"{errors.name}: {errors.values.size} fits, {errors.cpu_seconds:.0f} s"


def write_results(errors: Sequence[Errors], folder: Path) -> None:
    """Write the three tables, shares by level, how they agree, what it cost, and two figures."""
    first, result = tables.table_1(errors), tables.selections(errors)
    second = tables.table_2(result)
    written = {
        "table_1": first,
        "table_2": second,
        "table_3": tables.table_3(result),
        "shares_by_level": shares(errors),
        "agreement": tables.agreement(first, second),
        "cost": tables.cost(errors),
    }
    for name, table in written.items():
        write_table(table, folder / f"{name}.csv")
    for error in errors:
        if error.name in figures.FIGURES:
            figures.draw(error, folder / f"{figures.FIGURES[error.name]}.png")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    return read_options(
        arguments,
        home=HERE,
        description="Yildiz & Alpaydin (2006) on its 30 data sets",
        n_runs=1000,
        run_title="runs of 5x2",
        names=list(DATA_SETS),
    )


if __name__ == "__main__":
    sys.exit(main())
