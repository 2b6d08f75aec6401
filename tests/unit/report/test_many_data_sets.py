"""Reports over many data sets: sentences, texts and tables."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bestofk.report import to_html_fragment, to_json, to_latex, to_markdown, to_text, write_html
from bestofk.report.findings.many_data_sets import MissingResult
from bestofk.report.sentences.answers import answer
from bestofk.report.sentences.methods import methods_paragraph
from bestofk.score_tables.across import compare_scores_across
from bestofk.verdict.many_data_sets import decide_across

RNG = np.random.default_rng(2)


def judged(n_data_sets=10, extra=(0.0, 0.001, 0.2), names=("lda", "cart", "1nn"), **options):
    base = 0.2 + 0.1 * RNG.random(n_data_sets)
    columns = {
        name: base + more + 0.002 * RNG.random(n_data_sets)
        for name, more in zip(names, extra, strict=True)
    }
    table = pd.DataFrame({"dataset": [f"set_{i}" for i in range(n_data_sets)], **columns})
    return compare_scores_across(table, measure="error", **options)


def test_names_are_escaped_where_they_must_be():
    result = judged(names=("a_b", "50%", "c&d"))
    latex = to_latex(result)
    assert r"a\_b" in latex
    assert r"50\%" in latex
    assert r"set\_0" in latex
    assert r"c\&d" in methods_paragraph(result)
    assert r"a\_b" in to_markdown(result)


def test_a_long_list_of_data_sets_is_cut_in_texts_alone():
    result = judged(n_data_sets=50)
    assert "set_4" not in to_text(result)
    assert "set_49" in to_text(result, verbose=True)
    assert r"set\_49" in to_markdown(result)
    assert r"set\_49" in to_latex(result)
    assert len(result.to_frame()) == 50


@pytest.mark.parametrize("control", [None, "cart"])
def test_the_control_is_the_reference(control):
    result = judged(control=control)
    assert result.reference(None) == (control or "lda")
    assert f"Win/tie/loss against {control or 'lda'}" in to_latex(result)
    family = "cart against the others (2)" if control else "all pairs (3)"
    assert family in to_text(result, width=200)


def test_given_scores_are_not_said_to_come_from_shared_splits():
    result = judged()
    assert "1 splits" not in to_text(result, verbose=True)
    assert "one score of each learner, as the table says" in to_text(result)
    assert "scikit-learn" not in methods_paragraph(result)


def test_every_pair_is_listed_on_request():
    result = judged()
    title = "Pairs (first won/tied/lost; loss of the first against the second, with its interval)"
    assert title not in to_text(result)
    assert title in to_text(result, verbose=True)
    assert "- lda against cart: " in to_markdown(result)


def test_the_page_draws_all_pairs_where_all_were_tested():
    drawn = to_html_fragment(judged())
    assert "<svg" in drawn
    assert "All pairs of learners" in drawn
    assert "<svg" not in to_html_fragment(judged(control="lda"))


def test_the_page_of_ranks_marks_the_answers_and_has_no_means(tmp_path):
    scores = pd.DataFrame(
        [
            (f"d{i}", learner, "auc" if i % 2 else "loss", value, False)
            for i in range(12)
            for learner, value in (("lda", 0.1), ("cart", 0.2), ("1nn", 0.3 + 0.001 * i))
        ],
        columns=["dataset", "learner", "measure", "value", "greater_is_better"],
    )
    write_html(compare_scores_across(scores), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    row = page[page.index('<tr class="best"') :].partition("</tr>")[0]
    assert row.index("<svg") < row.index("pick")
    assert 'id="parts-title"' not in page


def test_60_data_sets_and_20_learners_fit_on_one_screen():
    names = [f"learner-{i}" for i in range(20)]
    many = judged(n_data_sets=60, extra=np.linspace(0, 0.2, 20), names=names)
    remarks = tuple(f"On 9 data sets, most on set_{i}: 7 rows are odd." for i in range(9))
    lines = to_text(replace(many, warnings=(*many.warnings, *remarks)), width=100).splitlines()
    assert len(lines) <= 42
    assert all(len(line) <= 100 for line in lines)
    for name in names:
        assert any(line.startswith(f"{name} ") for line in lines)
    assert sum(line.startswith("! ") for line in lines) == 2
    assert lines[-1] == "More: text(verbose=True) (7 more cautions), explain(a, b), to_html(path)."
    assert len(to_text(many, width=100, verbose=True).splitlines()) > 60 + 190


def test_a_learner_that_takes_no_part_is_named_in_the_answer_and_the_table():
    left = judged(n_data_sets=12)
    values = left.values.copy()
    values[:6, 1] = np.nan
    verdict = decide_across(left.learners, values, data_sets=left.data_sets)
    cell = MissingResult("set_0", "cart", "timeout", "no result after 3 s")
    left = replace(left, values=values, verdict=verdict, missing=(cell,))
    assert answer(left)[1].endswith("Left out because results are missing: cart.")
    (row,) = [line for line in to_text(left).splitlines() if line.startswith("cart")][:1]
    assert row.split() == ["cart", "-", "-", "left", "out"]
    told = "cart on 1 data set (timeout): set_0. On set_0: no result after 3 s"
    assert told in to_text(left, 100, verbose=True)
    assert json.loads(to_json(left))["missing"] == [
        {"data_set": "set_0", "learner": "cart", "reason": "timeout", "message": cell.message}
    ]
