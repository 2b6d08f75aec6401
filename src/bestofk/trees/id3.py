"""The ID3 learner: gain, a branch for each level, no pruning."""

from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Floats, Positions
from bestofk.trees.base import TreeClassifier
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.parameters import ORDINAL_SPLITS, choice, documented


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ID3Classifier(TreeClassifier):
    """Decision tree by ID3 (Quinlan 1986): the test with the largest gain, a branch for each level.

    Nodes are split until they are pure or no attribute is left, even by tests without gain, so that
    parity can be learned. An attribute with a branch for each level is tested at most once on a
    path.

    Parameters
    ----------
    criterion : {"gain", "entropy"}, default="gain"
        Worth of a test: the decrease of entropy. Both words mean the same.
    nominal_splits : {"multiway", "binary", "subset"}, default="multiway"
        A branch for each level; one level against the rest; or the best two subsets, found as in
        `CARTClassifier`.
    ordinal_splits : {"cut", "multiway"}, default="cut"
        Division of columns with an order: after a level; or a branch for each, if columns without
        an order have that, too.
    empty_branches : {"majority", "none"}, default="majority"
        Prediction of a branch without training rows: that of its parent as a leaf; or none: all
        probabilities are 0, and the first class is predicted. With "none", nodes without a test of
        positive gain are not split, and rounding decides between equal gains, as in Weka's Id3.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of entropy.

    Notes
    -----
    DEVIATION: the paper covers neither numbers nor weights. Numeric columns get the threshold with
    the largest gain, and may be tested again.

    References
    ----------
    .. [1] Quinlan (1986), Induction of decision trees, Machine Learning 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.trees import ID3Classifier
    >>> X = pd.DataFrame({"a": list("0011"), "b": list("0101")})
    >>> learner = ID3Classifier().fit(X, ["even", "odd", "odd", "even"])
    >>> learner.get_n_leaves(), learner.predict(X).tolist()
    (4, ['even', 'odd', 'odd', 'even'])
    """

    criterion: str = choice("gain", ("gain", "entropy"))
    nominal_splits: str = choice("multiway", ("multiway", "binary", "subset"))
    ordinal_splits: str = choice("cut", ORDINAL_SPLITS)
    empty_branches: str = choice("majority", ("majority", "none"))

    def growth_rules(self) -> GrowthRules:
        """Return the rules, after a check of all parameters."""
        self.check_parameters()
        if self.empty_branches == "none":
            return self.rules_with(nominal_splits=self.nominal_splits, takes_zero=False, tie=0.0)
        return self.rules_with(nominal_splits=self.nominal_splits)

    def _answers(self) -> Floats:
        answers = super()._answers()
        if self.empty_branches == "none":
            answers = np.where(self.tree_.weight[:, None] > 0, answers, 0.0)
        return answers

    def _best_answers(self) -> Positions:
        if self.empty_branches == "none":
            return np.asarray(self._answers().argmax(axis=1))
        return super()._best_answers()
