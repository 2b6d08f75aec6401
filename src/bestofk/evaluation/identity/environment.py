"""Environment in which seconds are measured: machine, threads, versions."""

from __future__ import annotations

import functools
import os
import platform
from typing import Any

from bestofk.evaluation.identity.packages import read_version

_PACKAGES = ("bestofk", "numpy", "scipy", "scikit-learn", "pandas", "joblib")


@functools.cache
def describe_environment() -> dict[str, Any]:
    """Return the machine, its processor, the threads of a run and the versions in use.

    Returns
    -------
    dict
        Plain values, the same in every process on one machine and installation.

    Examples
    --------
    >>> sorted(describe_environment())
    ['cores', 'machine', 'processor', 'python', 'system', 'threads_per_run', 'versions']
    """
    return {
        "machine": platform.node(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "threads_per_run": 1,
        "versions": {name: read_version(name) for name in _PACKAGES},
    }
