"""Cost of a verdict that other seeds confirm: adaptive and fixed plans.

On every data set the pick of each protocol with each seed is held against the steady state: the
pick of 500 repeats made with other seeds, of as many folds as the protocol has. Fixed plans pick
the learner with the lowest mean error; the adaptive default picks the first, in the order of the
list below, of those that are up to half the region of equivalence above it. Printed per data set
and over all: how often the pick is that of the steady state, runs per learner, McNemar's test
between the adaptive default and 10x10, the misses with the difference that was at stake, how far
picks lie above the lowest mean, and whether the stated probability of the same pick holds for the
other seeds.

    OMP_NUM_THREADS=1 python benchmarks/cost_to_verdict.py --data FOLDER --work FILE.csv
        [--seeds 50] [--sets NAME ...] [--report-only]

FOLDER holds uci/*.arff. What is done is kept in FILE.csv, and the same line goes on from there.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
import sklearn
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.data import load_data
from bestofk.inference import procedure
from bestofk.inference.many_learners.mean_losses import lowest_loss

SETS = [
    "balance", "breast-w", "bupa", "car", "cmc", "credit-a", "ecoli", "glass", "haberman",
    "heart-c", "heart-statlog", "hepatitis", "ionosphere", "iris", "lymph", "pima", "sonar",
    "tic-tac-toe", "vote", "vowel", "wine", "yeast", "zoo", "ringnorm",
]  # fmt: skip
LEARNERS = ["naive-bayes", "lda", "logistic", "c45", "5nn", "svm"]
PROTOCOLS = ["adaptive", "10x10", "5x2", "1x10"]
STEADY = {"adaptive": "500x5", "10x10": "500x10", "5x2": "500x2", "1x10": "500x10"}
TIE = 0.005  # what the adaptive default takes as tied: half the region of equivalence
FIRST_SEED = 1000  # of the protocols; that of the steady state is 0
FIELDS = ["set", "protocol", "seed", "pick", "runs", "repeats", "claimed", "settled", "candidates"]


def run_protocol(data, protocol, seed):
    """Return what a protocol says with a seed, as a row."""
    result = bestofk.compare(
        LEARNERS, data, cv=protocol, scoring="error", random_state=seed, progress=False,
        keep="labels",
    )  # fmt: skip
    reseeding, stopping_history = result.findings.reseeding, result.stopping_history
    assert stopping_history is None or result.findings.verdict.indifference == TIE
    return {
        "pick": result.best,
        "runs": int((result.evaluation.status != "missing").sum()),
        "repeats": result.evaluation.plan.n_repeats,
        "claimed": f"{reseeding.best.value:.4f}" if reseeding and reseeding.best else "",
        "settled": "" if stopping_history is None else int(stopping_history.is_settled),
        "candidates": " ".join(result.candidates),
    }


def steady_state(data, plan):
    """Return the mean error of every learner over many repeats, as a row."""
    result = bestofk.compare(
        LEARNERS, data, cv=plan, scoring="error", random_state=0, progress=False, keep="labels"
    )
    means = [f"{name}={result.findings.learner(name).mean:.8f}" for name in LEARNERS]
    return {"pick": result.best, "runs": 0, "repeats": 500, "candidates": " ".join(means)}


def run_all(options):
    """Compute the rows missing in the file."""
    done = set()
    if options.work.exists():
        with options.work.open(newline="") as file:
            done = {
                (item["set"], item["protocol"], int(item["seed"])) for item in csv.DictReader(file)
            }
    with options.work.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not done:
            writer.writeheader()
        for name in options.sets:
            data = load_data(options.data / "uci" / f"{name}.arff")
            wanted = [(STEADY[item], 0) for item in dict.fromkeys(PROTOCOLS)]
            wanted = list(dict.fromkeys(wanted))
            for seed in range(FIRST_SEED, FIRST_SEED + options.seeds):
                wanted += [(protocol, seed) for protocol in PROTOCOLS]
            for protocol, seed in wanted:
                if (name, protocol, seed) in done:
                    continue
                make = run_protocol if seed else lambda data, plan, _: steady_state(data, plan)
                row = make(data, protocol, seed)
                writer.writerow({"set": name, "protocol": protocol, "seed": seed} | row)
                file.flush()
            sys.stderr.write(f"{name}: done\n")


def pick_of(means, tie):
    """Return the first learner whose mean is at most `tie` above the lowest."""
    return LEARNERS[lowest_loss([means[name] for name in LEARNERS], tie)]


def report(options):
    """Print what was found."""
    table = pd.read_csv(options.work, keep_default_na=False)
    table = table[table["set"].isin(options.sets)]
    steady = table[table["seed"] == 0].set_index(["set", "protocol"])
    rows = table[table["seed"] != 0].copy()
    truth = [(row.set, STEADY[row.protocol]) for row in rows.itertuples()]
    means = {
        key: dict((part.split("=")[0], float(part.split("=")[1])) for part in text.split())
        for key, text in steady["candidates"].items()
    }
    rows["wanted"] = [
        pick_of(means[key], TIE if row.protocol == "adaptive" else 0.0)
        for key, row in zip(truth, rows.itertuples(), strict=True)
    ]
    rows["right"] = rows["pick"] == rows["wanted"]
    rows["stake"] = [
        abs(means[key][row.pick] - means[key][row.wanted])
        for key, row in zip(truth, rows.itertuples(), strict=True)
    ]
    rows["price"] = [
        means[key][row.pick] - min(means[key].values())
        for key, row in zip(truth, rows.itertuples(), strict=True)
    ]
    n_learners = len(LEARNERS)
    print(f"{'':15s} " + " ".join(f"{p + ' right':>15s} {'runs':>6s}" for p in PROTOCOLS))
    for name, part in [*rows.groupby("set"), ("all", rows)]:
        cells = []
        for protocol in PROTOCOLS:
            item = part[part["protocol"] == protocol]
            cells.append(f"{item['right'].mean():15.3f} {item['runs'].mean() / n_learners:6.1f}")
        print(f"{name:15s} {' '.join(cells)}")
    wide = rows.pivot(index=["set", "seed"], columns="protocol", values="right")
    only = (wide["adaptive"] & ~wide["10x10"]).sum(), (~wide["adaptive"] & wide["10x10"]).sum()
    result = procedure("mcnemar").run(
        *(~wide[element].to_numpy() for element in ("adaptive", "10x10"))
    )
    print(f"\nRight with adaptive alone {only[0]}, with 10x10 alone {only[1]}; "
          f"McNemar p = {result.p_value:.3f}")  # fmt: skip
    for name in ("adaptive", "10x10"):
        price = rows[rows["protocol"] == name]["price"]
        print(f"Picks of {name}: the lowest mean in {(price == 0).mean():.3f}; they lie above it "
              f"by {price.mean():.5f} on average, by {price.max():.4f} at most")  # fmt: skip
    missed = rows[(rows["protocol"] == "adaptive") & ~rows["right"]]
    print(f"Misses of adaptive: {len(missed)}; the difference at stake is at most "
          f"{missed['stake'].max():.4f} (region of equivalence 0.01):")  # fmt: skip
    for name, part in missed.groupby("set"):
        print(f"  {name}: {len(part)} of {options.seeds}, {part['stake'].mean():.4f} on average")
    calibration(rows[rows["protocol"] == "adaptive"])


def calibration(rows):
    """Hold the stated probability of the same pick against the picks of the other seeds."""
    rows = rows[rows["claimed"] != ""].copy()
    rows["claimed"] = rows["claimed"].astype(float)
    shares = []
    for row in rows.itertuples():
        others = rows[(rows["set"] == row.set) & (rows["seed"] != row.seed)]["pick"]
        shares.append(float((others == row.pick).mean()))
    rows["confirmed"] = shares
    edges = [0, 0.5, 0.7, 0.8, 0.85, 0.95, 0.99, 1.01]
    rows["bin"] = np.digitize(rows["claimed"], edges) - 1
    grouped = rows.groupby("bin")[["claimed", "confirmed"]].agg(["mean", "size"])
    print("\nStated probability of the same best, and share of the other seeds that name it:")
    for index, item in grouped.iterrows():
        low, high = edges[int(index)], min(edges[int(index) + 1], 1.0)
        stated, confirmed = item["claimed", "mean"], item["confirmed", "mean"]
        print(f"  {low:.2f}-{high:.2f}: stated {stated:.3f}, confirmed {confirmed:.3f} "
              f"({item['claimed', 'size']:.0f} verdicts)")  # fmt: skip


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("BESTOFK_DATA"))
    parser.add_argument("--work", type=Path, default=Path("cost_to_verdict.csv"))
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="SET")
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    if options.data is None and not options.report_only:
        parser.error("--data is missing: name the folder that holds uci/*.arff")
    versions = ", ".join(f"{item.__name__} {item.__version__}" for item in (
        bestofk, sklearn, np, scipy))  # fmt: skip
    print(f"{versions}, python {platform.python_version()}; learners {', '.join(LEARNERS)}")
    if not options.report_only:
        with threadpool_limits(1):
            run_all(options)
    report(options)


if __name__ == "__main__":
    main()
