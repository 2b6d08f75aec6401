"""Shared parts of replications: finding data, running data sets in processes, interruption."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

import pandas as pd

Found = TypeVar("Found")


def find_file(stem: str, folder: Path) -> Path:
    """Return the file of a data set.

    Raises
    ------
    FileNotFoundError
        If it is not there.
    """
    for path in (folder / "uci" / f"{stem}.arff", folder / "uci" / f"{stem}.arff.gz"):
        if path.exists():
            return path
    raise FileNotFoundError(
        f"data must hold uci/{stem}.arff or uci/{stem}.arff.gz; got {folder}. Give the folder by "
        "--data or BESTOFK_DATA."
    )


def run_data_sets(
    names: Sequence[str],
    run: Callable[[str], Found | None],
    n_jobs: int,
    told: Callable[[Found], str],
) -> list[Found]:
    """Run data sets one after the other, or some at once, until all are done or one is ended.

    Parameters
    ----------
    names : sequence of str
        In the order in which they are begun.
    run : callable
        Runs one; None if it was interrupted. Another process must be able to unpickle it.
    n_jobs : int
        Processes; with 1 this one does it.
    told : callable
        What to write to the standard error of one that is done.

    Returns
    -------
    list
        What came out of those that are done, in no order.
    """
    done: list[Found] = []
    left = list(names)[::-1]
    if n_jobs == 1:
        while left:
            result = run(left.pop())
            if result is None:
                break
            done.append(result)
            sys.stderr.write(told(result) + "\n")
        return done
    waiting: set[Future[Found | None]] = set()
    with ProcessPoolExecutor(n_jobs) as pool:
        try:
            while left or waiting:
                # No more than run at once: what waits in the pool could not be called off.
                while left and len(waiting) < n_jobs:
                    waiting.add(pool.submit(run, left.pop()))
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                results = [future.result() for future in finished]
                for result in results:
                    if result is not None:
                        done.append(result)
                        sys.stderr.write(told(result) + "\n")
                if any(item is None for item in results):
                    break
        except KeyboardInterrupt:
            # Ctrl-C reaches the processes as well: each keeps what it has done, and ends.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    return done


def tell_interrupted(n_done: int, n_asked: int, work: Path) -> None:
    """Write to the standard error how to go on."""
    sys.stderr.write(
        f"Interrupted: {n_done} of {n_asked} data sets are done. The runs are kept in {work}; "
        "the same command goes on from there.\n"
    )


def write_table(table: pd.DataFrame, file: Path) -> None:
    """Write a table as CSV."""
    table.to_csv(file, index=False, lineterminator="\n")


def read_options(
    arguments: Sequence[str] | None,
    *,
    home: Path,
    description: str,
    n_runs: int,
    run_title: str,
    names: Sequence[str],
) -> argparse.Namespace:
    """Return runs, jobs, data, work, results and sets as asked for on the command line.

    Parameters
    ----------
    arguments : sequence of str or None
        None for those of the process.
    home : Path
        Folder of the replication; its name is that of the command.
    description : str
        Shown by ``--help``.
    n_runs : int
        Default of ``--runs``.
    run_title : str
        What a run is.
    names : sequence of str
        Data sets by their names in the paper.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m replications.{home.name}",
        description=f"{description}; may be interrupted and resumed.",
    )
    parser.add_argument("--runs", type=int, default=n_runs, help=f"{run_title} on each data set")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("BESTOFK_DATA"), help="holds uci/*.arff"
    )
    parser.add_argument(
        "--work", type=Path, default=Path(f"{home.name}_runs"), help="where runs are kept"
    )
    parser.add_argument("--results", type=Path, default=home / "results", help="where tables go")
    parser.add_argument(
        "--sets", nargs="+", choices=list(names), default=list(names), metavar="SET",
        help="some of the data sets, by their names in the paper",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error(
            "--data is missing: name the folder that holds uci/*.arff, or set BESTOFK_DATA"
        )
    options.data = Path(options.data)
    return options
