"""Picture of the layers in ARCHITECTURE.md, from the contract in pyproject.toml.

python -m tests.architecture
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "ARCHITECTURE.md"
START, END = "<!-- layers -->", "<!-- end of layers -->"


def layers() -> list[str]:
    """Return the lines of the contract, from top to bottom."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    (contract,) = tools["importlinter"]["contracts"]
    return [line.replace(" | ", "   ") for line in contract["layers"]]


def with_picture(text: str) -> str:
    """Return the page with the picture between its two marks."""
    before, _, rest = text.partition(START)
    picture = "\n".join(f"    {line}" for line in layers())
    return f"{before}{START}\n\n{picture}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(with_picture(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
