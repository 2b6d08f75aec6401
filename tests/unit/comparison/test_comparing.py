"""Comparing: what is refused before anything is trained, protocols, progress, warnings."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t as t_distribution
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from bestofk import compare
from bestofk.comparison import run_remarks
from bestofk.comparison.options import ComparisonSettings
from bestofk.data import from_arrays
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.evaluation import Store

pytestmark = pytest.mark.usefixtures("module_in_this_process")
X, y = load_iris(return_X_y=True)


class Untouchable(DummyClassifier):
    """Learner that must never be fitted."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("was fitted")


REFUSED = {
    "test": ({"test": "u"}, "test must be a known name"),
    "test of another plan": ({"test": "5x2cv-t", "cv": "10x10"}, "test must be one that the plan"),
    "paired test of repeats": ({"test": "paired-t", "cv": "5x2"}, "test must be one that the p"),
    "correction": ({"correction": "hochberg"}, "correction must be a known one"),
    "alpha 0": ({"alpha": 0}, r"alpha must be a number above 0 and below 1; got 0"),
    "alpha 1": ({"alpha": 1.0}, r"alpha must be a number above 0 and below 1; got 1.0"),
    "alpha true": ({"alpha": True}, r"alpha must be a number above 0 and below 1; got True"),
    "alpha text": ({"alpha": "0.05"}, r"alpha must be a number above 0"),
    "preference": ({"prefer": "cheapest"}, "prefer must be a known word"),
    "listed stranger": ({"prefer": ["svm"]}, "name in prefer must be a learner that is compared"),
    "listed partly": ({"prefer": ["a"]}, "prefer must list every learner"),
    "listed twice": ({"prefer": ["a", "a", "b"]}, "learners of prefer must be different"),
    "protocol": ({"protocol": "multitest-2005"}, "protocol must be a known one"),
    "scoring": ({"scoring": "errors"}, "errors"),
    "no scoring": ({"scoring": []}, "scoring must name at least one measure"),
    "cv": ({"cv": "5y2"}, "cv must be one of"),
    "too many folds": ({"cv": "1x151"}, "number of folds must be from 2"),
    "seed": ({"random_state": "x"}, "random_state must be a whole number"),
    "no seed": ({"random_state": None}, "random_state must be a whole number"),
    "seed of 64 bits": ({"random_state": 2**63}, "random_state must be a whole number from -2"),
    "seed below": ({"random_state": -(2**63) - 1}, "random_state must be a whole number from -2"),
    "keep": ({"keep": "all"}, "keep must be a known one"),
    "timeout": ({"timeout": 0}, "timeout must be a positive number"),
    "text for timeout": ({"timeout": "x"}, "timeout must be a positive number of seconds; got 'x'"),
    "no end": ({"timeout": np.inf}, "timeout must be a positive number of seconds; got inf"),
    "truth value for budget": ({"budget": True}, "budget must be a positive number of seconds"),
    "budget without end": ({"budget": np.inf}, "budget must be a positive number of seconds"),
    "ragged costs": ({"cost_matrix": [[0, 1, 1], [1]]}, "cost_matrix must be a table of 3 x 3"),
    "unused costs": (
        {"cost_matrix": np.eye(3), "scoring": "error"},
        "scoring must name 'cost' where a cost matrix is given; got error",
    ),
    "repeats": ({"cv": "100001x2"}, "number of repeats must be at most 100000; got 100001"),
    "most repeats": ({"max_repeats": 10**9}, "number of repeats must be at most 100000"),
    "number for store": ({"store": 3}, "store must be a file, a Store or None; got 3"),
    "n_jobs": ({"n_jobs": 0}, "n_jobs must be a whole number"),
    "task": ({"task": "ranking"}, "task must be"),
    "pos_label": ({"pos_label": 7}, "pos_label"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_arguments_are_refused_before_anything_is_trained(what):
    options, message = REFUSED[what]
    learners = {"a": Untouchable(), "b": Untouchable()}
    with pytest.raises((InvalidArgumentError, DesignError), match=message):
        compare(learners, X, y, **options)


def test_bad_arguments_leave_no_store_behind(tmp_path):
    with pytest.raises(InvalidArgumentError, match="correction"):
        compare(["majority"], X, y, correction="none", store=tmp_path / "s.db")
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        ([], "learners must be at least one"),
        (["logistik"], "Did you mean 'logistic'"),
        ([("a", "cart"), ("a", "lda")], "names of learners must be different"),
        ([DecisionTreeClassifier], "must be an instance"),
        (["ridge"], "must be for classification"),
    ],
)
def test_learners_that_cannot_be_compared_are_refused(learners, message):
    with pytest.raises(InvalidArgumentError, match=message):
        compare(learners, X, y)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((X[:5], np.zeros(5, dtype=int)), "class"),
        ((X, y.astype(float) + np.nan), "target"),
        ((X[:0], y[:0]), "row"),
    ],
)
def test_data_that_cannot_be_compared_on_are_refused(data, message):
    with pytest.raises(InvalidArgumentError, match=message):
        compare(["majority"], *data)


def test_a_data_set_brings_its_target_and_roles_along():
    with pytest.raises(InvalidArgumentError, match="where groups is given; got a DataSet"):
        compare(["majority"], from_arrays(X, y), groups=y)
    with pytest.raises(InvalidArgumentError, match="where sample_weight and y are given"):
        compare(["majority"], from_arrays(X, y), y, sample_weight=y)
    with pytest.raises(InvalidArgumentError, match="Set it when the DataSet is made"):
        compare(["majority"], from_arrays(X, y), task="regression")


def test_regression_has_no_positive_class():
    with pytest.raises(InvalidArgumentError, match="pos_label must be None for regression"):
        compare(["mean"], X[:, :3], X[:, 3], pos_label=1)


# -- forms of input -------------------------------------------------------------------------


def test_median_joins_the_mean_where_absolute_errors_decide():
    def baselines(learners, scoring):
        findings = compare(learners, "diabetes", cv="1x2", scoring=scoring).findings
        return [item.name for item in findings.learners if item.is_baseline]

    few = "default,-trees,-svr"
    assert baselines(few, "mae") == baselines(few, "median_absolute_error") == ["median", "mean"]
    assert baselines(few, "rmse") == ["mean"]
    assert baselines(f"{few},median", "mae") == ["mean"]
    assert baselines("ridge,least-squares", "mae") == []


@pytest.mark.slow
def test_lightgbm_is_offered_beside_the_default_set_where_it_is_installed(monkeypatch):
    def offers(learners, data):
        result = compare(learners, data, cv="1x2")
        return [note for note in result.notes if "LightGBM" in note]

    assert offers(None, "iris") == []
    monkeypatch.setattr(run_remarks, "find_spec", lambda name: name)
    assert offers(None, "iris") == [
        "LightGBM is installed: --learners default,lightgbm compares it, too."
    ]
    assert "default,lightgbm-regressor" in offers("default", "diabetes")[0]
    assert offers("default,-cart", "iris") == []


@pytest.mark.slow
def test_penalty_chosen_inside_the_catalogue_is_no_tuning_of_the_user():
    X, y = load_diabetes(return_X_y=True)
    result = compare("default,-trees,elastic-net,ridge-cv", X, y / 1000, cv="3x5")
    assert result.findings.claim.probability is not None
    text = " ".join([*result.notes, *result.warnings])
    assert "Search over the whole pipeline" not in text
    assert "other learners were tuned" not in text
    assert "Every learner ran with the settings given" in text


def test_learners_have_the_names_given_or_their_own():
    pairs = [("tree", DecisionTreeClassifier()), KNeighborsClassifier(), "majority"]
    names = ["tree", "KNeighborsClassifier", "majority"]
    assert compare(pairs, X, y, cv="1x2").evaluation.names == names
    as_dict = {"one": "majority", "two": KNeighborsClassifier()}
    assert compare(as_dict, X, y, cv="1x2").evaluation.names == ["one", "two"]


@pytest.mark.parametrize("protocol", [None, "multitest-2006"])
@pytest.mark.parametrize("prefer", [["a", "b"], ("a", "b"), np.array(["a", "b"])])
def test_a_preference_may_be_any_sequence(prefer, protocol):
    learners = {"b": "majority", "a": "majority"}
    assert compare(learners, X, y, cv="5x2", prefer=prefer, protocol=protocol).best == "a"


# -- protocol -------------------------------------------------------------------------------


def test_the_protocol_of_2006_is_unstratified_5x2_with_bonferroni_and_can_be_replaced():
    result = compare(["majority", "logistic"], X, y, protocol="multitest-2006")
    plan, verdict = result.evaluation.plan, result.verdict()
    assert (plan.name, plan.is_stratified) == ("5x2", False)
    assert (verdict.test, verdict.correction) == ("5x2cv-t", "bonferroni")
    assert verdict.preference == "Preference as given: majority, logistic."
    assert result.measures[0].name == "error"
    settings = ComparisonSettings(protocol="multitest-2006")
    assert (settings.cv, settings.test, settings.prefer) == ("5x2", "5x2cv-t", "given")
    assert replace(settings, prefer=None).prefer is None
    assert ComparisonSettings(protocol="multitest-2006", cv="2x2").cv == "2x2"


def test_arguments_beside_a_protocol_win_and_errors_decide_where_one_class_is_large():
    result = compare(
        ["majority", "logistic"], X, y, protocol="multitest-2006", prefer=["logistic", "majority"],
        scoring="brier",
    )  # fmt: skip
    assert result.verdict().preference == "Preference as listed: logistic, majority."
    assert result.measures[0].name == "brier"
    assert result.evaluation.plan.name == "5x2"
    rng = np.random.default_rng(0)
    rare = np.arange(60) % 10 == 0
    inputs = rng.normal(size=(60, 2)) + rare[:, None]
    result = compare(["majority", "lda"], inputs, rare, protocol="multitest-2006")
    assert result.measures[0].name == "error"


@pytest.mark.parametrize("scoring", [None, "mae", "log_loss", "auroc", "f1"])
def test_the_protocol_of_2006_holds_for_any_loss(scoring):
    is_regression = scoring in (None, "mae")
    rng = np.random.default_rng(3)
    inputs = rng.normal(size=(60, 3))
    noisy = inputs[:, 0] + 0.7 * rng.normal(size=60)
    target = noisy if is_regression else np.where(noisy > 0, "yes", "no")
    names = ["mean", "knn-regressor", "ridge"] if is_regression else ["1nn", "cart", "logistic"]
    result = compare(names, inputs, target, protocol="multitest-2006", scoring=scoring)
    name = "rmse" if scoring is None else scoring
    assert result.measures[0].name == name
    table = result.to_frame()[result.to_frame()["measure"] == name]
    sign = -1 if result.measures[0].greater_is_better else 1
    losses = [sign * table["value"][table["learner"] == n].to_numpy() for n in names]
    edges = {
        (names[i], names[j])
        for i, j in combinations(range(3), 2)
        if one_sided_5x2cv_t(losses[i] - losses[j]) <= 0.05 / 3
    }
    verdict = result.findings.verdict
    assert {(edge.worse, edge.better) for edge in verdict.edges} == edges
    assert result.best == next(n for n in names if n not in {worse for worse, _ in edges})


def one_sided_5x2cv_t(differences):
    of_repeats = differences.reshape(5, 2)
    variances = ((of_repeats - of_repeats.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return t_distribution.sf(of_repeats[0, 0] / np.sqrt(variances.mean()), 5)


# -- the default set ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def default():
    return compare(None, X, y, cv="1x3")


@pytest.mark.parametrize("with_baseline", [True, False])
def test_a_listed_preference_may_name_the_baseline_or_not(default, with_baseline):
    names = [n for n in default.evaluation.names if with_baseline or n != "majority"]
    prefer = list(reversed(names))
    verdict = default.verdict(prefer=prefer)
    assert "majority" not in verdict.order
    result = compare(None, X, y, cv="1x2", prefer=prefer)
    assert set(result.order) == set(default.order)


# -- measures -------------------------------------------------------------------------------


def test_the_first_of_several_measures_decides_and_one_named_twice_counts_once():
    result = compare(["nearest-mean", "logistic"], X, y, cv="1x3", scoring=["auroc", "error"])
    assert [measure.name for measure in result.measures] == ["auroc", "error"]
    assert result.findings.measure.name == "auroc"
    result = compare(["majority"], X, y, cv="1x2", scoring=["error", "auroc", "error"])
    assert [measure.name for measure in result.measures] == ["error", "auroc"]


def test_a_large_class_calls_for_auroc_and_says_so():
    rng = np.random.default_rng(0)
    target = np.array([1] * 12 + [0] * 88)
    result = compare(["majority", "logistic"], rng.normal(size=(100, 2)), target, cv="1x3")
    assert result.measures[0].name == "auroc"
    assert "88" in result.headline
    assert result.evaluation.data.pos_label == 1


def test_a_fold_without_the_rare_class_has_no_auroc_and_is_left_out_for_all():
    rng = np.random.default_rng(0)
    target = np.array([1] * 3 + [0] * 57)
    data = rng.normal(size=(60, 2)) + target[:, None]
    splits = [(np.setdiff1d(np.arange(60), test), test)
              for test in (np.array([0, 10, 11]), np.array([20, 21, 22]), np.array([1, 30, 31]),
                           np.array([2, 40, 41]))]  # fmt: skip
    result = compare(["nearest-mean", "logistic"], data, target, cv=splits, scoring="auroc")
    verdict = result.verdict()
    assert verdict.n_splits == 3
    assert verdict.left_out == {}
    assert (
        "The verdict rests on 3 of 4 splits, those for which every learner has a score."
        in result.findings.warnings
    )
    missing = result.to_frame()[
        (result.to_frame().measure == "auroc") & result.to_frame().value.isna()
    ]
    assert missing.repeat.tolist() == [1, 1] or missing.fold.tolist() == [1, 1]


# -- notes and warnings -----------------------------------------------------------------------


def warnings_of(learners, **options):
    return compare(learners, X, y, cv="1x2", **options).findings.warnings


def test_learners_with_a_fixed_random_state_without_weights_or_source_are_named():
    texts = warnings_of({"tree": DecisionTreeClassifier(random_state=3)})
    assert any("tree has a fixed random_state: every run draws the same" in t for t in texts)
    assert not any("fixed" in t for t in warnings_of({"tree": DecisionTreeClassifier()}))
    texts = warnings_of(
        {"knn": KNeighborsClassifier(), "l": "logistic"}, sample_weight=np.ones(150)
    )
    assert any(text.startswith("knn: fitted without the weights") for text in texts)
    space: dict = {"__name__": "__nowhere__", "Base": Untouchable}
    exec("class Typed(Base):\n    def fit(self, X, y):\n        return self\n", space)
    result = compare({"typed": space["Typed"](), "m": "majority"}, X, y, cv="1x2")
    assert any("typed cannot be read" in note for note in result.notes)
    texts = warnings_of({"bad": Untouchable(), "m": "majority"})
    assert (
        "bad failed in 2 of 2 runs; repeat 0, fold 0: fit raised AssertionError: was fitted."
        in texts
    )


def test_a_store_that_is_open_stays_open(tmp_path):
    with Store(tmp_path / "s.db") as store:
        compare(["majority"], X, y, cv="1x2", store=store)
        assert compare(["majority"], X, y, cv="1x2", store=store).evaluation.n_fitted == 0
        assert store.n_runs() == 3  # and one that measured what it costs


def test_a_cost_matrix_alone_makes_costs_decide_and_those_of_right_decisions_are_told():
    result = compare(
        ["lda", "naive-bayes"], "breast_cancer", cv="1x3", cost_matrix=[[0, 1], [5, 0]]
    )
    assert result.measures[0].name == "cost"
    assert "The mean cost per row decides, because a cost matrix is given." in str(result)
    matrices = {"gains": [[-1, 1], [20, 0]], "plain": [[0, 1], [20, 0]]}
    notes = {
        name: compare(
            ["lda", "naive-bayes"], "breast_cancer", cv="1x3", scoring="cost", cost_matrix=matrix
        ).notes
        for name, matrix in matrices.items()
    }
    said = "The cost matrix has entries on its diagonal, so right decisions cost or gain, too."
    assert said in notes["gains"]
    assert said not in notes["plain"]


@pytest.mark.parametrize(("scoring", "wrong"), [("rmsle", -1.0), ("mape", 0.0)])
def test_a_measure_without_a_value_for_some_rows_is_refused_before_any_run(scoring, wrong):
    inputs, target = np.arange(40.0)[:, None], np.arange(1.0, 41.0)
    learners = ["ridge", "mean"]
    compare(learners, inputs, target, scoring=scoring, cv=2)
    target[[3, 8]] = wrong
    with pytest.raises(InvalidArgumentError, match=f"got '{scoring}', and a target is .* 2 of 40"):
        compare(learners, inputs, target, scoring=scoring, cv=2)
    assert compare(learners, inputs, target, scoring=["rmse", scoring], cv=2).best


ASKED = {"learners": ["majority", "nearest-mean"], "X": "play-tennis", "cv": "1x2"}


def test_progress_is_shown_on_standard_error_where_it_is_asked_for(capsys):
    compare(**ASKED, progress=True)
    shown = capsys.readouterr()
    assert "Plan: 2-fold cross-validation" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("progress", ["auto", False])
def test_nothing_is_shown_without_a_terminal(progress, capsys):
    compare(**ASKED, progress=progress)
    assert capsys.readouterr() == ("", "")


def test_a_pick_that_does_not_look_at_the_inputs_is_warned_of():
    picked = compare(["majority", "nearest-mean"], "iris", cv="1x5", prefer="given")
    alone = compare(["majority"], "iris", cv="1x5")
    warning = (
        "majority, which ignores the inputs, was picked: no learner found anything useful in them."
    )
    assert picked.best == "nearest-mean"
    assert warning not in picked.findings.warnings
    assert warning in alone.findings.warnings
