"""A word that is no file and follows an option: the sentence says what is meant."""

from __future__ import annotations

import pytest

from bestofk.cli import main


def refused(capsys, text):
    assert main(text.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


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
        ("study init s.toml iris --learners x", "No such option"),
    ],
)  # fmt: skip
def test_words_after_an_option_are_said_to_be_its_own(capsys, typed, sentence):
    assert sentence in refused(capsys, typed)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("compare minutes", "data must be a file or the name of a data set; got 'minutes'"),
        ("compare iris minutes", "data must be a file or the name of a data set; got 'minutes'"),
        ("compare iris --seed 1 wnie", "got 'wnie'. Did you mean 'wine'?"),
        ("compare --seed 1 iris none.csv", "none.csv"),
        ("curve cost iris wine", "Got unexpected extra argument(s) (wine)"),
        ("comapre iris", "Did you mean 'compare'? Try 'bestofk --help'."),
        ("compare iris --learnrs cart", "--learners"),
    ],
)
def test_other_words_are_said_to_be_no_data(capsys, typed, sentence):
    assert sentence in refused(capsys, typed)


def test_data_may_follow_options(capsys):
    assert main([*["compare", "--cv", "1x2", "--learners", "cart,lda", "-q"], "iris", "wine"]) == 0
    assert capsys.readouterr().out.startswith("Use ")


def test_no_sentence_on_wrong_usage_ends_in_two_marks(capsys):
    for typed in ("comapre", "compare --learnrs x", "curve", "curve lerning x", "study", "store x"):
        assert main(typed.split()) == 2
        assert "?." not in capsys.readouterr().err
