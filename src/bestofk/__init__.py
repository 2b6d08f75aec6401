"""Comparison of K learners: which one to use, with what certainty and at what cost.

`compare` does everything in one call; `BestOfK` is the same as a scikit-learn estimator.
ARCHITECTURE.md shows the packages and which of them may import which.
"""

import os
import sys

# `python -m bestofk`: files that lie with the data are not imported in place of packages.
if (
    sys.argv[:1] == ["-m"]
    and sys.orig_argv[-len(sys.argv)] in (__name__, f"-m{__name__}")
    and not sys.flags.safe_path
    and sys.path[0] != os.path.dirname(__path__[0])
):
    del sys.path[0]

from typing import Any

import lazy_loader

from bestofk.registry import FROM_ABOVE

__version__ = "1.0.0"

_load, _, _public = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_public]

FROM_ABOVE.register("tuned", "bestofk.tuning.tuned.Tuned")
FROM_ABOVE.register("display", "bestofk.report.pictures.display_class")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that importing costs nothing."""
    from bestofk.evaluation.queue.collector import paused_collector

    # some two hundred modules; a look at all objects meanwhile takes as long as they do
    with paused_collector():
        return _load(name)


def __dir__() -> list[str]:
    return sorted(__all__)
