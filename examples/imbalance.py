"""
Balance a rare class, and see the effect on ranking and on probabilities
========================================================================

.. code-block:: sh

    python examples/imbalance.py [FOLDER]

writes imbalance.png into the folder (here, if none is given) and prints the table.
"""

import sys
from pathlib import Path

import numpy as np

from bestofk import imbalance_effect
from bestofk.report.plots import ImbalanceDisplay


def main(folder: Path) -> None:
    """Train on a thousand patients, some 5 % of them ill; print and draw."""
    rng = np.random.default_rng(0)
    is_ill = rng.random(1000) < 0.06
    X = rng.normal(size=(1000, 5)) + np.outer(is_ill, [1.5, 1.0, 0.5, 0, 0])
    y = np.where(is_ill, "ill", "well")
    effect = imbalance_effect(["logistic", "naive-bayes", "5nn"], X, y)
    print(effect)
    figure = ImbalanceDisplay.from_effect(effect).plot().figure_
    figure.savefig(folder / "imbalance.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
