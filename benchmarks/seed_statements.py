"""Statements about other seeds of whole comparisons, held against other seeds.

`seed_reliability.py` judges stored losses of light learners on data sets of at most 25 columns.
Here `bestofk.compare` itself is called, with its usual learners too, on data sets that were wider
than that and so served neither for tuning the estimate nor for testing it. Every sample is
compared with 24 seeds; what each states is held against the share of the other 23 that agree.

Printed per statement, kind of comparison and bin of claims: mean claim, share of other seeds that
agree, claim minus share in points with a 90 % interval by drawing families of data sets with
replacement, and how many claims.

    OMP_NUM_THREADS=1 python benchmarks/seed_statements.py --data FOLDER --work FILE.csv
        [--report-only]

FOLDER holds uci/*.arff. The file keeps every comparison, and the same line goes on from there:
some 40 minutes of one core.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from seed_reliability import WIDEST, family_of, sample, sources, width

from bestofk import compare
from bestofk.data import load_data
from bestofk.errors import BestofkError
from bestofk.randomness import derive_rng, derive_seed

N_SEEDS, SIZES = 24, (100, 300)
LIGHT = "nearest-mean,naive-bayes,lda,logistic,1nn,5nn"
USUAL = "naive-bayes,logistic,5nn,svm,forest,cart"
# kind of comparison: learners, plan, sizes
KINDS = {
    "light, adaptive": (LIGHT, "adaptive", SIZES),
    "usual, adaptive": (USUAL, "adaptive", SIZES[:1]),
    "light, 10x5": (LIGHT, "10x5", SIZES),
}
STATED = ("best", "candidates", "order")
BINS = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01))


def wide_sets(folder):
    """Return the data sets that are wider than those of `seed_reliability.py`, by name."""
    found = {}
    for name, source in sources(folder).items():
        is_file = isinstance(source, Path)
        if isinstance(source, int) or (is_file and source.parent.name != "uci"):
            continue
        if name.endswith("-test"):
            continue
        data = load_data(source)
        if width(data) > WIDEST:
            found.setdefault(family_of(name), (name, data))
    return dict(found.values())


def stated_by(data, learners, cv, seed):
    """Return pick, candidates and order of a comparison, and what it states about other seeds."""
    findings = compare(learners, data, cv=cv, random_state=seed).findings
    verdict, reseeding = findings.verdict, findings.reseeding
    row = {"best": verdict.best, "candidates": " ".join(sorted(verdict.candidates)),
           "order": " ".join(verdict.order)}  # fmt: skip
    chances = {name: getattr(reseeding, name, None) for name in STATED}
    return row | {f"{name}_claim": chance and chance.value for name, chance in chances.items()}


def run(options):
    """Do the comparisons that the file lacks."""
    done = set()
    if options.work.exists():
        known = pd.read_csv(options.work)[["kind", "set", "rows"]]
        done = set(known.itertuples(index=False, name=None))
    found = wide_sets(options.data)
    cells = [(name, size) for name, data in found.items() for size in SIZES
             if size <= data.n_samples]  # fmt: skip
    for name, size in sorted(cells, key=lambda cell: (cell[1], derive_seed(53, *cell))):
        data = sample(found[name], size, name)
        for kind, (learners, cv, sizes) in KINDS.items():
            if (kind, name, size) in done or size not in sizes:
                continue
            try:
                rows = [stated_by(data, learners, cv, seed) for seed in range(N_SEEDS)]
            except BestofkError as error:
                print(f"{name} {size}: {error}")
                continue
            table = pd.DataFrame(rows).assign(kind=kind, set=name, rows=size, seed=range(N_SEEDS))
            table.to_csv(options.work, mode="a", header=not options.work.exists(), index=False)


def judged(table):
    """Return the claims with the share of other seeds that agree."""
    for name in STATED:
        same = table.groupby(["kind", "set", "rows", name])["seed"].transform("size")
        table[f"{name}_true"] = (same - 1) / (N_SEEDS - 1)
    return table


def report(options):
    """Print the reliability tables."""
    table = judged(pd.read_csv(options.work))
    table["family"] = table["set"].map(family_of)
    print(f"{table['family'].nunique()} data sets, {len(table)} comparisons")
    for name in STATED:
        print(f"\nthe same {name}:\n| comparison | "
              + " | ".join(f"{low:.2f}-{min(high, 1):.2f}" for low, high in BINS)
              + " |\n" + "|---" * (len(BINS) + 1) + "|")  # fmt: skip
        for kind in (*KINDS, "all"):
            part = table if kind == "all" else table[table["kind"] == kind]
            print(f"| {kind} | {' | '.join(cell(part, name, bounds) for bounds in BINS)} |")


def cell(table, name, bounds):
    """Return mean claim and share, their difference in points, its interval, and the count."""
    claim, true = table[f"{name}_claim"], table[f"{name}_true"]
    chosen = (claim >= bounds[0]) & (claim < bounds[1])
    if not chosen.any():
        return ""
    gaps = pd.DataFrame({"gap": 100 * (claim - true)[chosen], "family": table["family"][chosen]})
    sums = gaps.groupby("family")["gap"].agg(["sum", "size"]).to_numpy()
    drawn = derive_rng("interval", name, bounds).integers(len(sums), size=(2000, len(sums)))
    totals = sums[drawn].sum(axis=1)
    low, high = np.quantile(totals[:, 0] / totals[:, 1], [0.05, 0.95])
    return (f"{claim[chosen].mean():.2f}, {true[chosen].mean():.2f}: {gaps['gap'].mean():+.1f} "
            f"({low:+.1f} to {high:+.1f}), {len(gaps)} of {len(sums)} sets")  # fmt: skip


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("BESTOFK_DATA"))
    parser.add_argument("--work", type=Path, default=Path("seed_statements.csv"))
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.report_only:
        run(options)
    report(options)


if __name__ == "__main__":
    main()
