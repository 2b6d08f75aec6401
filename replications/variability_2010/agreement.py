"""Claims of the paper, each with the value measured here."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bestofk.inference import bonferroni_dunn_critical_difference

_STABLE, _UNSTABLE = ("NB", "SMO"), ("C4.5", "HDDT")
_N_DATA_SETS = 20  # of the paper
_TIE = 5e-4  # AUROC is printed with three decimals


def agreement(written: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return claims with what the paper printed and what came out.

    Parameters
    ----------
    written : dict of str to DataFrame
        Tables by the name of their file.

    Returns
    -------
    DataFrame
        Columns claim, rule, printed, here, holds. Printed values are those of the data sets at
        hand.
    """
    rows = [
        *_reproducibility(written["table_3_reproducibility"]),
        *_iterations(written["table_3_iterations"]),
        *_contradiction(written["table_2_verdicts"]),
        *_folds(written["table_1"]),
        *_text_of_table_1(written["table_1"]),
    ]
    if "errors_of_estimates" in written:
        rows += _best_folds(written["errors_of_estimates"])
    return pd.DataFrame(rows)


def _row(claim: str, rule: str, figures: tuple[Any, Any], holds: bool) -> dict[str, Any]:
    printed, here = figures
    return {"claim": claim, "rule": rule, "printed": printed, "here": here, "holds": bool(holds)}


def _gain(means: pd.DataFrame, rule: str) -> tuple[float, float]:
    """Return by how much R is larger under Rank than under another rule: printed, and here."""
    printed, here = (means.loc["Rank"] - means.loc[rule]).round(3).tolist()
    return printed, here


def _counts(of_printed: pd.Series, of_here: pd.Series) -> tuple[int, int]:
    return int(of_printed.sum()), int(of_here.sum())


def _reproducibility(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    was, now = "printed_reproducibility", "reproducibility"
    for n_folds in (2, 10):
        part = table[(table["n_folds"] == n_folds) & (table["first"] == "C4.5")]
        means = part.groupby("rule")[[was, now]].mean()
        claim = f"R of C4.5 and HDDT, {n_folds}-fold, mean over data sets: Rank less"
        for rule, least in (("Fixed-10", 0.1), ("KS-0.2", 0.0)):
            gains = _gain(means, rule)
            rows.append(_row(f"{claim} {rule}", f">= {least}", gains, gains[1] >= least))
    part = table[(table["first"] == "NB") & (table["rule"] == "Rank")]
    counts = _counts(part[was] == 1, part[now] == 1)
    claim = f"R of NB and SMO is 1.00 under Rank, data sets of {len(part)}"
    rows.append(_row(claim, "all but 2", counts, counts[1] >= len(part) - 2))
    return rows


def _iterations(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    part = table[(table["rule"] == "Rank") & (table["n_folds"] == 2)]
    wide = {
        column: part.pivot(index="data_set", columns="learner", values=column)
        for column in ("printed_iterations", "iterations")
    }
    was, now = wide["printed_iterations"], wide["iterations"]
    n = len(was)
    for learner in (*_UNSTABLE, *_STABLE):
        ratio = now[learner] / was[learner]
        n_near = int(ratio.between(0.5, 2).sum())
        claim = f"iterations of {learner} under Rank, 2-fold, within a factor of 2, sets of {n}"
        rows.append(_row(claim, ">= 13 of 19", (n, n_near), n_near >= 13 * n / 19))
    for unstable in _UNSTABLE:
        for stable in _STABLE:
            more = was[unstable] > was[stable]
            counts = _counts(more, more & (now[unstable] > now[stable]))
            claim = f"{unstable} needs more iterations than {stable} under Rank, 2-fold"
            rows.append(_row(claim, "where printed so", counts, counts[0] == counts[1]))
    return rows


def _contradiction(verdicts: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    here = verdicts[verdicts["source"] != "printed"]
    true_p = verdicts.loc[verdicts["iteration"] == 459, "p_value"].iloc[0]
    claim = "printed iteration 459 is significant at 0.05 for HDDT, Wilcoxon"
    rows.append(_row(claim, "p <= 0.05", ("marked so", f"p = {true_p}"), true_p <= 0.05))
    for source, part in here.groupby("source", sort=False):
        counts = dict(zip(part["favors"], part["n_significant"], strict=True))
        told = ", ".join(f"{count} for {name}" for name, count in counts.items())
        claim = f"iterations of {source} whose verdicts contradict each other at 0.05"
        holds = len(counts) == 2 and min(counts.values()) > 0
        rows.append(_row(claim, "some for each learner", ("", told), holds))
    return rows


def _folds(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    for kind, best, text in (("steady", 10, "highest"), ("steady", 2, "lowest"),
                             ("canonical", 2, "lowest")):  # fmt: skip
        names = {"index": "n_folds", "columns": "learner"}
        part = table[table["kind"] == kind]
        wide = [part.pivot(values=column, **names) for column in ("printed_rank", "rank")]
        indices = [item.idxmin() if text == "highest" else item.idxmax() for item in wide]
        counts = _counts(indices[0] == best, indices[1] == best)
        claim = f"{best}-fold estimates are {text} on average, {kind}, learners of 6"
        rows.append(_row(claim, "all", counts, counts[1] == 6))
    return rows


def _text_of_table_1(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return which claims of the text about significance follow from the ranks."""
    rows = []
    limits = bonferroni_dunn_critical_difference(3, _N_DATA_SETS), table["critical_distance"].max()
    for kind, low, high, text in (
        ("canonical", 2, 5, "all"), ("canonical", 2, 10, "half"), ("canonical", 5, 10, "none"),
        ("steady", 2, 5, "none"), ("steady", 5, 10, "all"),
    ):  # fmt: skip
        part = table[table["kind"] == kind]
        counts = []
        for column, limit in zip(("printed_rank", "rank"), limits, strict=True):
            wide = part.pivot(values=column, index="n_folds", columns="learner")
            counts.append(int(((wide.loc[low] - wide.loc[high]).abs() >= limit).sum()))
        claim = f"{low}- and {high}-fold ranks differ significantly, {kind}, learners of 6"
        claimed = {"all": 6, "half": 3, "none": 0}[text]
        rows.append(_row(claim, f"text: {text}", (counts[0], counts[1]), counts[1] == claimed))
    return rows


def _best_folds(errors: pd.DataFrame) -> list[dict[str, Any]]:
    part = errors[errors["table"] == 5]
    counts = []
    for source in ("printed, all 7 sets", "here"):
        wide = part[part["source"] == source].pivot(
            index="n_folds", columns="learner", values="mean_absolute_error"
        )
        counts.append(int((wide.loc["10"] <= wide.min() + _TIE).sum()))
    claim = "steady 10-fold estimates are nearest to the true test set, learners of 3"
    return [_row(claim, "all", (counts[0], counts[1]), counts[1] == 3)]
