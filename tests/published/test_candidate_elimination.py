"""Candidate-Elimination and breadth-first trees of the example against all there are."""

import runpy

import numpy as np
import pytest
from tests.given import ROOT

from bestofk.data import load_data
from bestofk.trees import ID3Classifier

EXAMPLE = runpy.run_path(str(ROOT / "examples" / "candidate_elimination.py"))
covers, consistent = EXAMPLE["covers"], EXAMPLE["consistent"]


def random_table(seed):
    rng = np.random.default_rng(seed)
    n_columns, n_rows = int(rng.integers(1, 5)), int(rng.integers(0, 7))
    values = [list("abc"[: rng.integers(1, 4)]) for _ in range(n_columns)]
    rows = [tuple(str(rng.choice(some)) for some in values) for _ in range(n_rows)]
    concept = tuple(str(rng.choice([*some, "?", "?"])) for some in values)
    labels = [bool(covers(concept, row) != (rng.random() < 0.1)) for row in rows]
    return rows, labels, values


def is_more_general(first, second):
    return first != second and covers(first, second)


@pytest.mark.parametrize("block", range(4))
def test_boundaries_are_those_of_all_consistent_conjunctions(block):
    sizes = set()
    for seed in range(50 * block, 50 * block + 50):
        rows, labels, values = random_table(seed)
        left = consistent(rows, labels, values)
        lowest = {h for h in left if not any(is_more_general(h, other) for other in left)}
        highest = {h for h in left if not any(is_more_general(other, h) for other in left)}
        assert EXAMPLE["candidate_elimination"](rows, labels, values) == (lowest, highest), seed
        sizes.add(min(len(left), 2))
    assert sizes == {0, 1, 2}  # empty, settled and open ones are among them


def fewest_tests(rows, labels):
    """Count the tests of the smallest tree by trying every attribute at every node."""
    if len(set(labels)) <= 1:
        return 0
    found = []
    for column in range(len(rows[0])):
        levels = {row[column] for row in rows}
        if len(levels) == 1:
            continue
        parts = [[i for i, row in enumerate(rows) if row[column] == level] for level in levels]
        counts = [fewest_tests([rows[i] for i in p], [labels[i] for i in p]) for p in parts]
        if None not in counts:
            found.append(1 + sum(counts))
    return min(found, default=None)


def test_breadth_first_search_finds_a_smallest_tree():
    found = set()
    for seed in range(200):
        rows, labels, _ = random_table(seed)
        if rows:
            rng = np.random.default_rng(seed)
            labels = [bool(rng.random() < 0.5) for _ in rows]  # not of a conjunction
            found.add(fewest_tests(rows, labels))
            assert EXAMPLE["smallest_tree"](rows, labels) == fewest_tests(rows, labels), seed
    assert {None, 0, 1, 2} <= found


def test_enjoy_sport_leaves_six_conjunctions_and_play_tennis_none():
    rows = [tuple(text.split()) for text, _ in EXAMPLE["ENJOY_SPORT"]]
    labels = [label for _, label in EXAMPLE["ENJOY_SPORT"]]
    values = EXAMPLE["values_of"](rows)
    for column, value in EXAMPLE["UNSEEN"].items():
        values[column].append(value)
    assert len(consistent([], [], values)) == 973
    assert len(consistent(rows, labels, values)) == 6
    specific, general = EXAMPLE["candidate_elimination"](rows, labels, values)
    assert specific == {("sunny", "warm", "?", "strong", "?", "?")}
    assert general == {("sunny", *"?????"), ("?", "warm", *"????")}
    tennis = load_data("play-tennis")
    days = [tuple(map(str, row)) for row in tennis.features.to_numpy()]
    plays = [label == "yes" for label in tennis.target]
    values = EXAMPLE["values_of"](days)
    assert EXAMPLE["candidate_elimination"](days, plays, values) == (set(), set())
    tree = ID3Classifier().fit(tennis.features, tennis.target).tree_
    assert EXAMPLE["smallest_tree"](days, plays) == tree.n_nodes - tree.n_leaves == 3
