"""What a report says in many situations, against the golden texts beside this file.

`python -m tests.unit.report.test_texts` writes them anew.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests import golden
from tests.unit.report.given_findings import MEANS, edge, findings, learner, measure, pair

from bestofk.inference import Caution
from bestofk.inference.many_learners.reseeding import Chance, Reseeding
from bestofk.inference.new_data import MoreNeeded, ShipClaim
from bestofk.report import Findings, answer, to_latex
from bestofk.report.findings.many_data_sets import MissingResult
from bestofk.report.findings.one_data_set import ChosenSettings, SettingCount
from bestofk.report.sentences.details import details
from bestofk.report.sentences.details_across import details_across
from bestofk.report.sentences.methods import bibtex, methods_paragraph
from bestofk.score_tables.across import compare_scores_across
from bestofk.stopping.history import Elimination, RowElimination, RowsHistory, StoppingHistory
from bestofk.verdict import NOT_BETTER, Alternative
from bestofk.verdict.many_data_sets import decide_across

FOLDER = Path(__file__).parent
NAN, INF = float("nan"), float("inf")
CLAIM = ShipClaim("logistic", 0.01, 0.86, 0.0012, 0.038, 0.081, n_shared_splits=15)
CART = ShipClaim("cart", 0.01, 0.8, 0.0041, 0.048, 0.09, n_shared_splits=15)
AUROC, LOG_LOSS = measure("auroc"), measure("log_loss")
NO_PICK = {"best": None, "order": [], "candidates": [], "alternative": None}
ALONE = {"order": ["logistic"], "candidates": ["logistic"], "pairs": []}
PREFERRED = {
    "best": "cart",
    "order": ["cart", "logistic", "1nn", "nearest-mean", "majority"],
    "has_preference": True,
    "preference": "Preference as given: majority, cart, logistic, 1nn, nearest-mean.",
    "alternative": None,
    "reversed_best": "logistic",
    "correction": "bonferroni",
    "pairs": [
        pair("majority", "cart", NOT_BETTER),
        *(pair("cart", name, NOT_BETTER) for name in ("logistic", "1nn", "nearest-mean")),
    ],
    "edges": [edge("majority", "logistic")],
}
GROWN = RowsHistory(
    (100, 500), 500, 2000,
    (RowElimination("cart", 500, 0.06, "could no longer win", is_beaten=True),
     RowElimination("1nn", 100, 0.09, "", seconds=600.0)),
    "the budget was spent", 2,
)  # fmt: skip


def claimed(claim: ShipClaim = CLAIM, other: ShipClaim | None = CART, **changes: Any) -> dict:
    return {"claim": claim, "other_claims": {"cart": other} if other else {}} | changes


def raced(*eliminations: Elimination, is_settled: bool = True, most: int = 50) -> StoppingHistory:
    ended = "the pick is settled"
    return StoppingHistory(3, most, 2, (2, 3), eliminations, ended, is_settled, 0.05)


def reseeding(*stated: float | None) -> Reseeding:
    """Return what other seeds would say, with the probabilities that are stated."""
    chances = [p if p is None else Chance(p, p, p) for p in (*stated, None, None)[:3]]
    return Reseeding(*chances, np.zeros((5, 5)), 10)


def tuned(*counts: tuple, untuned: str = "", how: str = "", **changes: Any) -> dict:
    """Return changes after which cart, which cannot be ruled out, is tuned."""
    chosen = ChosenSettings(tuple(SettingCount(*count) for count in counts), untuned)
    if how:
        chosen = replace(chosen, how=how)
    own = [learner(name, chosen_settings=chosen if name == "cart" else None) for name in MEANS]
    return {"learners of the report": own} | changes


def gained(*, first: str, **bounds: float) -> dict:
    """Return changes in which tuning made a difference, of a pair in either order."""
    both = replace(pair("logistic", "cart"), **bounds)
    if first == "cart":
        bounds = {"low": -both.high, "high": -both.low}
        both = replace(pair("cart", "logistic"), difference=-both.difference, **bounds)
    return tuned(({"k": 5}, 4, True), untuned="logistic", verdict={"pairs": [both]})


GAIN = {"difference": 0.012, "low": 0.003, "high": 0.02}
QUICK = {"learners": {"cart": {"predict_seconds": 2e-4}}}
SITUATIONS: dict[str, dict[str, Any]] = {
    "the usual one": {},
    "all others are beaten": {"verdict": {
        "pairs": [pair("logistic", name, "better") for name in MEANS if name != "logistic"],
        "candidates": ["logistic"],
    }},
    "one is practically equivalent": {"verdict": {
        "pairs": [pair("logistic", "cart", "practically equivalent"), pair("logistic", "1nn")],
        "edges": [], "candidates": list(MEANS),
    }},
    "a preference decides": {"verdict": PREFERRED},
    "the pick beats the baseline": {"verdict": {"baselines": {"mean": {"logistic": True}}}},
    "the pick does not beat one": {"verdict": {"baselines": {"mean": {"logistic": False}}}},
    "the measure is no share": {"measure": AUROC, "shown": []},
    "no test is possible": {"verdict": {
        "test": "", "pairs": [], "candidates": list(MEANS), "alternative": None,
    }},
    "a learner has no result": {
        "verdict": {"order": [name for name in MEANS if name != "1nn"]},
        "learners": {"1nn": {"left_out": "no run was finished"}},
    },
    "runs are missing, found, failed": {
        "n_unfinished": 3, "n_reused": 8, "learners": {"1nn": {"n_failed": 2}},
    },
    "some learners did not grow": {
        "verdict": ALONE, "rows_history": GROWN,
        "learners": {name: {"left_out": "trained on fewer rows"} for name in MEANS
                     if name != "logistic"},
    },
    "training rows grew to all": {"rows_history": RowsHistory((100, 400), 400, 400, ())},
    "there is no pick": {"verdict": NO_PICK},
    "no pick and a silent claim": {
        "verdict": NO_PICK, "claim": ShipClaim(None, 0.01, reason="no learner was picked"),
    },
    "scores were given": {"learners": {name: {"n_runs": 0} for name in MEANS}},
    # other seeds
    "the pick is 86% likely": {"reseeding": reseeding(0.86)},
    "the pick is almost sure": {"reseeding": reseeding(0.986)},
    "the pick is sure": {"reseeding": reseeding(1.0)},
    "pick and candidates are stated": {"reseeding": reseeding(0.95, 0.646)},
    "pick, candidates and order are stated": {"reseeding": reseeding(0.9, 0.97, 0.6)},
    "the pick is not stated": {"reseeding": reseeding(None)},
    # facts below the table
    "splits differ": {"learners": {"cart": {"scores": np.array([0.05, 0.06])}}},
    "a headline": {"headline": "AUROC decides."},
    "a region of equivalence": {"verdict": {"rope": 0.01}},
    "cheaper to train and to predict, and better": {
        "verdict": {"alternative": Alternative("cart", -0.002, 0.01, ("training", "predicting"))},
    } | QUICK,
    "a price without a bound": {"verdict": {"alternative": Alternative("cart", 0.01, INF)}},
    "no other is cheaper": {
        "verdict": {"alternative": None}, "learners": {"cart": {"fit_seconds": 5e-3}},
    },
    "seconds are not known": {
        "verdict": {"alternative": None},
        "learners": {"cart": {"fit_seconds": 5e-3}, "logistic": {"fit_seconds": NAN}},
    },
    "a tie": {"verdict": {
        "means": MEANS | {"cart": 0.048, "1nn": 0.046}, "indifference": 0.005,
    }},
    "other measures have other winners": {
        "picks": {"error": "logistic", "accuracy": "cart", "auroc": "cart", "log_loss": "1nn"},
    },
    "only large gaps can be detected": {"verdict": {"smallest_difference": 0.151}},
    "a note is a caveat": {"notes": ("A guess.", "A note.", Caution("untuned", "Untuned."))},
    # repeats
    "two left early": {"stopping_history": raced(
        Elimination("cart", 1, "behind", True), Elimination("1nn", 2, "behind", True)
    )},
    "one left after the last repeat": {
        "stopping_history": raced(Elimination("cart", 3, "behind", True)), "claim": CLAIM,
    },
    "not settled": {"stopping_history": raced(is_settled=False, most=3), "n_reused": 4},
    "interrupted": {"stopping_history": raced(is_settled=False), "n_unfinished": 3},
    "one failed too often": {
        "stopping_history": raced(Elimination("1nn", 2, "too many runs gave no score")),
    },
    # claims
    "a claim": claimed(),
    "a claim that is a bound": claimed(
        ShipClaim("logistic", 0.01, 0.93, 0.001, 0.03, 0.07), is_claim_at_least=True,
        more_needed=MoreNeeded(row_factor=2),
    ),
    "a bound is rounded down": claimed(
        ShipClaim(**{**vars(CLAIM), "probability": 0.89}), None, is_claim_at_least=True
    ),
    "a claim about accuracy": claimed(other=None, measure=measure("accuracy")),
    "a claim about AUROC": claimed(
        ShipClaim("logistic", 0.01, 0.86, 0.0001, 0.02, 0.0512, n_shared_splits=15), None,
        measure=AUROC,
    ),
    "a claim about AUROC without an interval": claimed(
        ShipClaim("logistic", 0.02, 0.86, 0.001), None, measure=AUROC
    ),
    "a claim about log loss": claimed(
        ShipClaim("logistic", 0.001, 0.86, 1e-6, 0.2, 0.883, n_shared_splits=15),
        ShipClaim("cart", 0.001, 0.8, 0.0025, 0.03, 0.05, n_shared_splits=15), measure=LOG_LOSS,
    ),
    "within half a point": claimed(ShipClaim(**{**vars(CLAIM), "within": 0.005})),
    "within two points": claimed(ShipClaim(**{**vars(CLAIM), "within": 0.02})),
    "a learner alone": claimed(
        ShipClaim("logistic", 0.01, loss_low=0.038, loss_high=0.081, reason="only one"), None,
        verdict={"order": ["logistic"]},
    ),
    "a learner and a baseline": claimed(other=None, verdict={"order": ["logistic"]}),
    "a single test set": claimed(other=None, verdict={"n_splits": 1, "test": ""}),
    "no claim": claimed(*[ShipClaim("logistic", 0.01, reason="rows come in 12 groups")] * 2),
    "a small expected loss": claimed(other=ShipClaim("cart", 0.01, 0.99, 0.0004)),
    "a candidate below 5%": claimed(other=ShipClaim("cart", 0.01, 0.049, 0.02)),
    # what would help
    "more repeats": claimed(
        other=None, more_needed=MoreNeeded(n_repeats=12, endless_repeats_would=True)
    ),
    "more rows": claimed(other=None, more_needed=MoreNeeded(row_factor=3)),
    "many more rows": claimed(other=None, more_needed=MoreNeeded(endless_repeats_would=True)),
    "nothing": claimed(other=None, more_needed=MoreNeeded(is_behind=True)),
    "more test rows": claimed(
        other=None, verdict={"n_splits": 1}, more_needed=MoreNeeded(row_factor=2)
    ),
    "it is likely enough": claimed(
        ShipClaim("logistic", 0.01, 0.93, 0.001, 0.03, 0.07), None,
        more_needed=MoreNeeded(row_factor=2),
    ),
    # tuning
    "many numbers were chosen": tuned(
        *[({"k": k}, 1, False) for k in (9, 9, 12, 15, 18, 18, 30)], ({"k": 5}, 2, True)
    ),
    "the default was never chosen": tuned(({"k": 1e-9}, 2, False), ({"k": 0.1}, 2, False)),
    "the default was chosen always": tuned(({"k": 5}, 4, True)),
    "one other setting was chosen": tuned(
        ({"shrinkage": None, "solver": "svd"}, 14, True),
        ({"shrinkage": 0.1, "solver": "lsqr"}, 1, False),
    ),
    "there is no default": tuned(
        ({"C": 1, "kernel": "rbf"}, 2, None), ({"C": 1, "kernel": "poly"}, 1, None)
    ),
    "a setting is not set": tuned(({"a": None}, 2, False), ({"a": 0.1}, 1, False)),
    "tuning gained": gained(first="logistic", **GAIN),
    "tuning gained, turned": gained(first="cart", **GAIN),
    "tuning gained AUROC": gained(first="logistic", **GAIN) | {"measure": AUROC},
    "tuning lost": gained(first="logistic", difference=-0.004, low=-0.0301, high=-0.0001),
    "settings were chosen by this package": tuned(
        ({"k": 5}, 4, True), how="5-fold cross-validation (error rate; the lowest mean loss)"
    ),
    "some learners are of this package": {"learners": {
        "cart": {"class_path": "bestofk.trees.cart.CARTClassifier"},
        "1nn": {"class_path": "sklearn.neighbors.Other"},
    }},
}  # fmt: skip


RNG = np.random.default_rng(2)
SCORES = 0.2 + 0.1 * RNG.random((12, 1)) + 0.002 * RNG.random((12, 3))


def across(n_sets: int = 10, extra: Sequence[float] = (0.0, 0.001, 0.2), **options: Any) -> Any:
    """Return findings over data sets, of which the first learner is the best."""
    table = pd.DataFrame(SCORES[:n_sets] + extra, columns=["lda", "cart", "1nn"])
    table.insert(0, "dataset", [f"set_{i}" for i in range(n_sets)])
    return compare_scores_across(table, measure="error", **options)


def beaten() -> Any:
    """Return findings in which a learner loses by one data set alone."""
    means = {"lda": [0.99] + 11 * [0.1], "cart": 0.11 + 0.001 * np.arange(12)}
    table = pd.DataFrame({"dataset": list("abcdefghijkl"), **means})
    return compare_scores_across(table, measure="error")


def incomplete() -> Any:
    """Return findings in which a learner lacks half of the data sets."""
    found = across(12)
    values = found.values.copy()
    values[:6, 1] = np.nan
    cell = MissingResult("set_0", "cart", "timeout", "no result after 3 s")
    decided = decide_across(found.learners, values, data_sets=found.data_sets)
    return replace(found, values=values, verdict=decided, missing=(cell,))


ACROSS: dict[str, Callable[[], Any]] = {
    "over data sets": across,
    "over data sets, with a preference": lambda: across(
        prefer=["1nn", "lda", "cart"], correction="bonferroni"
    ),
    "over data sets, without a region": lambda: across(rope=0.0),
    "over data sets, against a control": lambda: across(control="cart"),
    "over data sets, the lowest mean is beaten": beaten,
    "over data sets, without a verdict": lambda: replace(
        across(), verdict=None, reason="Only one data set has scores."
    ),
    "over two data sets": lambda: across(2, (0.0, 0.1, 0.2)),
    "over three data sets": lambda: across(3, (0.0, 0.1, 0.2)),
    "over data sets, a learner lacks many": incomplete,
}


def made(changes: dict[str, Any]) -> Findings:
    changes = dict(changes)
    own = changes.pop("learners of the report", None)
    found: Findings = findings(**changes)
    return replace(found, learners=own) if own else found


def keys_of(found: Any) -> list[str]:
    """Return the keys that the methods cite, held against the entries."""
    cited = re.findall(r"cite\{([^}]+)\}", methods_paragraph(found))
    keys = list(dict.fromkeys(key for several in cited for key in several.split(",")))
    assert re.findall(r"^@\w+\{(\w+),$", bibtex(found), re.MULTILINE) == keys
    return keys


def sentences(found: Any) -> list[str]:
    """Return the answer, the details, the caption of the table, the methods with their keys."""
    assert "equal" not in " ".join(answer(found))  # what is not shown is never called that
    caption = re.findall(r"\\caption\{(.*)\}", to_latex(found))[0]
    methods = methods_paragraph(found, made_with="bestofk 9")
    parts = re.split(r"(?<=\.) (?=[A-Z$])", f"Caption. {caption} Methods. {methods}")
    below = details(found) if isinstance(found, Findings) else details_across(found)
    return [*answer(found), *below, *parts, f"cited: {keys_of(found)}"]


TEXTS = {
    "texts.txt": {
        name: lambda changes=changes: sentences(made(changes))
        for name, changes in SITUATIONS.items()
    },
    "texts_across.txt": {
        name: lambda found=found: sentences(found()) for name, found in ACROSS.items()
    },
}


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file, names in TEXTS.items() for name in names]
)
def test_a_report_says_what_it_said(file, name):
    golden.check(FOLDER / file, TEXTS[file], name)


if __name__ == "__main__":
    for title, situations in TEXTS.items():
        golden.write(FOLDER / title, situations)
