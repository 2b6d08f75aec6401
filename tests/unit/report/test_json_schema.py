"""The published schema of the JSON object: every report fulfils it, and it names every key."""

import json

import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from tests.json_page import PAGE, with_tables

from bestofk import compare, compare_scores, compare_scores_across
from bestofk.cli import main
from bestofk.report import json_schema, to_json

TREES = ["majority", "nearest-mean", "cart"]
SCORES = {
    "lda": [0.1, 0.12, 0.09, 0.11],
    "tree": [0.2, 0.2, 0.25, 0.22],
    "knn": [0.1, 0.15, 0.1, 0.1],
}
SETS = [{"dataset": name} | {learner: scores[i] for learner, scores in SCORES.items()}
        for i, name in enumerate("abcd")]  # fmt: skip


def closed(form):
    """Return a schema that allows no key without a description."""
    if isinstance(form, list):
        return [closed(part) for part in form]
    if not isinstance(form, dict):
        return form
    inner = {key: closed(part) for key, part in form.items()}
    return {"additionalProperties": False} | inner if "properties" in form else inner


def one(kind):
    return {"$ref": f"#/$defs/{kind}"}


def deepest(errors):
    """Yield what is wrong at the ends of a tree of errors."""
    for error in errors:
        yield from deepest(error.context) if error.context else [error]


@pytest.fixture(scope="module")
def check():
    schema = json.loads(json_schema())
    Draft202012Validator.check_schema(schema)
    validators = [Draft202012Validator(form) for form in (schema, closed(schema))]

    def check(text):
        content = json.loads(text)
        kind = "one_data_set" if "learners" in content else "several_data_sets"
        for validator in validators:
            errors = validator.evolve(schema={**validator.schema, "oneOf": [one(kind)]})
            wrong = deepest(errors.iter_errors(content))
            assert {f"{error.json_path}: {error.message[:200]}" for error in wrong} == set()

    return check


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cv": "5x2", "prefer": "fit-time"},
        {"cv": "holdout"},
        {"cv": "2x3", "tune": True, "scoring": "auroc", "rope": 0.0},
        {"cv": "10x10", "budget": 0.2},
    ],
    ids=str,
)
def test_reports_of_one_data_set_fulfil_the_schema(check, options):
    check(compare(TREES, "iris", **options).to_json())


def test_reports_of_regression_fulfil_the_schema(check):
    check(compare(["mean", "ridge", "knn-regressor"], "diabetes", cv="2x3").to_json())


def test_reports_of_several_data_sets_fulfil_the_schema(check):
    sets = dict.fromkeys(("iris", "wine", "breast_cancer"))
    check(compare(TREES, {name: name for name in sets}, cv="2x2").to_json())
    check(compare(TREES, {name: name for name in sets}, cv="2x2", control="cart").to_json())


def test_reports_of_given_scores_fulfil_the_schema(check):
    check(to_json(compare_scores(pd.DataFrame(SCORES), measure="error", cv="1x4").findings))
    check(to_json(compare_scores_across(pd.DataFrame(SETS), measure="error")))


def test_infinite_and_missing_numbers_fulfil_the_schema(check, make):
    check(to_json(make(verdict={"same_pick_share": float("nan")})))
    check(to_json(make(learners={"1nn": {"left_out": "4 of 4 runs failed"}})))


def test_the_command_prints_the_schema_without_data(capsys):
    assert main(["compare", "--json-schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json_schema())


def test_the_page_has_every_key():
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text) == text
