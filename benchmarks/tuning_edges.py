"""How often tuned learners choose an edge of their space, to see where spaces are too narrow.

Every learner with a space that is tuned quickly, on every file, in 1x10 cross-validation with the
rule "best", so that the default holds nothing back.

    OMP_NUM_THREADS=1 python benchmarks/tuning_edges.py FILE... [--learners knn,lda]
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

from bestofk import compare, load_data
from bestofk.errors import BestofkError
from bestofk.tuning.spaces import short_names

LEARNERS = "knn,logistic,lda,qda,naive-bayes,cart"


def main() -> None:
    """Choose on all files, and print the share of choices at both edges of each parameter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--learners", default=LEARNERS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen: dict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    edges: dict[tuple[str, str], tuple[float, float]] = {}
    for path in options.files:
        data = load_data(path)
        for name in options.learners.split(","):
            try:
                result = compare([f"tuned({name},rule=best)", "majority"], data, cv="1x10")
            except BestofkError as error:
                print(f"{path.name}, {name}: {error}")
                continue
            choices = result.evaluation.choices(0)
            tuned = result.evaluation.learners[0].estimator
            settings = [short_names(tuned.learner, item) for item in tuned.settings()]
            for parameter in {key for setting in settings for key in setting}:
                values = {setting.get(parameter) for setting in settings}
                numbers = [v for v in values if isinstance(v, int | float)]
                if len(numbers) < 3 or parameter not in choices:
                    continue
                edges[name, parameter] = low, high = min(numbers), max(numbers)
                column = np.array([v if isinstance(v, int | float) else np.nan
                                   for v in choices[parameter]], dtype=float)  # fmt: skip
                chosen[name, parameter].append(
                    np.array([np.mean(column == low), np.mean(column == high)])
                )
    print("learner      parameter            lowest    chosen   highest    chosen  data sets")
    for (name, parameter), shares in chosen.items():
        low, high = np.mean(shares, axis=0)
        at = edges[name, parameter]
        print(
            f"{name:13s}{parameter:18s}{at[0]:9g}{low:10.0%}{at[1]:10g}{high:10.0%}"
            f"{len(shares):11d}"
        )


if __name__ == "__main__":
    main()
