"""
Tune nearest neighbors inside every training set, and see what was chosen
=========================================================================

The lines are mean inner losses of all settings. The area of a circle is the share of splits that
chose the setting, the square is the default.

.. code-block:: sh

    python examples/tuning.py [FOLDER]
"""

import sys
from pathlib import Path

from bestofk import compare
from bestofk.report.plots import TuningDisplay


def main(folder: Path) -> None:
    """Print what tuning gained, and draw its choices."""
    result = compare(["tuned(knn)", "5nn", "majority"], "breast_cancer", cv="3x5")
    print(result.explain("tuned(knn)", "5nn"))
    display = result.plot("tuning")
    assert isinstance(display, TuningDisplay)
    best = display.to_frame().sort_values("chosen", ascending=False).head(3)
    print(best.round(3).to_string(index=False))
    display.figure_.savefig(folder / "tuning.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
