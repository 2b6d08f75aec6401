"""Valid files of every reader, small and made without chance; mutations start from them."""

import gzip
import io
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

Files = Mapping[str, bytes]

_N_ROWS = 24
_LEARNERS = ("majority", "nearest-mean", "cart")


def _number(i: int, step: float) -> float:
    """Return a number from 0 to 1 that looks like chance."""
    return (i * step) % 1


def _cells() -> list[list[str]]:
    return [
        [
            f"{5 * _number(i, 0.37):.2f}",
            ["red", "green", "blue"][i * 7 % 3],
            str(i * 11 % 8),
            f"{2001 + i % 9}-{1 + i % 12:02}-{1 + i * 5 % 28:02}",
            ["yes", "no"][(i * 5 % 8) > 3],
        ]
        for i in range(_N_ROWS)
    ]


def _joined(rows: list[list[str]], separator: str = ",", end: str = "\n") -> bytes:
    return (end.join(separator.join(row) for row in rows) + end).encode()


@cache
def csv_files() -> list[Files]:
    """Return tables as CSV, in several dialects; the target of the last is a number."""
    header = ["size", "color", "count", "day", "class"]
    plain = [header, *_cells()]
    german = [header] + [[row[0].replace(".", ","), *row[1:]] for row in _cells()]
    money = [["price", "share", "label", "y"]] + [
        [f'"${1000 + 37 * i:,}"', f"{i}%", f'"a ""b"" {i % 3}"', f"{3 * _number(i, 0.61):.3f}"]
        for i in range(_N_ROWS)
    ]
    return [
        {"data.csv": _joined(plain)},
        {"data.csv": _joined(german, ";", "\r\n")},
        {"data.tsv": _joined(plain, "\t")},
        {"data.data": _joined(_cells())},
        {"data.csv.gz": gzip.compress(_joined(plain), mtime=0)},
        {"data.csv": _joined(plain).decode().encode("utf-16")},
        {"data.csv": _joined(money)},
    ]


@cache
def arff_files() -> list[Files]:
    """Return tables as ARFF: with a remark and dates, with quotes, and with numbers alone."""
    head = (
        "% a remark\n@relation 'some data'\n@attribute size numeric\n"
        "@attribute color {red,green,blue}\n@attribute 'the count' integer\n"
        "@attribute day date 'yyyy-MM-dd'\n@attribute class {yes,no}\n@data\n"
    )
    numbers = "@relation n\n@attribute a numeric\n@attribute b real\n@attribute c {0,1}\n@data\n"
    lines = [f"{i % 5},{_number(i, 0.37):.2f},{i * 7 % 2}\n" for i in range(_N_ROWS)]
    quoted = (
        "@RELATION q\n@ATTRIBUTE name STRING\n@ATTRIBUTE x REAL\n"
        "@ATTRIBUTE label {'it\\'s', \"two words\"}\n@DATA\n"
    )
    texts = [
        f"'n\\t{i} % {i % 7}', {_number(i, 0.61):.4g}, {quoted_label(i)}" for i in range(_N_ROWS)
    ]
    return [
        {"data.arff": head.encode() + _joined(_cells())},
        {"data.arff": (numbers + "".join(lines)).encode()},
        {"data.arff": (quoted + "\n".join(texts) + "\n").encode()},
    ]


def quoted_label(i: int) -> str:
    """Return one of two labels that need quotes."""
    return ["'it\\'s'", '"two words"'][i % 2]


@cache
def long_scores() -> list[Files]:
    """Return long tables of scores, of one data set and of several."""
    folds = [
        [learner, f"{i // 2}", f"{i % 2}", f"{0.1 + _number(3 * i + j, 0.37) / 5:.4f}", "20", "10"]
        for i in range(10)
        for j, learner in enumerate(_LEARNERS)
    ]
    item = [["learner", "repeat", "fold", "value", "n_train", "n_test"], *folds]
    many = [["dataset", "learner", "measure", "value"]] + [
        [f"set {d}", learner, "error", f"{_number(d * 5 + j, 0.29):.3f}"]
        for d in range(6)
        for j, learner in enumerate(_LEARNERS)
    ]
    return [{"scores.csv": _joined(item)}, {"scores.csv": _joined(many)}]


@cache
def wide_scores() -> list[Files]:
    """Return wide tables of scores: one column per learner."""
    rows = [[f"{0.3 * _number(3 * i + j, 0.37):.4f}" for j in range(3)] for i in range(10)]
    placed = [[str(i // 2), str(i % 2), *row] for i, row in enumerate(rows)]
    return [
        {"scores.csv": _joined([list(_LEARNERS), *rows])},
        {"scores.csv": _joined([["repeat", "fold", *_LEARNERS], *placed], ";")},
    ]


@cache
def aslib_scenarios() -> list[Files]:
    """Return scenarios of ASlib: one of quality, one of run time."""
    head = "@RELATION runs\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
    head += "@ATTRIBUTE algorithm STRING\n@ATTRIBUTE {} NUMERIC\n"
    head += "@ATTRIBUTE runstatus {{ok,timeout,crash}}\n@DATA\n"
    quality = "performance_measures: acc\nmaximize: true\nperformance_type: solution_quality\n"
    quality += "algorithm_cutoff_time: '?'\nmetainfo_algorithms: {majority: {}, nearest-mean: {}}\n"
    time = "scenario_id: t\nperformance_measures:\n- time\nmaximize:\n- false\n"
    time += "performance_type:\n- runtime\nalgorithm_cutoff_time: 100\n"
    time += "algorithms_deterministic: majority, nearest-mean\n"
    names = _LEARNERS[:2]
    rows = [(d, name) for d in range(6) for name in names]
    accuracies = [f"i{d},1,{name},{_number(2 * d + len(name), 0.37):.3f},ok" for d, name in rows]
    seconds = [
        f"i{d},1,{name},{10 * d + len(name)},{'timeout' if d == 3 else 'ok'}" for d, name in rows
    ]
    features = "@RELATION f\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
    features += "@ATTRIBUTE x NUMERIC\n@DATA\n" + "".join(f"i{d},1,{d}.5\n" for d in range(6))
    return [
        {
            "description.txt": quality.encode(),
            "algorithm_runs.arff": (head.format("acc") + "\n".join(accuracies)).encode(),
        },
        {
            "description.txt": time.encode(),
            "algorithm_runs.arff": (head.format("time") + "\n".join(seconds)).encode(),
            "feature_values.arff": features.encode(),
        },
    ]


@cache
def histories() -> list[Files]:
    """Return tables of earlier results: long, by folds, and a pair of wide ones."""
    cells = [(d, j, name) for d in range(6) for j, name in enumerate(_LEARNERS)]
    long = [["data_set", "learner", "accuracy", "seconds"]] + [
        [f"set {d}", name, f"{0.5 + 0.5 * _number(d * 3 + j, 0.37):.3f}", f"{d + 0.3 * j:.2f}"]
        for d, j, name in cells
    ]
    folds = [["dataset", "fold", "algorithm", "error", "train_time", "predict_time", "status"]] + [
        [f"set {d}", str(fold), name, f"{_number(d + j + fold, 0.29):.3f}", f"{d}", "0.25", "ok"]
        for d, j, name in cells
        for fold in range(2)
    ]
    errors = [["data", *_LEARNERS]] + [
        [f"set {d}", *(f"{_number(d + j, 0.31):.3f}" for j in range(3))] for d in range(6)
    ]
    seconds = [["data", *_LEARNERS]] + [
        [f"set {d}", *(f"{d + j}.5" for j in range(3))] for d in range(6)
    ]
    return [
        {"history.csv": _joined(long)},
        {"history.csv": _joined(folds)},
        {"errors.csv": _joined(errors), "seconds.csv": _joined(seconds)},
    ]


@cache
def stores() -> list[Files]:
    """Return the store of a small comparison."""
    from bestofk import compare, load_data

    with TemporaryDirectory() as folder:
        table, store = Path(folder, "data.csv"), Path(folder, "runs.db")
        table.write_bytes(csv_files()[0]["data.csv"])
        compare(list(_LEARNERS[:2]), load_data(table), cv="2x2", store=store, progress=False)
        return [{"runs.db": store.read_bytes()}]


@cache
def parquet_file() -> bytes:
    """Return a table of plain columns as Parquet."""
    import pandas as pd

    rows = _cells()
    frame = pd.DataFrame(
        {
            "size": [float(row[0]) for row in rows],
            "color": pd.Categorical([row[1] for row in rows]),
            "count": [int(row[2]) for row in rows],
            "day": pd.to_datetime([row[3] for row in rows]),
            "class": [row[4] for row in rows],
        }
    )
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()


@cache
def study_files() -> list[Files]:
    """Return studies on a table and on data by name."""
    plain = 'data = ["seed.csv"]\nlearners = ["majority", "nearest-mean"]\ncv = "2x2"\nseed = 1\n'
    plain = plain.replace("seed = 1", "random_state = 1")
    rest = 'store = "runs.db"\nscoring = "error"\nalpha = 0.05\ntimeout = "9s"\nkeep = "labels"\n'
    item = 'data = [{file = "seed.csv", target = "class", drop = ["day"]}]\n'
    return [{"study.toml": plain.encode()}, {"study.toml": (plain + rest).encode()},
            {"study.toml": (item + plain.partition("\n")[2] + rest).encode()}]  # fmt: skip


@cache
def bombs() -> Files:
    """Return small files that unpack to more than half a gigabyte."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    zeros, lines = gzip.compress(b"0" * 10**7), gzip.compress(b"1,2,1\n" * 1_700_000)
    n = 1_000_000
    text = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array(["a" * 10**4]))
    numbers = pa.table({name: pa.nulls(n, pa.int64()) for name in "xy"})
    tables = {"text": [pa.table({"x": text, "y": pa.array([0, 1] * (n // 2))})],
              "numbers": [numbers] * 40}  # fmt: skip
    files = {"zeros.csv.gz": zeros * 60, "lines.csv.gz": gzip.compress(b"a,b,y\n") + lines * 60}
    for name, (first, *others) in tables.items():
        file, schema = io.BytesIO(), pa.schema([(n, first.schema.field(n).type) for n in "xy"])
        with pq.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer:
            for table in (first, *others):
                writer.write_table(table)
        files[f"{name}.parquet"] = file.getvalue()
    return files


# What a store must not hold; some runs whenever the store is read or written.
_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c"
FOREIGN_PARTS = (
    "CREATE TRIGGER foreign_part AFTER INSERT ON run BEGIN UPDATE run SET status = 'error'; END",
    f"CREATE TRIGGER foreign_part BEFORE INSERT ON comparison BEGIN {_ENDLESS}; END",
    f"CREATE VIEW foreign_part AS {_ENDLESS}",
    "ALTER TABLE comparison RENAME TO moved; CREATE VIEW comparison AS SELECT * FROM moved",
    f"DROP TABLE comparison; CREATE VIEW comparison(id) AS {_ENDLESS}",
    "CREATE INDEX foreign_part ON run (length(hex(zeroblob(100000))))",
    "CREATE INDEX foreign_part ON run (status) WHERE length(status) > 5",
    "ALTER TABLE run ADD COLUMN foreign_part AS (hex(zeroblob(1000000)))",
    "CREATE VIRTUAL TABLE foreign_part USING fts5(a)",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'status TEXT', "
    "'status TEXT CHECK (length(hex(zeroblob(100000000))) > 0)'); PRAGMA writable_schema = OFF",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'status TEXT', "
    "'status TEXT COLLATE nocase'); PRAGMA writable_schema = OFF",
)
