"""Pooled AUROC: on request, with its warning."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from bestofk import compare
from bestofk.errors import BestofkWarning, InvalidArgumentError


def test_pooled_auroc_is_that_of_all_rows_of_a_repeat_and_warns():
    result = compare(["naive-bayes", "svm"], "breast_cancer", cv="2x3")
    with pytest.warns(BestofkWarning, match="do not compare learners by it"):
        table = result.pooled_auroc()
    assert table["learner"].tolist() == ["naive-bayes"] * 2 + ["svm"] * 2
    data, records = result.evaluation.data, result.evaluation.records[0]
    rows = np.concatenate(result.evaluation.test_rows[:3])
    scores = np.concatenate([record.predictions.probabilities[:, 1] for record in records[:3]])
    assert table["pooled"][0] == pytest.approx(roc_auc_score(data.y[rows], scores), rel=1e-12)
    folds = result.to_frame().query("measure == 'auroc' and learner == 'svm' and repeat == 1")
    assert table["mean_of_folds"][3] == pytest.approx(folds["value"].mean(), rel=1e-12)


def test_pooled_auroc_is_refused_for_regression():
    with pytest.raises(InvalidArgumentError, match="must be a measure of regression"):
        compare(["mean", "ridge"], "diabetes", cv="2").pooled_auroc()
