import csv

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.data import from_arrays, load_data

FINITE = st.floats(allow_nan=False, allow_infinity=False)
LABELS = st.text("abcxyzäß ,;\"'", min_size=1).map(str.strip).filter(lambda text: text.strip("'\""))


@given(
    table=arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 4)), elements=FINITE),
    data=st.data(),
)
def test_the_identity_changes_with_a_value_and_not_with_the_name(table, data):
    y = np.arange(len(table)) % 2
    base = from_arrays(table, y, name="one")
    row = data.draw(st.integers(0, table.shape[0] - 1))
    column = data.draw(st.integers(0, table.shape[1] - 1))
    changed = table.copy()
    changed[row, column] = data.draw(FINITE.filter(lambda value: value != table[row, column]))
    assert from_arrays(table.copy(), y, name="two").id == base.id
    assert from_arrays(changed, y).id != base.id
    assert from_arrays(table, 1 - y).id != base.id


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    rows=st.lists(
        st.tuples(FINITE, st.integers(-(10**15), 10**15), LABELS), min_size=1, max_size=9
    ),
    separator=st.sampled_from(",;\t|"),
)
def test_numbers_and_labels_survive_a_csv_file(tmp_path, rows, separator):
    path = tmp_path / "data.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(["real", "whole", "label"])
        writer.writerows((repr(real), whole, label) for real, whole, label in rows)
    data = load_data(path)
    assert data.features["real"].tolist() == [row[0] for row in rows]
    assert data.features["whole"].tolist() == [row[1] for row in rows]
    assert data.target.tolist() == [row[2] for row in rows]
