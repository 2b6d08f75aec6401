"""Writes what `figures` keeps of the reference cases: `python -m tests.published.make_figures`.

It needs the whole files (`BESTOFK_REFERENCE`). Kept are numbers, names and options; notes and
data sets are not.
"""

import json
import re
import sys
from typing import Any

from tests.given import FIGURES, reference_file
from tests.published.small_data_sets import SMALL_DATA_SETS

Record = dict[str, Any]


def figures() -> dict[str, str]:
    """Return the text of each file of figures, by its name."""
    return {"tests.json": _tests(), "selection.json": _selection(), "j48.json": _trees()}


def _read(name: str) -> Record:
    return json.loads(reference_file(name).read_text(encoding="utf-8"))


def _tests() -> str:
    """Return all cases, each with the program and version, or the paper, that it comes from."""
    cases = [_without(case, "note") for case in _read("tests.json")["cases"]]
    for case in cases:
        case["source"] = re.split(r"[;,(]|: | gives ", case["source"])[0].strip()
    return _text({}, "cases", cases)


def _selection() -> str:
    """Return the cases made by hand; those on large tables need the tables."""
    reference = _read("selection.json")
    tables = [table for table in reference["tables"] if "success_rate" in table]
    return _text({"conventions": {}, "misc": reference["misc"]}, "tables", tables)


def _trees() -> str:
    """Return the trees of the data sets that need no file."""
    reference = _read("j48.json")
    options = [
        " ".join(re.findall(r"^\w+|(?<=\s)-[A-Za-z]+", part.strip()))
        for part in reference["meta"]["options"].split(";")[:2]
    ]
    data = {name: {"n": reference["data"][name]["n"]} for name in sorted(SMALL_DATA_SETS)}
    results = [
        _without(record, "command", "note")
        for record in reference["results"]
        if record["dataset"] in data
    ]
    return _text({"meta": {"options": "; ".join(options)}, "data": data}, "results", results)


def _without(record: Record, *names: str) -> Record:
    return {key: value for key, value in record.items() if key not in names}


def _text(head: Record, name: str, records: list[Record]) -> str:
    """Return JSON with a line for each record."""
    parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    parts.append(f"{json.dumps(name)}: [\n{lines}\n]")
    return "{" + ",\n".join(parts) + "}\n"


def main() -> int:
    for name, text in figures().items():
        (FIGURES / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
