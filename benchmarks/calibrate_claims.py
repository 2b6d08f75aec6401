"""Claims about new data held against 20,000 rows of twonorm: figures and picture of the page.

    OMP_NUM_THREADS=1 python benchmarks/calibrate_claims.py [FOLDER]

writes calibrate_claims.png into the folder (here, if none is given) and prints what
docs/calibrate-claims.md shows. It takes one to two minutes of a core.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import numpy as np
import sklearn

import bestofk
from bestofk.calibration import calibrate_claims
from bestofk.data import twonorm

LEARNERS = ["nearest-mean", "naive-bayes", "lda", "logistic", "cart", "5nn"]


def main(folder):
    """Measure, print and draw."""
    print(f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, "
          f"numpy {np.__version__}, {platform.machine()}")  # fmt: skip
    result = calibrate_claims(LEARNERS, twonorm(20_000), progress=False)
    print(result)
    result.display().plot().figure_.savefig(folder / "calibrate_claims.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
