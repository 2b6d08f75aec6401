import os
import re
from dataclasses import replace
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_learners.reseeding import Chance, Reseeding
from bestofk.report import to_html_fragment, write_html
from bestofk.report.sections import sections
from bestofk.stopping.history import Elimination, StoppingHistory

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Reader(HTMLParser):
    """Collects tags and text, and fails on a tag that is closed out of turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


@pytest.fixture
def page(make, tmp_path):
    def written(**changes) -> str:
        write_html(make(**changes), tmp_path / "page.html", overwrite=True)
        return (tmp_path / "page.html").read_text(encoding="utf-8")

    return written


def test_the_page_is_well_formed_holds_every_part_and_loads_nothing(make, page):
    text = page(headline="AUROC decides.")
    reader = Reader(text)
    parts = ["Difference to the pick", "Learners", "Significant differences", "Pairs"]
    parts += ["Scores of the splits", "Right and wrong by class", "Cost", "Details", "Caveats"]
    assert {*parts, "For a paper"} <= set(reader.texts)
    assert {"Repeat by repeat", "Other seeds"}.isdisjoint(reader.texts)  # a fixed plan
    assert {"svg", "table", "main", "header", "footer"} <= reader.tags
    assert len(reader.ids) == len(set(reader.ids))
    assert {"1,200", "AUROC decides.", "Look out. [runs]", "A guess."} <= set(reader.texts)
    assert not {"link", "img", "iframe", "object"} & reader.tags
    assert not re.findall(r"@import|url\((?!#)|\bsrc=|\bfetch\(|<script[^>]*src", text)
    # the answer is the one of every report
    lines = sections(make()).answer
    assert [text for text in reader.texts if text in lines] == list(lines)
    assert reader.texts.index(lines[0]) < reader.texts.index("Difference to the pick")


def test_names_from_outside_are_escaped(make, tmp_path):
    evil = '<script>alert("x")</script>'
    findings = make(title=evil, classes=[evil, "b"], warnings=(evil,), notes=(evil,))
    findings.learners[-1] = replace(findings.learners[-1], name=evil)
    order = [evil, *findings.verdict.order[1:]]
    verdict = replace(
        findings.verdict, best=evil, order=order, means={**findings.verdict.means, evil: 0.05},
        candidates=[evil], edges=[],
    )  # fmt: skip
    findings = replace(findings, verdict=verdict)
    fragment = to_html_fragment(findings)
    assert "<script" not in fragment
    assert "&lt;script&gt;" in fragment
    write_html(findings, tmp_path / "evil.html")
    text = (tmp_path / "evil.html").read_text(encoding="utf-8")
    assert text.count("<script") == 1  # its own
    assert '<script>alert("x")' not in text
    Reader(text)


def test_learner_names_reach_the_pictures_escaped(make):
    names = ["<b>&", 'id="x"', "$a_b", "--> <!--"]
    findings = make(verdict={"order": ["logistic", "cart"], "edges": []})
    for index, name in enumerate(names):
        findings.learners[index] = replace(findings.learners[index], name=name)
    order = [*names, "logistic"]
    means = dict.fromkeys(order, 0.1)
    verdict = replace(findings.verdict, best="logistic", order=order, means=means)
    reader = Reader(to_html_fragment(replace(findings, verdict=replace(verdict, alternative=None))))
    for name in names:
        assert any(text.startswith(name) for text in reader.texts), name


def test_letters_that_the_drawing_font_lacks_are_no_matter(make):
    means = {"決定木": 0.3, "cart": 0.1}
    changes = {"order": list(means), "edges": [], "best": "cart", "means": means}
    findings = make(verdict=changes | {"alternative": None, "candidates": ["cart"]})
    findings.learners[0] = replace(findings.learners[0], name="決定木")
    assert "決定木" in to_html_fragment(findings)


def test_one_learner_needs_no_graph(page):
    texts = Reader(page(verdict={"order": ["logistic"], "edges": []})).texts
    assert "Significant differences" not in texts


def test_no_verdict_can_be_written(page):
    changes = {"best": None, "order": [], "candidates": [], "edges": [], "pairs": [], "test": ""}
    assert "No learner can be picked on tea." in page(verdict=changes)


def test_the_fragment_is_well_formed_the_same_each_time_and_changes_no_setting(make):
    before = dict(mpl.rcParams)
    fragment = to_html_fragment(make())
    reader = Reader(fragment)
    assert {"svg", "table"} <= reader.tags
    assert "script" not in reader.tags
    assert dict(mpl.rcParams) == before
    assert to_html_fragment(make()) == fragment


def test_an_existing_file_is_kept_unless_it_may_be_replaced(make, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("mine")
    with pytest.raises(InvalidArgumentError, match=r"path must be a new file; got .*page\.html"):
        write_html(make(), path)
    assert path.read_text() == "mine"
    write_html(make(), path, overwrite=True)
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert os.listdir(tmp_path) == ["page.html"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none/page.html", "path must be in an existing folder"),
        ("", "path must be a file; got the directory"),
    ],
)
def test_what_is_no_file_in_a_folder_is_refused(make, tmp_path, path, message):
    with pytest.raises(InvalidArgumentError, match=message):
        write_html(make(), tmp_path / path)


def test_a_file_that_cannot_be_written_is_refused_without_a_trace(make, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(InvalidArgumentError, match=r"can be written; got .*Permission denied"):
        write_html(make(), tmp_path / "page.html")
    assert os.listdir(tmp_path) == []


def test_an_adaptive_comparison_shows_who_left_when_and_what_other_seeds_would_say(page):
    left = Elimination("majority", 1, "logistic stays ahead in the long run")
    course = StoppingHistory(2, 50, 2, (1, 2), (left,), "the pick is settled", True, 0.05)
    chance = Chance(0.9, 0.8, 1.0)
    reseeding = Reseeding(chance, chance, chance, np.full((5, 5), 0.4), 2)
    out = {"majority": {"scores": np.array([0.6, 0.7])}}
    text = page(stopping_history=course, reseeding=reseeding, learners=out)
    assert "currentColor" in text  # pictures take the color of the text
    assert "#010203" not in text
    reader = Reader(text)
    assert {"Repeat by repeat", "Other seeds"} <= set(reader.texts)
    assert {"eliminated", "logistic stays ahead in the long run"} <= set(reader.texts)
    assert any(text.startswith("majority (out after 1") for text in reader.texts)
    assert "0.40" in reader.texts
    assert len(reader.ids) == len(set(reader.ids))


def test_an_adaptive_comparison_that_was_interrupted_at_once_can_be_written(page):
    course = StoppingHistory(0, 50, 3, (), (), "", False, 0.05)
    nothing = {"best": None, "order": [], "candidates": [], "edges": [], "pairs": [], "test": ""}
    assert "Repeat by repeat" not in Reader(page(stopping_history=course)).texts
    said = "No learner can be picked on tea."
    assert said in page(stopping_history=course, verdict=nothing)
