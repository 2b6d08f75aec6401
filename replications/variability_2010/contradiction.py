"""Table II: two iterations whose verdicts on the same data sets contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bestofk.inference import wilcoxon_test
from replications.variability_2010.experiment import Estimates, Floats
from replications.variability_2010.protocol import FOLDS
from replications.variability_2010.tables import printed

FIRST, SECOND = "C4.5", "HDDT"
ALPHA = 0.05


def scores_of_iterations(found: Sequence[Estimates], n_folds: int) -> Floats:
    """Return AUROC of both learners, shape (2, n_runs, n_data_sets)."""
    index = FOLDS.index(n_folds)
    both = [[estimates.auroc[name][index] for estimates in found] for name in (FIRST, SECOND)]
    return np.array(both).swapaxes(1, 2)


def verdicts(found: Sequence[Estimates]) -> pd.DataFrame:
    """Return what the Wilcoxon test says of C4.5 and HDDT: printed iterations, and those here.

    Of each number of folds, the iteration that speaks most for either learner, and how many of
    all iterations are significant for it.
    """
    rows = [_printed_verdict(216), _printed_verdict(459)]
    for n_folds in FOLDS:
        first, second = scores_of_iterations(found, n_folds)
        tests = [wilcoxon_test(a, b) for a, b in zip(first, second, strict=True)]
        p_values = np.array([test.p_value for test in tests])
        favors_first = np.array([test.w_plus > test.w_minus for test in tests])
        for name, is_meant in ((FIRST, favors_first), (SECOND, ~favors_first)):
            n_significant = int((is_meant & (p_values <= ALPHA)).sum())
            if is_meant.any():
                best = int(np.argmin(np.where(is_meant, p_values, np.inf)))
                row = _row(f"{n_folds}-fold", best, first[best], second[best])
            else:
                row = {"source": f"{n_folds}-fold", "favors": name}
            rows.append(row | {"n_significant": n_significant, "of": len(tests)})
    return pd.DataFrame(rows).astype(
        {"iteration": "Int64", "n_significant": "Int64", "of": "Int64"}
    )


def _printed_verdict(iteration: int) -> dict[str, Any]:
    table = printed("table_2")
    wide = table[table["iteration"] == iteration].pivot(
        index="data_set", columns="learner", values="auroc"
    )
    return _row("printed", iteration, wide[FIRST].to_numpy(), wide[SECOND].to_numpy())


def _row(source: str, iteration: int, first: Floats, second: Floats) -> dict[str, Any]:
    test = wilcoxon_test(first, second)
    ranks = 1.5 - np.sign(first - second) / 2
    return {
        "source": source,
        "iteration": iteration,
        "favors": FIRST if test.w_plus > test.w_minus else SECOND,
        "rank_of_c45": round(float(ranks.mean()), 2),
        "rank_of_hddt": round(float(3 - ranks.mean()), 2),
        "w_plus": test.w_plus,
        "w_minus": test.w_minus,
        "p_value": round(test.p_value, 5),
        "is_significant": test.p_value <= ALPHA,
    }


def table_2(found: Sequence[Estimates], told: pd.DataFrame) -> pd.DataFrame:
    """Return AUROC of both learners in the printed iterations, and in those of `verdicts`."""
    table = printed("table_2")
    table = table[table["data_set"].isin([estimates.name for estimates in found])]
    table = table.assign(source="printed")
    parts = [table[["source", "iteration", "data_set", "learner", "auroc"]]]
    here = told[(told["source"] != "printed") & told["iteration"].notna()]
    for source, iteration in zip(here["source"], here["iteration"], strict=True):
        scores = scores_of_iterations(found, int(source.removesuffix("-fold")))
        for index, estimates in enumerate(found):
            rows = [
                {"source": source, "iteration": iteration, "data_set": estimates.name,
                 "learner": name, "auroc": round(float(scores[number, iteration, index]), 4)}
                for number, name in enumerate((FIRST, SECOND))
            ]  # fmt: skip
            parts.append(pd.DataFrame(rows))
    return pd.concat(parts, ignore_index=True)
