"""Tables 1 to 3 with the printed values, and their agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replications.multitest_2006.experiment import Errors
from replications.multitest_2006.protocol import LEARNERS, NUMERIC
from replications.multitest_2006.selections import LEVELS, NONE, select

PRINTED = Path(__file__).parent / "printed"
NONE_NAME = "*"  # as in the paper
# Points by which an average error may differ from the printed one, by learner.
BARS = {"MAX": 0.3, "NMC": 1.5, "LGC": 2.5, "C4.5": 4.0, "NN": 1.5}
_OF_ALL_PAIRS = ("TestFirst", "MultiTest")  # what the level of the pairwise tests changes


def table_1(errors: Sequence[Errors]) -> pd.DataFrame:
    """Return average and standard deviation of the error over all folds, in percent."""
    rows = [
        {
            "data_set": error.name,
            "learner": learner,
            "mean": 100 * error.values[:, index].mean(),
            "sd": 100 * error.values[:, index].std(ddof=1),
        }
        for error in errors
        for index, learner in enumerate(LEARNERS)
    ]
    result = pd.DataFrame(rows).merge(_printed(1), on=["data_set", "learner"], how="left")
    result["difference"] = result["mean"] - result["printed_mean"]
    columns = ["data_set", "learner", "printed_mean", "printed_sd", "mean", "sd", "difference"]
    return result[columns].round(2)


def selections(errors: Sequence[Errors]) -> dict[str, dict[str, dict[str, NDArray[np.int64]]]]:
    """Return by level, procedure and data set which learner is named in each run."""
    results: dict[str, dict[str, dict[str, NDArray[np.int64]]]] = {}
    for title, level in LEVELS.items():
        for error in errors:
            for procedure, chosen in select(error.values, level=level).items():
                results.setdefault(title, {}).setdefault(procedure, {})[error.name] = chosen
    return results


def table_2(found: Mapping[str, Any]) -> pd.DataFrame:
    """Return which learners each procedure names most and second most, in percent of runs."""
    rows = []
    for title, by_procedure in found.items():
        for procedure, by_set in by_procedure.items():
            if procedure == "Anova" or not (title in list(LEVELS)[:1] or _hangs(procedure)):
                continue
            level = title if _hangs(procedure) else ""
            for name, chosen in by_set.items():
                names = {"data_set": name, "procedure": procedure, "level": level}
                rows.append(names | _most_named(chosen))
    printed = _printed(2)
    merged = pd.DataFrame(rows).merge(printed, on=["data_set", "procedure"], how="left")
    merged["agrees"] = merged["first"] == merged["printed_first"]
    return merged[[
        "data_set", "procedure", "level", "printed_first", "printed_first_percent",
        "printed_second", "printed_second_percent", "first", "first_percent", "second",
        "second_percent", "agrees",
    ]]  # fmt: skip


def table_3(found: Mapping[str, Any]) -> pd.DataFrame:
    """Return in how many runs each procedure names each learner, all data sets together."""
    printed = pd.read_csv(PRINTED / "table_3.csv").assign(source="printed", level="")
    rows = []
    for title, by_procedure in found.items():
        for procedure, by_set in by_procedure.items():
            if title == next(iter(LEVELS)) or _hangs(procedure):
                chosen = np.concatenate(list(by_set.values()))
                counts = {name: int((chosen == k).sum()) for k, name in enumerate(LEARNERS)}
                level = title if _hangs(procedure) else ""
                names = {"procedure": procedure, "source": "here", "level": level}
                rows.append(names | {NONE_NAME: int((chosen == NONE).sum())} | counts)
    both = pd.concat([printed, pd.DataFrame(rows)])
    order = {name: index for index, name in enumerate(printed["procedure"])}
    both = both.sort_values("procedure", key=lambda names: names.map(order), kind="stable")
    return both[["procedure", "source", "level", NONE_NAME, *LEARNERS]]


def agreement(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Return on how many data sets the tables agree with the printed ones."""
    rows = []
    for learner, bar in BARS.items():
        for kind, names in (("all", None), ("numeric", NUMERIC)):
            here = first[first["learner"] == learner]
            here = here if names is None else here[here["data_set"].isin(names)]
            away = here["difference"].abs()
            rows.append(
                {
                    "what": f"error of {learner}, {kind} sets",
                    "rule": f"within {bar} points",
                    "n": int((away <= bar).sum()),
                    "of": len(here),
                    "median_away": round(float(away.median()), 2),
                }
            )
    for (procedure, level), part in second.groupby(["procedure", "level"], sort=False):
        what = f"most named by {procedure}" + (f", alpha {level}" if level else "")
        row = {"what": what, "rule": "same as printed", "n": int(part["agrees"].sum())}
        rows.append(row | {"of": len(part), "median_away": None})
    return pd.DataFrame(rows)


def cost(errors: Sequence[Errors]) -> pd.DataFrame:
    """Return what the runs on each data set took."""
    return pd.DataFrame(
        [
            {
                "data_set": error.name,
                "rows": error.shape[0],
                "columns": error.shape[1],
                "fits": error.values.size,
                "cpu_seconds": round(error.cpu_seconds, 1),
            }
            for error in errors
        ]
    )


def _hangs(procedure: str) -> bool:
    """Return whether a procedure hangs on the level of the pairwise tests."""
    return procedure in _OF_ALL_PAIRS


def _most_named(chosen: NDArray[np.int64]) -> dict[str, Any]:
    numbers, counts = np.unique(chosen, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:2]
    percent = np.round(100 * counts[order] / len(chosen)).astype(int).tolist()
    names = [NONE_NAME if k == NONE else LEARNERS[k] for k in numbers[order]]
    if len(names) < 2 or percent[1] == 0:
        names, percent = [names[0], ""], [percent[0], None]
    return {
        "first": names[0],
        "first_percent": percent[0],
        "second": names[1],
        "second_percent": percent[1],
    }


def _printed(number: int) -> pd.DataFrame:
    table = pd.read_csv(PRINTED / f"table_{number}.csv")
    keys = ("data_set", "learner", "procedure")
    return table.rename(columns=lambda name: name if name in keys else f"printed_{name}")
