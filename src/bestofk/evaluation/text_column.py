"""Columns of texts that repeat, for tables of runs and scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Ints


def text_column(texts: Sequence[str], indices: Ints) -> Any:
    """Return a column of texts by index; each distinct text is converted once."""
    codes = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    return pd.Series(list(codes)).array.take(np.array([codes[text] for text in texts])[indices])
