"""Width of a tie that lets another seed pick the same learner.

Every data set is cross-validated 500 times. From its repeats, drawn with replacement, fresh
protocols are made: the adaptive default, and 10 repeats that all learners have. Each is held
against the pick of 500 other draws by the same rule: the first learner, in an order drawn anew
each time, of those whose mean error is up to a tie above the lowest. Printed per width of a tie:
how often the two agree, the standard error of that over data sets, and runs per learner.

    OMP_NUM_THREADS=1 python benchmarks/tie_width.py --data FOLDER --work FOLDER
        [--draws 60] [--sets NAME ...]

The first FOLDER holds uci/*.arff. The errors of a data set are kept in the second, about a minute
of one core each, and the same line goes on from there.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import adaptive_repeats
from bestofk.data import load_data
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.measures import get_measure
from bestofk.randomness import derive_rng
from bestofk.stopping.adaptive_repeats import tie_width

LEARNERS = ["naive-bayes", "lda", "logistic", "c45", "5nn", "svm"]
SETS = [
    "balance", "breast-cancer", "breast-w", "bupa", "car", "cmc", "credit-a", "cylinder-bands",
    "dermatology", "ecoli", "flare", "glass", "haberman", "heart-c", "heart-h", "heart-statlog",
    "hepatitis", "horse-colic", "ionosphere", "iris", "labor", "lymph", "monks", "monks-2",
    "monks-3", "pima", "promoters", "ringnorm", "sonar", "threenorm", "tic-tac-toe", "twonorm",
    "vote", "vowel", "wine", "yeast", "zoo",
]  # fmt: skip
N_REPEATS, N_FOLDS, FIXED = 500, 5, 10
ROPES = [0.0, 0.005, 0.01, 0.015, 0.02]


def errors_of(name, options):
    """Return the errors on all splits, shape (n_learners, n_repeats, n_folds)."""
    kept = options.work / f"{name}.npy"
    if not kept.exists():
        data = load_data(options.data / "uci" / f"{name}.arff")
        result = bestofk.compare(
            LEARNERS, data, cv=f"{N_REPEATS}x{N_FOLDS}", scoring="error", keep="labels",
            progress=False,
        )  # fmt: skip
        np.save(kept, result.scores[0].losses)
    return np.load(kept).reshape(len(LEARNERS), N_REPEATS, N_FOLDS)


def adaptive_pick(errors, rope):
    """Return the pick and the runs per learner of the adaptive default on these repeats."""
    measure = get_measure("error", task="classification", classes=np.array([0, 1]), pos_label=1)
    names = [str(index) for index in range(len(errors))]
    entered = [SimpleNamespace(name=name, is_baseline=False) for name in names]
    interim = adaptive_repeats(entered, measure, ComparisonSettings(rope=rope))
    goes_on, start = np.ones(len(names), dtype=bool), 0
    sizes = (np.array([N_FOLDS - 1.0]), np.array([1.0]))
    for look in interim.looks:
        window = np.where(goes_on[:, None, None], errors[:, start:look], np.nan)
        measured = SimpleNamespace(values=window.reshape(len(names), -1))
        plan = SimpleNamespace(n_folds=N_FOLDS, n_repeats=look - start, sizes=sizes)
        status = np.full(measured.values.shape, "ok")
        part = SimpleNamespace(plan=plan, status=status, measured=lambda *_, m=measured: m)
        goes_on, start = np.array(interim.analyse(part)), look
        if not goes_on.any():
            break
    stopping_history = interim.stopping_history()
    runs = np.mean(stopping_history.splits_asked_for(names, stopping_history.n_repeats * N_FOLDS))
    beaten = {
        int(elimination.learner)
        for elimination in stopping_history.eliminations
        if elimination.is_beaten
    }
    stayed = [index for index in range(len(names)) if index not in beaten]
    means = errors[stayed, : stopping_history.n_repeats].mean(axis=(1, 2))
    return stayed[lowest_loss(means, tie_width(rope))], runs


def agreement(name, rope, options):
    """Return how often adaptive and fixed picks are those of 500 repeats, and runs per learner."""
    errors, rng = errors_of(name, options), derive_rng("tie width", name)
    tie, results = tie_width(rope), []
    for _ in range(options.draws):
        shuffled = errors[rng.permutation(len(errors))]

        def draw(n_repeats, errors=shuffled):
            return errors[:, rng.integers(N_REPEATS, size=n_repeats)]

        wanted = lowest_loss(draw(N_REPEATS).mean(axis=(1, 2)), tie)
        pick, runs = adaptive_pick(draw(60), rope)
        fixed = lowest_loss(draw(FIXED).mean(axis=(1, 2)), tie)
        results.append((pick == wanted, fixed == wanted, runs))
    return np.mean(results, axis=0)


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("BESTOFK_DATA"))
    parser.add_argument("--work", type=Path, default=Path("tie_width"))
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="SET")
    options = parser.parse_args()
    if options.data is None:
        parser.error("--data is missing: name the folder that holds uci/*.arff")
    options.work.mkdir(parents=True, exist_ok=True)
    versions = ", ".join(f"{item.__name__} {item.__version__}" for item in (
        bestofk, sklearn, np, scipy))  # fmt: skip
    print(f"{versions}, python {platform.python_version()}; {len(options.sets)} data sets")
    with threadpool_limits(1):
        for name in options.sets:
            errors_of(name, options)
            sys.stderr.write(f"{name}: done\n")
        print(f"{'tie':>7s} {'adaptive':>17s} {'runs':>6s} {f'{FIXED}x{N_FOLDS}':>17s}")
        for rope in ROPES:
            result = np.array([agreement(name, rope, options) for name in options.sets])
            mean, error = result.mean(axis=0), result.std(axis=0, ddof=1) / len(result) ** 0.5
            print(f"{tie_width(rope):7.4f} {mean[0]:8.3f} +- {error[0]:.3f} {mean[2]:6.1f} "
                  f"{mean[1]:8.3f} +- {error[1]:.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
