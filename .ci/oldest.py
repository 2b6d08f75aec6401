"""Prints constraints that pin what pyproject.toml needs to the oldest versions it allows.

`PIP_CONSTRAINT` names the file they are written to; see `.ci/run oldest`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

BOUND = re.compile(r"(?P<name>[\w.-]+)(\[[^]]*\])?>=(?P<version>[\w.]+)")


def constraints(project: dict) -> list[str]:
    """Return a line for each requirement of the project and of its extras."""
    extras = project["optional-dependencies"].values()
    needed = {*project["dependencies"], *(name for extra in extras for name in extra)}
    lines = []
    for requirement in sorted(needed):
        if requirement.partition("[")[0] == project["name"]:
            continue
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            raise ValueError(f"a requirement must be NAME>=VERSION; got {requirement!r}.")
        lines.append(f"{bound['name']}=={bound['version']}")
    return lines


if __name__ == "__main__":
    text = Path(__file__).parent.parent.joinpath("pyproject.toml").read_text(encoding="utf-8")
    sys.stdout.write("\n".join(constraints(tomllib.loads(text)["project"])) + "\n")
