"""Names from files never end a line, turn its direction, or change what a page does."""

import contextlib
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from sklearn.dummy import DummyClassifier

from bestofk import compare, compare_scores, learning_curve, load_data, noise_curve, recommend
from bestofk.cli import main
from bestofk.data import from_arrays
from bestofk.errors import BestofkError
from bestofk.evaluation.store import Store
from bestofk.inference import PROCEDURES
from bestofk.report import to_text
from bestofk.report.html.page import to_html_fragment
from bestofk.report.progress.shown import TerminalProgress, to_html
from bestofk.score_tables import apply_procedure, compare_scores_across
from bestofk.trees import C45Classifier, C45RulesClassifier

pytestmark = pytest.mark.usefixtures("module_in_this_process")

RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
ORDERS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")  # with which a live table is drawn
SPLITS = {"repeat": [0, 0, 1, 1, 2, 2], "fold": [0, 1, 0, 1, 0, 1]}


def hostile(name: str) -> str:
    """Return a name with everything that a text, a page or a table could obey."""
    return (
        f"=1+{name}\nForged: use {name}.\r\x1b[31m\x85\u2028\u202e\u200e\u2066"
        f'\t<blink>{name}</blink>&" onload="x'
    )


def check_text(text: str) -> None:
    assert not RAW.findall(text)
    assert not re.findall(r"^(?:- |! |\| |\*\*|> )?Forged", text, re.MULTILINE)


class Page(HTMLParser):
    """Page that must hold nothing of what names ask for."""

    def handle_starttag(self, tag, attrs):
        assert tag != "blink"
        assert "onload" not in dict(attrs)


def check_page(text: str) -> None:
    assert not RAW.findall(text)
    Page().feed(text)


def check_result(result: object, folder: Path) -> None:
    """Check everything that a result writes."""
    for name in ("text", "to_text", "to_latex", "to_csv", "methods_paragraph", "bibtex"):
        if hasattr(result, name):
            check_text(getattr(result, name)())
    check_text(str(result))
    check_text(repr(result))
    if hasattr(result, "findings"):
        check_text(to_text(result.findings, verbose=True))
    if hasattr(result, "to_markdown"):
        check_text(result.to_markdown())
        assert "<blink" not in result.to_markdown()
    if hasattr(result, "to_html"):
        result.to_html(folder / "page.html", overwrite=True)
        check_page((folder / "page.html").read_text(encoding="utf-8"))
        check_page(result._repr_html_())
    if hasattr(result, "to_json"):
        assert "Forged" in result.to_json()
        assert hostile("a") in _texts(json.loads(result.to_json()))


def _texts(value: object) -> set[str]:
    """Return all keys and texts of what JSON holds."""
    if isinstance(value, dict):
        return set().union(value.keys(), *map(_texts, value.values()))
    if isinstance(value, list):
        return set().union(*map(_texts, value))
    return {value} if isinstance(value, str) else set()


NAMES = [hostile(name) for name in "abc"]


@pytest.fixture(scope="module")
def scores():
    """Scores of three learners on six splits."""
    rng = np.random.default_rng(0)
    table = pd.concat(
        pd.DataFrame(SPLITS).assign(learner=name, value=0.1 * index + 0.05 * rng.random(6))
        for index, name in enumerate(NAMES)
    )
    return table.assign(n_train=50, n_test=50)


@pytest.fixture(scope="module")
def scores_across(scores):
    """Scores of three learners on six data sets."""
    rng = np.random.default_rng(1)
    return pd.concat(
        scores.assign(dataset=hostile(f"set {k}"), value=scores.value + 0.1 * rng.random(18))
        for k in range(6)
    )


@pytest.fixture(scope="module")
def table():
    """A table whose columns, levels and classes have hostile names."""
    rng = np.random.default_rng(2)
    values = rng.random(60)
    return pd.DataFrame(
        {
            hostile("x"): values,
            hostile("z"): [hostile("l") if k % 2 else hostile("m") for k in range(60)],
            hostile("y"): [hostile("p") if v > 0.5 else hostile("q") for v in values],
        }
    )


@pytest.fixture(scope="module")
def data(table):
    """The same as a data set with such a name."""
    return from_arrays(table.iloc[:, :2], table.iloc[:, 2], name=hostile("data"))


class Broken(DummyClassifier):
    """Learner whose error says something hostile."""

    def fit(self, X, y, sample_weight=None):
        raise ValueError(hostile("error"))


@pytest.fixture(scope="module")
def learners():
    """Learners with hostile names; one of them fails."""
    return dict(
        zip(NAMES, [C45Classifier(), DummyClassifier(), Broken()], strict=True), majority="majority"
    )


def shown(is_terminal):
    """Return progress that shows everything at once, and what it writes to."""
    progress = TerminalProgress(
        Console(file=io.StringIO(), force_terminal=is_terminal, width=80, highlight=False)
    )
    progress._least_seconds = 0.0
    return progress


def test_every_text_of_scores(scores, scores_across, tmp_path):
    options = {"measure": "error"}
    for given in (
        compare_scores(scores, **options),
        compare_scores(scores, prefer=NAMES[::-1], **options),
        compare_scores_across(scores_across, **options),
        compare_scores_across(scores_across, control=NAMES[0], **options),
    ):
        check_result(given, tmp_path)
        check_text(repr(given.findings))
        check_text(repr(given.verdict))
    check_text(str(compare_scores(scores, measure="error").orderings()))


@pytest.mark.parametrize("name", PROCEDURES)
def test_every_text_of_a_procedure(name, scores, scores_across):
    for given in (scores, scores_across):
        for learners in ((), NAMES[:2]):
            try:
                result = apply_procedure(given, name, measure="error", learners=learners)
            except BestofkError as error:
                check_text(str(error))
            else:
                check_text(str(result))
                check_text(repr(result))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_terminal", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_every_text_of_a_comparison_and_its_progress(is_terminal, data, learners, tmp_path):
    progress = shown(is_terminal)
    path = tmp_path / "runs.db"
    result = compare(learners, data, cv="3x2", progress=progress, store=path)
    check_text(ORDERS.sub("", progress.console.file.getvalue()))
    check_page(to_html(progress.standings(result.findings), 1.0))
    check_result(result, tmp_path)
    for part in (data, result.evaluation, result.evaluation.plan, result.findings):
        check_text(repr(part))
    check_text(str(result.explain(NAMES[0], NAMES[1])))
    check_page(to_html_fragment(result.findings))
    several = {hostile("a"): data, hostile("second"): data.subset(np.arange(50))}
    progress = shown(is_terminal)
    check_result(compare(learners, several, cv="2x2", progress=progress, store=path), tmp_path)
    check_text(ORDERS.sub("", progress.console.file.getvalue()))


@pytest.mark.filterwarnings("ignore")
def test_every_text_of_curves_and_recommendations(data, learners, tmp_path):
    two = {name: learners[name] for name in NAMES[:2]}
    check_result(learning_curve(two, data, cv="2x2", train_sizes=[20, 30]), tmp_path)
    check_result(noise_curve(two, data, cv="2x2"), tmp_path)
    check_result(compare(two, data, cv="3x2").findings, tmp_path)
    history = pd.DataFrame(
        {
            "data_set": [hostile(f"set {k}") for k in range(6) for _ in NAMES],
            "learner": NAMES * 6,
            "accuracy": np.random.default_rng(3).random(18),
            "seconds": 1.0,
        }
    )
    file = tmp_path / "history.csv"
    history.to_csv(file, index=False)
    result = recommend(data, learners=two, history=file, dry_run=True)
    check_text(f"{result}{result!r}{result.text()}{result.to_markdown()}")


def test_every_text_of_trees_and_rules(table):
    X, y = table.iloc[:, :2], table.iloc[:, 2].to_numpy()
    tree = C45Classifier(min_samples_leaf=1).fit(X, y)
    rules = C45RulesClassifier().fit(X, y).rule_set_
    for text in (tree.to_text(), tree.to_graphviz(), str(rules), repr(rules), str(rules.rules[0])):
        check_text(text)
    for text in (tree._repr_html_(), rules._repr_html_()):
        check_page(text)


def called(*arguments):
    """Return code, output and messages of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(map(str, arguments)))
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "methods", "json"])
def test_every_output_of_a_command(form, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"{hostile('data').replace('/', '')}.csv"
    table.to_csv(path, index=False)
    option = ["--json"] if form == "json" else ["--format", form]
    code, out, err = called("compare", path, "--learners", "majority,nearest-mean",
                            "--cv", "2x2", "--store", "runs.db", *option)  # fmt: skip
    assert code == 0
    check_text(err)
    check_text(out)
    if form == "json":
        assert json.loads(out)["data"]["classes"] == sorted([hostile("p"), hostile("q")])
    for command in (["store", "status"], ["store", "check"], ["store", "export"]):
        code, out, err = called(*command, "runs.db")
        check_text(out + err)


def test_errors_and_warnings_are_one_line(data, learners, scores):
    for call in (
        lambda: load_data(hostile("file.csv")),
        lambda: compare([hostile("learner"), "majority"], data),
        lambda: compare_scores(scores, measure=hostile("m"), learners=[hostile("n")]),
        lambda: compare(learners, data, cv="2x2", prefer=[hostile("n")]),
    ):
        with pytest.raises(BestofkError) as told:
            call()
        check_text(str(told.value))
        assert len(str(told.value).splitlines()) == 1


def test_cells_of_csv_are_no_formulas(scores, data, tmp_path):
    with Store(tmp_path / "runs.db") as store:
        learners = {NAMES[0]: "majority", "+1": "nearest-mean", "@x": C45Classifier()}
        text = compare(learners, data, cv="2x2", store=store).to_csv()
        check_text(text)
    cells = {cell for line in text.splitlines() for cell in line.split(",")}
    assert not [cell for cell in cells if re.match(r"[+@\t\r=]", cell.strip('"'))]
