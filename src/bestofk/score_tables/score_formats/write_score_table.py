"""Scores in long form written as result files of other tools, which are read back the same."""

from collections.abc import Callable, Mapping
from typing import Final

import pandas as pd

from bestofk.checks import check_known
from bestofk.data.spreadsheet_cells import csv_text
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_formats.weka_experimenter import KEYS, NUMBERS
from bestofk.words import printable

_KEYS: Final = ["dataset", "learner", "repeat", "fold"]
_AMLB: Final = {"dataset": "task", "learner": "framework", "fold": "fold", "value": "result",
                "measure": "metric", "train_seconds": "training_duration",
                "predict_seconds": "predict_duration", "message": "info"}  # fmt: skip
_KEPT_BY_AMLB: Final = ("repeat", "n_train", "n_test")  # columns that its own files do not have


def score_table_text(frame: pd.DataFrame, to: str) -> str:
    """Return scores in long form as the text of a result file of another tool.

    Parameters
    ----------
    frame : DataFrame of pandas
        Columns learner, measure and value, and others of a score table as far as they are
        there; one row per score.
    to : {"weka", "amlb"}
        An ARFF file as of WEKA's Experimenter, with the measures under their names here; or a
        CSV file as of the AutoML benchmark, of one measure per data set, losses as ``neg_``.

    Returns
    -------
    str

    Raises
    ------
    InvalidArgumentError
        If the format is unknown, or a data set has several measures for "amlb".

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"dataset": "iris", "learner": ["lda", "cart"], "repeat": 0, "fold": 0}
    >>> frame = pd.DataFrame(rows | {"measure": "error", "value": [0.02, 0.06]})
    >>> print(score_table_text(frame.assign(greater_is_better=False), "amlb"))
    task,framework,fold,result,metric,repeat
    iris,lda,0,-0.02,neg_error,0
    iris,cart,0,-0.06,neg_error,0
    <BLANKLINE>
    """
    check_known(to, "format of a score table", WRITERS)
    return WRITERS[to](frame)


def _weka(frame: pd.DataFrame) -> str:
    keys = [name for name in _KEYS if name in frame]
    about = [name for name in NUMBERS if name in frame]
    runs = frame.drop_duplicates(keys).set_index(keys)[about]
    wide = frame.pivot(index=keys, columns="measure", values="value")
    wide = wide[list(dict.fromkeys(frame["measure"]))].loc[runs.index]
    table = runs.rename(columns=NUMBERS).join(wide).reset_index()
    for name in ("repeat", "fold"):
        if name in table:
            table[name] = table[name].astype(int) + 1  # WEKA counts from 1
    table = table.rename(columns=KEYS)
    table.insert(len(keys), "Key_Scheme_options", "")
    texts = [name for name in table if name in ("Key_Dataset", "Key_Scheme", "Key_Scheme_options")]
    lines = ["@relation InstanceResultListener", ""]
    for name in table:
        levels = ",".join(map(_quoted, dict.fromkeys(table[name]))) if name in texts else ""
        lines.append(f"@attribute {_quoted(name)} {f'{{{levels}}}' if levels else 'numeric'}")
    lines += ["", "@data"]
    for row in table.astype(object).itertuples(index=False):
        cells = zip(table, row, strict=True)
        lines.append(",".join(_quoted(v) if n in texts else _number(v) for n, v in cells))
    return "\n".join(lines) + "\n"


def _quoted(text: object) -> str:
    escaped = printable(str(text).replace("\\", "\\\\").replace("'", "\\'"))
    return f"'{escaped}'"


def _number(value: object) -> str:
    """Return a number with all its digits, or the mark of a missing one."""
    return "?" if value is None or value != value else repr(float(str(value)))


def _amlb(frame: pd.DataFrame) -> str:
    by_data_set = frame.groupby("dataset", sort=False)["measure"].nunique()
    if (by_data_set > 1).any():
        raise InvalidArgumentError(
            "results of the AutoML benchmark must be of one measure per data set; got "
            f"{', '.join(dict.fromkeys(frame['measure']))}. Name one by --measure."
        )
    names = [name for name in _AMLB if name in frame]
    table = frame[[*names, *(name for name in _KEPT_BY_AMLB if name in frame)]].copy()
    if "greater_is_better" in frame:
        is_loss = ~frame["greater_is_better"].astype(bool)
        table["value"] = table["value"].where(~is_loss, -table["value"])
        table["measure"] = table["measure"].where(~is_loss, "neg_" + table["measure"])
    return csv_text(table.rename(columns=_AMLB))


WRITERS: Final[Mapping[str, Callable[[pd.DataFrame], str]]] = {"weka": _weka, "amlb": _amlb}
