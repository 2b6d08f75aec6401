"""Requirements for every input: an exit code, a result or one sentence, little time and memory."""

import contextlib
import io
import json
import os
import re
import sys
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bestofk import load_data
from bestofk.cli import main
from bestofk.cli.arguments import parse_roles, words
from bestofk.data.arff_file import read_arff
from bestofk.data.csv_file import read_csv
from bestofk.data.parquet_file import read_parquet
from bestofk.errors import BestofkError, InvalidArgumentError
from bestofk.evaluation.store import Store
from bestofk.score_tables.aslib_files import _parse_yaml
from tests.fuzz.inputs import Input, make_input

_BARE_ERROR = re.compile(r"bestofk: \w+(Error|Exception|Warning): ")
_MEMORY = "memory ran out"


@dataclass
class Counts:
    """Counts of outcomes over some inputs.

    Attributes
    ----------
    inputs, passed : Counter of str
        By kind: how many there were, and how many of them passed the reader's first check.
    codes : Counter of int
        Exit codes.
    failures : list of (int, str)
        Numbers of inputs that broke a rule, and which.
    peak_bytes : int
        The most memory that the process ever had.
    """

    inputs: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)
    peak_bytes: int = 0


def check(number: int, counts: Counts) -> str:
    """Run the call of an input, count its outcome, and return what it printed."""
    asked = make_input(number)
    folder, printed = os.getcwd(), ""
    with TemporaryDirectory() as path:
        os.chdir(path)
        try:
            for name, content in asked.files.items():
                if name.endswith(".pipe"):
                    os.mkfifo(name)
                else:
                    Path(name).write_bytes(content)
            counts.inputs[asked.kind] += 1
            counts.passed[asked.kind] += passes_first_check(asked)
            code, out, err = _call(asked.arguments)
            printed = f"{out}{err}"
            counts.codes[code] += 1
            broken = _broken_rule(asked.arguments, code, out, err)
        except BaseException:  # no rule allows any
            broken = traceback.format_exc()
        finally:
            os.chdir(folder)
    if broken:
        counts.failures.append((number, broken))
    return printed


def passes_first_check(asked: Input) -> bool:
    """Return whether the mutated file is what its reader reads, whatever it holds."""
    try:
        for name in asked.files:
            reads = _READERS.get(asked.kind, {}).get(Path(name).suffix)
            if reads is not None and name != "seed.csv":
                reads(Path(name))
    except BestofkError:
        return False
    return True


def _call(arguments: Sequence[str]) -> tuple[int, str, str]:
    """Return exit code, output and messages of a call."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _load(arguments[1:]) if arguments[0] == "load" else main(list(arguments))
    return code, out.getvalue(), err.getvalue()


def _load(arguments: Sequence[str]) -> int:
    """Load a data set as `compare` does, and end as it ends."""
    given = dict(option.removeprefix("--").split("=", 1) for option in arguments[1:])
    try:
        data = load_data(
            arguments[0],
            target=given.get("target"),
            task=given.get("task", "auto"),
            roles=parse_roles([given["role"]] if "role" in given else None),
            drop=words([given["drop"]] if "drop" in given else None),
            groups=given.get("groups"),
            weights=given.get("weights"),
        )
    except (BestofkError, OSError, UnicodeError) as error:
        kind = "" if isinstance(error, BestofkError) else f"{type(error).__name__}: "
        sys.stderr.write(f"bestofk: {kind}{' '.join(str(error).split())}\n")
        return 2
    sys.stdout.write(f"{data.name}: {data.n_samples} rows\n")
    return 0


def _broken_rule(arguments: Sequence[str], code: int, out: str, err: str) -> str:
    """Return which rule was broken; empty where all hold."""
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if "Traceback" in out + err:
        return f"a traceback was printed: {err}"
    if _MEMORY in err:
        return "more than 1 GB was asked for"
    if "command must be one that" in err or "option must be one that" in err:
        return f"the call must be one that there is; got {err!r}"
    lines = [line for line in err.strip().split("\n") if not line.startswith("- ")]
    last = lines[-1] if lines else ""
    if code == 2 and not last.startswith(("bestofk: ", "Usage: ")):
        return f"a refusal must be a sentence; got {err!r}"
    if code == 2 and _BARE_ERROR.match(last):
        return f"a refusal must be a sentence of our own; got {last!r}"
    if code != 2 and not out.strip():
        return "nothing was printed"
    if code != 2 and "--json" in arguments:
        json.loads(out, parse_constant=_refuse_constant)
    return ""


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


# -- first checks --------------------------------------------------------------------------


def _read_store(path: Path) -> object:
    with Store(path) as store:
        return store.n_runs()


def _read_study(path: Path) -> object:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(str(error)) from error


Reader = Callable[[Path], object]
_TABLES: dict[str, Reader] = dict.fromkeys(
    (".csv", ".tsv", ".data", ".gz"), lambda path: read_csv(path, path.stem)
)
_ARFF: dict[str, Reader] = {".arff": lambda path: read_arff(path, path.stem)}
_READERS: dict[str, dict[str, Reader]] = {
    **dict.fromkeys(("csv", "long scores", "wide scores", "history"), _TABLES),
    "arff": _ARFF,
    "parquet": {".parquet": lambda path: read_parquet(path, path.stem)},
    "aslib": {**_ARFF, ".txt": _parse_yaml},
    "store": {".db": _read_store},
    "study": {".toml": _read_study},
}
