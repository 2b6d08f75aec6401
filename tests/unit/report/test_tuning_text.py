"""Sentences on what tuned learners chose, and on what tuning gained."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report.given_findings import learner, measure, pair, verdict

from bestofk.report.findings.one_data_set import ChosenSettings, SettingCount
from bestofk.report.formats.json_text import json_object
from bestofk.report.formats.latex import to_latex
from bestofk.report.sentences.details import choices_of_others, choices_of_plausible, details
from bestofk.report.sentences.methods import bibtex, methods_paragraph


def chosen(*counts, untuned=""):
    return ChosenSettings(tuple(SettingCount(*count) for count in counts), untuned)


def findings_with(make, choices, **changes):
    """Return findings in which cart, which cannot be ruled out, is tuned."""
    own = [
        learner(name, chosen_settings=choices if name == "cart" else None)
        for name in ("logistic", "cart", "1nn", "nearest-mean", "majority")
    ]
    return replace(make(), learners=own, **changes)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            [({"k": k}, 1, False) for k in (9, 9, 12, 15, 18, 18, 30)] + [({"k": 5}, 2, True)],
            "cart: k mostly 9 to 18; the default was kept in 22% of splits.",
        ),
        ([({"k": 1e-9}, 2, False), ({"k": 0.1}, 2, False)],
         "cart: k mostly 1e-09 to 0.1; the default was never kept."),
        ([({"k": 5}, 4, True)], "cart kept its default in all splits."),
        (
            [({"shrinkage": None, "solver": "svd"}, 14, True),
             ({"shrinkage": 0.1, "solver": "lsqr"}, 1, False)],
            "cart kept its default in 93% of splits; in the others: shrinkage always 0.1, "
            "solver always lsqr.",
        ),
        ([({"C": 1, "kernel": "rbf"}, 2, None), ({"C": 1, "kernel": "poly"}, 1, None)],
         "cart: C always 1, kernel mostly rbf (67%)."),
        ([({"a": None}, 2, False), ({"a": 0.1}, 1, False)],
         "cart: a mostly not set (67%); the default was never kept."),
    ],
)  # fmt: skip
def test_what_was_chosen_is_said_once(make, counts, said):
    assert choices_of_plausible(findings_with(make, chosen(*counts))) == [said]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"difference": 0.012, "low": 0.003, "high": 0.02},
         "Tuning gained 1.2 points over logistic (95% interval of the gain: 0.3 to 2.0)."),
        ({"difference": -0.004, "low": -0.0301, "high": -0.0001},
         "Tuning lost 0.4 points against logistic (95% interval of the gain: -3.0 to -0.01)."),
    ],
)  # fmt: skip
def test_what_tuning_gained_is_the_difference_of_the_pair(make, changes, said):
    both = replace(pair("logistic", "cart"), **changes)
    turned = replace(
        pair("cart", "logistic"), difference=-both.difference, low=-both.high, high=-both.low
    )
    choices = chosen(({"k": 5}, 4, True), untuned="logistic")
    for item in (both, turned):
        of_pair = findings_with(make, choices, verdict=verdict(pairs=[item]))
        assert choices_of_plausible(of_pair) == [f"cart kept its default in all splits. {said}"]
    auroc = findings_with(make, choices, verdict=verdict(pairs=[both]), measure=measure("auroc"))
    assert "of AUROC" in choices_of_plausible(auroc)[0]


def test_choices_of_plausible_learners_come_before_what_can_wait(make):
    findings = findings_with(make, chosen(({"k": 5}, 4, True)))
    texts = details(findings)
    assert texts[3] == "cart kept its default in all splits."
    assert choices_of_others(findings)[0].startswith("Tuned learners chose anew")
    assert choices_of_others(findings)[0] in texts
    assert choices_of_others(make()) == []


def test_json_has_the_counts_of_the_settings(make):
    counts = [({"k": 3}, 3, False), ({"k": 5}, 1, True)]
    content = json_object(findings_with(make, chosen(*counts)))
    assert content["learners"][0]["chosen_settings"] is None
    assert content["learners"][1]["chosen_settings"] == {
        "default_kept": 0.25,
        "settings": [
            {"setting": {"k": 3}, "n_splits": 3, "is_default": False},
            {"setting": {"k": 5}, "n_splits": 1, "is_default": True},
        ],
    }


def test_methods_and_caption_say_how_settings_were_chosen(make):
    how = "5-fold cross-validation (error rate; the lowest mean loss)"
    own = replace(chosen(({"k": 5}, 4, True)), how=how)
    said = f"Settings of cart were chosen inside every training set by {how}"
    findings = findings_with(make, own)
    assert rf"{said}~\cite{{cawley2010}}." in methods_paragraph(findings)
    assert "@article{cawley2010," in bibtex(findings)
    assert f"{said}." in to_latex(findings)
    search = findings_with(make, chosen(({"k": 5}, 4, None)))
    assert "Settings of cart were chosen inside every training set by a search of scikit-learn" in (
        methods_paragraph(search)
    )
    assert "cawley2010" not in bibtex(make())
