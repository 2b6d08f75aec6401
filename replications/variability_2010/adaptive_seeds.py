"""Contradictions between adaptive comparisons with different seeds.

Table II shows two seeds whose verdicts on C4.5 and HDDT over the same data sets contradict each
other significantly. Here every seed repeats on each data set until the pick is settled, as
`compare` does by default, and the same Wilcoxon test is applied to the mean AUROC.

    python -m replications.variability_2010.adaptive_seeds --data FOLDER --runs 100 --jobs 2
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from bestofk import compare
from bestofk.data import load_data
from bestofk.inference import wilcoxon_test
from replications.running import (
    find_file,
    read_options,
    run_data_sets,
    tell_interrupted,
    write_table,
)
from replications.variability_2010.contradiction import ALPHA, FIRST, SECOND
from replications.variability_2010.protocol import DATA_SETS, LARGEST, learners

HERE: Final = Path(__file__).parent
_FIELDS: Final = ("seed", FIRST, SECOND, "n_repeats", "is_settled")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the seeds that are missing, and write what the Wilcoxon test says of each."""
    options = read_options(
        arguments,
        home=HERE,
        description="Adaptive verdicts of C4.5 and HDDT with many seeds",
        n_runs=100,
        run_title="seeds",
        names=list(DATA_SETS),
    )
    options.work.mkdir(parents=True, exist_ok=True)
    options.results.mkdir(parents=True, exist_ok=True)
    order = sorted(options.sets, key=lambda name: (name not in LARGEST, name))
    run = partial(run_seeds, data_folder=options.data, work=options.work, n_seeds=options.runs)
    result = run_data_sets(
        order, run, options.jobs, lambda item: f"{item['data_set'].iloc[0]}: done"
    )
    if len(result) < len(order):
        tell_interrupted(len(result), len(order), options.work)
        return 1
    told = verdicts(pd.concat(result))
    write_table(told, options.results / "adaptive_verdicts.csv")
    sys.stderr.write(summary(told) + "\n")
    return 0


def run_seeds(name: str, data_folder: Path, work: Path, n_seeds: int) -> pd.DataFrame | None:
    """Return the mean AUROC of both learners with every seed; None if it was interrupted."""
    data = load_data(find_file(DATA_SETS[name], data_folder))
    both = learners((FIRST, SECOND))
    kept = work / f"{name}.adaptive.csv"
    done = set() if not kept.exists() else set(pd.read_csv(kept)["seed"])
    with threadpool_limits(1), kept.open("a", newline="") as file:
        writer = csv.DictWriter(file, _FIELDS)
        if not file.tell():
            writer.writeheader()
        for seed in range(n_seeds):
            if seed in done:
                continue
            result = compare(both, data, scoring="auroc", random_state=seed, progress=False)
            if result.evaluation.is_interrupted or result.stopping_history is None:
                return None
            means = {learner.name: learner.mean for learner in result.findings.learners}
            went = {
                "n_repeats": result.stopping_history.n_repeats,
                "is_settled": result.stopping_history.is_settled,
            }
            writer.writerow({"seed": seed} | means | went)
            file.flush()
    table = pd.read_csv(kept)
    return table[table["seed"] < n_seeds].assign(data_set=name)


def verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """Return what the Wilcoxon test over the data sets says with each seed.

    Parameters
    ----------
    table : DataFrame
        One row per data set and seed: data_set, seed, mean AUROC of both learners, n_repeats.
    """
    rows = []
    for seed, part in table.sort_values("data_set").groupby("seed"):
        test = wilcoxon_test(part[FIRST].to_numpy(), part[SECOND].to_numpy())
        rows.append(
            {
                "seed": seed,
                "favors": FIRST if test.w_plus > test.w_minus else SECOND,
                "w_plus": test.w_plus,
                "w_minus": test.w_minus,
                "p_value": round(test.p_value, 5),
                "is_significant": test.p_value <= ALPHA,
                "mean_repeats": round(float(part["n_repeats"].mean()), 1),
            }
        )
    return pd.DataFrame(rows)


def summary(told: pd.DataFrame) -> str:
    """Say how many seeds are significant for either learner, and whether any two contradict."""
    counts = [
        int(np.sum(told["is_significant"] & (told["favors"] == name))) for name in (FIRST, SECOND)
    ]
    return (
        f"{len(told)} seeds: {counts[0]} significant for {FIRST}, {counts[1]} for {SECOND}; "
        f"{counts[0] * counts[1]} pairs of seeds contradict each other."
    )


if __name__ == "__main__":
    sys.exit(main())
