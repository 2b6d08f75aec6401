"""Every procedure refuses bad input with a sentence, and has a page of documentation."""

import inspect
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.given_procedures import plan_of, run

from bestofk.comparison.run_scores import RunScores
from bestofk.errors import BestofkError, DesignError, InvalidArgumentError
from bestofk.inference import (
    CAUTIONS,
    PAIRED_TESTS,
    PROCEDURES,
    Caution,
    Procedure,
    Result,
    Sampling,
    procedure,
)
from bestofk.inference.catalogue import ON_ROWS
from bestofk.testing import check_paired_test

PAGES = Path(__file__).parents[2] / "docs" / "procedures"
HEADINGS = ["Run it", "Read the result", "When not to use it", "How it is computed", "Source"]
ALL = pytest.mark.parametrize("one", PROCEDURES.values(), ids=list(PROCEDURES))
TWO = [item for item in PROCEDURES.values() if item.takes in ("two-on-splits", "two-on-rows",
       "two-on-data-sets", "two-rankings")]  # fmt: skip
TABLES = [item for item in PROCEDURES.values() if item.takes in ("many-on-splits", "many-on-rows",
          "many-on-data-sets", "losses-on-rows", "posteriors")]  # fmt: skip
two = pytest.mark.parametrize("one", TWO, ids=lambda item: item.name)
tables = pytest.mark.parametrize("one", TABLES, ids=lambda table: table.name)


def good(item: Procedure) -> tuple[np.ndarray, ...]:
    """Return fixed arguments that the procedure takes."""
    rng = np.random.default_rng(0)
    n = plan_of(item).n_scores
    is_positive = np.arange(20) % 2 == 0
    made = {
        "two-on-splits": lambda: tuple(rng.uniform(size=(2, n)).round(2)),
        "many-on-splits": lambda: (rng.uniform(size=(n, 3)).round(2),),
        "two-on-rows": lambda: tuple(rng.integers(0, 2, size=(2, 20)).astype(float)),
        "two-rankings": lambda: (is_positive, *rng.uniform(size=(2, 20))),
        "many-rankings": lambda: (is_positive, rng.uniform(size=(20, 2))),
        "many-on-rows": lambda: (rng.integers(0, 2, size=(20, 3)).astype(float),),
        "posteriors": lambda: (rng.uniform(size=(20, 3)),),
        "losses-on-rows": lambda: (rng.uniform(size=(20, 3)),),
        "two-on-data-sets": lambda: tuple(rng.uniform(size=(2, 12)).round(2)),
        "many-on-data-sets": lambda: (rng.uniform(size=(12, 3)).round(2),),
        "splits-of-data-sets": lambda: (list(rng.normal(0.02, 0.1, size=(5, n)).round(3)),),
    }
    return made[item.takes]()


def refused(item: Procedure, arguments: tuple, match: str = ".", **options) -> str:
    """Return the sentence that refuses; it says the rule, what was got, and a way out."""
    with pytest.raises(BestofkError, match=match) as caught:
        run(item, arguments, **options)
    said = str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert re.search(r"(must|need)", said), said
    assert "got" in said, said
    assert said.endswith((".", ")")), said
    return said


@ALL
def test_the_good_input_is_taken(one):
    assert isinstance(run(one, good(one)), Result)


@two
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_is_refused(one, bad):
    given = [values.copy() for values in good(one)]
    given[-1][3] = bad
    refused(one, tuple(given), "nan|inf|finite")


@tables
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_missing_cell_is_named(one, bad):
    table = good(one)[0].copy()
    table[1, 2] = bad
    said = refused(one, (table,), "nan|inf|finite")
    assert "2" in said
    assert "3" in said


@two
def test_scores_that_do_not_pair_are_refused(one):
    if one.name == "two-proportion-z":
        pytest.skip("its two test sets need not be the same")
    given = good(one)
    refused(one, (*given[:-1], given[-1][:-1]))


@tables
def test_a_ragged_table_is_refused(one):
    table = [list(row) for row in good(one)[0]]
    table[1] = table[1][:-1]
    refused(one, (table,))


@tables
def test_one_learner_is_refused(one):
    refused(one, (good(one)[0][:, :1],), "learner")


@tables
def test_a_table_that_lies_on_its_side_is_refused_with_both_readings(one):
    table = good(one)[0].T
    n_rows, n_learners = table.shape
    said = refused(one, (table,), f"{n_learners} learners on {n_rows} ")
    assert f"Transpose it if it is {n_rows} learners on {n_learners} " in said
    assert "names=" in said


def test_every_kind_of_table_is_held_to_the_orientation():
    several = {
        item.name
        for item in PROCEDURES.values()
        if "names" in inspect.signature(item.run).parameters
    }
    assert several == {item.name for item in TABLES} | {"roc-hull"}  # by its classes


@pytest.mark.parametrize(
    "one",
    [item for item in PROCEDURES.values() if item.takes.endswith("data-sets")],
    ids=lambda item: item.name,
)
def test_one_data_set_where_many_are_needed_is_refused(one):
    given = good(one)
    few = (given[0][:1], given[1][:1]) if one.takes.startswith("two") else (given[0][:1],)
    refused(one, few, "data set")


@pytest.mark.parametrize(
    "one", [item for item in PROCEDURES.values() if item.takes.endswith("on-splits")],
    ids=lambda item: item.name,
)  # fmt: skip
def test_one_fold_is_refused(one):
    given = good(one)
    few = tuple(values[:1] for values in given) if len(given) == 2 else (given[0][:1],)
    refused(one, few)


@ALL
def test_text_is_refused(one):
    given = good(one)
    words = ["a"] * len(given[-1])
    refused(one, (*given[:-1], words))


@ALL
def test_an_option_of_another_procedure_is_refused_with_the_nearest(one):
    with pytest.raises(InvalidArgumentError, match="options of"):
        one.check_options({"alternativ": "greater"})


@ALL
def test_a_side_is_tested_only_where_there_is_one(one):
    if "greater" in one.sides:
        with pytest.raises(InvalidArgumentError, match="alternative must be"):
            one.check_options({"alternative": "bigger"})
    else:
        with pytest.raises(DesignError, match=f"alternative of {one.name} must be"):
            one.check_options({"alternative": "greater"})


@ALL
def test_names_that_do_not_fit_are_refused(one):
    if "names" not in inspect.signature(one.run).parameters:
        return
    refused(one, good(one), "names", names=["a"])
    refused(one, good(one), "names", names=["a", "b", "a"])


@ALL
def test_every_procedure_has_a_page(one):
    assert f"`{one.name}`" in (PAGES / f"{one.name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", sorted(set(PAGES.glob("*.md")) - {PAGES / "index.md"}), ids=lambda page: page.stem
)
def test_every_page_of_a_procedure_has_the_same_parts(page):
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, flags=re.MULTILINE) == HEADINGS
    assert text.splitlines()[2].startswith("You will get ")
    assert ">>>" in text.partition("## Run it")[2].partition("## Read the result")[0]
    assert re.search(r"\b(19|20)\d\d\b", text.partition("## Source")[2])


FORWARD = Sampling("forward", 10, 1, n_train=50, n_test=10)


@pytest.mark.parametrize(
    "one",
    [item for item in PROCEDURES.values() if {"sampling", "samplings"} & set(item.keywords)],
    ids=lambda item: item.name,
)
def test_periods_in_order_of_time_are_for_the_tests_that_allow_for_it(one):
    given = good(one)
    if one.is_over_time:
        in_no_order = Sampling("k-fold", 1, 12, n_train=50, n_test=10)
        with pytest.raises(DesignError, match="needs test periods in order of time"):
            one.run(*given, sampling=in_no_order)
        return
    many = one.takes == "splits-of-data-sets"
    keyword = {"samplings": [FORWARD] * 5} if many else {"sampling": FORWARD}
    with pytest.raises(DesignError, match="depend on each other: use diebold-mariano"):
        one.run(*given, **keyword)


@pytest.mark.parametrize(
    "one", [item for item in PROCEDURES.values() if item.takes in ON_ROWS], ids=lambda i: i.name
)
def test_rows_of_periods_in_order_of_time_are_not_tested(one):
    plan = SimpleNamespace(scheme="forward")
    scores = RunScores(SimpleNamespace(plan=plan), None, None, 0.0, [])
    assert "use diebold-mariano" in scores.refusal(one)
    plan.scheme = "k-fold"
    assert scores.refusal(one) == ""


def test_every_procedure_of_one_data_set_knows_the_order_of_its_splits():
    for item in PROCEDURES.values():
        if not item.takes.endswith("data-sets"):
            assert "sampling" in item.keywords or item.takes in ON_ROWS, item.name


@pytest.mark.parametrize("name", PAIRED_TESTS)
def test_a_paired_test_keeps_the_rules(name):
    check_paired_test(PAIRED_TESTS[name], plan_of(procedure(name)))


def test_an_unknown_procedure_is_refused_with_the_nearest():
    with pytest.raises(InvalidArgumentError, match="Did you mean 'wilcoxon'"):
        procedure("wilcoxen")


def test_an_unknown_caution_is_refused_with_the_nearest():
    with pytest.raises(InvalidArgumentError, match="Did you mean 'overlap'"):
        Caution("overlapp", "Text.")
    assert len(CAUTIONS) == 16
