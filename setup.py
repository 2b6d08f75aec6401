"""Build of the package: what pyproject.toml says, and the index of the package's own code."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

_CODE_DIGESTS = Path(__file__).parent / "src/bestofk/evaluation/code_digests.py"


class BuildWithIndex(build_py):
    """Copies the modules and writes down what they define, so that keys need not read them."""

    def run(self) -> None:
        """Build; an editable installation reads the files themselves, for they may change."""
        super().run()
        if not self.editable_mode:
            spec = importlib.util.spec_from_file_location("code_digests", _CODE_DIGESTS)
            code_digests = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(code_digests)
            code_digests.write_index(Path(self.build_lib) / "bestofk")


setup(cmdclass={"build_py": BuildWithIndex})
