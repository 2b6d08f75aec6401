"""Reports of a comparison print the claims that it makes, and say where it makes none."""

import json

import numpy as np
import pytest

from bestofk import compare

LEARNERS = ["nearest-mean", "lda", "1nn"]


@pytest.fixture(scope="module")
def iris():
    return compare(LEARNERS, "iris", cv="5x5", progress=False)


def test_reports_have_the_numbers_of_ship_claim_in_the_measure_that_decides(iris):
    claim = iris.ship_claim()
    low, high = 100 * claim.loss_low, 100 * claim.loss_high
    assert high - low > 3  # so that whole per cents are printed
    assert f"expect a {low:.0f}-{high:.0f}% error rate." in " ".join(iris.answer)
    assert f"{claim.learner} is about 95% likely" in " ".join(
        iris.answer
    )  # of three learners it is no bound
    content = json.loads(iris.to_json())
    assert content["claim"] == vars(claim) | {"reason": None}
    for learner in content["learners"]:
        assert learner["claim"] == vars(iris.ship_claim(learner["name"])) | {"reason": None}
    by_accuracy = iris.decided_by("accuracy")
    claim = by_accuracy.ship_claim()
    assert claim.probability == iris.ship_claim().probability
    assert claim.loss_low == pytest.approx(iris.ship_claim().loss_low, rel=1e-9)
    low, high = 100 * (1 - claim.loss_high), 100 * (1 - claim.loss_low)
    assert f"expect a {low:.0f}-{high:.0f}% accuracy." in by_accuracy.text()
    needed = iris.findings.more_needed
    said = " ".join(str(iris).split())
    assert (f"raise the claim about {iris.best} to 95%" in said) is (needed is not None)


def test_groups_have_no_claim_and_the_reason_is_printed():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.repeat([0, 1], 60)
    groups = np.repeat(np.arange(12), 10)
    result = compare(["lda", "cart"], X, y, groups=groups, cv="5x3", progress=False)
    assert "No claim about new data: rows come in 12 groups." in " ".join(result.answer)
    content = json.loads(result.to_json())["claim"]
    assert (content["probability"], content["reason"]) == (None, "rows come in 12 groups")
