"""Calls of the command line in this process, and what they say."""

from bestofk.cli import main


def printed(capsys, *words, code=0):
    """Return what a call prints."""
    assert main([*map(str, words)]) == code
    return capsys.readouterr().out


def refused(capsys, *words, has_notes=False):
    """Return the one sentence that refuses a call; notes on what was read may stand before it."""
    assert main([*map(str, words)]) == 2
    out, err = capsys.readouterr()
    *notes, sentence = err.splitlines()
    assert (out, has_notes or notes) == ("", has_notes or [])
    assert sentence.startswith("bestofk: ")
    return sentence
