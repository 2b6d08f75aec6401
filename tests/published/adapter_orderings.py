"""Adapters of the cases about orderings."""

import itertools
from typing import Any

import numpy as np
from tests.published.adapter_two_learners import PAIRWISE
from tests.published.cases import Case, by_pair, given_p, losses, pair

from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.verdict.rules import first_test_best, multitest_edges, multitest_order


def one_sided_tests(case: Case) -> tuple[list[Any], np.ndarray, np.ndarray]:
    """Test every ordered pair for a greater loss of the first."""
    options, given = case["options"], case["input"]
    scores = losses(given["errors"] if "errors" in given else given["scores"], options)
    name = options.get("pairwise", "cv52_t")
    t, p = np.full((2, len(scores), len(scores)), np.nan)
    for i, j in itertools.permutations(range(len(scores)), 2):
        result = PAIRWISE[name](scores[i], scores[j], options, "greater")
        t[i, j], p[i, j] = result.statistic, result.p_value
    return scores, t, p


def ordered(edges: np.ndarray) -> Case:
    order = [i + 1 for i in multitest_order(edges)]
    return {"edges": (np.argwhere(edges) + 1).tolist(), "best": order[0], "order": order}


def multitest(case: Case) -> Case:
    options, given = case["options"], case["input"]
    results: Case = {}
    if "p" in given:
        p = given_p(given["p"], given.get("n_learners") or 1 + max(pair(k)[1] for k in given["p"]))
    else:
        _, t, p = one_sided_tests(case)
        results = {"t": by_pair(t), "p": by_pair(p)}
    edges, adjusted_p = multitest_edges(
        p, alpha=options.get("alpha", 0.05), correction=options.get("correction", "bonferroni")
    )
    return results | {"adjusted_p": by_pair(adjusted_p)} | ordered(edges)


def graph(case: Case) -> Case:
    edges = np.zeros((case["input"]["n_learners"],) * 2, dtype=bool)
    for i, j in case["input"]["edges"]:
        edges[i - 1, j - 1] = True
    return ordered(edges)


def first_test(case: Case) -> Case:
    options, given = case["options"], case["input"]
    if "means" in given:
        means = losses(given["means"], options)
        p = given_p(given.get("p_vs_first") or given.get("p") or {}, len(means))
    else:
        scores, _, p = one_sided_tests(case)
        means = [np.mean(score) for score in scores]
    best = first_test_best(
        means,
        p,
        alpha=options.get("alpha", 0.05),
        correction=options.get("correction", "bonferroni"),
        per_comparison=options.get("per_comparison"),
    )
    return {"best": None if best is None else best + 1, "smallest_mean": lowest_loss(means) + 1}


PROCEDURES = {
    "multitest": multitest,
    "multitest_5x2": multitest,
    "multitest_order": graph,
    "testfirst": first_test,
}
