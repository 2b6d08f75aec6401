"""Build of the package: what pyproject.toml says, the index of its code, and the page on PyPI."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

_ROOT = Path(__file__).parent
_CODE_DIGESTS = _ROOT / "src/bestofk/evaluation/code_digests.py"
_FILES = "Files named in square brackets are part of the source distribution.\n"
_PICTURE = re.compile(r"^!\[.*\]\([^:)]*\)\n+", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^:)#]+)(#[^)]*)?\)")  # to a file of this folder


def _page() -> str:
    """Return the README for a place without the other files: links to them become their names."""
    text = _PICTURE.sub("", (_ROOT / "README.md").read_text(encoding="utf-8"))
    text = _LINK.sub(lambda link: link[1] if link[1] == link[2] else f"{link[1]} [{link[2]}]", text)
    return f"{text}\n{_FILES}"


class BuildWithIndex(build_py):
    """Copies the modules and writes down what they define, so that keys need not read them."""

    def run(self) -> None:
        """Build; an editable installation reads the files themselves, for they may change."""
        package = Path(self.build_lib) / "bestofk"
        shutil.rmtree(package, ignore_errors=True)  # modules of an earlier build, since moved
        super().run()
        if not self.editable_mode:
            spec = importlib.util.spec_from_file_location("code_digests", _CODE_DIGESTS)
            code_digests = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(code_digests)
            code_digests.write_index(package)


setup(
    cmdclass={"build_py": BuildWithIndex},
    long_description=_page(),
    long_description_content_type="text/markdown",
)
