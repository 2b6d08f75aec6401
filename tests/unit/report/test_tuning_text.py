"""Sentences on what tuned learners chose, and on what tuning gained."""

from dataclasses import replace

from tests.unit.report.given_findings import learner

from bestofk.report.findings.one_data_set import ChosenSettings, SettingCount
from bestofk.report.formats.json_text import json_object


def chosen(*counts, untuned=""):
    return ChosenSettings(tuple(SettingCount(*count) for count in counts), untuned)


def findings_with(make, choices, **changes):
    """Return findings in which cart, which cannot be ruled out, is tuned."""
    own = [
        learner(name, chosen_settings=choices if name == "cart" else None)
        for name in ("logistic", "cart", "1nn", "nearest-mean", "majority")
    ]
    return replace(make(), learners=own, **changes)


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
