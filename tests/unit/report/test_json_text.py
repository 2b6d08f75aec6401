import json

from tests.unit.report.given_findings import MEANS

from bestofk.inference.new_data import ShipClaim
from bestofk.report import json_object, json_schema, json_text, to_json


def test_the_object_has_the_keys_of_the_schema_in_order(make):
    content, forms = json.loads(to_json(make())), json.loads(json_schema())["$defs"]
    assert list(content) == list(forms["one_data_set"]["properties"])
    assert list(content["learners"][0]) == list(forms["learner"]["properties"])
    assert content["learners"][0]["name"] == "majority"


def test_claims_are_not_rounded_and_null_where_none_is_made(make):
    pick = ShipClaim("logistic", 0.01, 0.8765, 0.0023, 0.038, 0.081, n_shared_splits=15)
    silent = ShipClaim("cart", 0.01, reason="rows come in 12 groups")
    content = json.loads(to_json(make(claim=pick, other_claims={"cart": silent})))
    assert content["claim"] == {
        "learner": "logistic",
        "within": 0.01,
        "probability": 0.8765,
        "expected_regret": 0.0023,
        "loss_low": 0.038,
        "loss_high": 0.081,
        "level": 0.9,
        "n_shared_splits": 15,
        "reason": None,
    }
    claims = {learner["name"]: learner["claim"] for learner in content["learners"]}
    assert claims["logistic"] == content["claim"]
    assert claims["cart"]["reason"] == "rows come in 12 groups"
    assert claims["cart"]["probability"] is None
    assert claims["majority"] is None
    assert json_object(make())["claim"] is None


def test_infinite_numbers_are_words_and_nan_is_null(make):
    content = json_object(make(verdict={"same_pick_share": float("nan")}))
    assert content["same_pick_share"] is None
    assert content["pairs"][0]["p_adjusted"] is None
    assert content["edges"][0] == {
        "from": "majority",
        "to": "logistic",
        "difference": MEANS["majority"] - MEANS["logistic"],
        "statistic": "inf",
        "p_value": 0.0,
        "p_adjusted": 0.0,
    }


def test_runs_and_confusion_are_plain_numbers(make):
    content = json_object(make())
    counts = {"fitted": 20, "reused": 0, "failed": 0, "unfinished": 0}
    assert content["runs"] == counts
    assert content["learners"][-1]["confusion"] == [[1200, 7], [3, 4]]
    cheapest = {"name": "cart", "difference": 0.01, "upper_bound": 0.032, "saves": ["training"]}
    assert content["cheapest_by_fit_seconds"] == cheapest


def test_text_ends_with_a_line_break_and_keeps_letters(make):
    text = to_json(make(title="Tee ü"))
    assert text.endswith("\n}\n")
    assert "Tee ü" in text
    text = json_text({"store": float("inf"), "seed": float("nan")})
    assert text == '{\n  "store": "inf",\n  "seed": null\n}\n'


def test_no_verdict_gives_null(make):
    content = json_object(make(verdict={"best": None, "order": [], "alternative": None}))
    assert content["best"] is None
    assert content["cheapest_by_fit_seconds"] is None
    assert content["preference"] is None


def test_the_answer_is_three_strings_and_every_learner_has_one_against_the_pick(make):
    content = json.loads(to_json(make(learners={"1nn": {"left_out": "4 of 4 runs failed"}})))
    assert content["answer"][0] == "Use logistic: 5.0% error (AUROC 0.900)."
    assert len(content["answer"]) == 3
    versus = {item["name"]: item["versus_pick"] for item in content["learners"]}
    assert versus["cart"]["answer"] == "undecided"
    assert versus["cart"]["difference"] == MEANS["cart"] - MEANS["logistic"]
    assert versus["nearest-mean"]["answer"] == "worse"
    assert versus["logistic"]["answer"] == "pick"
    assert versus["1nn"] is None
