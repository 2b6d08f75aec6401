"""How the files of a folder are read here and by pandas: rows, columns, values and gaps.

python -m tests.oracle.read_folder FOLDER prints a line for each file that differs, and counts.
"""

import contextlib
import io
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bestofk.data import load_data
from bestofk.errors import BestofkError

ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".csv.gz")
MOST_BYTES = 5_000_000


def differences(path: Path) -> list[str]:
    """Return what differs between this package and pandas, in words; empty where nothing does."""
    try:
        frame = read_by_pandas(path)
    except (ValueError, OSError) as error:
        frame, reason = None, f"{type(error).__name__}: {error}".splitlines()[0]
    try:
        data = load_data(path, task="auto", drop_missing_target=True)
    except BestofkError as error:
        return [f"refused: {str(error)[:160]}" + (f" (pandas too: {reason[:60]})"
                                                  if frame is None else "")]  # fmt: skip
    if frame is None:
        return [f"read here, not by pandas ({reason[:80]})"]
    found = []
    n_gone = sum("without a target" in note for note in data.notes)
    if not n_gone and data.n_samples != len(frame):
        found.append(f"rows {data.n_samples} here, {len(frame)} by pandas")
    if len(data.columns) != frame.shape[1]:
        found.append(f"columns {len(data.columns)} here, {frame.shape[1]} by pandas")
        return found
    for summary, name in zip(data.columns, frame.columns, strict=True):
        found += column_differences(
            data, summary, frame[name], are_rows_alike=not found and not n_gone
        )
    return found


def read_by_pandas(path: Path) -> pd.DataFrame:
    """Return the table of a file as pandas reads it, told no more than the separator by ending."""
    if path.name.endswith(".parquet"):
        return pd.read_parquet(path)
    separator = "\t" if ".tsv" in path.name else None if path.suffix == ".txt" else ","
    engine: Any = "python" if separator is None else "c"
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        options = {} if separator is None else {"low_memory": False}
        return pd.read_csv(path, sep=separator, engine=engine, **options)


def column_differences(
    data: Any, summary: Any, theirs: pd.Series, *, are_rows_alike: bool
) -> list[str]:
    """Return what differs in a column: a role by which it is lost, a gap, a value."""
    is_number = pd.api.types.is_numeric_dtype(theirs.dtype)
    if summary.role == "drop":
        return [f"{summary.name!r} dropped ({summary.reason.split('(')[0].strip()})"] * is_number
    if not are_rows_alike or summary.role in ("groups", "weights"):
        return []
    is_target = summary.role == "target"
    ours = pd.Series(data.target_array) if is_target else data.features[summary.name]
    n_gaps = int(ours.isna().sum()) - int(theirs.isna().sum())
    if n_gaps:
        return [f"{summary.name!r}: {n_gaps:+d} gaps"]
    if is_number and pd.api.types.is_numeric_dtype(ours.dtype) and summary.role != "date":
        same = np.isclose(ours.to_numpy(float), theirs.to_numpy(float), rtol=1e-15, atol=0,
                          equal_nan=True)  # fmt: skip
        return [f"{summary.name!r}: {int((~same).sum())} values"] * bool((~same).any())
    return []


def files_below(folder: Path) -> Iterator[Path]:
    """Return the tables below a folder that are no larger than 5 MB."""
    for path in sorted(folder.rglob("*")):
        is_table = path.name.casefold().endswith(ENDINGS) and path.is_file()
        if is_table and path.stat().st_size <= MOST_BYTES:
            yield path


def main(folder: str) -> None:
    """Print the differences of all files of a folder, and how often each kind occurs."""
    counts: Counter[str] = Counter()
    for path in files_below(Path(folder)):
        counts["files"] += 1
        found = differences(path)
        counts["files that differ"] += bool(found)
        kinds = {"refused" if text.startswith("refused") else "rows" if text.startswith("rows")
                 else "columns" if text.startswith("columns") else text.rpartition(" ")[2]
                 if text.endswith(("gaps", "values")) else "columns dropped" if "dropped" in text
                 else "read here alone" for text in found}  # fmt: skip
        counts.update(kinds)
        for text in found:
            sys.stdout.write(f"{path.relative_to(folder)}: {text}\n")
    for kind, count in counts.items():
        sys.stdout.write(f"{count:6d} {kind}\n")


if __name__ == "__main__":
    main(sys.argv[1])
