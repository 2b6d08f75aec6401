"""Numbers printed on the pages about papers."""

import re

import numpy as np
import pytest
from tests.calibration import published_levels
from tests.given import ROOT

from bestofk import compare
from bestofk.inference import CAUTIONS, PROCEDURES, Sampling
from bestofk.verdict.orderings import ORDERINGS, orderings

DOCS = ROOT / "docs"
NAMES = ["majority", "nearest-mean", "logistic", "c45", "1nn"]
TABLE_COLUMNS = [
    published_levels.Column("nearest mean", 300, 0.0, 2000),
    published_levels.Column("tree", 300, 0.0, 1000),
    published_levels.Column("1-NN", 300, 0.0, 2000),
    published_levels.Column("nearest mean", 300, 0.6, 500),
]
HALVES = Sampling("k-fold", n_repeats=5, n_folds=2, n_train=75, n_test=75)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def printed_counts() -> np.ndarray:
    rows = re.findall(r"^\.\.\.     \[([\d, ]+)\],$", page("papers/fifty-error-rates.md"), re.M)
    return np.array([[int(count) for count in row.split(",")] for row in rows])


@pytest.fixture(scope="module")
def fifty() -> np.ndarray:
    result = compare(NAMES, "iris", protocol="multitest-2006", random_state=1)
    errors = result.to_frame().query("measure == 'error'")
    wide = errors.pivot(index="learner", columns=["repeat", "fold"], values="value")
    return wide.loc[NAMES].to_numpy()


def test_the_fifty_error_rates_are_those_of_the_comparison_that_the_page_names(fifty):
    assert printed_counts().shape == (5, 10)
    # iterative solvers of other versions may move a row
    assert np.abs(75 * fifty - printed_counts()).max() < 1.5
    assert np.isclose(75 * fifty, printed_counts()).mean() > 0.9


def test_every_ordering_is_on_the_page() -> None:
    table = orderings((printed_counts() / 75).T, sampling=HALVES, names=NAMES, test="5x2cv-t")
    assert [row.name for row in table.rows] == list(ORDERINGS)
    assert [name for name in ORDERINGS if name not in page("papers/fifty-error-rates.md")] == []


def test_bonferroni_and_holm_part_on_the_fifty_error_rates() -> None:
    table = orderings((printed_counts() / 75).T, sampling=HALVES, names=NAMES, test="5x2cv-t")
    best = {row.name: row.best for row in table.rows}
    assert best["multitest-bonferroni"] == "nearest-mean"
    assert best["multitest-holm"] == best["lowest-mean"] == best["newman-keuls"] == "logistic"
    assert best["testfirst"] is best["anova"] is None
    assert "name 2 different learners" in table.disagreement


def test_every_test_of_two_learners_on_splits_is_on_the_page_of_the_slides() -> None:
    text = page("papers/two-four-fold-examples.md")
    on_splits = [
        procedure
        for procedure in PROCEDURES.values()
        if procedure.takes == "two-on-splits" and not procedure.is_over_time
    ]
    assert [split.name for split in on_splits if split.name not in text] == []


def test_the_page_of_warnings_explains_each_code_under_its_own_heading() -> None:
    parts = re.split(r"^#+ ", page("warnings.md"), flags=re.MULTILINE)
    explained = [part.partition("\n")[0] for part in parts if "\nWhat to do: " in part]
    assert sorted(explained) == sorted([*CAUTIONS, "data", "runs"])


def test_which_test_has_a_place_for_every_procedure() -> None:
    text = page("which-test.md")
    assert [name for name in PROCEDURES if f"[`{name}`](procedures/{name}.md)" not in text] == []


def test_the_levels_of_which_test_are_the_measured_ones() -> None:
    rows = re.findall(r"^\| `([^`]+@?[^`]*)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$",
                      page("which-test.md"), re.M)  # fmt: skip
    columns = [published_levels.COLUMNS.index(column) for column in TABLE_COLUMNS]
    assert len(rows) == 7
    for name, *percents in rows:
        measured = [100 * published_levels.RATES[name][column] for column in columns]
        assert [float(percent) for percent in percents] == pytest.approx(measured, abs=0.01)
