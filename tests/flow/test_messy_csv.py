"""Messy files end in an answer, or in one sentence with a way out that leads to one."""

import pytest
from tests.messy_csv import FILES, PAGE, run, table_row

from bestofk.cli.app import BAD_INPUT

# Of the learners majority, nearest-mean and cart, or mean, ridge and cart-regressor.
PICKS = {
    "german.csv": "nearest-mean",
    "french.csv": "nearest-mean",
    "us.csv": "nearest-mean",
    "swiss.csv": "ridge",
    "swedish.txt": "nearest-mean",
    "pumps.csv": "nearest-mean",
    "tickets.csv": "nearest-mean",
    "orders.csv": "cart",
    "diabetes.csv": "nearest-mean",
    "shelves.csv": "cart",
    "wide.csv": "nearest-mean",
    "exam.csv": "nearest-mean",
    "no-header.csv": "nearest-mean",
    "branches.csv": "ridge",
    "products.csv": "nearest-mean",
    "water.csv": "nearest-mean",
    "index.csv": "nearest-mean",
    "machines.csv": "nearest-mean",
    "ward.csv": "nearest-mean",
    "trial.csv": "nearest-mean",
    "houses.csv": "mean",
    "sales.csv": "cart-regressor",
    "loans.csv": "cart",
}
REFUSED = {
    "orders.csv": "dates of column 'due' must have one reading; got '8/1/2023', which is 8 January "
    "2023 (%d/%m/%Y) or 1 August 2023 (%m/%d/%Y). Say which: --date-format due=%d/%m/%Y (in Python "
    "date_format={'due': '%d/%m/%Y'}), or --drop due.",
    "diabetes.csv": "target 'diagnosis' must have one reading of 'n/a' 3x; got texts that may be "
    "classes or missing values. --missing 'diagnosis=n/a,?' makes them missing, --missing "
    "'diagnosis=?' keeps them as classes (in Python missing={'diagnosis': ['n/a', '?']} or "
    "{'diagnosis': ['?']}).",
    "fish.csv": "every class of fish must have at least two rows, one to learn from and one to "
    "test on; got one row of class 'eel', 'sturgeon'. Drop such rows, or merge the class with "
    "another.",
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_messy_file_ends_in_an_answer_or_one_sentence(file, tmp_path):
    outcome = run(file, tmp_path, file.typed)
    assert table_row(file, outcome) in PAGE.read_text("utf-8").splitlines()
    if file.name in REFUSED:
        assert (outcome.code, outcome.lines) == (BAD_INPUT, (REFUSED[file.name],))
    else:
        assert (outcome.code, outcome.pick) == (0, PICKS[file.name])
    if file.typed_next:
        after = run(file, tmp_path, file.typed_next)
        assert (after.code, after.pick) == (0, PICKS[file.name])


def test_the_page_has_a_row_for_each_file():
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    n_heads = 2
    assert len(rows) - n_heads == len(FILES) == 24


def test_files_are_the_same_each_time():
    assert all(file.content == file.content for file in FILES)
