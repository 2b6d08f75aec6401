"""Run the paper again: python -m replications.variability_2010 --data FOLDER --jobs 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from replications.running import (
    find_file,
    read_options,
    run_data_sets,
    tell_interrupted,
    write_table,
)
from replications.variability_2010 import contradiction, figures, tables
from replications.variability_2010.agreement import agreement
from replications.variability_2010.experiment import Estimates, run_data_set
from replications.variability_2010.protocol import DATA_SETS, LARGEST, TRUE_TEST_SETS
from replications.variability_2010.readings import readings

HERE = Path(__file__).parent
_FILES = DATA_SETS | TRUE_TEST_SETS


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
    if set(DATA_SETS) <= set(options.sets):
        write_table(readings(options.data), options.results / "readings.csv")
    sys.stderr.write(f"Tables and figures are in {options.results}.\n")
    return 0


def run_all(
    names: Sequence[str], data: Path, work: Path, n_runs: int, n_jobs: int
) -> list[Estimates]:
    """Return the estimates of the data sets that were finished, in the order of the paper."""
    for name in names:
        find_file(_FILES[name], data)  # before anything is run
    largest_first = [name for name in (*LARGEST, *_FILES) if name in names]
    order = list(_FILES)
    run = partial(run_data_set, data_folder=data, work_folder=work, n_runs=n_runs)
    done = run_data_sets(list(dict.fromkeys(largest_first)), run, n_jobs, _told)
    return sorted(done, key=lambda item: order.index(item.name))


def _told(estimates: Estimates) -> str:
    return (
        f"{estimates.name}: {estimates.n_runs} iterations of each kind, "
        f"{estimates.cpu_seconds:.0f} s"
    )


def write_results(found: Sequence[Estimates], folder: Path) -> None:
    """Write the tables, how they agree, what it cost, and the figures."""
    compared = [estimates for estimates in found if estimates.name in DATA_SETS]
    tested = [estimates for estimates in found if estimates.name in TRUE_TEST_SETS]
    written: dict[str, pd.DataFrame] = {}
    if tested:
        written |= tables.tables_4_and_5(tested)
        written["errors_of_estimates"] = tables.table_of_errors(
            written["table_4"], written["table_5"]
        )
    if len(compared) > 1:
        told = contradiction.verdicts(compared)
        written |= {
            "table_1": tables.table_1(compared),
            "table_2": contradiction.table_2(compared, told),
            "table_2_verdicts": told,
            "table_3_reproducibility": tables.table_3_reproducibility(compared),
            "table_3_iterations": tables.table_3_iterations(compared),
        }
        written["agreement"] = agreement(written)
    written |= {"estimates": tables.estimates(found), "cost": tables.cost(found)}
    for name, table in written.items():
        write_table(table, folder / f"{name}.csv")
    by_name = {item.name: item for item in compared}
    if by_name.keys() & {panel[0] for panel in figures.FIGURE_1}:
        figures.draw_running_means(by_name, folder / "figure_1.png")
    if by_name.keys() & {panel[0] for panel in figures.FIGURE_2}:
        figures.draw_distributions(by_name, folder / "figure_2.png")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    return read_options(
        arguments,
        home=HERE,
        description="Raeder, Hoens & Chawla (2010) on 20 data sets",
        n_runs=500,
        run_title="iterations of 2, of 5 and of 10 folds",
        names=list(_FILES),
    )


if __name__ == "__main__":
    sys.exit(main())
