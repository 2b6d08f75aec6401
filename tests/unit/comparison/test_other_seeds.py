"""Statements about other seeds: only where measurements support them."""

import json

import pytest

from bestofk import compare

LEARNERS = ["nearest-mean", "lda", "1nn"]
STATED = ["same_best", "same_candidates", "same_order"]


def other_seeds(**options):
    """Return whether the report says something of other seeds, and the JSON object."""
    result = compare(LEARNERS, "iris", progress=False, **options)
    return "Another random seed" in result.text(verbose=True), json.loads(result.to_json())[
        "other_seeds"
    ]


@pytest.mark.parametrize("cv", ["5x2", "4x3", "6xholdout", "adaptive"])
def test_the_default_pick_and_its_candidates_are_stated(cv):
    is_said, content = other_seeds(cv=cv)
    assert is_said
    assert content["same_best"]["value"] > 0.5
    for key in STATED:
        stated = content[key]
        least = 0.85 if key == "same_order" else 0.5
        assert (key in content["reasons"]) if stated is None else stated["value"] >= least


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"protocol": "multitest-2006"}, "a preference decides"),
        ({"cv": "5x2", "prefer": "given"}, "a preference decides"),
        ({"prefer": "given", "max_repeats": 5}, "a preference decides"),
        ({"cv": "5xbootstrap"}, "bootstrap plans"),
        ({"stopping": "precision", "max_repeats": 5}, "rule of stopping"),
        ({"cv": "5x2", "scoring": "log_loss"}, "the measure log"),
        ({"budget": 1e-9}, "cut off"),
    ],
)
def test_elsewhere_nothing_is_stated_and_the_reason_is(options, reason):
    is_said, content = other_seeds(**options)
    assert not is_said
    if content is not None:  # a budget may leave too few repeats
        assert [content[key] for key in STATED] == [None] * 3
        assert all(reason in content["reasons"][key] for key in STATED)
        assert len(content["reproducibility"]) == len(LEARNERS)


def test_an_order_that_is_not_likely_enough_is_not_stated():
    learners = ["lda", "logistic", "1nn", "5nn", "qda", "naive-bayes"]
    result = compare(learners, "iris", cv="3x2", progress=False)
    content = json.loads(result.to_json())["other_seeds"]
    assert content["same_order"] is None
    assert content["reasons"]["same_order"] == "below 85% the probability was not validated"


def test_a_pick_of_two_folds_is_stated_from_70_per_cent_on():
    learners = ["lda", "logistic"]
    stated = []
    for seed in range(6):
        result = compare(learners, "wine", cv="3x2", random_state=seed, progress=False)
        content = json.loads(result.to_json())["other_seeds"]
        stated.append(content["same_best"])
        if stated[-1] is None:
            assert content["reasons"]["same_best"].startswith("below 70%")
            assert "Another random seed" not in result.text(verbose=True)
        else:
            assert stated[-1]["value"] >= 0.7
    assert None in stated


def test_a_test_that_does_not_rest_on_the_mean_leaves_the_pick_alone():
    is_said, content = other_seeds(cv="5x2", test="5x2cv-t")
    assert is_said
    assert content["same_best"] is not None
    assert content["same_candidates"] is None
    assert "5x2cv-t" in content["reasons"]["same_candidates"]
