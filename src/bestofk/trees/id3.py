"""The ID3 learner: gain, a branch for each level, grown to the end."""

from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Floats, Positions
from bestofk.trees.base import TreeClassifier
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.parameters import ORDINAL_SPLITS, choice, documented


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ID3Classifier(TreeClassifier):
    """Decision tree by ID3 (Quinlan 1986): the test of most gain, a branch for each level.

    Grows until a node is pure or no attribute is left, also by tests that gain nothing by
    themselves, so that it learns parity. An attribute with a branch for each level is
    tested once on a path.

    Parameters
    ----------
    criterion : {"gain", "entropy"}, default="gain"
        What a test is worth: by how much it lowers the entropy. Both words mean that.
    nominal_splits : {"multiway", "binary", "subset"}, default="multiway"
        A branch for each level; one level against the rest; or the two subsets that gain most,
        found as by `CARTClassifier`.
    ordinal_splits : {"cut", "multiway"}, default="cut"
        How columns with an order are divided: after a level; or a branch for each, where others
        have that too.
    empty_branches : {"majority", "none"}, default="majority"
        What a branch answers that no training row went down: what its parent would as a leaf;
        or nothing: all probabilities are 0, and the first class is predicted. With "none"
        growth also stops where no test gains anything, and rounding decides between equal
        gains: the ways of Weka's Id3.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features_in_,)
        Their shares in the decrease of entropy.

    Notes
    -----
    DEVIATION: the paper knows no numbers and no weights. Numeric columns get the threshold of
    most gain, and may be tested again.

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
