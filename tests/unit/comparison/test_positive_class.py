"""The positive class: chosen by one rule, named wherever a value depends on it, and changeable."""

import json

import numpy as np
import pytest
from sklearn import metrics

from bestofk import Study, compare, load_data
from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.measures import get_measure, resolve_pos_label
from bestofk.report.sentences.details_across import details_across

# The negative and the positive label as they may be written.
PAIRS = [
    (0, 1), (-1, 1), (0.0, 1.0), (-1.0, 1.0), (False, True), ("0", "1"), ("-1", "+1"),
    ("0.0", "1.0"), ("no", "yes"), ("No", "Yes"), ("NO", "YES"), ("n", "y"), ("N", "Y"),
    ("false", "true"), ("False", "True"), ("F", "T"), ("negative", "positive"),
    ("Negative", "Positive"), ("-", "+"),
]  # fmt: skip
OF_CLASS = ["f1", "precision", "recall", "specificity", "average_precision", "jaccard"]
SAME_FOR_BOTH = [
    "error", "accuracy", "balanced_accuracy", "auroc", "auroc_weighted", "log_loss", "brier",
    "mcc", "f1_macro", "precision_weighted", "roc_auc_ovo", "top_k_accuracy",
]  # fmt: skip
RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
IS_POSITIVE = X[:, 0] + RNG.normal(size=90) > -0.6  # the positive class is the larger one


def labels(pair, is_positive=IS_POSITIVE):
    return np.array([pair[int(item)] for item in is_positive])


def compared(y, scoring=OF_CLASS, learners=("logistic",), **options):
    return compare(list(learners), X, y, scoring=scoring, cv="1x3", progress=False, **options)


def by_scikit_learn(name, y, predicted, scores, label):
    """Return the value of scikit-learn for the class that is named."""
    if name == "average_precision":
        return metrics.average_precision_score(y == label, scores)
    if name == "specificity":
        return metrics.recall_score(y != label, predicted != label)
    function = getattr(metrics, f"{name}_score")
    return function(y == label, predicted == label)


def assert_as_scikit_learn(result, y, label):
    """Assert that all values are those of scikit-learn for a class, which all titles name."""
    evaluation = result.evaluation
    batch = evaluation.predictions(0)
    classes, position = batch.classes, batch.classes.tolist().index(label)
    for score in result.scores[: len(OF_CLASS)]:
        assert score.measure.title.endswith(f" of class {label!r}")
        for split, (i, j) in enumerate(zip(batch.starts[:-1], batch.starts[1:], strict=True)):
            value = by_scikit_learn(
                score.measure.name, y[evaluation.test_rows[split]], classes[batch.labels[i:j]],
                batch.probabilities[i:j, position], label,
            )  # fmt: skip
            assert score.values[0, split] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_the_usual_positive_class_is_taken_however_it_is_written(pair):
    y = labels(pair)
    positive = y[IS_POSITIVE][0].item()
    result = compared(y)
    assert result.evaluation.data.pos_label == positive
    assert f"Positive class: {positive!r} (the usual one of" in " ".join(
        result.evaluation.data.notes
    )
    assert_as_scikit_learn(result, y, positive)


@pytest.mark.parametrize("pair", [("ill", "well"), (1, 2), (0, 2), ("yes", "0"), ("a", "b")])
@pytest.mark.parametrize("is_turned", [False, True])
def test_of_other_labels_the_rarer_class_is_positive_whatever_its_name(pair, is_turned):
    y = labels(pair[::-1] if is_turned else pair)
    rarer = y[~IS_POSITIVE][0].item()
    result = compared(y)
    assert result.evaluation.data.pos_label == rarer
    n_rarer = int((~IS_POSITIVE).sum())
    assert f"(the rarer one, {n_rarer} of 90 rows); pos_label" in " ".join(
        result.evaluation.data.notes
    )
    assert_as_scikit_learn(result, y, rarer)


def test_of_equally_many_rows_the_second_label_in_sorted_order_is_positive():
    y = np.array(["b", "a"] * 45)
    guesses = " ".join(compared(y, ["f1"]).evaluation.data.notes)
    assert "Positive class: 'b' (the second of two equally frequent classes)" in guesses


def test_the_order_of_rows_does_not_change_the_positive_class():
    for pair in [*PAIRS, ("ill", "well"), ("well", "ill")]:
        y = labels(pair)
        shuffled = np.random.default_rng(1).permutation(y)
        chosen = [
            from_arrays(X, target).classes[
                resolve_pos_label(*np.unique(target, return_counts=True))
            ]
            for target in (y, y[::-1], shuffled)
        ]
        assert len({str(item) for item in chosen}) == 1


def test_measures_and_runs_that_are_the_same_for_both_classes_name_none(tmp_path):
    y = labels(("no", "yes"))
    values = []
    for label in ("no", "yes"):
        result = compared(y, SAME_FOR_BOTH, pos_label=label)
        assert {(item.whose, item.pos_label) for item in result.measures} == {("", None)}
        assert not [item.title for item in result.measures if "of class" in item.title]
        values.append([score.values for score in result.scores])
    np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-12)
    store = tmp_path / "runs.db"
    first, other = (compared(y, ["f1"], store=store, pos_label=label) for label in ("no", "yes"))
    assert (first.evaluation.n_fitted, other.evaluation.n_fitted) == (3, 0)
    assert not np.allclose(first.scores[0].values, other.scores[0].values)


@pytest.mark.parametrize("given", ["no", "NO", " no"])
def test_a_positive_class_that_is_asked_for_is_taken_and_is_no_guess(given):
    y = labels(("no", "yes"))
    result = compared(y, pos_label=given)
    assert_as_scikit_learn(result, y, "no")
    assert "Positive class" not in " ".join(result.evaluation.data.notes)


@pytest.mark.parametrize("given", [0, "0", "0.0", "-0", 0.0])
def test_a_number_is_found_in_any_form(given):
    for pair in [(0, 1), (0.0, 1.0), ("0", "1")]:
        assert resolve_pos_label(pair, [1, 2], given) == 0


def test_a_class_that_does_not_exist_is_refused_with_the_classes():
    data = {name: from_arrays(X + len(name), labels(("no", "yes"))) for name in ("a", "bb")}
    message = "pos_label must be one of the classes, no or yes; got 'maybe'."
    for call in (
        lambda: compared(labels(("no", "yes")), pos_label="maybe"),
        lambda: compare(["lda"], data, pos_label="maybe"),
    ):
        with pytest.raises(InvalidArgumentError) as caught:
            call()
        assert message in str(caught.value)


def test_every_report_says_whose_the_values_are():
    learners = ("logistic", "nearest-mean")
    result = compared(labels(("no", "yes")), ["f1", "precision"], learners)
    findings = result.findings
    assert str(result.findings.measure.title) == "F1 of class 'yes'"
    assert repr(result).startswith(f"Use {result.best}: F1 of class 'yes' 0.")
    assert "learner       F1 of class 'yes'" in str(result)
    assert "& F1 of class 'yes'".replace("& ", "learner & ") in result.to_latex()
    assert "| precision of class 'yes' |" in result.to_markdown()
    assert "F1 of class 'yes' 0." in str(result.explain("logistic", "nearest-mean"))
    content = json.loads(result.to_json())
    assert content["measure"] == {"name": "f1", "greater_is_better": True, "positive": "yes"}
    shown = {item["name"]: item["positive"] for item in content["shown"]}
    assert (shown["precision"], shown["auroc"]) == ("yes", None)
    assert findings.shown[0].title == "precision of class 'yes'"
    with_commas = labels(("small, or none", "large, " * 20))
    result = compared(with_commas, ["f1"])
    assert repr(result).startswith(f"Use {result.best}: F1 of class 'small, or none' 0.")
    other = compared(with_commas, ["f1"], pos_label="large, " * 20).measures[0].title
    assert other.startswith("F1 of class 'large, ")
    assert len(other) < 45


def test_data_sets_with_different_positive_classes_say_so():
    data = {
        "a": from_arrays(X, labels(("no", "yes"))),
        "b": from_arrays(X[::-1], labels((0, 1))),
        "c": from_arrays(2 * X, labels(("ill", "well"))),
    }
    result = compare(["logistic", "nearest-mean"], data, scoring="f1", cv="1x3", progress=False)
    assert result.findings.measure.title == "F1 of the positive class"
    details = details_across(result.findings)
    assert "Positive: class 'yes' (a); class 1 (b); class 'ill' (c)." in details
    alike = {"a": data["a"], "d": from_arrays(X + 1, data["a"].target)}
    same = compare(["logistic", "nearest-mean"], alike, scoring="f1", cv="1x3", progress=False)
    assert same.findings.measure.title == "F1 of class 'yes'"


def test_a_data_set_brings_its_positive_class(tmp_path):
    path = tmp_path / "small.csv"
    rows = [f"{a},{label}" for (a, *_), label in zip(X, labels(("no", "yes")), strict=True)]
    path.write_text("\n".join(["a,class", *rows]))
    data = load_data(path, pos_label="no")
    result = compare(["logistic"], data, scoring="f1", cv="1x3", progress=False)
    assert result.measures[0].title == "F1 of class 'no'"
    later = compare(["logistic"], data, scoring="f1", cv="1x3", pos_label="yes", progress=False)
    assert later.measures[0].title == "F1 of class 'yes'"


def test_a_measure_that_has_a_class_keeps_it():
    f1 = get_measure("f1", task="classification", classes=["no", "yes"], pos_label="no")
    assert compared(labels(("no", "yes")), [f1]).measures[0].title == "F1 of class 'no'"
    with pytest.raises(InvalidArgumentError, match="one of the classes, ill or well; got 'no'"):
        compared(labels(("ill", "well")), [f1])


def test_a_data_set_of_a_study_file_has_its_positive_class(tmp_path):
    rows = [f"{a},{label}" for (a, *_), label in zip(X, labels(("no", "yes")), strict=True)]
    for name in ("small", "second"):
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,class", *rows[len(name) :]]))
    study = tmp_path / "study.toml"
    study.write_text(
        'learners = ["logistic", "nearest-mean"]\ncv = "1x3"\nscoring = "f1"\n'
        '[[data]]\nfile = "small.csv"\npos_label = "no"\n[[data]]\nfile = "second.csv"\n'
    )
    parts = Study.read(study).run(progress=False).findings.parts
    whose = {name: part.measure.whose for name, part in parts.items()}
    assert whose == {"small": "class 'no'", "second": "class 'yes'"}
