"""Where no target is named, the answer begins with the column that was taken."""

import json

import pytest

from bestofk import compare
from bestofk.cli.app import main

LINE = "No target given: the last column 'relapse' was taken. To predict another: --target surgery"
OPTIONS = ["--cv", "1x2", "--learners", "majority,cart"]


@pytest.fixture
def path(tmp_path):
    rows = [f"{k % 11 + k / 7:.2f},{'ab'[k % 3 == 0]},{'ny'[k % 2]}\n" for k in range(40)]
    path = tmp_path / "cases.csv"
    path.write_text("age,surgery,relapse\n" + "".join(rows))
    return str(path)


def printed(capsys, *words):
    assert main(["compare", *words]) == 0
    out, err = capsys.readouterr()
    return out, out + err


@pytest.mark.parametrize("form", ["text", "markdown", "csv"])
def test_the_answer_says_once_which_column_was_taken(capsys, path, form):
    out, everything = printed(capsys, path, *OPTIONS, "--format", form)
    assert " ".join(everything.split()).count(LINE) == 1
    if form != "csv":
        assert out.removeprefix("## cases\n\n").startswith(LINE[:40])


@pytest.mark.parametrize(
    "words", [("--quiet",), ("--json",), ("--target", "relapse")], ids=lambda words: words[0]
)
def test_nothing_is_said_where_it_is_known_or_not_wanted(capsys, path, words):
    out, everything = printed(capsys, path, *OPTIONS, *words)
    assert "No target given" not in everything
    if words == ("--json",):
        assert json.loads(out)["best"]


def test_a_refusal_of_its_target_says_first_that_it_was_not_named(capsys, tmp_path):
    path = tmp_path / "titanic.csv"
    rows = "".join(f"{k % 2},{k / 7:.2f},{'SCQ'[k % 3]}\n" for k in range(40))
    path.write_text(f"Survived,Fare,Embarked\n1,71.5,\n{rows}")
    assert main(["compare", str(path), *OPTIONS]) == 2
    message = capsys.readouterr().err
    taken = "the last column 'Embarked' was taken. To predict another: --target Survived."
    assert f"No target given: {taken} Column 'Embarked' must have a value" in message
    assert main(["inspect", str(path)]) == 0
    assert "1 row without a target; compare does so with" in capsys.readouterr().out


def test_built_in_sets_declare_their_target(capsys):
    assert "No target given" not in printed(capsys, "iris", *OPTIONS)[1]


def test_results_in_python_and_their_pages_say_it(path, tmp_path):
    result = compare(["majority", "cart"], path, cv="1x2")
    assert result.text().splitlines()[0] == repr(result).splitlines()[0] == LINE
    assert " ".join(str(result).split()).startswith(LINE)
    assert len(result.answer) == 3
    result.to_html(tmp_path / "page.html")
    for page in ((tmp_path / "page.html").read_text(), result._repr_html_()):
        assert page.count("No target given") == 1
    named = compare(["majority", "cart"], path, "relapse", cv="1x2")
    assert "No target given" not in str(named)
