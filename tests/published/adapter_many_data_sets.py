"""Adapters of the cases about many data sets, and of adjusted p values."""

from collections.abc import Callable
from typing import Any

import numpy as np
from tests.published.cases import Case, by_pair, numbers, of_result, taken

from bestofk.inference import (
    adjust_p_values,
    aligned_ranks_test,
    bayesian_signed_rank,
    bonferroni_dunn_critical_difference,
    bonferroni_dunn_test,
    cliffs_delta,
    cohen_dz,
    control_rank_test,
    friedman_test,
    iman_davenport_test,
    kendall,
    kendall_w,
    ks_two_sample,
    nemenyi_critical_difference,
    nemenyi_test,
    pairwise_rank_test,
    quade_test,
    rank_biserial,
    reproducibility_r,
    sign_test,
    spearman,
    wilcoxon_test,
)


def adjusted(case: Case) -> Case:
    method = case["options"].get("method", "holm")
    return {"adjusted_p": adjust_p_values(numbers(case["input"]["p"]), method).tolist()}


def given_pair(case: Case) -> tuple[Any, Any]:
    return numbers(case["input"]["a"]), numbers(case["input"]["b"])


def given_table(case: Case) -> Case:
    return {
        "scores": numbers(case["input"]["scores"]),
        "greater_is_better": case["options"].get("higher_is_better", False),
    }


def omnibus(test: Callable[..., Any]) -> Callable[[Case], Case]:
    return lambda case: of_result(test(**given_table(case)), case["options"])


def ranked_pairs(result: Any, alpha: float) -> Case:
    """Give every key that cases of mean ranks use; against a control: others in index order."""
    results = of_result(result, {"alpha": alpha})
    if not result.control:
        return {
            **results,
            "raw_p": by_pair(result.p_value),
            "adjusted_p": by_pair(result.p_adjusted),
            "pairwise_p": by_pair(result.p_adjusted),
            "z": by_pair(np.abs(result.statistic)),
            "reject": by_pair(result.reject(alpha)),
        }
    control = result.names.index(result.control)
    rows = {
        "raw_p": result.p_value,
        "adjusted_p": result.p_adjusted,
        "z": np.abs(result.statistic),
        "reject": result.reject(alpha),
    }
    return {**results, **{k: np.delete(v[control], control).tolist() for k, v in rows.items()}}


def critical_difference(case: Case, of: Callable[..., float]) -> Case:
    k, n = case["input"]["n_learners"], case["input"]["n_datasets"]
    result = of(k, n, alpha=case["options"].get("alpha", 0.05))
    return {"critical_difference": result, "q": result / np.sqrt(k * (k + 1) / (6 * n))}


def nemenyi(case: Case) -> Case:
    if "n_learners" in case["input"]:
        return critical_difference(case, nemenyi_critical_difference)
    alpha = case["options"].get("alpha", 0.05)
    return ranked_pairs(nemenyi_test(**given_table(case), alpha=alpha), alpha)


def all_pairs(correction: str) -> Callable[[Case], Case]:
    def run(case: Case) -> Case:
        alpha = case["options"].get("alpha", 0.05)
        result = pairwise_rank_test(**given_table(case), correction=correction, alpha=alpha)
        return ranked_pairs(result, alpha)

    return run


def against_control(test: Callable[..., Any]) -> Callable[[Case], Case]:
    def run(case: Case) -> Case:
        if "n_learners" in case["input"]:
            return critical_difference(case, bonferroni_dunn_critical_difference)
        alpha = case["options"].get("alpha", 0.05)
        control = f"learner {case['options'].get('control', 1)}"
        return ranked_pairs(test(**given_table(case), control=control, alpha=alpha), alpha)

    return run


def of_pair(test: Callable[..., Any], *known: str) -> Callable[[Case], Case]:
    def run(case: Case) -> Case:
        result = test(*given_pair(case), **taken(case["options"], *known))
        return of_result(result, case["options"])

    return run


def effect_size(case: Case) -> Case:
    kind = case["options"]["kind"]
    if kind == "kendall_w":
        scores = numbers(case["input"]["scores"])
        names = [f"learner {i}" for i in range(len(scores[0]))]
        return {"value": kendall_w(scores, names=names)}
    functions = {
        "rank_biserial_paired": rank_biserial,
        "cohen_dz": cohen_dz,
        "cliffs_delta": cliffs_delta,
    }
    return {"value": functions[kind](*given_pair(case))}


def reproducibility(case: Case) -> Case:
    return {"R": reproducibility_r(*given_pair(case))}


def correlation(of: Callable[..., Any]) -> Callable[[Case], Case]:
    def run(case: Case) -> Case:
        result = of(*given_pair(case))
        return of_result(result, case["options"]) | {result.symbol: result.value}

    return run


def kolmogorov_smirnov(case: Case) -> Case:
    result = ks_two_sample(*given_pair(case))
    return of_result(result, case["options"]) | {"D": result.statistic}


def signed_rank_posterior(case: Case) -> Case:
    # differences are a - b, the probabilities of the cases those of b - a
    known = {"rope": 0.01, "prior_strength": 0.5, "prior_place": "rope"}
    options = {name: case["options"].get(name, usual) for name, usual in known.items()}
    result = bayesian_signed_rank(*given_pair(case), **options)
    return {
        "p_b_less": result.p_greater,
        "p_rope": result.p_rope,
        "p_b_greater": result.p_less,
        "degenerate": result.flags,
    }


PROCEDURES = {
    "p_adjust": adjusted,
    "friedman": omnibus(friedman_test),
    "iman_davenport": omnibus(iman_davenport_test),
    "quade": omnibus(quade_test),
    "friedman_aligned_ranks": omnibus(aligned_ranks_test),
    "nemenyi": nemenyi,
    "shaffer": all_pairs("shaffer"),
    "bergmann_hommel": all_pairs("bergmann-hommel"),
    "bonferroni_dunn": against_control(bonferroni_dunn_test),
    "holm_control": against_control(control_rank_test),
    "wilcoxon": of_pair(wilcoxon_test, "alternative", "method", "continuity", "zeros"),
    "sign_test": of_pair(sign_test, "alternative", "zeros"),
    "effect_size": effect_size,
    "reproducibility_r": reproducibility,
    "spearman": correlation(spearman),
    "kendall": correlation(kendall),
    "ks_2samp": kolmogorov_smirnov,
    "bayes_signed_rank": signed_rank_posterior,
}
