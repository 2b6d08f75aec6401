"""
Compare a learner of your own with the catalogue
================================================

The learner is any class with `fit` and `predict` that keeps to scikit-learn's manner.
On the command line the same file serves as `--learners examples/own_learner.py:MedianStump`.

.. code-block:: sh

    python examples/own_learner.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from bestofk import compare
from bestofk.report import ScoreDistributionDisplay


class MedianStump(ClassifierMixin, BaseEstimator):
    """Classifier that cuts one column at a quantile, with the majority class on either side."""

    def __init__(self, column=0, quantile=0.5):
        self.column = column
        self.quantile = quantile

    def fit(self, X, y):
        values = np.asarray(X)[:, self.column]
        self.classes_ = np.unique(y)
        self.threshold_ = np.quantile(values, self.quantile)
        self.below_ = self._majority(y, values <= self.threshold_)
        self.above_ = self._majority(y, values > self.threshold_)
        return self

    def predict(self, X):
        return np.where(np.asarray(X)[:, self.column] <= self.threshold_, self.below_, self.above_)

    def _majority(self, y, where):
        labels, counts = np.unique(np.asarray(y)[where], return_counts=True)
        return labels[counts.argmax()]


def main(folder: Path) -> None:
    """Compare a learner of our own with the catalogue and draw the scores."""
    learners = {
        "majority": "majority",
        "stump on the worst radius": MedianStump(column=20),
        "cart": "cart",
        "logistic": "logistic",
    }
    result = compare(learners, "breast_cancer", cv="10x3")
    print(f"best: {result.best}; may be best: {', '.join(result.candidates)}")
    print(result.pairs()[["first", "second", "finding"]].to_string(index=False))

    display = ScoreDistributionDisplay.from_comparison(result).plot()
    display.ax_.set_title("Error of thirty splits of breast_cancer")
    display.figure_.savefig(folder / "own_learner.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
