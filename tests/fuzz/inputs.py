"""Files and call of each numbered input, derived from the number alone."""

import gzip
import io
import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.fuzz import seeds
from tests.fuzz.mutations import HARD_FIELDS, mutate_bytes, mutate_study, mutate_text

_GZIP = b"\x1f\x8b"
_SHARE_LOADED = 0.7  # of data files: read by `load_data` alone, which is quick
_DATA = "seed.csv"  # a valid data set where the mutated file is a history or a store


@dataclass(frozen=True)
class Input:
    """Files in a folder, and a call in it.

    Attributes
    ----------
    number : int
        What it was made from.
    kind : str
        The reader of its mutated file, or "options" where no file is mutated.
    files : dict of str to bytes
        By name.
    arguments : list of str
        Of the command line; ``load`` stands for `load_data`.
    """

    number: int
    kind: str
    files: dict[str, bytes]
    arguments: list[str]


def make_input(number: int) -> Input:
    """Return the input of a number."""
    rng = Random(f"fuzz {number}")  # seeded by text: the same everywhere
    kind = _TURNS[number % len(_TURNS)]
    files, arguments = _MAKERS[kind](rng)
    return Input(number, kind, files, arguments)


# -- calls ---------------------------------------------------------------------------------

_COMMON: dict[str, Sequence[str]] = {
    "--target": ["class", "size", "day", "count", "label", "c", "Class", "no-such", "x1"],
    "--task": ["auto", "classification", "regression", "ranking"],
    "--groups": ["count", "color", "class", "x2", "no-such"],
    "--weights": ["size", "count", "x1", "color", "no-such"],
    "--drop": ["color", "day,count", "class", ",", "no-such"],
    "--role": ["count=nominal", "color=numeric", "day=date", "=", "size", "x1=drop"],
    "--scoring": ["error", "auroc", "log_loss,brier", "f1", "cost", "mse", "r2", "kappa", ","],
    "--pos-label": ["yes", "no", "2", "maybe"],
    "--prefer": ["given", "fit-time", "size", "parameters", "majority,nearest-mean", "majority=1",
                 "majority=1,nearest-mean=nan", "majority=-1,nearest-mean=inf", "x=y"],
    "--seed": ["0", "1", "-1", str(2**63 - 1), str(2**63), "-" + "9" * 30, "1.5", "x"],
    "--learners": ["majority", "mean,ridge", "majority,nearest-mean,majority", ",", "logistik",
                   "x.py:y", "majority,cart"],
}  # fmt: skip
_COMPARE = _COMMON | {
    "--cv": ["2x2", "2", "test:0.3", "test:5", "loo", "3xholdout", "2xholdout:.9", "5xbootstrap",
             "0", "-1", "1x1", "2x99", "99999999x2", "1000000xbootstrap", "auto2", "test:1e9"],
    "--max-repeats": ["1", "2", "0", "-3", "9" * 12, "x"],
    "--stopping": ["rank-correlation", "same-verdict", "precision", "no-crossing", "fixed-2",
                   "no-such", ","],
    "--budget": ["0.05s", "1h", "1e300h", "-1", "nan", "inf", "1e12", "x"],
    "--timeout": ["0", "-1", "nan", "inf", "x"],
    "--cost-matrix": ["0,1;5,0", "0,1,2;1,0,1;1,1,0", "0,1;5", "nan,0;0,1", "1e308,1;1,-1e308"],
    "--control": ["majority", "no-such"],
    "--test": ["corrected-t", "5x2cv-t", "paired-t", "5x2cv-f", "mcnemar", "no-such"],
    "--correction": ["holm", "bonferroni", "none"],
    "--alpha": ["0.05", "0.999999", "1e-300", "0", "1", "nan", "x"],
    "--rope": ["0", "0.01", "1e308", "-1", "nan", "x"],
    "--protocol": ["multitest-2006", "no-such"],
    "--keep": ["probabilities", "labels", "scores", "all"],
    "--store": ["runs.db", "no/such/runs.db", "seed.csv", "."],
    "--report": ["page.html", "no/such.html", "seed.csv", "."],
    "--n-jobs": ["1", "0", "-" + "9" * 20, "x"],
    "--batched": ["auto", "always", "never", "both"],
    "--format": ["text", "markdown", "latex", "csv", "methods", "pdf"],
}  # fmt: skip
_JUDGE: dict[str, Sequence[str]] = {
    "--measure": ["error", "accuracy", "auroc", "value", "no-such"],
    "--direction": ["lower", "higher", "up"],
    "--cv": ["5x2", "10", "2x5", "1x10", "0x2", "x"],
    "--n-train": ["20", "0", "-1", "nan", "inf", "1e308"],
    "--n-test": ["10", "0", "-1", "nan", "inf", "1e308"],
    "--dataset": ["set 1", "no-such"],
    "--test": ["corrected-t", "5x2cv-t", "paired-t", "no-such"],
    "--correction": ["holm", "bonferroni", "none"],
    "--alpha": ["0.05", "1e-300", "0", "1", "nan"],
    "--rope": ["0", "0.01", "1e308", "nan"],
    "--prefer": ["given", "majority,nearest-mean,cart", "majority", "cart=1"],
    "--learners": ["majority,cart", "majority", "cart,cart", "majority,nearest-mean,cart", ","],
    "--alternative": ["two-sided", "greater", "less", "both"],
    "--option": ["method=normal", "method=exact", "alpha=nan", "n_samples=-1", "x", "=1",
                 "ddof=" + "9" * 5000],
    "--control": ["majority", "no-such"],
    "--format": ["text", "markdown", "latex", "methods", "bibtex", "pdf"],
}  # fmt: skip
_RECOMMEND = _COMMON | {"--budget": ["1s", "1e300h", "0", "nan", "x"], "--store": ["runs.db", "."]}


def _options(rng: Random, known: dict[str, Sequence[str]], most: int) -> list[str]:
    """Return some options with values that are usual, or hard to read."""
    chosen: list[str] = []
    for name in rng.sample(sorted(known), rng.randrange(most + 1)):
        value = rng.choice(HARD_FIELDS if rng.random() < 0.25 else known[name])
        chosen.append(f"{name}={value}")
    return chosen


def _joined(arguments: list[str], options: list[str], rng: Random) -> list[str]:
    """Return a call with options, each at most once; at times as JSON."""
    named = {option.split("=")[0] for option in options}
    kept = [argument for argument in arguments if argument.split("=")[0] not in named]
    return [*kept, *options, *(["--json"] if rng.random() < 0.5 else [])]


_QUICK = ["--learners=majority,nearest-mean", "--cv=2x2", "--n-jobs=1"]
_QUICK_OF_NUMBERS = ["--learners=mean,ridge", *_QUICK[1:]]


def _reading(name: str, rng: Random, quick: list[str] = _QUICK) -> list[str]:
    """Return a call that reads a data file."""
    n_options = rng.choice([0, 0, 0, 1, 2])
    if rng.random() < _SHARE_LOADED:
        known = dict(list(_COMMON.items())[:6])
        return ["load", name, *_options(rng, known, n_options)]
    return _joined(["compare", name, *quick], _options(rng, _COMPARE, n_options), rng)


def _judging(name: str, rng: Random) -> list[str]:
    """Return a call that reads a table of scores."""
    from bestofk.inference.catalogue import PROCEDURES

    arguments = ["compare-scores", name, "--measure=error", "--cv=5x2"]
    if rng.random() < 0.3:
        arguments += [f"--procedure={rng.choice(sorted(PROCEDURES))}"]
        arguments += rng.choice([[], ["--learners=majority,cart"]])
    return _joined(arguments, _options(rng, _JUDGE, rng.choice([0, 0, 1, 2])), rng)


def _recommending(names: Sequence[str], rng: Random) -> list[str]:
    """Return a call that reads a history."""
    arguments = ["recommend", _DATA, "--learners=majority,nearest-mean,cart", "--dry-run"]
    arguments += [f"--history={name}" for name in names]
    return _joined(arguments, _options(rng, _RECOMMEND, rng.choice([0, 0, 0, 1])), rng)


# -- files ---------------------------------------------------------------------------------


def _mutated(files: seeds.Files, rng: Random) -> dict[str, bytes]:
    """Return files of which one is mutated; what is packed is at times packed again."""
    changed = dict(files)
    name = rng.choice(sorted(changed))
    content = changed[name]
    head, mark, rows = re.split(rb"(?i)(@data\n)", content) if b"@" in content else (b"", b"", b"")
    if mark and rng.random() < 0.8:  # a mutated head of ARFF is refused at once
        changed[name] = head + mark + mutate_text(rows, rng, most=1)
    elif content.startswith(_GZIP) and rng.random() < 0.8:
        changed[name] = gzip.compress(mutate_text(gzip.decompress(content), rng), mtime=0)
    else:
        changed[name] = mutate_text(content, rng)
    return changed


def _csv(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    known = seeds.csv_files()
    at = rng.randrange(len(known))
    files = _mutated(known[at], rng)
    quick = _QUICK_OF_NUMBERS if at == len(known) - 1 else _QUICK
    name = next(iter(files))
    call = _reading(name, rng, quick)
    if call[0] == "compare" and rng.random() < 0.25:  # a verdict over several data sets
        files, call = files | {_DATA: known[0]["data.csv"]}, [call[0], _DATA, *call[1:]]
    return files, call


def _arff(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    files = _mutated(rng.choice(seeds.arff_files()), rng)
    return files, _reading("data.arff", rng)


def _parquet(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    content = seeds.parquet_file()
    content = mutate_bytes(content, rng) if rng.random() < 0.3 else _odd_parquet(rng)
    return {"data.parquet": content}, _reading("data.parquet", rng)


def _long_scores(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    files = _mutated(rng.choice(seeds.long_scores()), rng)
    return files, _judging("scores.csv", rng)


def _wide_scores(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    files = _mutated(rng.choice(seeds.wide_scores()), rng)
    return files, _judging("scores.csv", rng)


def _aslib(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    files = _mutated(rng.choice(seeds.aslib_scenarios()), rng)
    return files | {_DATA: seeds.csv_files()[0]["data.csv"]}, _recommending(["."], rng)


def _history(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    files = _mutated(rng.choice(seeds.histories()), rng)
    call = _recommending(list(files), rng)
    return files | {_DATA: seeds.csv_files()[0]["data.csv"]}, call


def _store(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    content = seeds.stores()[0]["runs.db"]
    content = mutate_bytes(content, rng) if rng.random() < 0.5 else _odd_store(content, rng)
    calls = [
        ["store", "status", "runs.db"],
        ["store", "status", "runs.db", "--json"],
        ["store", "check", "runs.db"],
        ["store", "export", "runs.db"],
        ["store", "export", "runs.db", "--shape=wide", "--measure=error"],
        ["recommend", _DATA, "--learners=majority,cart", "--dry-run", "--history=runs.db"],
        ["compare", _DATA, *_QUICK, "--store=runs.db"],
    ]
    files = {"runs.db": content, _DATA: seeds.csv_files()[0]["data.csv"]}
    return files, rng.choice(calls)


def _study(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    """Return a mutated study file, and a call that reads it."""
    content = rng.choice(seeds.study_files())["study.toml"]
    content = mutate_study(content, rng) if rng.random() < 0.7 else mutate_text(content, rng)
    calls = [["status"], ["status"], ["status", "--json"], ["status", "--verbose"], ["run"]]
    name, *options = rng.choice(calls)
    files = {"study.toml": content, _DATA: seeds.csv_files()[0]["data.csv"]}
    return files, ["study", name, "study.toml", *options]


def _special(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    """Return a call with something that is no ordinary file, or unpacks to very much."""
    files = {_DATA: seeds.csv_files()[0]["data.csv"]}
    if rng.random() < 0.1:
        name, content = rng.choice(sorted(seeds.bombs().items()))
        files[name] = content
    else:
        name = rng.choice(["a.pipe", "/dev/zero", "/dev/full", "/dev/null", "/proc/self/mem", "."])
    if name.endswith(".pipe"):
        files[name] = b""  # made as a pipe
    calls = [
        ["compare", name], ["load", name], ["compare", _DATA, *_QUICK, f"--store={name}"],
        ["compare", _DATA, *_QUICK, f"--report={name}", "--force"], ["compare-scores", name],
        ["recommend", _DATA, "--dry-run", "--learners=majority,cart", f"--history={name}"],
        ["study", "status", name], ["store", "status", name], ["store", "check", name, _DATA],
        ["store", "export", name], ["store", "merge", name, _DATA, "-o", "new.db"],
    ]  # fmt: skip
    return files, rng.choice(calls[:2] + calls[4:6] if name in seeds.bombs() else calls)


def _valid(rng: Random) -> tuple[dict[str, bytes], list[str]]:
    """Return valid files and a call of many options."""
    data = {_DATA: seeds.csv_files()[0]["data.csv"]}
    if rng.random() < 0.5:
        options = _options(rng, _COMPARE, 4)
        return data, _joined(["compare", _DATA, *_QUICK], options, rng)
    if rng.random() < 0.6:
        options = _options(rng, _JUDGE, 4)
        scores = dict(rng.choice(seeds.long_scores() + seeds.wide_scores()))
        return scores, _joined(["compare-scores", "scores.csv", "--measure=error"], options, rng)
    files, options = rng.choice(seeds.histories()), _options(rng, _RECOMMEND, 3)
    call = ["recommend", _DATA, "--learners=majority,cart", "--dry-run"]
    return {**files, **data}, _joined([*call, *(f"--history={n}" for n in files)], options, rng)


_MAKERS: dict[str, Callable[[Random], tuple[dict[str, bytes], list[str]]]] = {
    "csv": _csv,
    "arff": _arff,
    "parquet": _parquet,
    "long scores": _long_scores,
    "wide scores": _wide_scores,
    "aslib": _aslib,
    "history": _history,
    "store": _store,
    "study": _study,
    "special": _special,
    "options": _valid,
}
_SHARES = {"csv": 6, "arff": 5, "parquet": 4, "long scores": 3, "wide scores": 2, "aslib": 3,
           "history": 3, "store": 2, "study": 3, "special": 1, "options": 3}  # fmt: skip
_TURNS = [kind for kind, share in _SHARES.items() for _ in range(share)]
KINDS = tuple(_MAKERS)


# -- files that are no text ----------------------------------------------------------------


def _odd_columns(n: int) -> dict[str, Callable[[], Any]]:
    """Return columns of n rows that Parquet can hold and tables of numbers cannot."""
    import datetime
    import decimal

    import pyarrow as pa

    def cycle(*values: Any) -> list[Any]:
        return [values[i % len(values)] for i in range(n)]

    day, moment = datetime.date, datetime.datetime
    return {
        "uint64": lambda: pa.array(cycle(0, 2**64 - 1, 2**63), pa.uint64()),
        "int64": lambda: pa.array(cycle(-(2**63), 2**63 - 1, None), pa.int64()),
        "float": lambda: pa.array(cycle(1.7e308, -1.7e308, 5e-324)),
        "infinite": lambda: pa.array(cycle(1.0, float("inf"), 2.0)),
        "nan": lambda: pa.array(cycle(1.0, float("nan"), None)),
        "half": lambda: pa.array(cycle(0.5, 1.5), pa.float32()).cast(pa.float16()),
        "empty": lambda: pa.nulls(n),
        "no numbers": lambda: pa.nulls(n, pa.float64()),
        "decimal": lambda: pa.array(cycle(decimal.Decimal("1.5"), None), pa.decimal128(38, 10)),
        "large decimal": lambda: pa.array(
            cycle(decimal.Decimal(10) ** 60, decimal.Decimal(-1)), pa.decimal256(76, 5)
        ),
        "date": lambda: pa.array(cycle(day(1, 1, 1), day(9999, 12, 31), day(2020, 2, 29))),
        "moment": lambda: pa.array(
            cycle(moment(1, 1, 1), moment(9999, 12, 31), None), pa.timestamp("us")
        ),
        "moment of a zone": lambda: pa.array(
            cycle(moment(2020, 1, 1), moment(2262, 5, 1)), pa.timestamp("s", tz="Asia/Tokyo")
        ),
        "duration": lambda: pa.array(cycle(0, 2**62, None), pa.duration("ns")),
        "time": lambda: pa.array(cycle(0, 86_399), pa.time32("s")),
        "list": lambda: pa.array(cycle([1, 2], [], None)),
        "record": lambda: pa.array(cycle({"a": 1}, {"a": None})),
        "map": lambda: pa.array(cycle([("a", 1)], []), pa.map_(pa.string(), pa.int64())),
        "bytes": lambda: pa.array(cycle(b"\xff\x00", b"", None)),
        "text": lambda: pa.array(cycle(*HARD_FIELDS[:60])),
        "long text": lambda: pa.array(cycle("x" * 5000, "y"), pa.large_string()),
        "one text": lambda: pa.array(cycle("same")),
        "category": lambda: pa.array(cycle("a", "b", None)).dictionary_encode(),
        "category of numbers": lambda: pa.array(cycle(1.5, 2.5)).dictionary_encode(),
        "truth": lambda: pa.array(cycle(True, False, None)),
        "label": lambda: pa.array(cycle("p", "q", "q")),
        "number": lambda: pa.array([0.37 * i % 1 for i in range(n)]),
    }


def _odd_parquet(rng: Random) -> bytes:
    """Return a table of some odd columns, or of valid ones and some odd ones, as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = rng.choice([24, 24, 24, 3, 1, 0])
    columns = _odd_columns(n)
    chosen = [rng.choice(sorted(columns)) for _ in range(rng.choice([1, 2, 4]))]
    if rng.random() < 0.7:
        chosen = ["number", *chosen, "label"]
    names = [rng.choice([name, name, "class", "", name.upper(), HARD_FIELDS[i]])
             for i, name in enumerate(chosen)]  # fmt: skip
    table = pa.Table.from_arrays([columns[name]() for name in chosen], names=names)
    file = io.BytesIO()
    pq.write_table(table, file, compression=rng.choice(["snappy", "gzip", "none"]))
    return file.getvalue()


def _odd_store(content: bytes, rng: Random) -> bytes:
    """Return a store with odd values in its tables, or without one of them."""
    odd = [None, -1, 0, 2**63 - 1, 1e308, "x", "{", "[]", "null", '{"a": NaN}', b"", b"\xff" * 9]
    with TemporaryDirectory() as folder:
        path = Path(folder, "runs.db")
        path.write_bytes(content)
        connection = sqlite3.connect(path, isolation_level=None)
        names = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        tables = [name for (name,) in connection.execute(names)]
        for _ in range(rng.choice([1, 1, 3])):
            table = rng.choice(tables)
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            change = rng.random()
            try:
                if change < 0.2:
                    connection.executescript(rng.choice(seeds.FOREIGN_PARTS))
                elif change < 0.25:
                    connection.execute(f"DROP TABLE {table}")
                    tables.remove(table)
                elif change < 0.3:
                    connection.execute(f"PRAGMA user_version = {rng.choice([0, 1, 99, -1])}")
                elif change < 0.4:
                    connection.execute(f"DELETE FROM {table} WHERE rowid % 2")
                else:
                    where = rng.choice(["1", "rowid % 2", "rowid = 1"])
                    column, value = rng.choice(columns), rng.choice(odd)
                    connection.execute(
                        f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {where}", (value,)
                    )
            except sqlite3.Error:
                continue  # a rule of the table forbids it
        connection.close()
        return path.read_bytes()
