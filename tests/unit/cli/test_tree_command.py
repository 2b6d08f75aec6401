"""The command `tree`: text, rules, picture, JSON, what pruning did, and who is refused."""

import json

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor
from tests.calls import printed, refused

from bestofk import compare, load_data
from bestofk.cli.app import main
from bestofk.learners import learner_catalogue
from bestofk.trees import C45Classifier, HellingerTreeClassifier
from bestofk.trees.known_columns import KnownColumns

TREES = [name for name, entry in learner_catalogue().items() if entry.is_tree]
TENNIS = """\
c45 on play-tennis: expect 30.0% error on new rows (10-fold cross-validation, stratified).
On its own 14 training rows: 0% error. This is no forecast, because the tree was grown to fit them.
Leaves: 5 grew, and error-based pruning left 5.

outlook = overcast: yes (4.0)
outlook = rainy
|   windy = false: yes (3.0)
|   windy = true: no (2.0)
outlook = sunny
|   humidity = high: no (3.0)
|   humidity = normal: yes (2.0)

At a leaf: its class or mean, and in brackets its training rows/those of another class.
A row with a missing value counts in parts. Without any test: yes (14.0/5.0).

if outlook = overcast then yes (4.0)
if outlook = rainy and windy = false then yes (3.0)
if outlook = rainy and windy = true then no (2.0)
if outlook = sunny and humidity = high then no (3.0)
if outlook = sunny and humidity = normal then yes (2.0)
"""


def test_the_tree_comes_with_its_error_its_pruning_and_its_rules(capsys):
    assert printed(capsys, "tree", "play-tennis", "--rules") == TENNIS
    assert printed(capsys, "tree", "play-tennis") == TENNIS.partition("\n\nif ")[0] + "\n"
    assert printed(capsys, "tree", "play-tennis", "-q") == TENNIS.partition("\n\n")[0] + "\n"


def test_json_has_the_numbers_that_the_library_gives(capsys):
    result = json.loads(
        printed(capsys, "tree", "iris", "--learner", "cart", "--cv", "2x3", "--json")
    )
    found = compare(["cart"], "iris", cv="2x3").findings.learners[0]
    assert result["expected"] == found.mean
    assert result["measure"] == "error"
    leaves = [node for node in result["nodes"] if node["is_leaf"]]
    assert result["on_training_rows"] == sum(leaf["errors"] for leaf in leaves) / 150
    assert result["tree"].count(": ") == len(leaves)
    assert result["rules"] == ""
    assert len(result["answer"]) == 3


@pytest.mark.parametrize("name", TREES)
def test_every_tree_of_the_catalogue_is_shown_and_drawn(name, capsys, tmp_path):
    data = "diabetes" if name == "cart-regressor" else "iris"
    file = tmp_path / "tree.svg"
    line = (data, "--learner", f"{name}(max_depth=2)", "--cv", "2", "--rules")
    out = printed(capsys, "tree", *line, "--picture", str(file))
    tree, rules = out.split("\n\n")[1], out.partition("Without any test: ")[2]
    assert "|   " in tree
    assert "if " in rules
    assert file.read_text().startswith("<?xml")
    said = refused(capsys, "tree", *line, "--picture", file, has_notes=True)
    assert "--picture must be a new file" in said
    assert main(["learners", name]) == 0
    assert f"bestofk tree data.csv --learner {name}" in capsys.readouterr().out


def test_leaves_of_a_regression_tree_have_means_and_rows(capsys):
    out = printed(
        capsys, "tree", "diabetes", "--learner", "cart-regressor(max_depth=1)", "--cv", "2"
    )
    data = load_data("diabetes")
    tree = DecisionTreeRegressor(max_depth=1).fit(data.features, data.target).tree_
    for node in (1, 2):
        assert f": {tree.value[node, 0, 0]:.1f} ({tree.n_node_samples[node]}.0)" in out
    assert f"Without any test: {np.mean(data.target):.1f} (442.0)." in out
    assert "expect root mean squared error" in out


def test_of_rules_the_tree_that_they_come_from_is_shown_too(capsys):
    out = printed(capsys, "tree", "iris", "--learner", "c45rules", "--cv", "2")
    assert "Leaves: 5 grew, and became 4 rules." in out
    assert "petal width (cm) <= 0.6: setosa (50.0)" in out
    assert "4. if petal length (cm) > 4.9\n   then virginica  (46 rows, 2 wrong;" in out


def n_grown(learner, X, y):
    return learner.set_params(pruning=None).fit(X, y).get_n_leaves()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("c45", "error-based pruning left 9"),
        ("c45-unpruned", "nothing was pruned"),
        ("c45(pruning=mdl)", "MDL pruning left 3"),
        ("hddt", "nothing was pruned"),
        pytest.param("tuned(c45)", "error-based pruning left", marks=pytest.mark.slow),
    ],
)
def test_pruning_is_said_with_the_leaves_that_grew(name, said, capsys):
    data = load_data("docs/patients.csv")
    kind = HellingerTreeClassifier if name == "hddt" else C45Classifier
    out = printed(capsys, "tree", "docs/patients.csv", "--learner", name, "--cv", "2", "-q")
    assert f", and {said}" in out
    if "tuned" not in name:
        table = KnownColumns().fit_transform(data.levelled)
        assert f"Leaves: {n_grown(kind(), table, data.target)} grew" in out


def test_a_tree_of_a_file_is_shown_and_what_it_prints_is_no_result(capsys, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from sklearn.tree import DecisionTreeClassifier\n"
        "class Mine(DecisionTreeClassifier):\n"
        "    def fit(self, *rows, **options):\n"
        "        print('hello')\n"
        "        return super().fit(*rows, **options)\n"
    )
    out = printed(capsys, "tree", "iris", "--learner", f"{file}:Mine(max_depth=2)", "--cv", "2")
    assert "hello" not in out
    assert "petal" in out
    assert "versicolor (54.0/5.0)" in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["iris", "--learner", "lda"], "must be one tree; got lda. Trees for classification: cart"),
        (["iris", "--learner", "cart,c45"], "--learner must be one tree; got cart, c45."),
        (["iris", "--learner", "random-forest"], "c45rules, id3, hddt, sklearn-cart."),
        (["diabetes", "--learner", "ridge"], "Trees for regression: cart-regressor."),
        (["iris", "--learner", "c45(confidence=7)"], "confidence of C45Classifier must be"),
        (["iris", "--learner", "c45(nominal_splits=subset)"], "subsets of levels are groups"),
        (["iris", "--learner", "c45rules(oblique=lda)"], "None: conditions are of single columns"),
        (["iris", "--learner", "c45rules(pruning=mdl)"], "None: rules are pruned, not their tree"),
        (["iris", "--learner", "hddt(oblique=lda)", "--rules"], "must test single columns; got"),
        (["iris", "--picture", "tree.doc"], "--picture must end in .png, .pdf or .svg"),
    ],
)
def test_what_is_no_tree_is_refused_in_one_sentence(line, message, capsys):
    assert message in refused(capsys, "tree", *line, "--cv", "2", has_notes=True)


def test_a_tree_that_fails_ends_in_one(capsys):
    assert main(["tree", "iris", "--learner", "sklearn-cart(max_depth=-1)", "--cv", "2"]) == 1
    assert "The 'max_depth' parameter" in " ".join(capsys.readouterr().out.split())
