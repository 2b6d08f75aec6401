"""The actual performance of Tables IV and V: trained on all rows, tested on later ones."""

from __future__ import annotations

from sklearn.metrics import roc_auc_score

from bestofk.data import DataSet
from bestofk.learners.preparation import TablePreparer
from replications.variability_2010.protocol import learners


def areas_of_test_set(data: DataSet, later: DataSet, names: tuple[str, ...]) -> dict[str, float]:
    """Return the AUROC of learners that were trained on one data set and tested on another.

    Parameters
    ----------
    data, later : DataSet
        Same columns and classes.
    names : tuple of str
        Of the learners, in the paper.
    """
    results = {}
    for name, learner in learners(names):
        train, test = data.features, later.features
        if name == "NB":
            preparer = TablePreparer().fit(train)
            train, test = preparer.transform(train), preparer.transform(test)
        second = learner.fit(train, data.target_array).predict_proba(test)[:, 1]
        results[name] = float(roc_auc_score(later.target_array == data.classes[1], second))
    return results
