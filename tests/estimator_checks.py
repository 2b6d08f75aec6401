"""Checks of scikit-learn's estimator contract, with what of them fails."""

import warnings
from collections.abc import Callable
from typing import Any
from unittest import SkipTest

from sklearn.utils.estimator_checks import estimator_checks_generator

# Skipped by scikit-learn itself: an environment variable, a method that the learner does not have.
SKIPPED = {
    "check_array_api_input",
    "check_classifiers_multilabel_output_format_decision_function",
    "check_classifiers_multilabel_output_format_predict_proba",
}


def failures(estimator: Any, is_wanted: Callable[[str], bool] = lambda check: True) -> list[str]:
    """Return the checks that an estimator does not pass, or that are skipped without need."""
    results = []
    for given, check in estimator_checks_generator(estimator):
        name = getattr(check, "func", check).__name__
        name = getattr(getattr(getattr(check, "func", check), "func", None), "__name__", name)
        if not is_wanted(name):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
            try:
                check(given)
            except SkipTest as reason:
                if name not in SKIPPED:
                    results.append(f"{name} skipped: {reason}")
            except Exception as error:
                results.append(f"{name}: {type(error).__name__}: {error}")
    return results
