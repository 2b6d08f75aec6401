"""Run the paper on public tables: python -m replications.average_ranking_2018 --data FOLDER."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bestofk.recommendation.leave_one_out import RecommenderLosses, leave_one_out
from replications.average_ranking_2018 import figures, tables
from replications.average_ranking_2018.meta_data import TIMED, weka
from replications.running import write_table

HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Follow every method on every data set, and write all tables and figures."""
    options = _options(arguments)
    options.results.mkdir(parents=True, exist_ok=True)
    histories = {name: read(options.data) for name, read in TIMED.items()}
    counted = weka(options.data)  # all is read before anything is run
    start = time.monotonic()
    results = {
        name: leave_one_out(
            history, tables.TIMED_METHODS, observe=_teller(name, history.n_data_sets, start)
        )
        for name, history in histories.items()
    }
    write_timed(results, options.results)
    small = tables.small_tables(histories["Oboe"], options.draws)
    write_table(small, options.results / "small_tables.csv")
    losses = leave_one_out(counted, tables.COUNTED_METHODS)
    write_counted(losses, options.results)
    sys.stderr.write(
        f"Tables and figures are in {options.results}; {time.monotonic() - start:.0f} s.\n"
    )
    return 0


def write_timed(found: dict[str, RecommenderLosses], folder: Path) -> None:
    """Write what rests on tables with times."""
    write_table(tables.table_1(), folder / "table_1.csv")
    write_table(tables.table_2(found), folder / "table_2.csv")
    write_table(tables.hypotheses(found), folder / "hypotheses.csv")
    write_table(tables.windows(found), folder / "windows.csv")
    figures.draw_one_data_set(found["Oboe"], folder / "figure_2.png")
    figures.draw_mean_curves(found, folder / "figure_3.png")
    figures.draw_boxes(found, folder / "figure_4.png")
    figures.draw_active_testing(found, folder / "active_testing.png")


def write_counted(losses: RecommenderLosses, folder: Path) -> None:
    """Write what rests on a table without times."""
    history = losses.history
    write_table(tables.counted_tests(losses), folder / "weka_tests.csv")
    write_table(tables.counted_ranking(history), folder / "weka_ranking.csv")
    write_table(tables.counted_agreement(history), folder / "weka_agreement.csv")
    figures.draw_counted(history, losses, folder / "weka.png")


def _teller(table: str, n_data_sets: int, start: float) -> Callable[[str, int], None]:
    """Return what writes to the standard error which method was followed to the end."""

    def tell(method: str, done: int) -> None:
        if done == n_data_sets:
            sys.stderr.write(f"{table}: {method}, {time.monotonic() - start:.0f} s\n")

    return tell


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"python -m replications.{HERE.name}",
        description="Abdulrahman, Brazdil, van Rijn & Vanschoren (2018) on public tables",
    )
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("BESTOFK_DATA"), help="holds meta/ and aslib/"
    )
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where tables go")
    parser.add_argument("--draws", type=int, default=40, help="random parts of the paper's size")
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("--data is missing: name the folder that holds meta/ and aslib/")
    options.data = Path(options.data)
    return options


if __name__ == "__main__":
    sys.exit(main())
