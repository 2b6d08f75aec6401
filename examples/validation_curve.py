"""
Give a tree more and more leaves, and see underfitting and overfitting
======================================================================

.. code-block:: sh

    python examples/validation_curve.py [FOLDER]

writes validation_curve.png into the folder (here, if none is given) and prints the table.
"""

import sys
from pathlib import Path

from bestofk import validation_curve
from bestofk.report.plots import ValidationCurveDisplay


def main(folder: Path) -> None:
    """Train trees of nine sizes on breast_cancer, print and draw."""
    curve = validation_curve(
        "sklearn-cart", "breast_cancer", parameter="max_leaf_nodes",
        values=[2, 3, 4, 6, 8, 12, 16, 24, 32], cv="10x3", n_jobs=-1, progress=False,
    )  # fmt: skip
    print(curve)
    figure = ValidationCurveDisplay.from_curve(curve).plot().figure_
    figure.savefig(folder / "validation_curve.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
