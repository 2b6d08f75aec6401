"""
Search for a tree and search for all conjunctions, on the same tables
=====================================================================

Candidate-Elimination keeps every conjunction of attribute values that agrees with the examples,
between the most specific (S) and the most general ones (G). ID3 searches among all trees, takes
one attribute at a time and never goes back; a breadth-first search finds the smallest tree.

.. code-block:: sh

    python examples/candidate_elimination.py [FOLDER]

The picture shows how many conjunctions are left after each example. The four enjoy-sport days
leave six. No conjunction agrees with the tennis days, but a tree of three tests does.

References: Mitchell (1982), Generalization as search, Artificial Intelligence 18; Mitchell
(1997), Machine Learning.
"""

import itertools
import sys
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt

from bestofk.data import load_data
from bestofk.trees import ID3Classifier

ANY, NOTHING = "?", "0"
ENJOY_SPORT = [
    ("sunny warm normal strong warm same", True),
    ("sunny warm high strong warm same", True),
    ("rainy cold high strong warm change", False),
    ("sunny warm high strong cool change", True),
]
UNSEEN = {0: "cloudy", 3: "weak"}  # values that none of the four days has


def covers(general: tuple, specific: tuple) -> bool:
    """Tell whether a conjunction covers a row, or all that another conjunction covers."""
    pairs = zip(general, specific, strict=True)
    return NOTHING in specific or all(a in (ANY, b) for a, b in pairs)


def consistent(rows: list, labels: list, values: list) -> list:
    """Return all conjunctions that cover the positive rows and no other, one by one."""
    hypotheses = [*itertools.product(*[[*some, ANY] for some in values]), (NOTHING,) * len(values)]
    seen = list(zip(rows, labels, strict=True))
    return [h for h in hypotheses if all(covers(h, row) == label for row, label in seen)]


def generalized(hypothesis: tuple, row: tuple) -> tuple:
    """Return the least general conjunction that covers a row, too."""
    if NOTHING in hypothesis:
        return row
    return tuple(a if a == b else ANY for a, b in zip(hypothesis, row, strict=True))


def specialized(hypothesis: tuple, row: tuple, values: list) -> list:
    """Return the least special conjunctions that no longer cover a row."""
    found = [
        (*hypothesis[:place], value, *hypothesis[place + 1 :])
        for place in range(len(row))
        for value in values[place]
        if hypothesis[place] == ANY and value != row[place]
    ]
    return found or [(NOTHING,) * len(row)]


def candidate_elimination(rows: list, labels: list, values: list) -> tuple[set, set]:
    """Return the most specific and the most general consistent conjunctions."""
    specific, general = {(NOTHING,) * len(values)}, {(ANY,) * len(values)}
    for row, is_positive in zip(rows, labels, strict=True):
        if is_positive:
            general = {g for g in general if covers(g, row)}
            specific = {generalized(s, row) for s in specific}
        else:
            specific = {s for s in specific if NOTHING in s or not covers(s, row)}
            left = {g for g in general if NOTHING in g or not covers(g, row)}
            for g in general - left:
                left |= set(specialized(g, row, values))
            general = left
        specific = {s for s in specific if any(covers(g, s) for g in general)}
        general = {g for g in general if any(covers(g, s) for s in specific)}
        general = {g for g in general if not any(h != g and covers(h, g) for h in general)}
    return specific, general


def smallest_tree(rows: list, labels: list) -> int | None:
    """Return the fewest tests of a tree without error, searched breadth first; None: no tree."""
    all_rows = frozenset(range(len(rows)))
    columns = range(len(rows[0]))

    def divided(part: frozenset, column: int) -> list:
        groups: dict = {}
        for row in part:
            groups.setdefault(rows[row][column], set()).add(row)
        return [frozenset(group) for group in groups.values()]

    @cache
    def sizes(part: frozenset, n_tests: int) -> bool:
        """Tell whether a tree of exactly so many tests separates a part."""
        if n_tests == 0:
            return len({labels[row] for row in part}) == 1
        groups_of = [divided(part, column) for column in columns]
        return any(fits(tuple(g), n_tests - 1) for g in groups_of if len(g) > 1)

    def fits(groups: tuple, n_tests: int) -> bool:
        if not groups:
            return n_tests == 0
        return any(
            sizes(groups[0], n) and fits(groups[1:], n_tests - n) for n in range(n_tests + 1)
        )

    return next((n for n in range(len(rows)) if sizes(all_rows, n)), None)


def values_of(rows: list) -> list:
    """Return the values of each attribute, in the order of appearance."""
    return [list(dict.fromkeys(column)) for column in zip(*rows, strict=True)]


def main(folder: Path) -> None:
    """Print S, G and the sizes of trees of both tables, and draw how many conjunctions are left."""
    sport = [tuple(text.split()) for text, _ in ENJOY_SPORT]
    tennis = load_data("play-tennis")
    days = [tuple(map(str, row)) for row in tennis.features.to_numpy()]
    tables = {
        "enjoy-sport": (sport, [label for _, label in ENJOY_SPORT]),
        "play-tennis": (days, [label == "yes" for label in tennis.target]),
    }
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    for (name, (rows, labels)), marker in zip(tables.items(), "os", strict=True):
        values = values_of(rows)
        if name == "enjoy-sport":
            for column, value in UNSEEN.items():
                values[column].append(value)
        specific, general = candidate_elimination(rows, labels, values)
        print(f"{name}: S = {sorted(specific)}, G = {sorted(general)}")
        print(f"  fewest tests of a tree without error: {smallest_tree(rows, labels)}")
        steps = range(len(rows) + 1)
        counts = [len(consistent(rows[:n], labels[:n], values)) for n in steps]
        print(f"  conjunctions left after each example: {counts}")
        axes.plot(steps, counts, marker=marker, label=name)
    tree = ID3Classifier().fit(tennis.features, tennis.target).tree_
    print(f"  tests of the tree of ID3: {tree.n_nodes - tree.n_leaves}")
    axes.set(xlabel="examples seen", ylabel="conjunctions that agree", yscale="symlog")
    axes.legend()
    figure.savefig(folder / "candidate_elimination.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
