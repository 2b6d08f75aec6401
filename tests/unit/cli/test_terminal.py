import json
import warnings

import pytest

from bestofk.cli.arguments import words
from bestofk.cli.terminal import (
    check_new_file,
    prints_to_messages,
    write_json,
    write_new_file,
    write_table,
)
from bestofk.errors import BestofkWarning, InvalidArgumentError


def test_words_may_be_given_with_commas_or_several_times():
    assert words(["a, b", "c"]) == ["a", "b", "c"]
    assert words(None) == words([","]) == []


def test_json_is_one_object_in_any_script(capsys):
    write_json({"name": "Müller"})
    out = capsys.readouterr().out
    assert json.loads(out) == {"name": "Müller"}
    assert "Müller" in out


def test_cells_are_not_cut_and_not_colored_where_there_is_no_terminal(capsys):
    write_table(["name", "n"], [["x" * 200, 12345], ["[bold]y", 1]])
    out = capsys.readouterr().out
    assert "x" * 200 in out
    assert "12,345" in out
    assert "[bold]y" in out
    assert "\x1b" not in out


def test_files_are_not_replaced_unasked(tmp_path):
    path = tmp_path / "there.html"
    path.write_text("mine")
    check_new_file(path, "--report", force=True)
    check_new_file(None, "--report", force=False)
    with pytest.raises(InvalidArgumentError, match=r"--report must be a new file; .* Add --force"):
        check_new_file(path, "--report", force=False)
    with pytest.raises(InvalidArgumentError, match=r"study must be a new file; .* Name another"):
        check_new_file(path, "the study", force=None)
    with pytest.raises(InvalidArgumentError, match="--report must be a file; got the directory"):
        check_new_file(tmp_path, "--report", force=True)
    with pytest.raises(InvalidArgumentError, match=r"folder of --report must exist; got .*none"):
        check_new_file(tmp_path / "none" / "a.html", "--report", force=False)


def test_a_write_that_fails_leaves_the_old_file_and_no_draft(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def fail(draft):
        draft.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_new_file(path, fail)
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]
    assert path.read_text() == "old"
    write_new_file(path, lambda draft: draft.write_text("new"))
    assert path.read_text() == "new"


def test_own_warnings_are_sentences_among_the_messages():
    usual = warnings.formatwarning
    with prints_to_messages():
        own = warnings.formatwarning(BestofkWarning("Left out: a."), BestofkWarning, "f.py", 3)
        other = warnings.formatwarning(UserWarning("odd"), UserWarning, "f.py", 3)
    assert own == "Left out: a.\n"
    assert other == usual(UserWarning("odd"), UserWarning, "f.py", 3)
    assert warnings.formatwarning is usual
