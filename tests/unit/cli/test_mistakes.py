"""Mistakes of typing: one sentence says what is wrong, and what is meant."""

import pytest
from tests.calls import refused

from bestofk.cli import main


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("compare iris --budget 10 minutes",
         "--budget must be one value; got '10 minutes'. A name with blanks goes in quotes. Its h"),
        ("compare --budget 10 minutes iris", "got '10 minutes'"),
        ("compare iris --timeout 10 seconds", "--timeout must be one value; got"),
        ("compare iris --learners cart logistic", "Write --learners cart,logistic."),
        ("compare iris --learners cart, logistic --seed 1", "Write --learners cart,logistic."),
        ("compare iris --drop a b c", "Write --drop a,b,c."),
        ("compare iris --role a=b c=d", "Write --role a=b --role c=d."),
        ("compare iris --tune cart", "--tune must come without a value; got 'cart' after it. Leave "
         "that out; learners are named by --learners."),
        ("compare iris --quiet please", "--quiet must come without a value; got 'please'"),
        ("compare iris --seed=1 two", "--seed must be one value; got"),
        ("compare iris --cv 10 x 10", "--cv must be one value; got '10 x 10'"),
        ("compare iris --target sepal length", "got 'sepal length'"),
        ("curve learning iris --learners cart logistic", "Write --learners cart,logistic."),
        ("curve cost --prior 1 half iris", "--prior must be one value; got"),
        ("recommend iris --budget 10 minutes", "got '10 minutes'"),
        ("calibrate claims iris --learners cart lda", "Write --learners cart,lda."),
        ("compare-scores s.csv --learners a b", "Write --learners a,b."),
        ("compare-scores s.csv --map a=b c=d", "Write --map a=b --map c=d."),
        ("study init s.toml iris --learners x", "got --learners, which bestofk compare has."),
    ],
)  # fmt: skip
def test_words_after_an_option_are_said_to_be_its_own(capsys, typed, sentence):
    assert sentence in refused(capsys, *typed.split())


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("compare minutes", "data must be a file or the name of a data set; got 'minutes'"),
        ("compare iris minutes", "data must be a file or the name of a data set; got 'minutes'"),
        ("compare iris --seed 1 wnie", "got 'wnie'. Did you mean 'wine'?"),
        ("compare --seed 1 iris none.csv", "none.csv"),
        ("curve cost iris wine", "curve cost must be followed by DATA alone; got 'wine' too."),
        ("study add s.toml a.csv b.csv", "by STUDY.toml and FILE alone; got 'b.csv' too."),
        ("datasets iris", "bestofk datasets must be followed by options alone; got 'iris' too."),
    ],
)
def test_other_words_are_said_to_be_no_data(capsys, typed, sentence):
    assert sentence in refused(capsys, *typed.split())


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("comapre iris", "command must be one that bestofk has; got 'comapre'. Did you mean "
         "'compare'? Try 'bestofk --help'."),
        ("curve lerning iris", "bestofk curve has; got 'lerning'. Did you mean 'learning'"),
        ("curve iris", "got 'iris'. Known: learning, noise, imbalance, cost, validation. Try"),
        ("iris --cv 5x2", "got 'iris'. Write bestofk compare iris. Try 'bestofk --help'."),
        ("-", "got '-'. Known: compare, "),
        ("compare iris --learnrs cart", "option must be one that bestofk compare has; got "
         "--learnrs. Did you mean --learners? Try 'bestofk compare --help-all'."),
        ("compare iris -learners cart", "got -learners. Did you mean --learners?"),
        ("compare iris --n_jobs=2", "got --n_jobs. Did you mean --n-jobs?"),
        ("compare iris --no-stratfy", "got --no-stratfy. Did you mean --no-stratify?"),
        ("compare iris --frobnicate", "got --frobnicate. Try 'bestofk compare --help-all'."),
        ("calibrate iris --tsts x", "calibrate tests has; got --tsts. Did you mean --tests?"),
        ("--versoin", "one that bestofk has; got --versoin. Did you mean --version?"),
        ("compare --procedure x", "option must be one that bestofk compare has; got --procedure, "
         "which bestofk compare-scores has. Try 'bestofk compare --help-all'."),
        ("tree iris --learners cart", "which bestofk compare has. Did you mean --learner?"),
        ("--learners cart compare iris", "got --learners, which bestofk compare has."),
        ("compare", "DATA must be given; got none. Files, or names from 'bestofk datasets';"),
        ("curve validation iris", "--learner must be given; got none. One name from"),
        ("store merge a.db", "--output must be given; got none. The merged store;"),
        ("compare iris --alpha", "--alpha must be followed by a value; got none. Level of a family "
         "of tests. Try 'bestofk compare --help'."),
        ("calibrate tests --null", "--null must be followed by a value; got none."),
        ("compare iris --alpha much", "--alpha must be a number; got 'much'. Level of a family"),
        ("compare iris --alpha=much", "--alpha must be a number; got 'much'."),
        ("compare iris --seed 1.5", "--seed must be a whole number; got '1.5'."),
        ("compare iris --json=yes", "--json must come without a value; got 'yes' after it."),
        ("compare --help=yes", "Option '--help' does not take a value. Try 'bestofk --help'."),
    ],
)  # fmt: skip
def test_mistakes_are_answered_with_the_nearest_name(capsys, typed, sentence):
    assert sentence in refused(capsys, *typed.split())


def test_a_group_without_a_command_shows_its_help(capsys):
    for group in ("curve", "study", "store"):
        assert main([group]) == 2
        assert capsys.readouterr().err.startswith(f"Usage: bestofk {group} ")


def test_data_may_follow_options(capsys):
    assert main([*["compare", "--cv", "1x2", "--learners", "cart,lda", "-q"], "iris", "wine"]) == 0
    assert capsys.readouterr().out.startswith("Use ")


def test_no_sentence_on_wrong_usage_ends_in_two_marks(capsys):
    for typed in ("comapre", "compare --learnrs x", "curve lerning x", "store x"):
        assert main(typed.split()) == 2
        assert "?." not in capsys.readouterr().err
