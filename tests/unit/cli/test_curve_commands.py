"""The command `curve learning`: table, JSON, picture, store, exit codes, bad input."""

import json
import os

import pytest
from markupsafe import escape
from tests.calls import learner_file, printed, refused

from bestofk.cli.app import main
from bestofk.cli.curve_commands import _sizes
from bestofk.curves.learning import learning_curve
from bestofk.curves.noise import noise_curve
from bestofk.errors import InvalidArgumentError

LINE = ("curve", "learning", "iris", "--learners", "nearest-mean,1nn", "--cv", "2x3",
        "--sizes", "10,40,100", "--n-jobs", "1")  # fmt: skip


@pytest.fixture(scope="module")
def curves():
    return learning_curve(["nearest-mean", "1nn"], "iris", cv="2x3", train_sizes=[10, 40, 100])


def test_the_text_is_that_of_the_function(capsys, curves):
    assert main(LINE) == 0
    shown = capsys.readouterr()
    assert shown.out == curves.text() + "\n"
    assert shown.err.count("iris: 150 rows") == 1
    assert shown.err.count("Plan: ") == 1
    assert "40 rows; 2 learners, 12 runs." in shown.err


def test_quiet_prints_the_answer_alone_and_verbose_every_detail(capsys, curves):
    assert main([*LINE, "--quiet"]) == 0
    shown = capsys.readouterr()
    assert (tuple(shown.out.splitlines()), shown.err) == (curves.answer, "")
    said = " ".join(printed(capsys, *LINE, "--verbose").split())
    assert all(text in said for text in curves.sections().details)
    assert main([*LINE, "--quiet", "--verbose"]) == 2


def test_json_holds_every_number(capsys):
    result = json.loads(printed(capsys, *LINE, "--json"))
    assert (result["data"], result["measure"], result["n_splits"]) == ("iris", "error", 6)
    assert result["answer"][0].startswith("Use 1nn: ")
    assert len(result["answer"]) == 3
    assert [(item["learner"], item["n_train"]) for item in result["scores"]] == [
        (name, size) for name in ("nearest-mean", "1nn") for size in (10, 40, 100)
    ]
    assert [item["n_train"] for item in result["tests"]] == [10, 40, 100]
    assert result["notes"] == []


@pytest.mark.parametrize(
    "line",
    [LINE, ("curve", "cost", "breast_cancer", "--learners", "logistic,5nn", "--cv", "1x3",
            "--cost-matrix", "0,1;20,0", "--prior", "0.1", "--n-jobs", "1")],
)  # fmt: skip
def test_a_page_has_the_answer_and_the_picture_and_is_written_once(line, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main([*line, "--report", str(page), "--quiet"]) == 0
    answer = capsys.readouterr().out.splitlines()
    html = page.read_text()
    for text in answer:
        assert f"<p>{escape(text)}</p>" in html
    assert html.count("<svg") == 1
    assert "For a paper" not in html
    assert main([*line, "--report", str(page)]) == 2
    assert "--report must be a new file" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["curve.doc", "curve"])
def test_a_picture_of_no_kind_is_told_before_anything_is_trained(tmp_path, capsys, name):
    (tmp_path / "curve.png").write_bytes(b"kept")
    said = refused(capsys, *LINE, "--picture", tmp_path / name)
    assert "--picture must end in .png, .pdf or .svg; got" in said
    assert (tmp_path / "curve.png").read_bytes() == b"kept"


def test_one_can_look_ahead(capsys):
    line = ("curve", "learning", "breast_cancer", "--learners", "nearest-mean,naive-bayes", "--cv",
            "1x5", "--sizes", "10,20,40,57,80,113,160,240", "--n-jobs", "1")  # fmt: skip
    result = json.loads(printed(capsys, *line, "--rows", "300", "--json"))["extrapolation"]
    assert [(item["learner"], item["n_train"]) for item in result] == [
        ("nearest-mean", 300), ("naive-bayes", 300),
    ]  # fmt: skip
    assert all(item["low"] <= item["test"] <= item["high"] for item in result if not item["reason"])


@pytest.mark.parametrize(
    ("curve", "n_failed"),
    [
        ("learning", "6 of 6 runs with 10 rows"),
        ("noise", "3 of 3 runs"),
        ("imbalance", "3 of 3 runs"),
    ],
)
def test_a_learner_that_fails_ends_in_one(tmp_path, capsys, curve, n_failed):
    bad = learner_file(tmp_path, "Bad", "raise ValueError('no')")
    options = LINE[5:] if curve == "learning" else ("--cv", "1x3", "--n-jobs", "1")
    shown = printed(capsys, "curve", curve, "iris", "--learners", f"1nn,{bad}", *options, code=1)
    assert f"Bad failed in {n_failed}" in " ".join(shown.split())


def learner_that_stops(tmp_path, n_rows):
    """Return how a learner is named that interrupts on so many rows, until a file `go` is there."""
    stops = learner_file(
        tmp_path,
        "Stops",
        f"if len(X) == {n_rows} and not os.path.exists({str(tmp_path / 'go')!r}):",
        f"    os.kill({os.getpid()}, signal.SIGINT)",
        "    time.sleep(0.5)",
        f"    os.kill({os.getpid()}, signal.SIGINT)",
        "    time.sleep(600)",
        "return super().fit(X, y)",
    )
    return f"1nn,{stops}"


def test_of_interrupted_runs_no_picture_is_drawn_and_the_same_line_goes_on(tmp_path, capsys):
    picture = tmp_path / "curve.png"
    line = [*LINE, "--store", str(tmp_path / "runs.db"), "--picture", str(picture)]
    line[line.index("nearest-mean,1nn")] = learner_that_stops(tmp_path, 40)
    assert main(line) == 130
    shown = capsys.readouterr()
    assert "Interrupted with 40 rows; what was done there is left out." in shown.out
    assert "will be written once all runs are done" in " ".join(shown.err.split())
    assert not picture.exists()
    (tmp_path / "go").touch()
    assert main(line) == 0
    assert "12 of 12 runs found in the store" in capsys.readouterr().err
    assert picture.exists()


@pytest.mark.parametrize("curve", ["cost", "imbalance"])
def test_interrupted_costs_and_imbalance_say_how_to_go_on(curve, tmp_path, capsys):
    store = tmp_path / "runs.db"
    line = ("--learners", learner_that_stops(tmp_path, 380), "--cv", "2x3", "--n-jobs", "1")
    assert main(["curve", curve, "breast_cancer", *line, "--store", str(store)]) == 130
    said = " ".join(capsys.readouterr().err.split())
    assert f"make the same call with the same store ({store})" in said


@pytest.mark.parametrize(
    ("text", "wanted"), [("8", 8), ("10,20", [10, 20]), ("0.1, 1", [0.1, 1.0]), ("0.5", [0.5])]
)
def test_sizes_of_the_shell(text, wanted):
    assert _sizes(text) == wanted


@pytest.mark.parametrize("text", ["", "many", "1,,2", "10;20"])
def test_sizes_that_are_none_are_told(text):
    with pytest.raises(InvalidArgumentError, match="--sizes must be numbers separated by commas"):
        _sizes(text)


def test_noise_prints_a_table_and_who_resists(capsys):
    line = ("curve", "noise", "iris", "--learners", "1nn,5nn", "--cv", "2x3", "--n-jobs", "1",
            "--fractions", "0,0.3")  # fmt: skip
    result = noise_curve(["1nn", "5nn"], "iris", cv="2x3", fractions=[0, 0.3])
    assert printed(capsys, *line) == f"{result}\n"
    numbers = json.loads(printed(capsys, *line, "--json"))
    assert [number["learner"] for number in numbers["resistance"]] == ["5nn", "1nn"]
    assert [number["score"] for number in numbers["scores"]] == pytest.approx(
        result.means().T.ravel().tolist()
    )
    assert len(numbers["tests"]) == 2


def test_imbalance_prints_what_sampling_does(capsys):
    line = ("curve", "imbalance", "breast_cancer", "--learners", "naive-bayes", "--cv", "2x3",
            "--methods", "none,under", "--n-jobs", "1")  # fmt: skip
    shown = printed(capsys, *line)
    assert shown.startswith("Leave the classes as they are: ")
    assert "naive-bayes (under)" in shown
    numbers = json.loads(printed(capsys, *line, "--json"))
    assert [number["method"] for number in numbers["scores"]] == ["none", "under"]


def test_learners_may_be_kept_from_the_batched_fit(capsys, tmp_path):
    line = [*LINE, "--store", str(tmp_path / "runs.db"), "--batched"]
    assert main([*line, "auto"]) == 0
    shown = capsys.readouterr()
    assert main([*line, "never"]) == 0
    again = capsys.readouterr()
    assert again.out == shown.out
    assert "2 of 12 runs found in the store." in again.err  # those that measured the cost
    assert main([*line, "maybe"]) == 2
    assert "batched must be one of auto, always, never; got 'maybe'" in capsys.readouterr().err


def test_cost_names_the_cheapest(capsys):
    line = ("curve", "cost", "breast_cancer", "--learners", "logistic,5nn", "--cv", "1x3",
            "--n-jobs", "1")  # fmt: skip
    assert "of class 'malignant'  cheapest" in printed(capsys, *line)
    point = ("--cost-matrix", "0,1;20,0", "--prior", "0.1")
    assert "is expected to cost" in printed(capsys, *line, *point)
    numbers = json.loads(printed(capsys, *line, *point, "--json"))
    assert numbers["operating_point"]["probability_cost"] == pytest.approx(2 / (2 + 0.9))
    said = refused(capsys, *line, "--prior", "0.1", has_notes=True)
    assert "--cost-matrix and --prior must be given together" in said


@pytest.mark.parametrize(
    "line",
    [
        ("noise", "iris", "--learners", "1nn,lda", "--cv", "1x3", "--fractions", "0,0.3"),
        ("imbalance", "iris", "--learners", "lda", "--cv", "1x3", "--methods", "none,over"),
        ("cost", "breast_cancer", "--learners", "lda,5nn", "--cv", "1x3"),
    ],
    ids=lambda line: line[0],
)
def test_a_picture_of_every_curve_is_written_once(tmp_path, capsys, line):
    file = tmp_path / "curve.png"
    given = ("curve", *line, "--n-jobs", "1", "--picture", str(file))
    assert main(given) == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    file.write_bytes(b"kept")
    assert main(given) == 2
    assert "--force" in capsys.readouterr().err
    assert file.read_bytes() == b"kept"
    assert main([*given, "--force", "--json"]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("learning iris --sizes 10,2000", "train_sizes must be at most the training rows"),
        ("learning iris --schedule x", "schedule must be a known one"),
        ("noise iris --fractions 0,1", "must be a number of at least 0 and below 1; got 1.0"),
        ("noise iris --fractions a", "--fractions must be numbers separated by commas"),
        ("noise iris --noisy test", "noisy must be 'train' or 'both', which spoils test rows too"),
        ("noise iris --kind bad", "kind of noise must be a known one; got 'bad'"),
        ("imbalance iris --methods bad", "methods must be known ones; got 'bad'"),
        ("cost iris --cv 3 --learners lda,1nn", "classes of cost_curve must be"),
        ("cost breast_cancer --cv adaptive", "cv of a curve must be a fixed plan"),
        ("cost breast_cancer --cost-matrix 0,1;2,0 --prior 1", "prior must be"),
        ("cost breast_cancer --cost-matrix 0,0;2,0 --prior 0.1", "must charge"),
    ],
)
def test_bad_input_is_one_sentence(capsys, line, message):
    assert message in refused(capsys, "curve", *line.split(), has_notes=True)
