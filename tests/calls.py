"""Calls of the command line in this process, and what they say."""

from bestofk.cli import main


def printed(capsys, *words, code=0):
    """Return what a call prints."""
    assert main([*map(str, words)]) == code
    return capsys.readouterr().out


def learner_file(folder, name, *lines, method="fit(self, X, y, sample_weight=None)"):
    """Write a file of a learner with these lines in one method; return what names it in a call."""
    file = folder / f"{name.lower()}.py"
    body = "".join(f"        {line}\n" for line in lines)
    file.write_text(
        "import os\nimport signal\nimport time\nfrom sklearn.dummy import DummyClassifier\n"
        f"class {name}(DummyClassifier):\n    def {method}:\n{body}"
    )
    return f"{file}:{name}"


def refused(capsys, *words, has_notes=False):
    """Return the one sentence that refuses a call; notes on what was read may stand before it."""
    assert main([*map(str, words)]) == 2
    out, err = capsys.readouterr()
    *notes, sentence = err.splitlines()
    assert (out, has_notes or notes) == ("", has_notes or [])
    assert sentence.startswith("bestofk: ")
    return sentence
