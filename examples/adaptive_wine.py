"""
Comparison that repeats until the pick is settled: five learners on wine
========================================================================

Left: running means with one standard error, and where learners were eliminated. Right: how surely
another seed would order each pair alike. Both are about these rows and other seeds, and no
evidence about new rows; that is what the candidates are for.

.. code-block:: sh

    python examples/adaptive_wine.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk import compare
from bestofk.report.plots import ReproducibilityMatrixDisplay, RunningMeansDisplay

LEARNERS = ["nearest-mean", "naive-bayes", "qda", "lda", "1nn"]


def main(folder: Path) -> None:
    """Compare, say how it went, and draw it."""
    result = compare(LEARNERS, "wine")
    stopping_history, other_seeds = result.stopping_history, result.findings.reseeding
    print(f"{result.best} after {stopping_history.n_repeats} repeats: {stopping_history.ending}")
    for elimination in stopping_history.eliminations:
        after = f"eliminated after {elimination.n_repeats}"
        print(f"{elimination.learner} {after}: {elimination.reason}")
    print(f"another seed picks {result.best} with a probability of {other_seeds.best.value:.2f}")
    print(f"cannot be ruled out on new rows: {', '.join(result.candidates)}")

    running = RunningMeansDisplay.from_findings(result.findings)
    matrix = ReproducibilityMatrixDisplay.from_findings(result.findings)
    figure, axes = plt.subplots(
        1, 2, figsize=(12, 4.2), width_ratios=(1.25, 1), layout="constrained"
    )
    running.plot(axes[0])
    matrix.plot(axes[1])
    figure.savefig(folder / "adaptive_wine.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
