"""
Find the cheapest learner when costs are still unknown
======================================================

.. code-block:: sh

    python examples/cost_curve.py [FOLDER]

writes cost_curve.png into the folder (here, if none is given) and
prints which learner is cheapest at which costs.
"""

import sys
from pathlib import Path

from bestofk import compare, cost_curve
from bestofk.report.plots import CostCurveDisplay


def main(folder: Path) -> None:
    """Compare four learners on breast_cancer, print and draw their cost curves."""
    learners = ["majority", "naive-bayes", "lda", "logistic"]
    curves = cost_curve(compare(learners, "breast_cancer", cv="5x2", progress=False))
    print(curves.text())
    figure = CostCurveDisplay.from_curves(curves).plot().figure_
    figure.savefig(folder / "cost_curve.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
