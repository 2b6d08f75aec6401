"""Reliability of claims about new data: stated probabilities against what came true.

Samples of 100, 300 and 1,000 rows are drawn from populations of endlessly many rows. On each, the
default comparison of 3, 6 and 12 light learners states how probably its pick is within 1 point of
the best of them, the expected regret and an interval of the pick's error rate. The truth are the
error rates of all learners, trained on the whole sample, on 40,000 fresh rows. Populations are
the generators of the package, and real data sets made endless: numbers are moved towards a near
neighbor, texts are taken from it, and labels are drawn from the probabilities of a forest and a
logistic regression. A size is skipped for a population where the standard error of the difference
between the pick and the best exceeds 0.25 points.

Printed: stated against true per size, number of learners and bin, with intervals by a bootstrap
over populations; coverage of the interval; Brier and log score against other statements from the
same runs. Populations of CHOSEN were looked at while the method was made, those of FRESH were not.

    OMP_NUM_THREADS=1 python benchmarks/ship_claim.py --data FOLDER --work FILE.jsonl
        [--samples 10] [--sources NAME ...] [--cv 10x10] [--part 0/2] [--report-only]

FOLDER holds uci/*.arff. What is done is kept in FILE.jsonl, and the same line goes on from there.
"""

from __future__ import annotations

import argparse
import functools
import json
import platform
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
import sklearn
from scipy.special import stdtr, stdtrit
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.data import generators, load_data
from bestofk.inference.new_data import losses_on_new_data
from bestofk.learners import learner_catalogue
from bestofk.randomness import derive_rng, derive_seed

CHOSEN = [
    "twonorm", "ringnorm", "waveform", "car", "segment", "spambase", "cmc", "yeast", "nursery",
    "krkp",
]  # fmt: skip
FRESH = [
    "threenorm", "pima", "credit-a", "heart-statlog", "ionosphere", "vowel", "breast-w",
    "tic-tac-toe", "vote", "bupa", "ecoli", "sonar", "balance-num", "waveform-40",
]  # fmt: skip
# Large sets whose own rows are drawn; the other rows are the truth.
REAL = [
    "mushroom:rows", "nursery:rows", "pendigits:rows", "optdigits:rows", "spambase:rows",
    "krkp:rows", "twonorm-7400:rows", "waveform-40:rows", "segment:rows", "splice:rows",
]  # fmt: skip
GENERATORS = ("twonorm", "threenorm", "ringnorm", "waveform")
# The first 3 and the first 6 are compared as well.
LEARNERS = [
    "naive-bayes", "logistic", "cart", "nearest-mean", "lda", "5nn", "svm", "c45",
    "c45-unpruned", "hddt", "1nn", "sklearn-cart",
]  # fmt: skip
SIZES, NUMBERS = (100, 300, 1000), (3, 6, 12)
WITHIN = 0.01
N_TRUTH = 40_000
RAREST_CLASS = 0.03  # of the rows of a real data set; rarer classes are left out
LARGEST_ERROR = 0.0025  # standard error of a paired difference
BINS = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0]
INTERVALS = ["t over all splits", "corrected t", "rows of one repeat"]
STATEMENTS = ["claim", "base rate", "another seed", "row bootstrap", "pairwise t"]


class Population:
    """Endlessly many rows that are like those of a generator or of a real data set."""

    def __init__(self, name, folder):
        self.name = name
        if name in GENERATORS:
            return
        paths = [
            folder / "uci" / f"{name.removesuffix(':rows')}.{ending}"
            for ending in ("arff", "arff.gz")
        ]
        data = load_data(next(path for path in paths if path.exists()), target="class")
        shares = pd.Series(data.target_array).map(pd.Series(data.target_array).value_counts())
        common = np.flatnonzero(shares >= RAREST_CLASS * data.n_samples)
        features = data.features.iloc[common].reset_index(drop=True)
        target = data.target_array[common]
        self.features, self.target, self.classes = features, target, np.unique(target)
        if name in REAL:
            return
        catalogue = learner_catalogue()
        forest = catalogue["random-forest"].make()
        forest.set_params(learner__min_samples_leaf=3, learner__random_state=0)
        models = [forest, catalogue["logistic"].make()]
        self.models = [model.fit(features, target) for model in models]
        prepare = catalogue["5nn"].make().named_steps["prepare"].fit(features, target)
        table = np.asarray(prepare.transform(features), dtype=float)
        near = NearestNeighbors(n_neighbors=6).fit(table)
        self.near = near.kneighbors(table, return_distance=False)[:, 1:]

    def draw(self, n_rows, *names):
        """Return features and labels of fresh rows that depend on the names alone."""
        if self.name in GENERATORS:
            make = getattr(generators, self.name)
            data = make(n_rows, random_state=derive_seed("ship claim", self.name, *names))
            return pd.DataFrame(data.features).add_prefix("x"), data.target_array
        rng = derive_rng("ship claim", self.name, *names)
        table, parts = self.features, {}
        first = rng.integers(0, len(table), n_rows)
        second = self.near[first, rng.integers(0, self.near.shape[1], n_rows)]
        share = rng.uniform(0, 0.5, n_rows)
        for name in table.columns:
            here = table[name].iloc[first].reset_index(drop=True)
            there = table[name].iloc[second].reset_index(drop=True)
            if pd.api.types.is_numeric_dtype(here):
                moved = here + share * (there.fillna(here) - here)
                is_whole = (table[name].dropna() % 1 == 0).all()
                parts[name] = moved.round() if is_whole else moved
            else:
                parts[name] = here.where(rng.uniform(size=n_rows) >= share, there)
        features = pd.DataFrame(parts)
        chances = sum(model.predict_proba(features) for model in self.models) / len(self.models)
        chosen = (chances.cumsum(axis=1) < rng.uniform(size=(n_rows, 1))).sum(axis=1)
        return features, self.classes[chosen.clip(max=chances.shape[1] - 1)]


def draw_sample(population, n_rows, sample):
    """Return a sample with two rows or more of every class, and the rows of the truth."""
    for attempt in range(100):
        names = ("sample", n_rows, sample, attempt)
        if population.name in REAL:
            order = derive_rng("ship claim", population.name, *names)
            order = order.permutation(len(population.target))
            here, rest = order[:n_rows], order[n_rows:]
            features, target = population.features.iloc[here], population.target[here]
            truth = population.features.iloc[rest], population.target[rest]
        else:
            features, target = population.draw(n_rows, *names)
            truth = fresh_rows(population)
        if np.unique(target, return_counts=True)[1].min() > 1:
            return features, target, truth
    raise ValueError(f"{population.name} has too rare classes for {n_rows} rows")


@functools.cache
def fresh_rows(population):
    """Return the rows that tell the true error rates."""
    return population.draw(N_TRUTH, "truth")


def run_case(population, n_rows, sample, cv):
    """Return what the comparisons of 3, 6 and 12 learners state on a sample, and what is true."""
    features, target, (fresh, labels) = draw_sample(population, n_rows, sample)
    is_wrong = {}
    for name in LEARNERS:
        model = learner_catalogue()[name].make().fit(features, target)
        is_wrong[name] = np.asarray(model.predict(fresh)) != labels
    rows = []
    with bestofk.Store(None) as store:
        for number in NUMBERS[::-1]:  # the most first, so that the others fit little
            names = LEARNERS[:number]
            result = bestofk.compare(
                names, features, target, task="classification", scoring="error", keep="labels",
                cv=cv, random_state=sample, progress=False, store=store,
            )  # fmt: skip
            rows.append(
                {
                    "source": population.name, "n": n_rows, "sample": sample, "k": number,
                    **stated(result), **came_true(result, names, is_wrong),
                }
            )  # fmt: skip
    return rows


def came_true(result, names, is_wrong):
    """Return the true regret of the pick and of every learner, and the pick's error rate."""
    errors = {name: float(is_wrong[name].mean()) for name in names}
    best = min(errors, key=errors.get)
    discordant = (is_wrong[result.best] != is_wrong[best]).mean()
    return {
        "regret": errors[result.best] - errors[best],
        "error": errors[result.best],
        "standard_error": float(np.sqrt(discordant / len(is_wrong[best]))),
        "regrets": {name: errors[name] - errors[best] for name in names},
    }


def stated(result):
    """Return what the comparison states about its pick, and what other methods would."""
    claim = result.ship_claim()
    plan = result.evaluation.plan
    return {
        "pick": result.best, "reason": claim.reason,
        "another seed": _seed(result), "row bootstrap": _row_bootstrap(result),
        "pairwise t": _pairwise_t(result),
        "repeats": plan.n_repeats, "folds": plan.n_folds, "order": result.order,
        "losses": [row[~np.isnan(row)].round(6).tolist() for row in result.scores[0].losses],
        "runs": float(np.mean([item.n_runs for item in result.findings.learners])),
    }  # fmt: skip


def _seed(result):
    reseeding = result.findings.reseeding
    return None if reseeding is None or reseeding.best is None else reseeding.best.value


def _row_bootstrap(result):
    """Return in what share of row samples the pick's mean loss is within 1 point of the least."""
    evaluation = result.evaluation
    test_rows, n_rows = evaluation.test_rows, evaluation.data.n_samples
    losses = np.zeros((len(evaluation.names), n_rows))
    for index, records in enumerate(evaluation.records):
        counts = np.zeros(n_rows)
        for split, record in enumerate(records):
            if record is not None and record.predictions is not None:
                rows = test_rows[split]
                losses[index, rows] += record.predictions.labels != evaluation.data.y[rows]
                counts[rows] += 1
        losses[index] /= counts
    rng = derive_rng("ship claim", "bootstrap")
    weights = rng.multinomial(n_rows, np.full(n_rows, 1 / n_rows), size=1000) / n_rows
    means = weights @ losses.T
    pick = evaluation.names.index(result.best)
    return float((means[:, pick] - means.min(axis=1) <= WITHIN).mean())


def _pairwise_t(result):
    """Return the least probability over rivals that the pick is at most 1 point behind."""
    table = (
        result.to_frame()
        .query("measure == 'error'")
        .pivot_table(index=["repeat", "fold"], columns="learner", values="value")
    )
    least = 1.0
    for name in table.columns.drop(result.best):
        differences = (table[result.best] - table[name]).dropna()
        scale = differences.std() * np.sqrt(1 / len(differences) + 0.25)
        behind = differences.mean() - WITHIN
        chance = float(behind <= 0) if scale == 0 else stdtr(len(differences) - 1, -behind / scale)
        least = min(least, float(chance))
    return least


def run_all(options):
    """Compute the cases missing in the file, sample by sample so that all sources grow alike."""
    path = options.work
    lines = path.read_text().splitlines() if path.exists() else []
    done = {(row["source"], row["n"], row["sample"]) for row in map(json.loads, lines)}
    part, parts = map(int, options.part.split("/"))
    population = functools.cache(lambda name: Population(name, options.data))
    cases = [
        (source, n_rows, sample)
        for sample in range(options.samples)
        for source in options.sources
        for n_rows in SIZES
    ]
    for number, case in enumerate(cases):
        if case in done or number // len(SIZES) % parts != part:
            continue
        source, n_rows, sample = case
        rows = run_case(population(source), n_rows, sample, options.cv)
        with path.open("a") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
        print(f"{source} {n_rows} {sample}", file=sys.stderr, flush=True)


def claim_of(row):
    """Return what the present method claims from the stored losses of a case."""
    if row["reason"]:
        return {}
    names, n_splits = LEARNERS[: row["k"]], max(map(len, row["losses"]))
    table = np.array([part + [np.nan] * (n_splits - len(part)) for part in row["losses"]])
    test = row["n"] / row["folds"]
    expected = losses_on_new_data(table.T, n_samples=row["n"], n_train=row["n"] - test, n_test=test)
    pick = names.index(row["pick"])
    claim = expected.claim(row["pick"], pick, WITHIN)
    return {
        "claim": claim.probability, "stated_regret": claim.expected_regret,
        "low": claim.loss_low, "high": claim.loss_high,
        "half": expected.probability(0.005)[pick], "double": expected.probability(0.02)[pick],
        "claims": dict(zip(names, expected.probability(WITHIN), strict=True)),
        "observed": float(expected.means[pick]),
        **other_intervals(np.array(row["losses"][pick]), row),
    }  # fmt: skip


def other_intervals(losses, row):
    """Return whether the intervals of others cover the true error rate of the pick."""
    n_splits, folds = len(losses), row["folds"]
    quantile = stdtrit(n_splits - 1, 0.95)
    one_repeat = losses[:folds].mean()
    errors = {
        "t over all splits": (losses.mean(), quantile * losses.std(ddof=1) / n_splits**0.5),
        "corrected t": (
            losses.mean(),
            quantile * losses.std(ddof=1) * (1 / n_splits + 1 / (folds - 1)) ** 0.5,
        ),
        "rows of one repeat": (
            one_repeat, 1.645 * (one_repeat * (1 - one_repeat) / row["n"]) ** 0.5
        ),
    }  # fmt: skip
    return {name: abs(row["error"] - mean) <= half for name, (mean, half) in errors.items()}


def load_cases(path):
    """Return the cases of sources and sizes whose truth is known well enough."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    frame = pd.DataFrame([{**row, **claim_of(row)} for row in rows])
    error = frame.groupby(["source", "n"])["standard_error"].transform("mean")
    skipped = frame[error > LARGEST_ERROR].groupby(["source", "n"]).size().index.tolist()
    print("skipped, standard error above 0.25 points:", skipped)
    frame = frame[error <= LARGEST_ERROR].copy()
    frame["is_within"] = frame["regret"] <= WITHIN
    frame["base rate"] = _base_rates(frame)
    return frame


def _base_rates(frame):
    """Return for each case how often picks of its size are within, in the other sources."""
    rates = pd.Series(np.nan, index=frame.index)
    for _, group in frame.groupby("n"):
        for source, rows in group.groupby("source"):
            rates[rows.index] = group.loc[group["source"] != source, "is_within"].mean()
    return rates


def over_sources(frame, value):
    """Return the mean of a column with sources counted equally, and its bootstrap interval."""
    means = frame.groupby("source")[value].mean().to_numpy()
    rng = derive_rng("ship claim", "sources")
    draws = means[rng.integers(0, len(means), (2000, len(means)))].mean(axis=1)
    return means.mean(), *np.quantile(draws, [0.05, 0.95])


def report(frame, title):
    """Print stated against true."""
    if frame.empty:
        return
    said = frame[frame["claim"].notna()].copy()
    print(f"\n{title}: {frame['source'].nunique()} sources, {len(frame)} cases, "
          f"{len(said) / len(frame):.1%} with a claim")  # fmt: skip
    said["gap"] = said["claim"] - said["is_within"]
    said["below"], said["above"] = said["error"] < said["low"], said["error"] > said["high"]
    said["covered"] = ~(said["below"] | said["above"])
    for names in (["n"], ["k", "n"]):
        for key, rows in said.groupby(names):
            gap, low, high = over_sources(rows, "gap")
            print(
                f"{dict(zip(names, key, strict=True))} N {len(rows)}: "
                f"stated {100 * over_sources(rows, 'claim')[0]:.1f} "
                f"true {100 * over_sources(rows, 'is_within')[0]:.1f} "
                f"gap {100 * gap:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]; "
                f"regret stated {100 * over_sources(rows, 'stated_regret')[0]:.2f} "
                f"true {100 * over_sources(rows, 'regret')[0]:.2f}; "
                f"interval {100 * over_sources(rows, 'covered')[0]:.1f} "
                f"above {100 * over_sources(rows, 'above')[0]:.1f}; "
                f"runs {over_sources(rows, 'runs')[0]:.0f}"
            )
    for key, rows in said.groupby(pd.cut(said["claim"], BINS, include_lowest=True), observed=True):
        print(f"bin {key}: stated {100 * rows['claim'].mean():.1f} "
              f"true {100 * rows['is_within'].mean():.1f} N {len(rows)}")  # fmt: skip
    _scores(said)
    _others(said)
    for n, rows in said.groupby("n"):
        covered = [f"{name} {100 * over_sources(rows, name)[0]:.1f}" for name in INTERVALS]
        optimism = 100 * over_sources(rows.assign(up=rows["error"] - rows["observed"]), "up")[0]
        print(f"n {n}: true minus observed error of the pick {optimism:+.2f} points; "
              f"intervals of others: {', '.join(covered)}")  # fmt: skip
    covered = said.groupby("source")["covered"].mean().sort_values()
    print("worst coverage:", covered.head(3).round(2).to_dict())


def _scores(said):
    whole = said.dropna(subset=STATEMENTS)
    print(f"scores over the {len(whole)} cases that all statements have")
    for name in STATEMENTS:
        chance, came = whole[name].clip(0.001, 0.999), whole["is_within"]
        scored = whole.assign(
            brier=(whole[name] - came) ** 2, log=-np.log(np.where(came, chance, 1 - chance))
        )
        print(f"{name}: Brier {over_sources(scored, 'brier')[0]:.4f} "
              f"log {over_sources(scored, 'log')[0]:.4f} "
              f"stated {100 * over_sources(whole, name)[0]:.1f}")  # fmt: skip


def _others(said):
    """Print what is stated of learners that were not picked, and of other distances."""
    rows = [
        {"source": row.source, "claim": chance, "is_within": row.regrets[name] <= WITHIN}
        for row in said.itertuples()
        for name, chance in row.claims.items()
        if name != row.pick
    ]
    others = pd.DataFrame(rows)
    groups = others.groupby(pd.cut(others["claim"], BINS, include_lowest=True), observed=True)
    for key, rows in groups:
        print(f"not picked, bin {key}: stated {100 * rows['claim'].mean():.1f} "
              f"true {100 * rows['is_within'].mean():.1f} N {len(rows)}")  # fmt: skip
    for name, within in (("half", 0.005), ("double", 0.02)):
        for n, rows in said.groupby("n"):
            true = over_sources(rows.assign(came=rows["regret"] <= within), "came")[0]
            print(f"within {within}, n {n}: stated {100 * over_sources(rows, name)[0]:.1f} "
                  f"true {100 * true:.1f}")  # fmt: skip


def constructed(title, errors, n_rows, n_samples=300):
    """Print claims about learners of known error rates that err independently of each other."""
    rng, errors = derive_rng("ship claim", title), np.array(errors)
    chances, came = [], []
    for _ in range(n_samples):
        is_wrong = rng.uniform(size=(len(errors), n_rows)) < errors[:, None]
        parts = [
            part for _ in range(5) for part in np.array_split(rng.permutation(n_rows), 5)
        ]  # of 5 repeats of 5 folds
        losses = np.array([is_wrong[:, part].mean(axis=1) for part in parts])
        expected = losses_on_new_data(
            losses, n_samples=n_rows, n_train=0.8 * n_rows, n_test=0.2 * n_rows
        )
        pick = int(np.argmin(expected.means))
        chances.append(expected.probability(WITHIN)[pick])
        came.append(errors[pick] - errors.min() <= WITHIN)
    chances, came = np.array(chances), np.array(came)
    sure = chances >= 0.9
    print(
        f"{title}, {n_rows} rows: stated {100 * chances.mean():.0f} "
        f"true {100 * came.mean():.0f}; 90% or more in {100 * sure.mean():.0f}% of the samples"
    )


def main():
    """Read the options, compute what is missing, and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--sources", nargs="+", default=CHOSEN + FRESH + REAL)
    parser.add_argument("--cv", default="adaptive")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    print(f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, "
          f"scipy {scipy.__version__}, numpy {np.__version__}, {platform.machine()}")  # fmt: skip
    if not options.report_only:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run_all(options)
    frame = load_cases(options.work)
    report(frame[frame["source"].isin(FRESH)], "Not used to choose anything")
    report(frame[frame["source"].isin(CHOSEN)], "Used while the method was made")
    report(frame[frame["source"].isin(REAL)], "Rows of large sets, looked at before")
    report(frame, "All")
    print()
    constructed("best 3%, five others 6%", [0.03] + [0.06] * 5, 100)
    constructed("best 3%, five others 6%", [0.03] + [0.06] * 5, 300)
    constructed("2% and 4%", [0.02, 0.04], 100)
    constructed("twelve of 20%", [0.2] * 12, 100)


if __name__ == "__main__":
    main()
