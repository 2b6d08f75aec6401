"""Columns that are no learners never win: they are left out with a warning, or asked about."""

from itertools import cycle

import numpy as np
import pandas as pd
import pytest

from bestofk import apply_procedure, compare_scores
from bestofk.cli import main
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables import compare_scores_across

RNG = np.random.default_rng(5)
N = 10
SCORES = pd.DataFrame(
    {"dataset": [f"d{i}" for i in range(N)]}
    | {
        name: RNG.normal(mean, 0.01, N).round(4)
        for name, mean in zip("abc", (0.8, 0.82, 0.9), strict=True)
    }
)
NO_LEARNERS = {
    "n_rows": range(200, 200 + 100 * N, 100),
    "seed": [7] * N,
    "run_id": range(900, 900 + N),
    "comment": [0, 1, 2, None, 4, 5, 6, 7, 8, 9],
    "millis": RNG.uniform(900, 9000, N),
    "instances": RNG.uniform(0, 1, N),
    "depth": RNG.integers(2, 9, N),
    "percent": RNG.normal(85, 1, N),
}


def with_column(name):
    return SCORES.assign(**{name: NO_LEARNERS[name]})


@pytest.mark.parametrize(
    ("name", "direction"), [*zip(NO_LEARNERS, cycle([True, False]), strict=False)]
)
def test_without_a_measure_a_column_that_may_be_no_learner_is_asked_about(name, direction):
    table = with_column(name)
    for call in (
        lambda: compare_scores_across(table, greater_is_better=direction),
        lambda: compare_scores(table.drop(columns="dataset"), greater_is_better=direction, cv="10"),
        lambda: apply_procedure(table, "friedman", greater_is_better=direction),
    ):
        with pytest.raises(InvalidArgumentError, match=f"'{name}' .* Add --learners a,b,c"):
            call()


@pytest.mark.parametrize("name", NO_LEARNERS)
def test_chosen_learners_are_all_that_counts_in_every_mode(name):
    table, chosen = with_column(name), ["c", "a", "b"]
    across = compare_scores_across(table, measure="accuracy", learners=chosen)
    alone = compare_scores_across(SCORES[["dataset", *chosen]], measure="accuracy")
    assert (across.verdict.best, across.learners) == ("c", ("c", "a", "b"))
    assert across.verdict.pairs == alone.verdict.pairs
    assert across.verdict.order == alone.verdict.order
    one = {"measure": "accuracy", "cv": "2x5"}
    result = compare_scores(table.drop(columns="dataset"), learners=chosen, **one)
    alone = compare_scores(SCORES[chosen], **one)
    assert result.verdict == alone.verdict
    assert result.orderings() == alone.orderings()
    test = apply_procedure(table, "friedman", *chosen, measure="accuracy")
    assert test.statistic == apply_procedure(SCORES, "friedman", measure="accuracy").statistic
    assert test.names == ("c", "a", "b")


def test_the_command_chooses_learners_in_every_mode(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    with_column("comment").drop(columns="dataset").to_csv(path, index=False)
    told = ["compare-scores", str(path), "--measure", "accuracy", "--cv", "2x5"]
    assert main(told) == 2
    assert "Add --learners a,b,c" in capsys.readouterr().err
    for mode in ([], ["--procedure", "anova"], ["--ordering", "testfirst"], ["--all-orderings"]):
        assert main([*told, *mode, "--learners", "a,b,c"]) == 0
        assert "comment" not in capsys.readouterr().out.replace("Left out, as no chosen", "")[:400]
    with_column("comment").to_csv(path, index=False)
    assert main([*told[:4], "--learners", "a,b,c", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("Use c: ")


def test_rows_of_chosen_learners_are_kept_of_long_tables_and_gaps_elsewhere_do_not_matter():
    long = SCORES.melt("dataset", var_name="model", value_name="score").assign(metric="accuracy")
    holed = pd.concat([long, long.assign(model="holes").iloc[:3]])
    result = compare_scores_across(holed, learners=["b", "c"])
    assert (result.learners, result.verdict.best) == (("b", "c"), "c")
    with pytest.raises(InvalidArgumentError, match=r"got 'd'\. Known: a, b, c, holes"):
        compare_scores_across(holed, learners=["d", "c"])


@pytest.mark.parametrize("scale", [1, 100])
def test_beyond_the_range_of_a_named_measure_a_column_is_left_out_with_a_warning(scale):
    table = with_column("n_rows")
    table[["a", "b", "c"]] *= scale
    across = compare_scores_across(table, measure="Accuracy")
    assert (across.verdict.best, across.learners) == ("c", ("a", "b", "c"))
    assert across.warnings[0] == (
        "Column 'n_rows' is left out as no learner: its values reach from 200 to 1100, accuracy "
        "from 0 to 1. --learners chooses columns."
    )
    test = apply_procedure(table, "friedman", measure="accuracy")
    assert (test.names, test.warnings[-1]) == (("a", "b", "c"), across.warnings[0])


@pytest.mark.parametrize(
    "changed",
    [
        SCORES.assign(perfect=1.0),
        SCORES.assign(never=0),
        SCORES.assign(a=100 * SCORES.a, b=100 * SCORES.b, c=100),
        SCORES.assign(a=SCORES.a.round(2), b=SCORES.b.round(1)),
        SCORES.assign(a=SCORES.a * 1e-4),
        SCORES.assign(a=[1e6, *SCORES.a[1:]], b=SCORES.b * 60),
    ],
)
def test_scores_that_only_look_odd_are_not_asked_about(changed):
    assert len(compare_scores_across(changed, greater_is_better=True).learners) > 2


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"": ["rf", "nb"], "accuracy": [0.9, 0.8], "AUC": [0.9, 0.7]}, r"got measures \(accuracy"),
        ({"iteration": range(9), "train-logloss": [0.1] * 9, "xgb": [0.2] * 9}, "got measures"),
        ({"epoch": range(1, 7), "x": [0.1] * 6, "y": [0.2] * 6}, "column 'epoch', as in a log of"),
        ({"x": np.arange(50) / 50, "y": np.exp(-np.arange(50))}, "hardly differ from the one bef"),
        ({"rf~Accuracy": [0.9, 0.8], "nb~Kappa": [0.7, 0.6]}, "must hold one measure; got accura"),
    ],
)
def test_measures_and_logs_of_training_are_no_learners(table, message):
    with pytest.raises(InvalidArgumentError, match=message) as refusal:
        compare_scores(pd.DataFrame(table))
    assert "--direction" not in str(refusal.value)


def test_a_row_of_averages_is_no_data_set():
    total = pd.DataFrame([{"dataset": "Average", "a": 0.8, "b": 0.82, "c": 0.9}])
    across = compare_scores_across(pd.concat([SCORES, total]), measure="accuracy")
    assert across.data_sets == tuple(SCORES.dataset)
    assert across.warnings[0].startswith("'Average' is left out as no data set")


@pytest.mark.parametrize("typed", ["accuracy", "ACCURACY", "Accuracy", "roc auc", "ROC_AUC"])
def test_names_of_measures_ignore_case(typed):
    table = pd.DataFrame(
        {"model": list("aabb"), "fold": [0, 1] * 2, "Accuracy": [0.9, 0.8, 0.7, 0.6],
         "ROC AUC": [0.9, 0.8, 0.7, 0.6]}
    )  # fmt: skip
    assert compare_scores(table, measure=typed).best == "a"


def test_different_measures_are_never_averaged():
    rows = [
        {"dataset": d, "model": m, "fold": f, "metric": name, "score": mean + f / 100 - (m == "b")}
        for d in ("iris", "wine")
        for m in "ab"
        for f in range(3)
        for name, mean in (("Accuracy", 2.0), ("accuracy", 2.0), ("rmse", 12.0))
        if (name == "Accuracy") == (f == 0) or name == "rmse"
    ]
    table = pd.DataFrame(rows)
    result = compare_scores(table, measure="accuracy", dataset="iris")
    assert [learner.n_runs for learner in result.learners] == [3, 3]
    assert result.learner("a").mean == pytest.approx(2.01)
    with pytest.raises(InvalidArgumentError, match=r"one of Accuracy, rmse \(--measure\)"):
        compare_scores(table, dataset="iris")
    wide = table.drop_duplicates(["dataset", "model", "fold", "metric"]).pivot_table(
        index=["dataset", "fold", "metric"], columns="model", values="score"
    )
    result = compare_scores(wide.reset_index(), measure="rmse", dataset="wine")
    assert result.learner("a").mean == pytest.approx(12.01)


@pytest.mark.parametrize("role", ["dataset", "measure", "learner"])
def test_a_second_column_of_a_role_is_refused_where_it_tells_rows_apart(role):
    second = {"dataset": "task", "measure": "scorer", "learner": "method"}[role]
    table = pd.DataFrame(
        {"learner": list("aabb"), "dataset": "iris", "fold": [0, 1, 0, 1], "measure": "accuracy",
         "value": [0.9, 0.8, 0.7, 0.6]}
    )  # fmt: skip
    same = table.assign(**{second: table["learner"] if role == "learner" else "all the same"})
    assert compare_scores(same, cv="2").best == "a"
    with pytest.raises(InvalidArgumentError, match=f"column '{second}' must have one value within"):
        compare_scores(table.assign(**{second: ["x", "y", "x", "y"]}), cv="2")


def test_rows_of_one_score_say_in_which_column_they_differ():
    table = pd.DataFrame({"model": list("aabb"), "id": ["Fold1", "Fold2"] * 2, "acc": [0.9] * 4})
    with pytest.raises(InvalidArgumentError, match=r"differ in column 'id': .* --map fold=id"):
        compare_scores(table)
    assert compare_scores(table, columns={"fold": "id"}).verdict.n_splits == 2


def test_resamples_of_caret_are_repeats_and_folds():
    names = [f"Fold{fold}.Rep{repeat}" for repeat in (1, 2) for fold in (1, 2, 3)]
    table = pd.DataFrame({"Resample": names, "rf": RNG.uniform(0.8, 0.9, 6), "nb": [0.5] * 6})
    result = compare_scores(table, measure="accuracy")
    assert "Plan: 2 x 3 folds, by the columns of repeats and folds." in result.notes


def test_a_region_wider_than_all_differences_makes_learners_about_the_same():
    names = [f"d{i}" for i in range(9)]
    first, second = RNG.uniform(0.6, 0.99, 9), RNG.uniform(0.6, 0.99, 9)
    table = pd.DataFrame({"dataset": names, "pop_0": first, "pop_1": second})
    (pair,) = compare_scores_across(table, measure="accuracy", rope=1.0).verdict.pairs
    assert pair.answer == "practically equivalent"
