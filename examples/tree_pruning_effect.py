"""
Follow the errors of a tree while it is pruned: on training, pruning and test rows
==================================================================================

Inside a circle the class is 1, outside 0; every seventh label is wrong. The whole tree learns
the noise by heart.

.. code-block:: sh

    python examples/tree_pruning_effect.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

from bestofk.trees import C45Classifier, PruningEffectDisplay


def noisy_circle(n, seed):
    """Return points of a square, in or out of a circle; every seventh label is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    is_inside = np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5) < 0.4
    return X, (is_inside ^ (rng.random(n) < 1 / 7)).astype(int)


def main(folder: Path) -> None:
    """Print error rates by size of the tree, and draw them."""
    X, y = noisy_circle(400, seed=0)
    tree = C45Classifier(pruning=None, collapse=False, min_samples_leaf=1, mdl_correction=False)
    rows = {
        "training": (X, y),
        "pruning": noisy_circle(400, seed=1),
        "test": noisy_circle(4000, seed=2),
    }
    display = PruningEffectDisplay.from_estimator(tree.fit(X, y), rows)
    print(display.to_frame().round(4).to_string(index=False))
    display.plot().figure_.savefig(folder / "tree_pruning_effect.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
