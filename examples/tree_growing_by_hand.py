"""
Grow the tennis tree step by step, with the gain of every attribute at every test
=================================================================================

One panel a test. The bars are the gains of the attributes among the days that come there, the
attribute that is tested is dark.

.. code-block:: sh

    python examples/tree_growing_by_hand.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk.data import load_data
from bestofk.trees import C45Classifier
from bestofk.trees.node_table import induction_steps

COLUMNS = ["gain", "split_info", "ratio", "eligible", "chosen"]


def main(folder: Path) -> None:
    """Print the table of every test and draw the gains."""
    data = load_data("play-tennis")
    tree = C45Classifier().fit(data.features, data.target)
    steps = list(induction_steps(tree, data.features, data.target))

    figure, axes = plt.subplots(
        1, len(steps), figsize=(8.5, 2.9), sharex=True, sharey=True, layout="constrained"
    )
    for ax, (node, above, table) in zip(axes, steps, strict=True):
        n_days = f"{tree.tree_.weight[node]:.0f} days"
        title = f"{above}: {n_days}" if above else n_days
        print(f"\n{title}\n{table[COLUMNS].round(3)}")
        colors = ["#0072B2" if is_chosen else "#BBBBBB" for is_chosen in table["chosen"]]
        bars = ax.barh(table.index, table["gain"], color=colors)
        ax.bar_label(bars, [f"{gain:.3f}" for gain in table["gain"]], padding=3)
        ax.set_title(title, fontsize="medium", loc="left")
        ax.set_xlabel("gain, bits")
        ax.set_xlim(0, 1.25)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0].invert_yaxis()
    print(f"\n{tree.to_text()}")
    figure.savefig(folder / "tree_growing_by_hand.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
