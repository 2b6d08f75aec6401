import csv
import io

import numpy as np
import pandas as pd
import pytest

from bestofk.data.spreadsheet_cells import csv_text, guarded

TEXTS = ["x", "=1+1", "a,b", 'a "quote"', " blank", "", "two\nlines", "é;", "'", "-3"]


@pytest.mark.parametrize("header", [True, False])
def test_a_table_is_written_as_pandas_writes_it(header: bool) -> None:
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(-320, 308, 60) * rng.choice([-1, 1], 60)
    values = np.concatenate([sizes, [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e16, 123456789.0, 1e-5]])
    n_rows = len(values)
    frame = pd.DataFrame(
        {
            "value": values,
            "=count": rng.integers(-(10**12), 10**12, n_rows),
            "text": rng.choice(TEXTS, n_rows),
            "is, so": rng.random(n_rows) < 0.5,
            "any": pd.Series(["x", 1.5, None, 3] * (n_rows // 4), dtype=object),
            "gaps": pd.array([1, None] * (n_rows // 2), dtype="Int64"),
            "nothing": np.nan,
            "category": pd.Categorical(rng.choice(["u", "=v"], n_rows)),
        }
    )
    for part in (frame, frame.iloc[:1], frame.iloc[:0]):
        written = part.rename(columns=guarded)
        for name in ("text", "any"):
            written[name] = [guarded(value) for value in written[name]]
        written["category"] = written["category"].astype(str).map(guarded)
        wanted = written.to_csv(index=False, lineterminator="\n", header=header)
        assert csv_text(part, header=header) == wanted


def test_what_was_written_is_read_by_the_library() -> None:
    frame = pd.DataFrame({"text": TEXTS, "number": np.arange(len(TEXTS)) / 3})
    rows = list(csv.reader(io.StringIO(csv_text(frame))))
    assert rows[0] == ["text", "number"]
    assert [text for text, _ in rows[1:]] == [guarded(text) for text in TEXTS]
    assert [float(number) for _, number in rows[1:]] == frame["number"].tolist()
