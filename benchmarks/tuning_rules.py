"""What the rules of tuning gain and risk on fresh samples, against the default setting.

Samples of a few sizes are drawn from each large file; every learner chooses by inner
cross-validation of the sample; the chosen setting and the default are trained on the sample and
tested on all other rows. Gain: points of accuracy above the default. Harm: share of samples where
the chosen setting is more than one point worse. "best" is there by 5 inner folds, as
`GridSearchCV` takes them, and by the inner folds that "anchored" has.

    OMP_NUM_THREADS=1 python benchmarks/tuning_rules.py FILE... [--samples 20] [--sizes 80,200]

Without files it says how often the default is left although no setting is better: normal losses,
independent between settings and inner splits.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from bestofk import load_data
from bestofk.randomness import derive_rng
from bestofk.tuning import Tuned, choose_setting
from bestofk.tuning.inner_losses import read_inner

LEARNERS = ("knn", "lda", "naive-bayes", "cart", "logistic")
SIZES = (80, 200, 1000)
RULES = ("best", "anchored")
CHOICES = (("best", 5), ("best", "auto"), ("anchored", "auto"))  # rule, inner folds
SPACES = (1, 2, 6, 10, 20, 50, 100)  # settings besides the default
N_NULL = 20_000


def seeded(estimator: Any, seed: int) -> Any:
    """Return a copy in which every open `random_state` is the seed."""
    names = [name for name in estimator.get_params() if name.endswith("random_state")]
    return clone(estimator).set_params(**dict.fromkeys(names, seed))


def accuracies(tuned: Tuned, data: object, rows: np.ndarray, seed: int) -> list[float]:
    """Return the accuracy of the default and of every choice on the rows left out."""
    X, y = data.feature_rows(rows), data.target_rows(rows)
    rest = np.setdiff1d(np.arange(data.n_samples), rows)
    size, settings, losses = len(rows), tuned.settings(), {}
    for inner in dict.fromkeys(read_inner(inner, size) for _, inner in CHOICES):
        choice = seeded(tuned, seed).set_params(inner=str(inner)).fit(X, y).choice_
        losses[inner], default = np.array(choice["losses"]), choice["default"]
    chosen = [default]
    for rule, inner in CHOICES:
        plan = read_inner(inner, size)
        chosen.append(choose_setting(losses[plan], default, plan.n_folds, rule=rule))
    known: dict[int, float] = {}
    features, target = data.feature_rows(rest), np.asarray(data.target_rows(rest))
    for index in chosen:
        if index not in known:
            fitted = seeded(tuned.learner, seed).set_params(**settings[index]).fit(X, y)
            known[index] = float((fitted.predict(features) == target).mean())
    return [known[index] for index in chosen]


def null_rates() -> None:
    """Print how often a rule leaves the default for one of some equally good settings."""
    print("settings  inner  best    anchored")
    for n_settings in SPACES:
        for n_repeats in (1, 3):
            rng = derive_rng("null of tuning rules", n_settings, n_repeats)
            losses = rng.normal(size=(N_NULL, n_settings + 1, 5 * n_repeats))
            rates = [
                np.mean([choose_setting(item, 0, 5, rule=rule) != 0 for item in losses])
                for rule in RULES
            ]
            print(f"{n_settings:8d}  {n_repeats}x5{rates[0]:9.1%}{rates[1]:10.1%}")


def main() -> None:
    """Draw the samples, and print gain and harm by size and rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--learners", default=",".join(LEARNERS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.files:
        null_rates()
        return
    results: dict[int, list[list[float]]] = {}
    for path in options.files:
        data = load_data(path)
        for size in map(int, options.sizes.split(",")):
            if data.n_samples < 2 * size:
                continue
            for sample in range(options.samples):
                rng = derive_rng("tuning rules", path.name, size, sample)
                rows = np.sort(rng.choice(data.n_samples, size, replace=False))
                for name in options.learners.split(","):
                    results.setdefault(size, []).append(accuracies(Tuned(name), data, rows, sample))
        print(f"{path.name} is done", flush=True)
    print("rows   samples  rule      inner  gain (points)  harm > 1 point")
    for size, rows_of in results.items():
        table = 100 * np.array(rows_of)
        for column, (rule, inner) in enumerate(CHOICES, 1):
            gain = table[:, column] - table[:, 0]
            error = gain.std(ddof=1) / np.sqrt(len(gain))
            print(
                f"{size:5d}{len(gain):9d}   {rule:10s}{read_inner(inner, size)!s:6s}"
                f"{gain.mean():6.2f} +- {error:.2f}{(gain < -1).mean():14.1%}"
            )


if __name__ == "__main__":
    main()
