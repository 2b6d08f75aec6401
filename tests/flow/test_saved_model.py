"""The pick of a comparison in a file, and the predictions that are made with it."""

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from tests.calls import learner_file, refused

from bestofk import compare, load_data
from bestofk.cli import main
from bestofk.comparison import saved_model
from bestofk.comparison.saved_model import SavedModel
from bestofk.errors import BestofkWarning, InvalidArgumentError

N = 120
FAST = ("--cv", "1x2", "--quiet")


def table():
    """Return rows with every kind of column, with gaps."""
    rng = np.random.default_rng(3)
    size, kind = rng.normal(3, 1, N).round(2), rng.choice(["red", "blue", "green"], N)
    rows = pd.DataFrame(
        {
            "visit": np.arange(N) + 1000,
            "size": size,
            "kind": kind,
            "day": pd.date_range("2020-01-31", periods=N).strftime("%d/%m/%Y"),
            "ok": rng.choice(["yes", "no"], N),
            "zip": rng.choice(["01234", "09999"], N),
            "price": np.exp(size + (kind == "red")).round(3),
            "result": np.where(size + (kind == "red") > 3.4, "big", "small"),
        }
    )
    rows.loc[::17, "size"] = np.nan
    rows.loc[::13, "kind"] = None
    return rows


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with a table to learn from, and new rows of it in another order."""
    monkeypatch.chdir(tmp_path)
    rows = table()
    rows.to_csv("train.csv", index=False, sep=";", decimal=",")
    new = rows.head(12).drop(columns=["price", "result"])
    new.loc[3, "kind"] = "purple"
    new.loc[4, ["ok", "day"]] = None
    new[new.columns[::-1]].to_csv("new.csv", index=False, sep=";", decimal=",")
    return tmp_path


def written(capsys, *arguments):
    assert main(["compare", *arguments, *FAST, "--save-model", "pick.joblib"]) == 0
    return capsys.readouterr().err


def predicted(capsys, *arguments):
    assert main(["predict", "pick.joblib", *arguments]) == 0
    return pd.read_csv(io.StringIO(capsys.readouterr().out), dtype=str)


@pytest.mark.parametrize(
    ("target", "other", "learners", "options"),
    [
        ("result", "price", "logistic,gradient-boosting", {}),
        ("result", "price", "cart,naive-bayes,tuned(knn)", {}),
        ("price", "result", "ridge,cart-regressor", {}),
        ("price", "result", "ridge,forest-regressor", {"target_transform": "log"}),
    ],
)
def test_a_saved_pick_predicts_like_the_one_that_python_fits(
    folder, capsys, target, other, learners, options
):
    line = ("train.csv", "--target", target, "--drop", other, "--learners", learners)
    said = written(capsys, *line, *(["--log-target"] if options else []))
    table = predicted(capsys, "new.csv")
    data = load_data("train.csv", target=target, drop=[other])
    assert {"nominal", "numeric", "boolean", "date"} <= set(data.roles.values())
    comparison = compare(learners, data, cv="1x2", **options)
    fitted = comparison.fit()
    assert f"Model of {comparison.best} written to pick.joblib" in said
    assert list(table) == [target]
    by_python = fitted.predict("new.csv")
    assert table[target].tolist() == [str(value) for value in by_python.tolist()]
    assert by_python.tolist() == fitted.predict(pd.read_csv("new.csv", sep=";", dtype=str)).tolist()


def test_probabilities_come_in_a_column_for_each_class(folder, capsys):
    written(capsys, "train.csv", "--target", "result", "--drop", "price", "--learners", "logistic")
    shown = predicted(capsys, "new.csv", "--probabilities")
    assert list(shown) == ["result", "P(big)", "P(small)"]
    data = load_data("train.csv", target="result", drop=["price"])
    by_python = compare(["logistic"], data, cv="1x2").fit().predict_proba("new.csv")
    np.testing.assert_array_equal(shown.iloc[:, 1:].map(float), by_python)
    likelier = np.where(by_python[:, 0] > 0.5, "big", "small")
    assert shown["result"].tolist() == likelier.tolist()
    other = ("--target", "price", "--drop", "result", "--learners", "ridge", "--force")
    written(capsys, "train.csv", *other)
    said = refused(capsys, "predict", "pick.joblib", "new.csv", "--probabilities")
    assert said.startswith("bestofk: probabilities must be left out for ridge; it gives none.")


def test_the_file_says_what_its_use_depends_on(folder, capsys):
    line = ("train.csv", "--target", "result", "--learners", "cart", "--pos-label", "small")
    written(capsys, *line)
    saved = joblib.load("pick.joblib")
    assert (saved.name, saved.target, saved.pos_label) == ("cart", "result", "small")
    assert saved.classes == ("big", "small")
    assert set(saved.versions) == {"bestofk", "scikit-learn", "numpy", "python"}
    kinds = {column.name: (column.role, column.levels) for column in saved.learner.columns.columns}
    assert kinds["kind"] == ("nominal", ("blue", "green", "red"))
    assert kinds["size"] == ("numeric", ())


def test_a_file_is_read_as_the_first_one_was_asked_to_be(folder, capsys):
    lines = [f"{a}#{a % 7}#{'yes' if a % 7 > 2 else 'no'}" for a in range(20, 60)]
    (folder / "odd.txt").write_text("\n".join(["made by hand", *lines]))
    line = ("odd.txt", "--separator", "#", "--no-header", "--skip-rows", "1", "--target", "x3")
    written(capsys, *line, "--learners", "cart")
    (folder / "odd.txt").write_text("\n".join(["made by hand", "9#5#", "9#1#"]))
    assert predicted(capsys, "odd.txt")["x3"].tolist() == ["yes", "no"]


def test_lines_that_are_left_out_are_told(folder, capsys):
    written(capsys, "train.csv", "--target", "result", "--drop", "price", "--learners", "cart")
    text = (folder / "new.csv").read_text()
    (folder / "new.csv").write_text(f"{text};;;;;\n")
    with pytest.warns(BestofkWarning, match=r"^Left out: 1 row without any value\.$"):
        assert len(predicted(capsys, "new.csv")) == 12


def test_a_learner_of_a_file_needs_it_no_more(folder, capsys):
    mine = learner_file(folder, "Mine", "return super().fit(X, y)")
    written(capsys, "train.csv", "--target", "result", "--drop", "price", "--learners", mine)
    (folder / "mine.py").unlink()
    assert set(predicted(capsys, "new.csv")["result"]) == {"small"}


def test_what_exists_is_not_replaced_and_nothing_is_trained_before(folder, capsys):
    pick = folder / "pick.joblib"
    pick.write_text("mine")
    line = ("compare", "train.csv", "--save-model")
    said = refused(capsys, *line, pick)
    assert said.endswith("pick.joblib, which exists. Add --force to replace it.")
    assert "must be a file of its own" in refused(capsys, *line, "train.csv", "--force")
    assert "folder of --save-model must exist" in refused(capsys, *line, folder / "no" / "a")
    report = ("--report", "new.html")
    assert "must be a file of its own" in refused(capsys, *line, "new.html", *report)
    two = ("train.csv", "iris")
    several = refused(capsys, "compare", *two, "--save-model", "a", has_notes=True)
    assert several.startswith("bestofk: --save-model must come with one data set and all runs;")
    part = ("--shard", "1/2", "--store", "s.db")
    assert "data sets or --shard" in refused(capsys, *line, "a", *part)
    assert pick.read_text() == "mine"
    assert not (folder / "s.db").exists()
    assert written(capsys, "train.csv", "--target", "result", "--learners", "cart", "--force")
    assert SavedModel.load(pick).name == "cart"


def test_without_a_pick_there_is_no_file(folder, capsys):
    mine = learner_file(folder, "Mine", "raise ValueError('no')")
    line = ("compare", "train.csv", "--learners", mine, "--save-model", "pick.joblib")
    assert main([*line, *FAST]) == 1
    said = capsys.readouterr().err
    assert "No model written to pick.joblib, because there is no final pick." in said
    assert not (folder / "pick.joblib").exists()


def test_a_pick_that_cannot_be_written_is_told_after_the_verdict(folder, capsys):
    raising = "raise TypeError('holds a lock')"
    mine = learner_file(folder, "Mine", raising, method="__reduce__(self)")
    line = ("compare", "train.csv", "--learners", mine, "--save-model", "pick.joblib")
    assert main([*line, *FAST]) == 2
    out, said = capsys.readouterr()
    assert out.startswith("Use Mine")
    assert "must be trained on all rows and written to pick.joblib; got TypeError: holds" in said
    assert [path.name for path in folder.glob("*pick*")] == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", r"\(EOFError"),
        (b"a,b\n1,2\n", r"\(\w+Error"),
        (b"\x80\x05half of one", r"\(\w+Error"),
        (pickle.dumps({"a": 1}), "it holds something else, dict"),
        (b"\x80\x05cno_such_module\nModel\n.", "No module named 'no_such_module'"),
    ],
)
def test_a_file_that_is_no_model_is_refused(content, why, tmp_path, capsys):
    path = tmp_path / "other.joblib"
    path.write_bytes(content)
    with pytest.raises(InvalidArgumentError, match=rf"model must be a file of .*{why}"):
        SavedModel.load(path)
    refused(capsys, "predict", path, "iris")


def test_rows_that_do_not_suit_are_refused(folder, capsys):
    written(capsys, "train.csv", "--target", "result", "--drop", "price", "--learners", "cart")
    assert "must be an existing file" in refused(capsys, "predict", "none", "new.csv")
    assert "must be an existing file" in refused(capsys, "predict", "pick.joblib", "none.csv")
    new = pd.read_csv("new.csv", sep=";", dtype=str)
    new.drop(columns="size").to_csv("few.csv", index=False)
    assert refused(capsys, "predict", "pick.joblib", "few.csv").startswith(
        "bestofk: few.csv must have the columns that the learner was trained on; 'size' is missing."
    )
    for column, value in (("size", "much"), ("day", "soon")):
        new.assign(**{column: value}).to_csv("wrong.csv", index=False)
        said = refused(capsys, "predict", "pick.joblib", "wrong.csv")
        assert f"column {column!r} must hold" in said
        assert f"got '{value}'" in said


def test_another_version_is_a_warning(folder, capsys, monkeypatch):
    written(capsys, "train.csv", "--target", "result", "--drop", "price", "--learners", "cart")
    here = saved_model._versions()
    monkeypatch.setattr(saved_model, "_versions", lambda: here | {"scikit-learn": "9.9"})
    told = r"pick\.joblib was trained with scikit-learn .*, and this is 9\.9: predictions may"
    with pytest.warns(BestofkWarning, match=told):
        SavedModel.load(folder / "pick.joblib")
    with pytest.warns(BestofkWarning, match=told):
        assert len(predicted(capsys, "new.csv")) == 12


def test_a_file_is_no_array():
    fitted = compare(["lda"], np.eye(8), ["a", "b"] * 4, cv="1x2").fit()
    with pytest.raises(InvalidArgumentError, match=r"must be an array or a frame.*got new\.csv"):
        fitted.predict("new.csv")
