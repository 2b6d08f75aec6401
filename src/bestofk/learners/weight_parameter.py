"""Name of the sample-weight parameter of an estimator's `fit`, if any."""

from __future__ import annotations

from typing import Any

# What a run keeps as its message.
UNWEIGHTED = "the learner takes no sample_weight; fitted without weights"


def weight_parameter(estimator: Any) -> str | None:
    """Return the name under which `fit` of an estimator takes weights of rows, or None.

    Parameters
    ----------
    estimator : object
        Of a pipeline its last step counts.

    Returns
    -------
    str or None
        "sample_weight", or "STEP__sample_weight" of a pipeline.

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> weight_parameter(learner_catalogue()["naive-bayes"].make())
    'learner__sample_weight'
    >>> weight_parameter(learner_catalogue()["lda"].make()) is None
    True
    """
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    prefix, last = "", estimator
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        prefix = f"{name}__"
    takes_weights = hasattr(last, "fit") and has_fit_parameter(last, "sample_weight")
    return f"{prefix}sample_weight" if takes_weights else None
