"""
Draw overlapping underlines of Newman-Keuls, and print the best learner by them
===============================================================================

Ten error rates of five learners, made so that two underlines share a learner.

.. code-block:: sh

    python examples/evidence_newman_keuls.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

from bestofk.inference import newman_keuls
from bestofk.report.plots import NewmanKeulsDisplay

NAMES = ["majority", "nearest-mean", "logistic", "cart", "1nn"]
MEANS = [0.245, 0.206, 0.222, 0.211, 0.198]
# The same deviations for all, so that the mean square within learners is known.
DEVIATIONS = np.array([-19, 9, -12, 5, -8, 8, -4, 12, -10, 19]) / 1000


def main(folder: Path) -> None:
    """Test all runs of means and draw the underlines."""
    result = newman_keuls(np.add.outer(DEVIATIONS, MEANS), names=NAMES)
    print(result)
    display = NewmanKeulsDisplay.from_result(result, measure_title="error rate").plot()
    print(display.to_frame().to_string(index=False))
    display.figure_.savefig(folder / "evidence_newman_keuls.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
