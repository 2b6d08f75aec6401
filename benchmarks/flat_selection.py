"""How much better than the truth a flat search looks, nested selection does, and noise does.

Samples are drawn from each large file. Flat: the best setting's own cross-validated accuracy.
Nested: the accuracy of choosing anew in every training set. Truth: the accuracy on all rows left
out, of the setting chosen on the sample. Pick: how much worse the learner that flat scores put
first is than the one that nested scores put first, on the rows left out. Noise: the same with
labels shuffled, and how often 10-fold scores beat the share of the largest class significantly
(one-sided corrected t test, 5%).

    OMP_NUM_THREADS=1 python benchmarks/flat_selection.py FILE... [--samples 20]
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from bestofk import load_data
from bestofk.inference import corrected_resampled_t_test
from bestofk.randomness import derive_rng
from bestofk.tuning import Tuned
from bestofk.tuning.inner_losses import inner_losses, inner_measure, setting_path

LEARNERS = ("knn", "lda", "naive-bayes")
SIZES = (80, 200)
N_FOLDS = 10


def scores(tuned: Tuned, X: object, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the 10-fold accuracies of the best setting, and of choosing in every fold."""
    parts = tuned.parts(X, y)
    settings, rows = tuned.settings(), np.arange(len(y))
    folds = tuned.set_params(inner=N_FOLDS).inner_folds(parts, rows, None, 0)
    path, measure = setting_path(parts, settings), inner_measure(None, parts.classes)
    outer = inner_losses(parts, settings, measure, [(rows, folds)], path=path)[0].losses
    flat = 1 - outer[outer.mean(axis=1).argmin()]
    train = [np.flatnonzero(folds[0] != fold) for fold in range(N_FOLDS)]
    tuned = tuned.set_params(inner=5, rule="best")
    splits = [(own, tuned.inner_folds(parts, own, None, 0)) for own in train]
    inner = inner_losses(parts, settings, measure, splits, path=path)
    chosen = [losses.losses.mean(axis=1).argmin() for losses in inner]
    return flat, 1 - outer[chosen, np.arange(N_FOLDS)]


def is_above(values: np.ndarray, level: float, n_rows: int) -> bool:
    """Return whether 10-fold scores beat a level significantly."""
    share = 1 / N_FOLDS
    if (values == level).all():
        return False
    result = corrected_resampled_t_test(
        values, np.full(N_FOLDS, level), n_train=(1 - share) * n_rows, n_test=share * n_rows,
        alternative="greater",
    )  # fmt: skip
    return bool(result.p_value < 0.05)


def main() -> None:
    """Draw the samples, and print what flat and nested scores say of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--samples", type=int, default=20)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("rows  flat - truth  nested - truth  pick: flat - nested  noise beats chance (both)")
    for size in SIZES:
        optimism, picks, noise = [], [], []
        for path in options.files:
            data = load_data(path)
            for sample in range(options.samples):
                rng = derive_rng("flat selection", path.name, size, sample)
                rows = np.sort(rng.choice(data.n_samples, size, replace=False))
                rest = np.setdiff1d(np.arange(data.n_samples), rows)
                X, y = data.feature_rows(rows), np.asarray(data.target_rows(rows))
                others, truth = data.feature_rows(rest), np.asarray(data.target_rows(rest))
                table = []
                for name in LEARNERS:
                    flat, nested = scores(Tuned(name, random_state=sample), X, y)
                    fitted = Tuned(name, inner=N_FOLDS, rule="best", random_state=0).fit(X, y)
                    true = float((fitted.predict(others) == truth).mean())
                    table.append((flat.mean(), nested.mean(), true))
                    shuffled = rng.permutation(y)
                    level = np.unique(shuffled, return_counts=True)[1].max() / size
                    of_noise = scores(Tuned(name, random_state=sample), X, shuffled)
                    noise.append([is_above(values, level, size) for values in of_noise])
                by_flat, by_nested, true = np.array(table).T
                optimism += [(by_flat - true), (by_nested - true)]
                picks.append(true[by_flat.argmax()] - true[by_nested.argmax()])
        flat_gap, nested_gap = (100 * np.concatenate(optimism[k::2]) for k in (0, 1))
        pick = 100 * np.array(picks)
        beaten = np.mean(noise, axis=0)
        print(
            f"{size:4d}{flat_gap.mean():11.2f}{nested_gap.mean():14.2f}"
            f"{pick.mean():16.2f} +- {pick.std(ddof=1) / np.sqrt(len(pick)):.2f}"
            f"{beaten[0]:20.1%}, {beaten[1]:.1%}", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
