"""Commands on a store: what is damaged is named, and no file that is in use is replaced."""

import io
import json
import sqlite3
from contextlib import closing

import pandas as pd
import pytest
from tests.calls import learner_file, printed, refused
from tests.edited_stores import seal

from bestofk import compare, compare_scores
from bestofk.cli import main
from bestofk.learners import learner_catalogue
from bestofk.report import to_latex

ESCAPE = "\x1b[31m"


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "s.db"
    compare(["majority", "nearest-mean"], "iris", cv="5x2", store=path, batched="never")
    return path


def damage(path):
    """Change a run without its checksum."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE run SET train_seconds = train_seconds * 2 WHERE learner = 1 AND split = 3"
        )


def test_a_whole_store_is_said_to_be_whole(store, capsys):
    assert printed(capsys, "store", "check", store) == "20 runs, all whole\n"


def test_a_damaged_run_is_named_refused_and_fitted_again(store, capsys):
    damage(store)
    out = printed(capsys, "store", "check", store, code=1)
    assert out.startswith("a run of majority, repeat 1, fold 0\n1 damaged. Compare the same")
    written = json.loads(printed(capsys, "store", "check", store, "--json", code=1))
    assert len(written["damaged"]) == 1
    said = "1 damaged. Compare the same learners"
    assert said in printed(capsys, "store", "status", store)
    named = "the run of majority on iris, repeat 1, fold 0, in"
    assert named in refused(capsys, "store", "export", store)
    again = compare(["majority", "nearest-mean"], "iris", cv="5x2", store=store, batched="never")
    assert (again.evaluation.n_fitted, again.evaluation.n_reused) == (1, 19)
    (note,) = [item for item in again.notes if "damaged" in item]
    assert note.endswith("fitted again: majority, repeat 1, fold 0.")
    assert main(["store", "export", str(store)]) == main(["store", "check", str(store)]) == 0


def test_what_is_no_json_ends_in_a_sentence(store, capsys):
    connection = sqlite3.connect(store)
    connection.execute("UPDATE environment SET description = '{'")
    connection.commit()
    assert "unknown (unknown, Python unknown)" in printed(capsys, "store", "status", store)
    connection.execute("UPDATE data_set SET classes = '[\"a'")
    connection.commit()
    connection.close()
    for command in ("status", "export"):
        assert "an entry of its table data_set" in refused(capsys, "store", command, store)


def test_no_output_replaces_the_store_the_input_or_each_other(store, tmp_path, capsys):
    table = tmp_path / "data.csv"
    table.write_text("a,y\n" + "1,u\n2,v\n" * 20)
    link, nowhere = tmp_path / "link.db", tmp_path / "nowhere.csv"
    link.symlink_to(store)
    nowhere.symlink_to(tmp_path / "none.csv")
    files = {path: path.read_bytes() for path in (store, table)}
    new = str(tmp_path / "new.db")
    of_its_own = "must be a file of its own; got"
    for message, arguments in (
        (of_its_own, ["store", "export", str(store), "--output", str(store), "--force"]),
        (of_its_own, ["store", "export", str(store), "--output", str(link), "--force"]),
        (of_its_own, ["store", "export", str(link), "--output", str(store), "--force"]),
        ("which does not exist", ["store", "export", str(store), "--output", str(nowhere)]),
        (of_its_own, ["compare", str(table), "--report", str(table), "--force"]),
        (of_its_own, ["compare", str(table), "--report", new, "--store", new]),
        (of_its_own, ["curve", "learning", str(table), "--picture", f"{new}.svg", "--store",
                      f"{new}.svg"]),
    ):  # fmt: skip
        assert main(arguments) == 2, arguments
        assert message in capsys.readouterr().err
    assert {path: path.read_bytes() for path in files} == files


NAMES = ["=1+1", "-5nn", "'@x", "cart"]


@pytest.mark.parametrize("shape", ["long", "wide"])
def test_names_like_formulas_are_guarded_and_read_back(tmp_path, capsys, shape):
    path, table = tmp_path / "s.db", tmp_path / "scores.csv"
    make = learner_catalogue()["nearest-mean"].make
    learners = {name: make() for name in NAMES}
    own = compare(learners, "iris", cv="5x2", store=path)
    arguments = ["store", "export", str(path), "--measure", "error", "--shape", shape]
    assert main([*arguments, "--output", str(table)]) == 0
    text = table.read_text()
    assert main(arguments) == 0
    assert capsys.readouterr().out == text
    frame = pd.read_csv(io.StringIO(text))
    cells = list(frame["learner"]) if shape == "long" else list(frame.columns)
    assert {"'=1+1", "'-5nn", "''@x", "cart"} <= set(cells)
    assert set(NAMES[:3]).isdisjoint(cells)
    read = compare_scores(table, cv="5x2", greater_is_better=False)
    assert [learner.name for learner in read.learners] == NAMES
    assert "=1+1" not in [line.split(",")[2] for line in own.to_csv().splitlines()]


def test_escape_sequences_of_names_do_not_reach_the_terminal(tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text(f"a{ESCAPE}b,y\n" + "1,u\n2,v\n" * 20)
    bad = learner_file(tmp_path, "Bad", f"raise ValueError('{ESCAPE}\\x9b1m oh')")
    path = tmp_path / "s.db"
    arguments = ["compare", str(data), "--target", "y", "--cv", "2x2", "--learners",
                 f"majority,{bad}", "--store", str(path)]  # fmt: skip
    for more in ([], ["--json"], ["--format", "markdown"], ["--format", "csv"]):
        main([*arguments, *more])
        out, err = capsys.readouterr()
        assert "\x1b" not in out + err
        assert "\x9b" not in out + err
    main([*arguments[:-2], "--json"])
    assert json.loads(capsys.readouterr().out)
    for command in (["store", "status", str(path)], ["store", "export", str(path)]):
        assert main(command) == 0
        assert "\x1b" not in capsys.readouterr().out
    assert main(["compare", f"{data}{ESCAPE}"]) == 2
    assert "\x1b" not in capsys.readouterr().err
    make = learner_catalogue()["majority"].make
    assert "\x1b" not in str(compare({f"x{ESCAPE}": make(), "y": make()}, "iris", cv="2x2"))


def test_a_name_in_brackets_is_no_option_of_a_line_break():
    learners = {f"[{name}]": learner_catalogue()[name].make() for name in ("majority", "cart")}
    text = to_latex(compare(learners, "iris", cv="2x2").findings)
    assert "    {[}majority]" in text
    assert "\n    [" not in text


def test_stores_are_merged_into_one(store, tmp_path, capsys):
    other, output = tmp_path / "t.db", tmp_path / "all.db"
    compare(["majority", "cart"], "iris", cv="5x2", store=other, batched="never")
    assert printed(capsys, "store", "merge", store, other, "-o", output) == (
        f"{output}: 30 runs of 2 comparisons, from 2 stores; 10 runs in more than one of them\n"
    )
    assert json.loads(printed(capsys, "store", "merge", other, "--output", output, "--json")) == {
        "output": str(output), "n_stores": 2, "n_runs": 30, "n_comparisons": 2, "n_repeated": 20,
        "n_left_out": 0, "damaged": [], "notes": [],
    }  # fmt: skip
    said = printed(capsys, "store", "merge", store, "-o", tmp_path / "copy.db")
    assert said.endswith("copy.db: 20 runs of 1 comparison, from 1 store\n")


def test_damage_that_a_merge_leaves_out_is_named_with_exit_code_1(store, tmp_path, capsys):
    damage(store)
    output = tmp_path / "all.db"
    assert printed(capsys, "store", "merge", store, "-o", output, code=1) == (
        f"{store}: a run of majority, repeat 1, fold 0\n"
        "1 damaged row, for which 1 run was left out. "
        "Compare the same learners with the merged store, which fits them again.\n"
        f"{output}: 19 runs of 1 comparison, from 1 store\n"
    )
    assert main(["store", "check", str(output)]) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.db", "-o", "all.db"], "store must be an existing file; got missing.db."),
        (["-o", "all.db"], "STORE must be given; got none."),
        (["s.db"], "--output must be given; got none."),
        (["s.db", "-o", "no/all.db"], "folder of the store must exist; got no."),
    ],
)
def test_a_merge_that_cannot_be_ends_in_a_sentence(store, capsys, monkeypatch, arguments, sentence):
    monkeypatch.chdir(store.parent)
    assert sentence in refused(capsys, "store", "merge", *arguments)
    assert sorted(path.name for path in store.parent.iterdir()) == ["s.db"]


def test_stores_with_other_contents_are_named_and_merged_only_as_one_of_them(
    store, tmp_path, capsys
):
    other, output = tmp_path / "t.db", tmp_path / "all.db"
    other.write_bytes(store.read_bytes())
    with closing(sqlite3.connect(other, isolation_level=None)) as connection:
        connection.execute(
            "UPDATE run SET predictions = CAST(substr(predictions, 1, 2) || CASE "
            "substr(predictions, 3, 1) WHEN x'02' THEN x'01' ELSE x'02' END || "
            "substr(predictions, 4) AS BLOB) WHERE rowid <= 2"
        )
        seal(connection)
    printed(capsys, "store", "check", store, store)
    *_, first, second, summary = printed(
        capsys, "store", "check", store, other, code=1
    ).splitlines()
    assert first.endswith(f": {store}, {other}")
    assert second.startswith("a run of ")
    assert summary == "2 differ in status or predictions."
    written = json.loads(printed(capsys, "store", "check", store, other, "--json", code=1))
    assert written["differing"] == [first, second]
    assert main(["store", "merge", str(store), str(other), "-o", str(output)]) == 1
    told = capsys.readouterr().err
    assert "got 2 runs with different status or predictions. Nothing was written" in told
    assert first in told
    assert not output.exists()
    said = printed(capsys, "store", "merge", other, store, "-o", output, "--keep", store)
    assert f"of which that of {store} is kept." in said
    assert main(["store", "check", str(store), str(output)]) == 0
