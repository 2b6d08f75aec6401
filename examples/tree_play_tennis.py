"""
Grow the tree of the fourteen tennis days step by step, and draw it
===================================================================

At every node the table shows what each attribute is worth there, and which one is taken.

.. code-block:: sh

    python examples/tree_play_tennis.py [FOLDER]
"""

import sys
from pathlib import Path

from bestofk.data import load_data
from bestofk.trees import C45Classifier, induction_steps

SHOWN = ["gain", "split_info", "ratio", "eligible", "chosen"]


def main(folder: Path) -> None:
    """Print the tables behind the tests and the tree as text, and draw it."""
    data = load_data("play-tennis")
    tree = C45Classifier().fit(data.features, data.target)
    for node, words, table in induction_steps(tree, data.features, data.target):
        print(f"node {node}: {words or 'all days'}")
        print(table[SHOWN].round(3).to_string(), end="\n\n")
    print(tree.to_text())

    tree.plot().figure_.savefig(folder / "tree_play_tennis.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
