"""Golden texts: what is said in many situations, in a file beside the test.

Of the first situation the file has every line, of each other one the lines that it has beside or
instead of those. A test module calls `write` as its own script; read what has changed before you
keep it.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

Situations = Mapping[str, Callable[[], list[str]]]


def text_of(situations: Situations, name: str) -> str:
    first = next(iter(situations))
    lines = situations[name]()
    if name != first:
        changes = difflib.ndiff(situations[first](), lines)
        lines = [line for line in changes if line[0] in "+-"]
    return "\n".join([f"# {name}", *lines]) + "\n"


def check(file: Path, situations: Situations, name: str) -> None:
    """Hold a situation against the file, which has these situations and no others."""
    golden = re.split(r"\n(?=# )", file.read_text(encoding="utf-8"))
    texts = {text.partition("\n")[0].removeprefix("# "): text.strip("\n") for text in golden}
    assert text_of(situations, name).strip("\n") == texts[name]
    assert [*texts] == [*situations]


def write(file: Path, situations: Situations) -> None:
    texts = (text_of(situations, name) for name in situations)
    file.write_text("\n".join(texts), encoding="utf-8")
