"""The history that comes along: the whole catalogue on real data sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from bestofk.recommendation.history import History

TABLE = Path(__file__).with_name("shipped_history.csv")
_ROW = ["data_set", "n_samples", "n_features", "default_accuracy"]
_SCORE_DIGITS = 6
_SECOND_DIGITS = 4  # significant


def shipped_history() -> History:
    """Return accuracies and seconds of the classifiers of the catalogue on real data sets.

    One repeat of stratified 10-fold cross-validation, one thread, times of one machine;
    ``replications/shipped_history.py`` makes it.

    Returns
    -------
    History
        With the sizes of the data sets.

    Examples
    --------
    >>> history = shipped_history()
    >>> history.n_data_sets >= 40, history.measure
    (True, 'accuracy')
    """
    table = pd.read_csv(TABLE, comment="#", keep_default_na=False, na_values=[""])
    rows = table.drop_duplicates("data_set")
    learners = list(dict.fromkeys(table["learner"]))
    wide = table.pivot(index="data_set", columns="learner").loc[rows["data_set"]]
    first = TABLE.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    return History.from_arrays(
        wide["accuracy"][learners].to_numpy(),
        wide["seconds"][learners].to_numpy(),
        data_sets=rows["data_set"],
        learners=learners,
        default_scores=rows["default_accuracy"],
        shapes=rows[["n_samples", "n_features"]],
        states=wide["state"][learners].to_numpy(dtype=str),
        machines=[first],
    )


def write_shipped(history: History, path: Path = TABLE) -> None:
    """Write a history as the table that comes along.

    Parameters
    ----------
    history : History
        Of accuracy.
    path : Path
        The CSV file; its first line is a remark that names the machine.
    """
    frame = history.to_frame()
    n = history.n_learners
    for column, values in zip(_ROW[1:], (*history.shapes.T, history.default_scores), strict=True):
        frame[column] = np.repeat(values, n)
    for column in ("n_samples", "n_features"):
        frame[column] = frame[column].astype(int)
    frame["accuracy"] = frame["accuracy"].round(_SCORE_DIGITS)
    frame["default_accuracy"] = frame["default_accuracy"].round(_SCORE_DIGITS)
    frame["seconds"] = [float(f"{value:.{_SECOND_DIGITS}g}") for value in frame["seconds"]]
    machine = "; ".join(history.machines) or "unknown machine"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {machine}\n")
        frame[[*_ROW, "learner", "state", "accuracy", "seconds"]].to_csv(file, index=False)
