"""Agreement of verdicts between seeds, compared with the probability that they state.

Learners that train on many splits at once are cross-validated on samples of many data sets, for 32
seeds of every plan: a seed is the next repeats of one long plan, whose repeats are independent as
those of other seeds are. Adaptive comparisons are repeated on the stored losses. For every plan,
measure and some sets of learners, eight seeds state what other seeds would say, and that is held
against the share of the other 31 that do. Data sets are divided into a half for tuning the
estimate and a half for testing it by a hash of their names; versions of the same data stay
together.

Printed for pick, candidates and order, per plan and bin of claims: claim minus share in points,
with a 90 % interval by drawing families of data sets with replacement, and how many claims. For
the rule "same-verdict": how often it ends before the most repeats, and what other seeds say then.

    OMP_NUM_THREADS=1 python benchmarks/seed_reliability.py --data FOLDER --work FOLDER
        [--half test|tuning] [--protocols NAME ...] [--judge-only] [--report-only]

The first FOLDER holds arff/*.arff and uci/*.arff. What is done is kept in the second, and the same
line goes on from there: some two hours of one core for both halves. --protocols trains and judges
for some alone, --judge-only trains nothing, --report-only prints alone.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import warnings
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
from batched_sides import make_form
from scipy.stats import rankdata
from sklearn import datasets
from threadpoolctl import threadpool_limits

from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import adaptive_repeats
from bestofk.data import from_arrays, load_data
from bestofk.inference import Sampling
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.inference.many_learners.pair_evidence import compare_on_splits
from bestofk.inference.many_learners.reseeding import reseed
from bestofk.learners import resolve_learners
from bestofk.measures import get_measure
from bestofk.randomness import derive_rng, derive_seed
from bestofk.resampling import make_plan
from bestofk.stopping.adaptive_repeats import tie_width
from bestofk.verdict import candidate_set, multitest_edges, multitest_orders

LEARNERS = [
    "nearest-mean", "naive-bayes", "kernel-naive-bayes", "lda", "qda", "logistic", "1nn", "5nn",
    "c45",
]  # fmt: skip
SIZES = (60, 100, 200, 400, 800)
SLOW, SLOW_ROWS = ("c45", "kernel-naive-bayes"), 60
N_SEEDS, N_ASKED = 32, 8  # of a plan; of them those whose claims are held against the others
PLANS = {"20x5": (20, 5), "30x3": (30, 3), "10x10": (10, 10), "5x2": (5, 2)}
# the stored plan, repeats and folds of each protocol; a fold of three is a hold-out of a third
PROTOCOLS = {
    "adaptive": ("20x5", 20, 5), "3x5": ("20x5", 3, 5), "10x5": ("20x5", 10, 5),
    "3x3": ("30x3", 3, 3), "10x3": ("30x3", 10, 3), "30xholdout": ("30x3", 30, 1),
    "10x10": ("10x10", 10, 10), "5x2": ("5x2", 5, 2), "same-verdict": ("20x5", 20, 5),
}  # fmt: skip
ADAPTIVE = {"adaptive": None, "same-verdict": "same-verdict"}
HELD_OUT, ALPHA = 3, 0.05
N_DRAWS = {"adaptive": 6, "3x3": 6, "same-verdict": 1}  # sets of learners; five for others
MEASURES = ("error", "auroc")
STATED = {"pick": "best", "candidates": "candidates", "order": "order"}
BINS = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01))
ERROR = get_measure("error", task="classification", classes=np.array([0, 1]), pos_label=1)
BUILT_IN = ("iris", "wine", "breast_cancer", "digits")
GENERATED = ("twonorm", "threenorm", "ringnorm", "waveform")
N_CLOUDS = 24
WIDEST = 25  # columns, that the whole takes minutes and not hours
SAME = {"crx": "credit-a", "vote1": "vote", "horse-colic": "colic", "kr-vs-kp": "krkp",
        "flare": "solar-flare2", "weka-unbalanced": "unbalanced"}  # fmt: skip
_BLOCK_CELLS = 4_000_000


def sources(folder):
    """Return what loads each data set, by name; one of two files of a name."""
    results = {}
    for path in sorted((*folder.glob("arff/*.arff*"), *folder.glob("uci/*.arff*"))):
        results[path.name.split(".")[0]] = path
    results |= {name: name for name in BUILT_IN}
    results |= {f"{name}-drawn": f"{name}:800:{seed}" for seed, name in enumerate(GENERATED)}
    return results | {f"clouds-{number}": number for number in range(N_CLOUDS)}


def half_of(name):
    """Return the half of the data sets that a set belongs to, by its name."""
    return ("tuning", "test")[derive_seed(22, "half", family_of(name)) % 2]


def family_of(name):
    """Return the name that versions of the same data share."""
    stem = re.sub(r"(-(num|drawn|test|train|7400|40|1h|8h))+$", "", name)
    stem = re.sub(r"(?<=monks)-\d", "", stem)
    return SAME.get(stem, stem)


def load(source):
    """Return a data set."""
    if isinstance(source, int):
        rng = derive_rng("clouds", source)
        n_classes = int(rng.integers(2, 5))
        X, y = datasets.make_classification(
            800, int(rng.integers(6, 20)), n_informative=5, n_redundant=1, n_classes=n_classes,
            n_clusters_per_class=int(rng.integers(1, 4)), flip_y=float(rng.uniform(0, 0.3)),
            class_sep=float(rng.uniform(0.4, 2)), random_state=source,
        )  # fmt: skip
        return from_arrays(X, y)
    return load_data(source)


def sample(data, n_rows, name):
    """Return some rows of a data set, drawn by its name."""
    rows = np.sort(derive_rng("rows", name, n_rows).permutation(data.n_samples)[:n_rows])
    return from_arrays(data.feature_rows(rows), data.target_rows(rows))


def losses_of(data, learner, plan):
    """Return error and 1 - AUROC on every split, or None where it cannot be done at once."""
    form = make_form(learner.estimator, data, plan.n_folds)
    if form is None:
        return None
    order, starts = plan.rows_by_fold
    block = max(1, _BLOCK_CELLS // (data.n_samples * max(len(data.classes), 1)))
    error = np.empty((plan.n_repeats, plan.n_folds))
    area = np.full_like(error, np.nan)
    states = np.zeros((block, plan.n_folds), dtype=np.int64) if form.is_random else None
    for start in range(0, plan.n_repeats, block):
        folds = plan.folds[start : start + block]
        result = form.predict(folds, None if states is None else states[: len(folds)])
        if result.is_done is not None and not result.is_done.all():
            return None
        wrong = result.labels != data.y
        for fold in range(plan.n_folds):
            part = folds == fold
            error[start : start + len(folds), fold] = (wrong & part).sum(axis=1) / part.sum(axis=1)
        if len(data.classes) != 2 or (result.probabilities is None and result.decision is None):
            continue
        scores = result.decision if result.probabilities is None else result.probabilities[..., 1]
        sizes = np.diff(starts[start : start + len(folds)], axis=1)
        for size in np.unique(sizes):
            repeat, fold = np.nonzero(sizes == size)
            first = starts[start + repeat, fold]
            rows = order[start + repeat[:, None], first[:, None] + np.arange(size)]
            area[start + repeat, fold] = areas(scores[repeat[:, None], rows], data.y[rows])
    return np.stack([error, 1 - area])


def areas(scores, y):
    """Return the area under the ROC curve of every row of scores."""
    ranks, positive = rankdata(scores, axis=1), y == 1
    n_positive = positive.sum(axis=1)
    n_negative = y.shape[1] - n_positive
    with np.errstate(invalid="ignore", divide="ignore"):
        smaller = (ranks * positive).sum(axis=1) - n_positive * (n_positive + 1) / 2
        return smaller / (n_positive * n_negative)


def collect(name, n_rows, source, kept, plans):
    """Train all learners on the splits of all seeds, and keep their losses."""
    data = sample(load(source), n_rows, name)
    arrays = {}
    for cv in plans:
        n_repeats, n_folds = PLANS[cv]
        plan = make_plan(data, f"{N_SEEDS * n_repeats}x{n_folds}", random_state=1)
        for learner in resolve_learners(LEARNERS, data.task):
            if learner.name in SLOW and n_rows > SLOW_ROWS:
                continue
            try:
                result = losses_of(data, learner, plan)
            except Exception as error:
                sys.stderr.write(f"{name} {n_rows} {learner.name}: {error!r}\n")
                continue
            if result is not None:
                arrays[f"{cv} {learner.name}"] = result.astype(np.float32)
    np.savez_compressed(kept, **arrays)


def width(data):
    """Return how many columns a data set has once levels have columns of their own."""
    frame = pd.DataFrame(data.features)
    return sum(
        1 if pd.api.types.is_numeric_dtype(column) else column.nunique()
        for _, column in frame.items()
    )


def settings(folder):
    """Return data sets and numbers of rows in an order drawn by their names."""
    results = []
    for name, source in sources(folder).items():
        try:
            data = load(source)
            n_samples = data.n_samples
        except Exception as error:
            sys.stderr.write(f"{name}: {error!r}\n")
            continue
        if width(data) > WIDEST:
            continue
        sizes = [size for size in SIZES if size <= n_samples]
        results += [(name, size, source) for size in sizes]
    return sorted(results, key=lambda item: derive_seed(22, item[0], item[1]))


def repeat_adaptively(losses, n_rows, stopping):
    """Return the losses of an adaptive comparison, the beaten learners, and its history."""
    n_learners, _, n_folds = losses.shape
    names = [str(number) for number in range(n_learners)]
    entered = [SimpleNamespace(name=name, is_baseline=False) for name in names]
    interim = adaptive_repeats(entered, ERROR, 1, ComparisonSettings(stopping=stopping))
    goes_on, start = np.ones(n_learners, dtype=bool), 0
    sizes = (np.array([n_rows * (n_folds - 1) / n_folds]), np.array([n_rows / n_folds]))
    for look in interim.looks:
        window = np.where(goes_on[:, None, None], losses[:, start:look], np.nan)
        measured = SimpleNamespace(values=window.reshape(n_learners, -1))
        plan = SimpleNamespace(
            n_folds=n_folds, n_repeats=look - start, sizes=sizes, scheme="k-fold"
        )
        part = SimpleNamespace(plan=plan, measured=lambda *_, m=measured: m)
        goes_on, start = np.array(interim.analyse(part)), look
        if not goes_on.any():
            break
    stopping_history = interim.stopping_history()
    left = losses[:, : stopping_history.n_repeats].copy()
    asked = stopping_history.splits_asked_for(names, stopping_history.n_repeats * n_folds)
    for number, n_splits in enumerate(asked):
        left[number, n_splits // n_folds :] = np.nan
    is_beaten = np.zeros(n_learners, dtype=bool)
    is_beaten[
        [
            int(elimination.learner)
            for elimination in stopping_history.eliminations
            if elimination.is_beaten
        ]
    ] = True
    return left, is_beaten, stopping_history


def verdict_of(losses, n_rows, is_beaten, indifference):
    """Return pick, candidates, order and what is tested, by the rules without preference."""
    n_learners, n_repeats, n_folds = losses.shape
    scheme = "k-fold" if n_folds > 1 else "hold-out"
    n_test = n_rows / n_folds if n_folds > 1 else n_rows / HELD_OUT
    sampling = Sampling(scheme, n_repeats, n_folds, n_train=n_rows - n_test, n_test=n_test)
    splits = losses.reshape(n_learners, -1)
    compared = compare_on_splits(splits.T, "corrected-t", sampling, is_complete=True).compared
    is_candidate, _ = candidate_set(compared.p_greater, alpha=ALPHA)
    stayed, means = np.flatnonzero(~is_beaten), np.nanmean(splits, axis=1)
    best = int(stayed[lowest_loss(means[stayed], indifference)])
    means[is_beaten] = means[best] + compared.mean[is_beaten, best]
    by_mean = np.lexsort((np.arange(n_learners), np.round(means, 12)))
    order = (best, *(int(item) for item in by_mean if item != best))
    edges, _ = multitest_edges(compared.p_greater, alpha=ALPHA, correction="holm")
    preferred = int(multitest_orders(edges[None])[0][0])
    said = {"pick": best, "candidates": is_candidate.tobytes(), "order": order,
            "preferred": preferred}  # fmt: skip
    return said, splits, compared


def cases(name, n_rows, kept, plan, measure, draw):
    """Return a row of claims and of what other seeds say, for every seed that is asked."""
    cv, n_repeats, n_folds = PROTOCOLS[plan]
    known = {key.split(" ", 1)[1]: key for key in kept.files if key.startswith(f"{cv} ")}
    known = {item: kept[key][MEASURES.index(measure)] for item, key in known.items()}
    known = {key: losses for key, losses in known.items() if np.isfinite(losses).all()}
    if len(known) < 2:
        return []
    rng = derive_rng("learners", name, n_rows, plan, measure, draw)
    chosen = rng.permutation(sorted(known))[: rng.integers(2, len(known) + 1)]
    losses = np.stack([known[item] for item in chosen]).astype(float)[..., :n_folds]
    length = PLANS[cv][0]
    said, claims, ends, results = [], [], [], []
    for seed in range(N_SEEDS):
        part = losses[:, seed * length : seed * length + n_repeats]
        is_beaten, indifference, end = np.zeros(len(chosen), dtype=bool), 0.0, None
        if plan in ADAPTIVE:
            part, is_beaten, end = repeat_adaptively(part, n_rows, ADAPTIVE[plan])
            indifference = tie_width(ComparisonSettings().rope_of(ERROR)) if end.level else 0.0
        verdict, splits, compared = verdict_of(part, n_rows, is_beaten, indifference)
        said.append(verdict)
        ends.append(end)
        claims.append(None)
        if seed % (N_SEEDS // N_ASKED) == 0:
            claims[-1] = reseed(
                splits.T, np.arange(splits.shape[1]) // n_folds, compared,
                best=verdict["pick"], alpha=ALPHA, indifference=indifference,
            )  # fmt: skip
    for seed, (mine, claim, end) in enumerate(zip(said, claims, ends, strict=True)):
        if claim is None:
            continue
        others = [item for number, item in enumerate(said) if number != seed]
        row = {"set": name, "rows": n_rows, "plan": plan, "measure": measure, "draw": draw,
               "seed": seed, "learners": len(chosen)}  # fmt: skip
        row |= {f"{key}_true": np.mean([other[key] == mine[key] for other in others])
                for key in mine}  # fmt: skip
        row |= {f"{key}_claim": getattr(claim, part).value for key, part in STATED.items()}
        row["both_true"] = np.mean(
            [(other["pick"], other["candidates"]) == (mine["pick"], mine["candidates"])
             for other in others]
        )  # fmt: skip
        row["settled"] = "" if end is None else int(end.is_settled)
        row["repeats"] = "" if end is None else end.n_repeats
        results.append(row)
    return results


def judge(options):
    """Make the claims that the table lacks, setting by setting."""
    table = options.work / f"claims-{options.half}.csv"
    done = set()
    if table.exists():
        known = pd.read_csv(table, usecols=["set", "rows", "plan", "measure", "draw"])
        done = set(known.drop_duplicates().itertuples(index=False, name=None))
    paths = [item for item in options.work.glob("*.npz") if half_of(item.stem.split("@")[0])
             == options.half]  # fmt: skip
    for path in sorted(paths, key=lambda item: derive_seed("judged", item.stem)):
        name, n_rows = path.stem.split("@")
        kept, rows = np.load(path), []
        for plan, measure in product(options.protocols, MEASURES):
            for draw in range(N_DRAWS.get(plan, 5)):
                if (name, int(n_rows), plan, measure, draw) not in done:
                    rows += cases(name, int(n_rows), kept, plan, measure, draw)
        if rows:
            pd.DataFrame(rows).round(4).to_csv(
                table, mode="a", header=not table.exists(), index=False
            )


def report(options):
    """Print the reliability tables."""
    table = pd.read_csv(options.work / f"claims-{options.half}.csv")
    table["family"] = table["set"].map(family_of)
    print(f"{table['set'].nunique()} data sets of {table['family'].nunique()} families, "
          f"{len(table)} verdicts")  # fmt: skip
    for key in STATED:
        print(f"\nthe same {key}:")
        print("| plan | " + " | ".join(f"{low:.2f}-{min(high, 1):.2f}" for low, high in BINS)
              + " |\n" + "|---" * (len(BINS) + 1) + "|")  # fmt: skip
        for plan in options.protocols:
            part = table[table["plan"] == plan]
            print(f"| {plan} | {' | '.join(cell(part, key, bounds) for bounds in BINS)} |")
        part = table[~table["plan"].isin(ADAPTIVE)]
        print(f"| all fixed | {' | '.join(cell(part, key, bounds) for bounds in BINS)} |")
    for plan, part in table[table["plan"].str.startswith("same-verdict")].groupby("plan"):
        for name, some in (
            ("held", part[part["settled"] == 1]),
            ("never", part[part["settled"] == 0]),
        ):
            if len(some):
                print(f"{plan} {name}: {len(some)} verdicts, {some['repeats'].mean():.1f} repeats, "
                      f"other seeds give the same pick in {some['pick_true'].mean():.3f}, the same "
                      f"candidates in {some['candidates_true'].mean():.3f}, both in "
                      f"{some['both_true'].mean():.3f}, by preference the same pick in "
                      f"{some['preferred_true'].mean():.3f}")  # fmt: skip


def cell(rows, key, bounds):
    """Return claim minus share in points, its interval over data sets, and how many claims."""
    claim, true = rows[f"{key}_claim"], rows[f"{key}_true"]
    chosen = (claim >= bounds[0]) & (claim < bounds[1])
    if not chosen.any():
        return ""
    some = pd.DataFrame({"gap": 100 * (claim - true)[chosen], "family": rows["family"][chosen]})
    sums = some.groupby("family")["gap"].agg(["sum", "size"]).to_numpy()
    rng = derive_rng("interval", key, bounds)
    drawn = sums[rng.integers(len(sums), size=(2000, len(sums)))].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.05, 0.95])
    return f"{some['gap'].mean():+.1f} ({low:+.1f} to {high:+.1f}), {len(some)}"


def collect_all(options):
    """Train on the settings of the half that the folder lacks."""
    plans = list(dict.fromkeys(PROTOCOLS[item][0] for item in options.protocols))
    for name, n_rows, source in settings(options.data):
        kept = options.work / f"{name}@{n_rows}.npz"
        if kept.exists() or half_of(name) != options.half:
            continue
        start = time.process_time()
        try:
            collect(name, n_rows, source, kept, plans)
        except Exception as error:
            sys.stderr.write(f"{name} {n_rows}: {error!r}\n")
            continue
        sys.stderr.write(f"{name} {n_rows}: {time.process_time() - start:.1f} s\n")


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("BESTOFK_DATA"))
    parser.add_argument("--work", type=Path, default=Path("seed_reliability"))
    parser.add_argument("--half", choices=["tuning", "test"], default="test")
    parser.add_argument(
        "--protocols", nargs="+", default=list(PROTOCOLS), choices=PROTOCOLS, metavar="NAME"
    )
    parser.add_argument("--judge-only", action="store_true")
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        if not (options.report_only or options.judge_only):
            collect_all(options)
        if not options.report_only:
            judge(options)
    report(options)


if __name__ == "__main__":
    main()
