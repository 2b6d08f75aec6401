"""Sentences on what tuned learners chose, and on what tuning gained."""

from dataclasses import replace

from tests.unit.report.given_findings import MEANS, learner

from bestofk.report.findings.one_data_set import ChosenSettings, SettingCount
from bestofk.report.formats.json_text import json_object


def test_json_has_the_counts_of_the_settings(make):
    chosen = ChosenSettings((SettingCount({"k": 3}, 3, False), SettingCount({"k": 5}, 1, True)), "")
    own = [learner(name, chosen_settings=chosen if name == "cart" else None) for name in MEANS]
    content = json_object(replace(make(), learners=own))
    assert content["learners"][0]["chosen_settings"] is None
    assert content["learners"][1]["chosen_settings"] == {
        "default_kept": 0.25,
        "settings": [
            {"setting": {"k": 3}, "n_splits": 3, "is_default": False},
            {"setting": {"k": 5}, "n_splits": 1, "is_default": True},
        ],
    }
