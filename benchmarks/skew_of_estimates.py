"""Whether the skew of a learner's estimates says which learner is better on rows held out.

A third of the rows is held out, a few times; the others give the AUROC of every repeat of 30x10.
Over all pairs of learners: how often the one with the higher mean is the better one on the rows
held out; and, where one of them alone is clearly skewed with a tail of worse repeats, as Raeder,
Hoens and Chawla (2010) recommend to prefer, how often that one is. Estimates near 1 have such
tails by themselves, so two lines have only pairs whose means are within two points. Last the
means are held against the medians, which the paper advises where estimates are skewed.

    OMP_NUM_THREADS=1 python benchmarks/skew_of_estimates.py FILE... [--draws 3]
"""

from __future__ import annotations

import argparse
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from bestofk import compare, load_data
from bestofk.report.plots import EstimateDistributionsDisplay
from bestofk.resampling import make_plan

LEARNERS = "naive-bayes,lda,logistic,5nn,cart"
CLOSE = 0.02


def pairs_of(path: Path, draw: int, cv: str) -> list[dict[str, object]]:
    """Return one row per pair of learners."""
    data = load_data(path)
    split = make_plan(data, "1xholdout", stratify=True, random_state=draw)
    rows, test = split.train_rows[0], split.test_rows[0]
    result = compare(LEARNERS, data.subset(rows), cv=cv, scoring="auroc", progress=False)
    shapes = EstimateDistributionsDisplay.from_comparison(result).distributions
    features, labels = data.feature_rows(test), data.target_rows(test)
    truth = {item.name: result.fit(item.name) for item in shapes}
    scores = {
        name: auroc(model.predict_proba(features)[:, 1], labels, model.classes_[1])
        for name, model in truth.items()
    }
    return [
        {
            "gap": first.mean - second.mean,
            "median gap": first.median - second.median,
            "is skewed": first.is_skewed or second.is_skewed,
            "true gap": scores[first.name] - scores[second.name],
            "tails": int(first.has_worse_tail) - int(second.has_worse_tail),
        }
        for first, second in combinations(shapes, 2)
    ]


def auroc(values: np.ndarray, labels: np.ndarray, positive: object) -> float:
    """Return the area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(np.asarray(labels) == positive, values))


def share(name: str, is_right: pd.Series) -> None:
    """Print how often a rule named the better learner, ties of the truth left out."""
    n = len(is_right)
    rate = is_right.mean()
    print(f"{name:52s}{n:6d}{rate:8.0%} +- {np.sqrt(rate * (1 - rate) / max(n, 1)):.0%}")


def main() -> None:
    """Measure all files, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--cv", default="30x10")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = [
        row
        for path in options.files
        for draw in range(options.draws)
        for row in pairs_of(path, draw, options.cv)
    ]
    table = pd.DataFrame(rows)
    table = table[table["true gap"] != 0]
    tailed = table[table["tails"] != 0]
    close = tailed[tailed["gap"].abs() <= CLOSE]
    print(f"{'better on the rows held out is the one with':52s}{'pairs':>6s}{'right':>8s}")
    share("the higher mean, all pairs", table["gap"] * table["true gap"] > 0)
    share(
        "the tail of worse repeats, where one has it alone",
        tailed["tails"] * tailed["true gap"] > 0,
    )
    share("the higher mean, of the same pairs", tailed["gap"] * tailed["true gap"] > 0)
    share("the tail, where means are within two points", close["tails"] * close["true gap"] > 0)
    share("the higher mean, of the same pairs", close["gap"] * close["true gap"] > 0)
    skewed = table[table["is skewed"]]
    apart = skewed[skewed["gap"] * skewed["median gap"] < 0]
    for title, pairs in (("where one is skewed", skewed), ("where the two disagree", apart)):
        share(f"the higher mean, {title}", pairs["gap"] * pairs["true gap"] > 0)
        share(f"the higher median, {title}", pairs["median gap"] * pairs["true gap"] > 0)


if __name__ == "__main__":
    main()
