"""Tables of keys in docs/json.md, from the schema that `bestofk compare --json-schema` prints.

python -m tests.json_page
"""

import json
import re
from pathlib import Path
from typing import Any

from bestofk.report import json_schema

PAGE = Path(__file__).parents[1] / "docs" / "json.md"
_WORDS = {
    "string": "text",
    "integer": "count",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
    "null": "null",
}
_PLACE = re.compile(r"<!-- keys of (\w+) -->.*?<!-- end of keys -->", re.DOTALL)


def with_tables(text: str) -> str:
    """Return the page with a table between each pair of marks."""
    kinds = json.loads(json_schema())["$defs"]

    def filled(place: re.Match[str]) -> str:
        forms = kinds[place[1]]["properties"].items()
        rows = [f"| `{key}` | {_type(form)} | {_holds(form)} |" for key, form in forms]
        table = "\n".join(["| key | type | holds |", "|---|---|---|", *rows])
        return f"<!-- keys of {place[1]} -->\n\n{table}\n\n<!-- end of keys -->"

    return _PLACE.sub(filled, text)


def _type(form: dict[str, Any]) -> str:
    """Return what kind of value a form allows, in words."""
    if "$ref" in form:
        kind = form["$ref"].rpartition("/")[2]
        return kind if kind == "number" else f"`{kind}`"
    if "enum" in form:
        return ", ".join(json.dumps(value) for value in form["enum"])
    if "const" in form:
        return str(form["const"])
    if "anyOf" in form:
        return " or ".join(_type(part) for part in form["anyOf"])
    kinds = form.get("type", [])
    words = [_WORDS.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    inner = form.get("items") or form.get("additionalProperties")
    return " or ".join(words) + (f" of {_type(inner)}" if inner else "")


def _holds(form: dict[str, Any]) -> str:
    """Return what a key holds: its description, and the keys of an object that has no table."""
    inner = next((part for part in _parts(form) if "properties" in part), {})
    said = form.get("description") or inner["description"].rstrip(".")
    keys = [f"`{key}` ({part['description']})" for key, part in inner.get("properties", {}).items()]
    return said + (f": {', '.join(keys)}" if keys else "")


def _parts(form: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a form with those that its items or its alternatives have."""
    inner = [*form.get("anyOf", []), *([form["items"]] if "items" in form else [])]
    return [form, *(part for one in inner for part in _parts(one))]


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
