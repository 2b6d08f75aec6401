"""Procedures by name: what they take, which options and sides they know."""

import pytest

from bestofk.checks import known_name
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import PROCEDURES, Procedure, procedure
from bestofk.inference.catalogue import ONE_SIDED, TWO_SIDED


def run(a, b, *, sampling, names=None, alternative="two-sided", strength=1):
    """Return nothing: a procedure that is never run."""


SIDED = Procedure("sided", "sided", "Does it?", "two-on-splits", run, ONE_SIDED)
TWO = Procedure("two", "two", "Does it?", "two-on-splits", run, TWO_SIDED)
NONE = Procedure("none", "none", "Does it?", "two-on-splits", lambda a, b, *, strength=1: None)
WITHOUT = Procedure("without", "w", "Does it?", "two-on-rows", lambda a, b: None, TWO_SIDED)


def test_options_are_those_that_the_faces_do_not_give_and_returned_as_they_are():
    assert SIDED.options == ["alternative", "strength"]
    assert SIDED.check_options({"alternative": "less", "strength": 2}) == {
        "alternative": "less", "strength": 2,
    }  # fmt: skip
    assert WITHOUT.check_options({"alternative": "two-sided"}) == {}


@pytest.mark.parametrize(
    ("one", "side", "can"),
    [(TWO, "greater", "two-sided"), (TWO, "less", "two-sided"), (NONE, "two-sided", "no side")],
)
def test_a_side_that_cannot_be_tested_is_refused(one, side, can):
    with pytest.raises(DesignError, match=rf"must be one it can test \({can}\); got '{side}'"):
        one.check_options({"alternative": side})


@pytest.mark.parametrize("option", ["names", "sampling", "strenght"])
def test_an_unknown_option_is_refused(option):
    with pytest.raises(InvalidArgumentError, match=f"options of sided must be .* got '{option}'"):
        SIDED.check_options({option: 1})
    with pytest.raises(InvalidArgumentError, match="options of without must be none"):
        WITHOUT.check_options({option: 1})


def test_what_a_procedure_takes_must_be_a_known_word():
    with pytest.raises(
        InvalidArgumentError, match=r"got 'two-on-rws'\. Did you mean 'two-on-rows'"
    ):
        Procedure("x", "x", "Does it?", "two-on-rws", run)


@pytest.mark.parametrize("said", ["corrected-t", "corrected_t", "Corrected-T"])
def test_underscores_and_capitals_do_for_a_name(said):
    assert procedure(said).name == "corrected-t"


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("ttest", "paired-t"), ("t-test", "paired-t"), ("T test", "paired-t"), ("cd", "nemenyi"),
        ("wilcoxon-signed-rank", "wilcoxon"), ("Wilcoxon_Signed_Rank_Test", "wilcoxon"),
        ("McNemar's", "mcnemar"), ("friedman test", "friedman"), ("snk", "newman-keuls"),
        ("5x2cv", "5x2cv-t"), ("one-way ANOVA", "anova"), ("Tukey's HSD", "tukey-hsd"),
    ],
)  # fmt: skip
def test_names_of_other_tools_and_papers_are_aliases(typed, name):
    assert procedure(typed).name == name


def test_every_procedure_is_registered_under_names_of_its_own_and_asks_a_question():
    own = {entry.name: entry.aliases for entry in PROCEDURES.values()}
    for name, aliases in own.items():
        for spelling in (name, *aliases):
            for text in (spelling, spelling.upper().replace("-", "_"), f"{spelling}-test"):
                assert known_name(text, own, "procedure") == name
    for name, item in PROCEDURES.items():
        assert procedure(name) is item
        assert item.question.endswith("?")
        assert set(item.sides) <= set(ONE_SIDED)
        assert all(procedure(alias) is item for alias in item.aliases)


def test_the_nearest_name_is_found_by_aliases_as_well():
    with pytest.raises(InvalidArgumentError, match=r"got 'tttest'\. Did you mean 'paired-t'"):
        procedure("tttest")


def test_procedures_that_need_all_splits_are_those_of_5x2():
    needing = {name for name, item in PROCEDURES.items() if item.needs_all_splits}
    assert {"5x2cv-t", "5x2cv-f", "5x2cv-t-numerators"} <= needing
    assert "corrected-t" not in needing
