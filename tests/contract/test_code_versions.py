"""Numbers of code: what a learner predicts changes only together with its `code_version`.

Keys of stored runs hold the numbers that classes of this package declare. The predictions of every
learner on five small data sets are kept in `recorded_predictions.npz`; after a change that is
meant, raise the number that the test names, and write the file anew:

    python -m tests.contract.test_code_versions
"""

import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
import sklearn

from bestofk.batched.forms import BATCHED_FORMS
from bestofk.data import DataSet, from_arrays
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.evaluation.batched_fit import CODE_VERSION as BATCHED_VERSION
from bestofk.evaluation.run import CODE_VERSION
from bestofk.learners import learner_catalogue, resolve_learners
from bestofk.resampling import make_plan

FILE = Path(__file__).with_name("recorded_predictions.npz")
NAMES = [name for name, entry in learner_catalogue().items() if not entry.extra]
# What scikit-learn alone computes changes with its version, which is no number of this package.
OWN = [
    name
    if learner_catalogue()[name].estimator.startswith("bestofk.")
    or learner_catalogue()[name].estimator in BATCHED_FORMS
    else pytest.param(name, marks=pytest.mark.slow)
    for name in NAMES
]
SMALLER = {"mlp": "mlp(max_iter=30)", "mlp-regressor": "mlp-regressor(max_iter=30)",
           "gradient-boosting-regressor": "gradient-boosting-regressor(max_iter=5)",
           "random-forest": "random-forest(n_estimators=5)",
           "random-forest-regressor": "random-forest-regressor(n_estimators=5)",
           "forest": "forest(n_estimators=5)", "extra-forest": "extra-forest(n_estimators=5)",
           "forest-regressor": "forest-regressor(n_estimators=5)",
           "extra-forest-regressor": "extra-forest-regressor(n_estimators=5)",
           "gradient-boosting": "gradient-boosting(max_iter=5)",
           "shallow-boosting": "shallow-boosting(max_iter=5)",
           "shallow-boosting-regressor": "shallow-boosting-regressor(max_iter=5)"}  # fmt: skip


def data_sets(task: str) -> dict[str, DataSet]:
    """Return small data sets, the same on every machine."""
    rng = np.random.default_rng(5)
    numbers = rng.integers(-20, 20, size=(60, 4)) / 8
    total = numbers @ [1, -1, 0.5, 0]
    if task == "regression":
        with_gaps = pd.DataFrame(numbers, columns=list("abcd"))
        with_gaps.loc[::7, "a"] = np.nan
        with_gaps["kind"] = np.where(numbers[:, 1] > 0, "x", "y")
        return {"gaps": from_arrays(with_gaps, total)}
    words = pd.DataFrame({"n": numbers[:, 0], "w": rng.choice(["u", "v", None], 60)})
    words["v"] = np.where(numbers[:, 1] > 0, "x", "y")
    weights = rng.integers(1, 5, 60) / 4
    hours = pd.to_timedelta(rng.integers(0, 9000, 60), unit="h")
    dates = pd.DataFrame({"when": pd.Timestamp("2024-03-01") + hours, "n": numbers[:, 1]})
    dates.loc[::9, "when"] = pd.NaT
    is_early = hours.components["hours"].to_numpy() < 12
    return {
        "numbers": from_arrays(numbers, np.where(total > 0, "b", "a")),
        "words": from_arrays(words, np.where(total > 0.5, "b", "a"), sample_weight=weights),
        "classes": from_arrays(numbers, np.digitize(total, [-2, -1, 0, 1, 2])),
        "dates": from_arrays(dates, np.where(is_early, "a", "b")),
    }


def predictions_of(name: str) -> dict[str, np.ndarray]:
    """Return what a learner predicts for all data sets, batched where it has a form, and plain."""
    results = {}
    entry = learner_catalogue()[name]
    for title, data in data_sets(entry.task).items():
        learners = resolve_learners([SMALLER.get(name, name)], entry.task)
        plan = make_plan(data, "2x3")
        for batched in ("auto", "never"):
            request = EvaluationRequest(data, plan, learners, 0, batched=batched)
            with Store(None) as store, np.errstate(all="ignore"):
                evaluation = evaluate(request, store)
            for record in evaluation.records[0]:
                kept = record.predictions
                parts = {} if kept is None else {
                    "labels": kept.labels, "probabilities": kept.probabilities,
                    "decision": kept.decision,
                }  # fmt: skip
                for part, values in parts.items():
                    if values is not None:
                        key = f"{name}/{title}/{batched}/{part}"
                        results.setdefault(key, []).append(np.asarray(values).ravel())
    return {key: np.concatenate(parts) for key, parts in results.items()}


def numbers_of(name: str) -> dict[str, int]:
    """Return the numbers of the classes of this package that a learner is made of."""
    entry = learner_catalogue()[name]
    (learner,) = resolve_learners([name], entry.task)
    classes = [type(part) for _, part in [("", learner.estimator), *learner.estimator.steps]]
    if entry.estimator in BATCHED_FORMS:
        classes.append(BATCHED_FORMS[entry.estimator])
    numbers = {item.__name__: getattr(item, "code_version", None) for item in classes}
    known = {key: number for key, number in numbers.items() if number is not None}
    return known | {"evaluation.run": CODE_VERSION, "evaluation.batched_fit": BATCHED_VERSION}


def environment() -> list[str]:
    """Return what bits depend on."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    packages = [np.__version__, scipy.__version__, sklearn.__version__]
    return [*packages, platform.machine(), platform.system(), _processor(), str(blas["version"])]


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")


@pytest.mark.parametrize("name", OWN)
@pytest.mark.filterwarnings("ignore")
def test_predictions_change_only_with_a_number(name: str) -> None:
    with np.load(FILE) as kept:
        about = json.loads(str(kept["about"]))
        recorded = {key: kept[key] for key in kept.files if key.startswith(f"{name}/")}
    numbers = numbers_of(name)
    anew = "write the file anew by python -m tests.contract.test_code_versions"
    assert numbers == about["numbers"][name], f"the numbers of {name} have changed: {anew}"
    if environment()[:3] != about["environment"][:3]:
        pytest.skip("other versions of numpy, scipy or scikit-learn compute")
    found = predictions_of(name)
    assert found.keys() == recorded.keys()
    has_same_bits = environment() == about["environment"]
    for key, values in found.items():
        is_exact = has_same_bits or values.dtype.kind == "i"  # labels of classes
        is_same = np.array_equal(values, recorded[key], equal_nan=True)
        if not is_exact:
            is_same = np.allclose(values, recorded[key], rtol=1e-6, atol=1e-6, equal_nan=True)
        assert is_same, f"{key} is another: raise one of {sorted(numbers)}, and {anew}"


def main() -> None:
    """Write the file anew."""
    kept: dict[str, Any] = {}
    for name in NAMES:
        kept |= predictions_of(name)
    about = {
        "environment": environment(),
        "numbers": {name: numbers_of(name) for name in NAMES},
    }
    np.savez_compressed(FILE, about=np.array(json.dumps(about)), **kept)


if __name__ == "__main__":
    main()
