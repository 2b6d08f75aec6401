"""Columns of texts that repeat, for tables of runs and scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Ints


def text_column(texts: Sequence[str], indices: Ints) -> Any:
    """Return a column of texts by index; each distinct text is converted once."""
    codes = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    return pd.Series(list(codes)).array.take(np.array([codes[text] for text in texts])[indices])


def coded_texts(texts: Mapping[int, str], n_rows: int, default: str = "") -> tuple[list[str], Ints]:
    """Return the distinct texts of rows and, for each row, the index of its text.

    `texts` are those of rows that do not have the default.
    """
    codes, known = np.zeros(n_rows, dtype=np.int64), {default: 0}
    for row, text in texts.items():
        codes[row] = known.setdefault(text, len(known))
    return list(known), codes
