"""Tables as they are read, with numbers for the texts of values."""

import pandas as pd

from bestofk.score_tables.score_formats.read_score_table import read_score_table


def read_as_frame(table, **options) -> pd.DataFrame:
    read = pd.DataFrame(read_score_table(table, **options).columns)
    return read.assign(value=pd.to_numeric(read["value"]))
