"""Five learners on made-up data, as a report gets them."""

from dataclasses import replace
from typing import Any

import numpy as np

from bestofk.inference import paired_test
from bestofk.measures import get_measure
from bestofk.report import Findings, LearnerFindings
from bestofk.verdict import NOT_BETTER, Alternative, Edge, Pair, Verdict
from bestofk.verdict.verdict import chosen_by_its_mean, family_caution, finding_of, n_tests

MEANS = {"logistic": 0.05, "cart": 0.06, "1nn": 0.09, "nearest-mean": 0.13, "majority": 0.6667}
SECONDS = dict(zip(MEANS, [0.0066, 0.0026, 0.0023, 0.0019, 1e-4], strict=True))


def measure(name: str) -> Any:
    return get_measure(name, task="classification", classes=["a", "b"])


def learner(name: str, **changes: Any) -> LearnerFindings:
    scores = MEANS[name] + np.array([-0.02, -0.01, 0.01, 0.02])
    usual = {
        "name": name,
        "mean": MEANS[name],
        "sd": float(scores.std(ddof=1)),
        "scores": scores,
        "shown": {"accuracy": 1 - MEANS[name], "auroc": 0.9},
        "fit_seconds": SECONDS[name],
        "predict_seconds": 0.001,
        "size_bytes": 1000.0,
        "n_runs": 4,
        "confusion": np.array([[1200, 7], [3, 4]]),
    }
    return LearnerFindings(**(usual | changes))


def edge(worse: str, better: str) -> Edge:
    return Edge(worse, better, MEANS[worse] - MEANS[better], np.inf, 0.0, 0.0)


def pair(first: str, second: str, answer: str = "undecided") -> Pair:
    """Return a pair; of one that is decided the learner with the lower mean is better."""
    difference = MEANS[first] - MEANS[second]
    better = first if difference < 0 else second
    if answer == NOT_BETTER:
        better = second
    finding, bounds = finding_of(answer, better), (-0.05, 0.03)
    return Pair(first, second, difference, *bounds, -1.5, 3.0, 0.23, np.nan, finding, False, answer)


def verdict(**changes: Any) -> Verdict:
    usual = Verdict(
        best="logistic",
        order=list(MEANS),
        candidates=["logistic", "cart"],
        edges=[edge("majority", "logistic"), edge("nearest-mean", "logistic"), edge("1nn", "cart")],
        pairs=[
            pair("logistic", "cart"),
            pair("1nn", "logistic"),
            pair("nearest-mean", "logistic", "better"),
            pair("logistic", "majority", "better"),
            pair("1nn", "cart", "better"),
        ],
        means=dict(MEANS),
        has_preference=False,
        preference="",
        alternative=Alternative("cart", 0.01, 0.032),
        reversed_best=None,
        first_test_best=None,
        baselines={},
        test="corrected-t",
        correction="holm",
        alpha=0.05,
        n_splits=4,
        same_pick_share=0.5,
    )
    return with_cautions(replace(usual, **changes))


def with_cautions(found: Verdict) -> Verdict:
    """Return a verdict with the cautions that `Decision` adds."""
    cautions = []
    title = paired_test(found.test).title if found.test else ""
    if found.best is not None and not found.has_preference and len(found.order) > 1:
        cautions.append(chosen_by_its_mean(found.best))
    if found.test and len(found.order) > 1:
        count = n_tests(len(found.order), has_preference=found.has_preference)
        baselines = list(found.baselines)
        cautions.append(family_caution(title, count, found.correction, found.alpha, baselines))
    return replace(found, warnings=(*found.warnings, *cautions), test_title=title)


def findings(**changes: Any) -> Findings:
    """Return findings; changes of the verdict go in `verdict`, of learners in `learners`."""
    changed = changes.pop("learners", {})
    usual = {
        "title": "tea",
        "headline": "",
        "data_sentence": "150 rows, 4 inputs, 2 classes",
        "plan_sentence": "2 repeats of 2-fold cross-validation",
        "measure": measure("error"),
        "shown": [measure("accuracy"), measure("auroc")],
        "learners": [learner(name, **changed.get(name, {})) for name in reversed(MEANS)],
        "verdict": verdict(**changes.pop("verdict", {})),
        "picks": {"error": "logistic", "accuracy": "logistic", "auroc": "cart"},
        "classes": ["no", "yes"],
        "n_fitted": 20,
        "repeat_of_split": np.array([0, 0, 1, 1]),
        "notes": ("A guess.", "A note."),
        "guesses": ("A guess.",),
        "warnings": ("Look out.",),
    }
    return Findings(**(usual | changes))
