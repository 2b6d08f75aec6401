"""
See which of four learners can be best at some costs: ROC curves and their convex hull
======================================================================================

Trained on two thirds of the breast cancer data, tested on the rest.

.. code-block:: sh

    python examples/evidence_roc_hull.py [FOLDER]
"""

import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from bestofk.report.plots import RocHullDisplay

LEARNERS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "naive Bayes": GaussianNB(),
    "9nn": KNeighborsClassifier(9),
    "tree of 4 leaves": DecisionTreeClassifier(max_leaf_nodes=4, random_state=0),
}


def main(folder: Path) -> None:
    """Fit the learners, draw their curves and the hull."""
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, random_state=0)
    scores = {
        name: learner.fit(X_train, y_train).predict_proba(X_test)[:, 1]
        for name, learner in LEARNERS.items()
    }
    display = RocHullDisplay.from_scores(y_test, scores).plot()
    print(display.to_frame().query("is_on_hull").to_string(index=False))
    display.figure_.savefig(folder / "evidence_roc_hull.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
