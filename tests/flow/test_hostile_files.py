"""Files made to hang, to fill the memory or to run what they hold are refused in one sentence."""

import gzip
import itertools
import shutil
import socket
import sqlite3
import sys
import tracemalloc
import zlib
from pathlib import Path

import pytest
from tests.calls import refused
from tests.fuzz import seeds

from bestofk import compare, load_data
from bestofk.calibration.claim_case import CaseFile
from bestofk.cli import main
from bestofk.data import parquet_file, text_file
from bestofk.errors import InvalidArgumentError, StoreError
from bestofk.evaluation.store import Store, merge_stores
from bestofk.score_tables.aslib_files import read_scenario

SMALL = 5_000_000  # bytes; stands for what a file may unpack to
DATA = seeds.csv_files()[0]["data.csv"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table, in which calls are made."""
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_bytes(DATA)
    return tmp_path


@pytest.fixture
def peak():
    """Return a function that gives the largest memory of Python so far."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


# -- packed files ------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b"0" * 10**6, b"1,2,1\n" * 200_000])
@pytest.mark.parametrize("command", [["compare"], ["compare-scores"], ["recommend", "data.csv"]])
def test_packed_text_is_counted_before_it_is_held(line, command, folder, monkeypatch, capsys, peak):
    monkeypatch.setattr(text_file, "MOST_UNPACKED", SMALL)
    Path("large.csv.gz").write_bytes(gzip.compress(b"a,b,y\n" + line * 40))
    is_history = command[0] == "recommend"
    last = ["--history=large.csv.gz", "--dry-run"] if is_history else ["large.csv.gz"]
    before = peak()
    assert "must unpack to at most 5 MB" in refused(capsys, *command, *last)
    assert peak() - before < 8 * SMALL


@pytest.mark.parametrize("name", ["text.parquet", "numbers.parquet"])
def test_what_parquet_would_unpack_to_is_counted_before(name, folder, capsys):
    pytest.importorskip("pyarrow")
    Path(name).write_bytes(seeds.bombs()[name])
    assert "must unpack to at most 500 MB" in refused(capsys, "compare", name)


def test_parquet_of_many_equal_texts_is_read(folder):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"x": ["ab", "cd"] * 5000, "n": range(10_000), "y": ["p", "q"] * 5000})
    table.to_parquet("data.parquet", index=False)
    size = parquet_file._unpacked_size(Path("data.parquet").read_bytes())
    assert 10_000 * (8 + 8 + 8) <= size <= 10_000 * 40
    assert load_data("data.parquet", target="y").n_samples == 10_000


def test_predictions_of_a_store_unpack_to_what_their_rows_need():
    packed = zlib.compress(b"\0" * 10**6)
    assert text_file.inflated(packed, 10**6) == b"\0" * 10**6
    for most in (10**6 - 1, 1, 0, -5):
        with pytest.raises(zlib.error):
            text_file.inflated(packed, most)
    with pytest.raises(zlib.error):
        text_file.inflated(packed[:-3], 10**6)


# -- what is no file ---------------------------------------------------------------------------


CALLS = [
    ["compare", "{}"], ["compare", "data.csv", "--learners=majority,cart", "--store={}"],
    ["compare", "data.csv", "--learners=majority,cart", "--report={}", "--force"],
    ["compare-scores", "{}"], ["recommend", "data.csv", "--history={}", "--dry-run"],
    ["study", "status", "{}"], ["study", "run", "{}"], ["store", "status", "{}"],
    ["store", "check", "{}"], ["store", "export", "{}"], ["store", "merge", "{}", "-o", "new.db"],
    ["store", "merge", "runs.db", "-o", "{}"],
]  # fmt: skip


@pytest.fixture
def special(folder):
    """Names of a pipe, a socket, devices, a link to one, and a folder."""
    import os

    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind("socket")
    Path("link.db").symlink_to("/dev/zero")
    return ["pipe", "socket", "/dev/zero", "/dev/full", "link.db", "."]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices are no files there")
@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_what_is_no_file_is_refused(call, special, capsys):
    for name in special:
        if name == "." and "--history={}" in call:
            continue  # a folder may be a scenario
        said = refused(capsys, *[word.format(name) for word in call])
        assert "must be" in said or "must hold" in said
    assert not Path("new.db").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices are no files there")
def test_no_reader_in_python_waits_for_a_pipe(special):
    for name in special[:-1]:
        for read in (load_data, Store, lambda name: CaseFile(name, "key").read()):
            with pytest.raises((InvalidArgumentError, StoreError), match="ordinary file"):
                read(name)


# -- stores that hold more than runs -----------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of a small comparison."""
    path = tmp_path_factory.mktemp("store") / "runs.db"
    path.write_bytes(seeds.stores()[0]["runs.db"])
    return path


@pytest.mark.parametrize("part", seeds.FOREIGN_PARTS)
def test_a_store_holds_the_tables_of_a_store_and_nothing_else(part, store, folder, capsys):
    shutil.copy(store, "runs.db")
    connection = sqlite3.connect("runs.db", isolation_level=None)
    try:
        connection.executescript(part)
    except sqlite3.OperationalError as error:
        pytest.skip(str(error))
    connection.close()
    content = Path("runs.db").read_bytes()
    for call in (
        ["compare", "data.csv", "--learners=majority,nearest-mean", "--cv=2x2", "--store=runs.db"],
        ["store", "status", "runs.db"],
        ["store", "merge", "runs.db", "-o", "new.db"],
    ):
        assert "it holds other tables, views or triggers" in refused(capsys, *call)
    assert Path("runs.db").read_bytes() == content


def test_a_store_that_we_wrote_is_taken(store, folder):
    shutil.copy(store, "runs.db")
    result = compare(["majority", "nearest-mean"], load_data("data.csv"), cv="2x2", store="runs.db")
    assert result.evaluation.n_reused == 8
    merge_stores(["runs.db"], "merged.db")
    with Store("runs.db") as given, Store("merged.db") as merged:
        assert merged.n_runs() == given.n_runs()


# -- texts that are read as something else -----------------------------------------------------


def test_a_table_of_headers_has_no_rows(folder, capsys):
    Path("same.csv").write_text("a,b,y\n" * 20)
    assert "must have at least one row below its header" in refused(capsys, "compare", "same.csv")


@pytest.mark.parametrize("value", ["9" * 5000, "0x" + "f" * 5000, "0b" + "1" * 9000, str(2**63)])
@pytest.mark.parametrize("form", ["random_state = {}", "data = [{}]", "cv = {{a = [{}]}}"])
def test_numbers_of_a_study_have_64_bits(value, form, folder, capsys):
    start = "" if form.startswith("data") else 'data = ["data.csv"]\n'
    Path("study.toml").write_text(f"{start}learners = ['majority']\n{form.format(value)}\n")
    said = refused(capsys, "study", "status", "study.toml")
    assert "study.toml must be TOML" in said
    assert "number of too many digits" in said


def test_aliases_of_yaml_are_refused(folder):
    pytest.importorskip("yaml")
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in itertools.pairwise("abcdefghi")]
    Path("description.txt").write_text("\n".join([*lines, "algorithm_cutoff_time: *i"]))
    Path("algorithm_runs.arff").write_text("@relation r\n")
    with pytest.raises(InvalidArgumentError, match="must be YAML with at most 8 aliases; got"):
        read_scenario(folder)


@pytest.mark.parametrize("alpha", ["1e-300", "1e-17", "0.99999999999999999", "0.9999999999999"])
def test_levels_that_are_0_or_1_to_the_machine_are_refused(alpha, folder, capsys):
    for call in (["compare", "data.csv"], ["compare-scores", "scores.csv", "--measure=error"]):
        Path("scores.csv").write_bytes(seeds.long_scores()[0]["scores.csv"])
        assert "alpha must be" in refused(capsys, *call, "--alpha", alpha)


def test_thousands_of_mistakes_of_a_study_are_counted(folder, capsys):
    learners = ", ".join(f"{{name = {number}}}" for number in range(3000))
    Path("study.toml").write_text(f'data = ["data.csv"]\nlearners = [{learners}]\n')
    assert main(["study", "status", "study.toml"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 102
    assert lines[-1].startswith("- and ")


def test_parquet_of_bytes_that_are_no_text_is_refused(folder, capsys):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"x": list(range(40)), "y": ["good", "bad\u00e9"] * 20})
    pq.write_table(table, "data.parquet", compression="none")
    content = Path("data.parquet").read_bytes().replace("bad\u00e9".encode(), b"bad\xff\xfe")
    Path("data.parquet").write_bytes(content)
    assert "must be a Parquet file" in refused(capsys, "compare", "data.parquet", "--target=y")
