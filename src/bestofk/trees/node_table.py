"""Explanation of the tests of a tree: the worth of every attribute at a node."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Bools, Floats
from bestofk.checks import check_number
from bestofk.errors import InvalidArgumentError
from bestofk.trees._sending import tally
from bestofk.trees.attributes import NOMINAL, NUMERIC
from bestofk.trees.choosing import choose, eligible, scores
from bestofk.trees.growing import kinds_of_tests, many_valued
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import Branches, Level, first_level, next_level
from bestofk.trees.measuring import Tests, Training, measure, modes
from bestofk.trees.prediction import branches_taken, with_directions
from bestofk.trees.text_form import branch_words, cut_words, level_words, subject_words
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import MULTIWAY


def node_table(classifier: Any, node: int, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Return the worth of every attribute at a node of a fitted tree.

    Parameters
    ----------
    classifier : TreeClassifier
        A fitted tree classifier.
    node : int
        Number of the node; 0 is the root. A leaf has a table, too: possible tests there.
    X, y, sample_weight
        The training data, as given to `fit`.

    Returns
    -------
    DataFrame
        One row per attribute, by name, with the columns `gain` (decrease of impurity in bits,
        or of Gini impurity, or Hellinger distance, times the share of known weight),
        `penalty` (for the number of possible cuts), `worth` (gain minus penalty), `split_info`
        (bits; unknown rows are a further branch), `ratio` (worth divided by split information),
        `cost` (nan if there are none; 0 if paid above), `score` (by which attributes are compared),
        `valid` (there is a test with large enough branches), `eligible` (worth at least the
        average, if the rules require that), `best` (first of the best scores), `chosen` (the tree
        tests it here; after pruning it may differ from `best`), and `branches` (the test in words).
        Numbers are nan if an attribute cannot be cut at all. An oblique test that beats all
        attributes is a further row.

    Raises
    ------
    InvalidArgumentError
        If the node does not exist, no training row reaches it, or the data are not the training
        data of the tree.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning, chapter 2.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.trees import C45Classifier
    >>> X = pd.DataFrame({"wind": ["weak", "strong"] * 4, "sky": list("ssssrrrr")})
    >>> y = ["yes", "no", "yes", "no", "yes", "no", "yes", "yes"]
    >>> tree = C45Classifier().fit(X, y)
    >>> tree.node_table(0, X, y)[["gain", "ratio", "best"]].round(3).values.tolist()
    [[0.549, 0.549, True], [0.049, 0.049, False]]
    """
    check_is_fitted(classifier)
    way_out = "Node 0 is the root; `tree_.children(0)` are its children."
    last = classifier.tree_.n_nodes - 1
    check_number(node, "node", low=0, high=last, whole=True, way_out=way_out)
    return _Induction.of(classifier, X, y, sample_weight).table(int(node))


def induction_steps(
    classifier: Any, X: Any, y: Any, sample_weight: Any = None
) -> Iterator[tuple[int, str, Any]]:
    """Walk through the tests of a fitted tree, from the root down.

    Parameters
    ----------
    classifier : TreeClassifier
        A fitted tree classifier.
    X, y, sample_weight
        The training data, as given to `fit`.

    Yields
    ------
    node : int
        Number of an inner node.
    words : str
        The tests above it, joined by "and"; empty for the root.
    table : DataFrame
        As for `node_table`.

    Raises
    ------
    InvalidArgumentError
        As for `node_table`.
    """
    check_is_fitted(classifier)
    induction = _Induction.of(classifier, X, y, sample_weight)
    for node in np.flatnonzero(~classifier.tree_.is_leaf).tolist():
        words = [
            f"{subject_words(induction.tree, above)} {branch_words(induction.tree, above)[branch]}"
            for above, branch in induction.path(node)
        ]
        yield node, " and ".join(words), induction.table(node)


@dataclass
class _Induction:
    """A grown tree and its training data.

    Attributes
    ----------
    tree : Tree
        The tree.
    training : Training
        Table, classes and rules; rows are measured with weights, all 1 if there are none.
    matrix : ndarray of shape (n, n_attributes + n_directions), float64
        The table as the tree reads it.
    weight : ndarray of shape (n,), float64
        Weights of the rows.
    """

    tree: Tree
    training: Training
    matrix: Floats
    weight: Floats

    @classmethod
    def of(cls, classifier: Any, X: Any, y: Any, sample_weight: Any) -> _Induction:
        reader = copy.copy(classifier)
        rules = reader.growth_rules()
        read, codes, weight = reader._read_training(X, y, sample_weight)
        rules = replace(reader.completed_rules(rules), explains=True)
        same = reader.attributes_ == classifier.attributes_
        same = same and reader.classes_.tolist() == classifier.classes_.tolist()
        weight = np.ones(len(codes)) if weight is None else weight
        tree = classifier.tree_
        counts = np.bincount(codes, weights=weight, minlength=len(tree.classes))
        if not same or not np.allclose(counts, tree.class_weights[0], rtol=1e-6, atol=1e-9):
            raise InvalidArgumentError(
                "X, y and sample_weight must be the training data of the tree (class weights "
                f"{tree.class_weights[0].tolist()}); got other columns, classes or weights "
                f"({counts.tolist()}). Pass the training data of `fit`, without rows kept for "
                "pruning."
            )
        columns = reader._sort(read, codes, rules, may_list=False)
        training = Training(columns, codes, rules, np.empty(0))
        return cls(tree, training, with_directions(tree, columns.matrix()), weight)

    def path(self, node: int) -> list[tuple[int, int]]:
        """Return the nodes above and the branch taken at each, root first."""
        path = []
        while node:
            above = int(self.tree.parent[node])
            path.append((above, node - int(self.tree.first_child[above])))
            node = above
        return path[::-1]

    def level(self, node: int) -> Level:
        """Return the level with only this node, its rows passed down from the root."""
        training = self.training
        level = first_level(training.columns, training.y, len(self.tree.classes), self.weight)
        for above, branch in self.path(node):
            level = self._handed_down(level, above, branch)
        if self.training.rules.costs_paid_once:
            d = len(self.tree.attributes)
            tested = self.tree.attribute[[above for above, _ in self.path(node)]]
            level.paid = np.isin(np.arange(d), tested)[None]
        return level

    def table(self, node: int) -> Any:
        """Return the table of a node."""
        level, rules = self.level(node), self.training.rules
        if not level.counts.sum() > 0:
            raise InvalidArgumentError(
                f"node must be reached by training rows; got {node}, an empty branch. Use its "
                "parent."
            )
        tests = measure(self.training, level)
        is_many = many_valued(self.training.columns, len(self.training.y))
        cost = np.full(len(self.tree.attributes), np.nan)
        if rules.costs is not None:
            cost = np.where(level.paid[0], 0.0, rules.costs) if level.paid.size else rules.costs
        result = np.arange(len(self.tree.attributes))
        is_nominal = np.array([x.kind == NOMINAL for x in self.tree.attributes])
        is_measured = tests.is_valid[0] | (rules.nominal_splits == "multiway")
        can_cut = np.where(is_nominal, is_measured, tests.cuts[:, 0, 0] > 0)
        numbers = pd.DataFrame(_measures(tests, rules, level.paid, cost))
        numbers[~can_cut] = np.nan
        best = choose(tests, rules, is_many, level.paid)[0]
        table = numbers.assign(
            valid=tests.is_valid[0],
            eligible=eligible(tests, rules, is_many)[0],
            best=result == best,
            chosen=result == self.tree.attribute[node],
            branches=[self._words(tests, int(a)) if can_cut[a] else "" for a in result],
        ).set_index(pd.Index([x.name for x in self.tree.attributes], name="attribute"))
        if rules.oblique is None:
            return table
        return self._with_direction(table, level, tests, is_many)

    def _with_direction(self, table: Any, level: Level, tests: Tests, is_many: Bools) -> Any:
        """Return the table with one more row, if an oblique test beats all columns."""
        from bestofk.trees.oblique import better_directions

        rules, node = self.training.rules, int(level.nodes[0])
        rival = np.array([table["best"].argmax() if table["best"].any() else -1])
        directions, oblique = better_directions(self.training, level, tests, rival, is_many)
        if not directions:
            return table
        is_chosen = int(self.tree.attribute[node]) >= len(self.tree.attributes)
        name = subject_words(self.tree, node) if is_chosen else rules.oblique
        measures = _measures(oblique, rules, np.zeros((1, 0), np.bool_), np.full(1, np.nan))
        row = pd.DataFrame(measures, index=pd.Index([name], name="attribute")).assign(
            valid=True,
            eligible=True,
            best=True,
            chosen=is_chosen,
            branches=" | ".join(branch_words(self.tree, node)) if is_chosen else "",
        )
        return pd.concat([table.assign(best=False), row])

    def _handed_down(self, level: Level, node: int, branch: int) -> Level:
        """Return the level of one branch of a node, given that of the node."""
        tree, search = self.tree, self.training.for_loops
        values = self._filled(level, int(tree.attribute[node]))
        side = branches_taken(tree, np.full(len(values), node), values).astype(np.int16)
        n_branches = int(tree.n_children[node])
        known, unknown = np.zeros((n_branches, tree.n_classes)), np.zeros((1, tree.n_classes))
        first = np.zeros(1, np.int64)
        tally(search, level.for_loops, side, first, known, unknown)
        branches = Branches(side, first, first + n_branches, known, unknown)
        numbers, paid = np.array(tree.children(node)), np.zeros((n_branches, 0), np.bool_)
        is_open, workspace = np.arange(n_branches) == branch, self.training.columns.workspace
        return next_level(level, branches, is_open, numbers, paid, branches.counts(), workspace)

    def _filled(self, level: Level, a: int) -> Floats:
        """Return the values of an attribute or a direction, with missing ones replaced by rule."""
        values: Floats = self.matrix[level.rows, a]
        columns, rule = self.training.columns, self.training.rules.missing
        if rule == "fractional" or not np.isnan(values).any() or np.isnan(values).all():
            return values
        by_class, overall = modes(self.training, level, a)
        rank = np.where((by_class[0] < 0) | (rule == "most-frequent"), overall, by_class[0])
        if columns.attributes[a].kind == NUMERIC:
            stand_in = columns.values[columns.value_start[a] + rank]
        else:
            stand_in = rank.astype(np.float64)
        filled = stand_in[self.training.y[level.rows]]
        return np.asarray(np.where(np.isnan(values), filled, values))

    def _words(self, tests: Tests, a: int) -> str:
        """Return the branches of the best test of an attribute in words."""
        attribute, rules, columns = (
            self.tree.attributes[a],
            self.training.rules,
            self.training.columns,
        )
        if a not in tests.mappings:
            cuts = tests.cuts[a, :, 2:6].astype(np.int64)
            threshold = float(columns.thresholds(a, cuts, rules.threshold)[0])
            return " | ".join(cut_words(attribute, threshold))
        if kinds_of_tests(columns, rules)[a] == MULTIWAY:
            return " | ".join(f"= {level}" for level in attribute.levels)
        return " | ".join(level_words(attribute, tests.mappings[a][0].tolist()))


def _measures(tests: Tests, rules: GrowthRules, paid: Bools, cost: Floats) -> dict[str, Floats]:
    """Return the numbers of the tests of a level's first node, one for each attribute."""
    worth, penalty, split_info = tests.worth[0], tests.penalty[0], tests.split_info[0]
    return {
        "gain": worth + penalty,
        "penalty": penalty,
        "worth": worth,
        "split_info": split_info,
        "ratio": np.divide(worth, split_info, out=np.zeros_like(worth), where=split_info > 1e-6),
        "cost": cost,
        "score": scores(tests, rules, paid)[0],
    }
