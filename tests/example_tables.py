"""Write the tables that `compare-scores` takes by name: `python -m tests.example_tables`."""

from pathlib import Path

import pandas as pd

from bestofk import compare, load_data
from bestofk.evaluation.store import Store, export_scores
from bestofk.learners import learner_catalogue

FOLDER = Path(__file__).parents[1] / "src/bestofk/score_tables/score_formats/examples"
LEARNERS = ["naive-bayes", "c45", "5nn"]
PLANS = {"example-10-folds": "1x10", "example-5x2": "5x2", "example-10x10": "10x10"}
DATA_SETS = ["iris", "wine", "breast_cancer", "twonorm", "threenorm", "ringnorm", "waveform"]
COLUMNS = ["learner", "repeat", "fold", "measure", "value", "n_train", "n_test"]


def scores(data: str, cv: str) -> pd.DataFrame:
    with Store(None) as store:
        compare(LEARNERS, data, cv=cv, store=store, progress=False)
        return export_scores(store, ["error"])


def predictions() -> pd.DataFrame:
    """Return what three learners predict for every third row, trained on the others."""
    data = load_data("breast_cancer")
    rows = pd.RangeIndex(data.n_samples)
    is_test = rows % 3 == 0
    parts = []
    for name in LEARNERS:
        learner = learner_catalogue()[name].make()
        learner.fit(data.features[~is_test], data.target_array[~is_test])
        shares = learner.predict_proba(data.features[is_test]).round(4)
        facts = {"row": rows[is_test], "learner": name, "truth": data.target_array[is_test]}
        facts["prediction"] = learner.predict(data.features[is_test])
        parts.append(pd.DataFrame(facts | dict(zip(data.classes, shares.T, strict=True))))
    return pd.concat(parts)


def tables() -> dict[str, pd.DataFrame]:
    """Return the example tables by name."""
    made = {name: scores("breast_cancer", cv)[COLUMNS] for name, cv in PLANS.items()}
    parts = [scores(data, "1x10") for data in DATA_SETS]
    made["example-data-sets"] = pd.concat(parts)[["dataset", *COLUMNS]]
    made["example-predictions"] = predictions()
    return {name: table.round(4) for name, table in made.items()}


if __name__ == "__main__":
    for name, table in tables().items():
        table.to_csv(FOLDER / f"{name}.csv", index=False)
