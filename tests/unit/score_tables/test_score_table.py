import numpy as np
import pandas as pd
import polars as pl
import pytest

from bestofk.comparison.entry_point import compare
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling, corrected_resampled_t_test
from bestofk.score_tables.score_table import compare_scores
from bestofk.score_tables.table_facts import TableMeasure, direction_by_name
from bestofk.verdict import orderings

RNG = np.random.default_rng(0)
TREE, LDA = RNG.normal(0.20, 0.02, 10), RNG.normal(0.10, 0.02, 10)
WIDE = pd.DataFrame({"tree": TREE, "lda": LDA})


def long_table(**extra):
    rows = [
        {"learner": name, "repeat": i // 2, "fold": i % 2, "value": value}
        for name, values in (("tree", TREE), ("lda", LDA))
        for i, value in enumerate(values)
    ]
    return pd.DataFrame(rows).assign(**extra)


def test_a_wide_table_is_judged_by_the_corrected_t_test():
    findings = compare_scores(WIDE, measure="error", cv="5x2")
    expected = corrected_resampled_t_test(TREE, LDA, n_train=1, n_test=1, alternative="greater")
    (edge,) = findings.verdict.edges
    assert (edge.worse, edge.better) == ("tree", "lda")
    assert edge.statistic == pytest.approx(expected.statistic)
    assert edge.p_value == pytest.approx(expected.p_value)
    assert findings.learner("lda").mean == pytest.approx(LDA.mean())
    assert findings.learner("lda").sd == pytest.approx(LDA.std(ddof=1))


def test_long_and_wide_tables_of_pandas_polars_and_files_agree(tmp_path):
    path = tmp_path / "scores.csv"
    long_table(measure="error").to_csv(path, index=False)
    tables = [long_table(measure="error"), pl.from_pandas(long_table(measure="error")), path]
    expected = compare_scores(WIDE, measure="error", cv="5x2").verdict
    for table in tables:
        assert compare_scores(table, cv="5x2").verdict == expected
    shuffled = long_table(measure="error").sample(frac=1, random_state=1)
    result = compare_scores(shuffled, cv="5x2").verdict
    assert result.edges == expected.edges


def test_sizes_come_from_columns_or_arguments_and_arguments_win():
    by_column = compare_scores(long_table(measure="error", n_train=900, n_test=100))
    by_argument = compare_scores(long_table(measure="error"), n_train=900, n_test=100)
    both = compare_scores(long_table(measure="error", n_train=5, n_test=5), n_train=900, n_test=100)
    assert by_column.verdict == by_argument.verdict == both.verdict
    halves = compare_scores(long_table(measure="error"), cv="5x2").verdict
    assert by_column.verdict.edges[0].p_value < halves.edges[0].p_value


@pytest.mark.parametrize(
    ("table", "options", "test"),
    [
        (long_table(measure="error"), {"test": "5x2cv-t"}, "5x2cv-t"),
        (WIDE.assign(fold=range(10)), {"measure": "error", "test": "paired-t"}, "paired-t"),
        (WIDE.iloc[:1], {"measure": "error"}, ""),  # one score of each
    ],
)
def test_some_tests_know_the_sizes_by_themselves(table, options, test):
    verdict = compare_scores(table, **options).verdict
    assert (verdict.best, verdict.test) == ("lda", test)


def test_the_direction_comes_from_the_name_a_column_or_the_argument():
    assert compare_scores(WIDE, measure="accuracy", cv="5x2").verdict.best == "tree"
    assert compare_scores(WIDE, greater_is_better=True, cv="5x2").verdict.best == "tree"
    told = long_table(measure="gain", greater_is_better=True)
    assert compare_scores(told, cv="5x2").verdict.best == "tree"
    told = long_table(measure="gain", greater_is_better="False")
    assert compare_scores(told, cv="5x2").verdict.best == "lda"


def test_one_measure_and_one_data_set_of_several_are_judged():
    other = long_table(measure="accuracy", dataset="b")
    other["value"] = 1 - other["value"]
    both = pd.concat([long_table(measure="error", dataset="a"), other])
    findings = compare_scores(both, measure="accuracy", dataset="b", cv="5x2")
    assert (findings.verdict.best, findings.title) == ("lda", "b")


def test_a_preference_is_weighed_by_multitest():
    verdict = compare_scores(WIDE, measure="error", cv="5x2", prefer=["tree", "lda"]).verdict
    assert verdict.best == "lda"
    assert verdict.has_preference
    twins = pd.DataFrame({"slow": TREE, "fast": TREE + RNG.normal(0, 0.01, 10)})
    assert compare_scores(twins, measure="error", cv="5x2", prefer="given").verdict.best == "slow"


def test_percentages_are_taken_as_they_are_with_a_warning():
    findings = compare_scores(100 * WIDE, measure="error", cv="5x2")
    assert "beyond 0 to 1" in findings.warnings[0]
    assert findings.measure.title == "error (as given)"
    assert findings.learner("lda").mean == pytest.approx(100 * LDA.mean())


def test_the_scores_of_a_comparison_give_its_verdict_again():
    result = compare(["nearest-mean", "logistic", "1nn"], "iris", cv="5x2")
    again = compare_scores(result.to_frame(), measure="error").verdict
    assert again.edges == result.findings.verdict.edges
    assert again.candidates == result.candidates


def refused(table, message, error=InvalidArgumentError, **options):
    with pytest.raises(error, match=message):
        compare_scores(table, **({"measure": "error", "cv": "5x2"} | options))


def test_scores_that_do_not_pair_are_refused_with_learner_repeat_and_fold():
    table = long_table().drop(index=17)
    message = (
        "scores of learners 'tree' and 'lda' do not pair: repeat 3, fold 1 is missing for 'lda'"
    )
    refused(table, message, DesignError)


def test_folds_are_told_apart_by_all_their_digits():
    folds = [2**53, 2**53 + 1, 10**400, 10**400 + 1]
    table = pd.DataFrame({"fold": map(str, folds), "tree": TREE[:4], "lda": LDA[:4]})
    verdict = compare_scores(table, measure="error", test="paired-t").verdict
    assert verdict.n_splits == 4


def test_repeated_scores_without_sizes_are_refused():
    refused(WIDE, "come with the sizes of training and test sets", cv=None)
    refused(long_table(), "n_train and n_test must be given together", cv=None, n_train=3)


def test_a_direction_that_nobody_knows_is_asked_for():
    refused(WIDE, "come with the better direction of 'gain'", measure="gain")
    refused(WIDE, "come with the better direction of 'score'", measure=None)
    refused(WIDE, "direction of 'error' must be that of the measure", greater_is_better=True)
    mixed = long_table(greater_is_better=[True] * 9 + [False] * 11)
    refused(mixed, "greater_is_better must be all true or all false", measure="gain")


@pytest.mark.parametrize("value", [np.nan, np.inf, None, "much"])
def test_a_value_that_is_no_number_is_refused_with_its_row(value):
    table = WIDE.astype(object)
    table.loc[3, "lda"] = value
    refused(table, "must hold finite numbers; got .* in row 4")


def test_a_score_that_is_there_twice_is_refused():
    table = pd.concat([long_table(), long_table().iloc[[3]]])
    refused(table, "got learner 'tree', repeat 1, fold 1 in rows 4 and 21. Keep one")
    bare = long_table().drop(columns=["repeat", "fold"])
    refused(bare, "in rows 1 and 2. Add the columns repeat and fold")
    refused(WIDE.assign(fold=0), "got learner 'tree', repeat 0, fold 0 in rows 1 and 2")


def test_several_measures_or_data_sets_must_be_chosen_from():
    both = pd.concat([long_table(measure="error"), long_table(measure="mcc")])
    refused(both, r"the measure that decides, one of error, mcc \(--measure\)", measure=None)
    refused(both, "measure must be one of the table; got 'eror'. Did you mean", measure="eror")
    sets = pd.concat([long_table(dataset="a"), long_table(dataset="b")])
    refused(sets, "dataset must be named .* Known: a, b")
    refused(WIDE, "dataset must be left out where the table has no column", dataset="a")


def test_a_plan_that_does_not_fit_the_table_is_refused():
    refused(WIDE, "cv must fit the scores; got 10x10, and the table has 1 repeats", cv="10x10")
    refused(long_table(), "cv must fit the scores; got 10, and the table has 5", cv="10")
    refused(WIDE, "cv of a score table must be repeats x folds", cv="5y2")
    refused(long_table(), "paired-t", DesignError, test="paired-t")


def test_tables_without_scores_are_refused(tmp_path):
    refused(pd.DataFrame({"repeat": [1], "fold": [1]}), "table must have a column learner")
    without = long_table().drop(columns="value")
    refused(without[["learner"]], "a long table must have a column value")
    refused(WIDE.iloc[:0], "table must hold at least one row")
    refused(WIDE.to_numpy(), "table must be a path or a DataFrame")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"prefer": ["tree"]}, "prefer must list every learner"),
        ({"prefer": "fit-time"}, "prefer must be a cost that was measured"),
    ],
)
def test_settings_that_make_no_sense_are_refused(option, message):
    refused(WIDE, message, **option)


def test_a_measure_of_a_table_cannot_be_computed():
    measure = TableMeasure("gain", greater_is_better=True)
    with pytest.raises(InvalidArgumentError, match="got 'gain', of which a table has the values"):
        measure._values(None)


def test_a_column_that_counts_the_rows_is_no_learner(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(",lda,tree\n0,0.1,0.2\n1,0.2,0.2\n2,0.1,0.3\n")
    findings = compare_scores(path, measure="error", cv="3")
    assert findings.verdict.order == ["lda", "tree"]
    assert "Column 'column1' counts the rows; it is taken as no learner." in findings.notes
    table = pd.DataFrame({"a": [0, 1], "b": [1.0, 2.0]})
    assert len(compare_scores(table, measure="mse", cv="2").learners) == 2


def test_a_table_of_row_numbers_alone_has_no_learner(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("number,fold\n1,1\n2,2\n3,3\n")
    refused(path, "must have a column learner, or one column per learner; got fold")


@pytest.mark.parametrize(("measure", "best"), [("pinball_0.9", "low"), ("top_3_accuracy", "high")])
def test_measures_with_a_number_in_their_name_are_known(measure, best):
    table = pd.DataFrame({"low": [0.1, 0.2, 0.15, 0.1], "high": [0.5, 0.6, 0.55, 0.7]})
    assert compare_scores(table, measure=measure, cv="2x2").best == best


def test_everything_that_is_missing_is_asked_for_at_once_with_a_line_that_works(tmp_path):
    path = tmp_path / "my scores.csv"
    WIDE.to_csv(path, index=False)
    n_scores = len(WIDE)
    with pytest.raises(InvalidArgumentError) as refusal:
        compare_scores(path)
    assert str(refusal.value) == (
        "scores must come with the better direction of 'score' (--direction), and the sizes of "
        "training and test sets (--cv as repeats x folds, or --n-train and --n-test); got neither. "
        f"Type what holds, such as: bestofk compare-scores '{path}' --direction higher "
        f"--cv 1x{n_scores} (in Python compare_scores(table, greater_is_better=True, "
        f"cv='1x{n_scores}'))."
    )
    assert compare_scores(path, greater_is_better=True, cv=f"1x{n_scores}").best


def test_names_of_other_packages_are_read_and_said():
    rng = np.random.default_rng(4)
    rows = [
        ("iris", name, repeat, fold, mean + rng.normal(0, 0.01), 3)
        for name, mean in (("tree", 0.8), ("lda", 0.9))
        for repeat in range(3)
        for fold in range(4)
    ]
    table = pd.DataFrame(rows, columns=["Task", "model", "iteration", "split", "test_acc", "seed"])
    result = compare_scores(table, measure="test_acc")
    assert (result.best, result.title) == ("lda", "iris")
    assert result.notes == (
        "Column 'model' is read as learner.",
        "Column 'Task' is read as dataset.",
        "Column 'iteration' is read as repeat.",
        "Column 'split' is read as fold.",
        "Measure 'test_acc': higher is better, by its name.",
        "Plan: 3 x 4 folds, by the columns of repeats and folds.",
    )
    named = {"Task": "dataset", "model": "learner", "iteration": "repeat", "split": "fold"}
    same = table.rename(columns=named | {"test_acc": "value"})
    usual = compare_scores(same, greater_is_better=True, cv="3x4")
    assert [learner.mean for learner in usual.learners] == [m.mean for m in result.learners]
    assert compare_scores(table).best == "lda"  # a seed is no measure
    with pytest.raises(InvalidArgumentError, match=r"one of test_acc, depth \(--measure\)"):
        compare_scores(table.assign(depth=3))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("Percent_correct", True), ("percent_incorrect", None), ("classif.ce", False),
        ("test_acc", True), ("auc", True), ("roc_auc", True), ("logloss", False), ("RMSE", False),
        ("f1_macro", True), ("r2", True), ("score", None), ("result", None),
        ("accuracy_loss", None),
    ],
)  # fmt: skip
def test_the_direction_of_a_measure_is_read_from_words_of_its_name(name, answer):
    assert direction_by_name(name) is answer


def test_one_learner_is_refused():
    with pytest.raises(DesignError, match=r"learners .* must be at least two; got one \(tree\)"):
        compare_scores(WIDE[["tree"]], measure="error", cv="5x2")


def test_every_ordering_names_its_best_by_the_settings_of_the_comparison():
    losses = RNG.normal((0.30, 0.20, 0.19), 0.01, (10, 3))
    table = pd.DataFrame(losses, columns=list("abc"))
    given = {"measure": "error", "cv": "5x2", "test": "5x2cv-t", "alpha": 0.1}
    result = compare_scores(table, correction="bonferroni", prefer=["b", "a", "c"], **given)
    halves = Sampling("k-fold", 5, 2, n_train=1, n_test=1)
    direct = orderings(
        table, sampling=halves, names=list("abc"), test="5x2cv-t", alpha=0.1, prefer=list("bac")
    )
    assert result.orderings() == direct
    assert [row.name for row in result.orderings(only=["multitest", "anova-selector"]).rows] == [
        "multitest-bonferroni",
        "anova",
    ]
    assert compare_scores(table, **given).orderings(only=["multitest"]).rows[0].name == (
        "multitest-holm"
    )


@pytest.mark.parametrize("name", ["split", "run"])
def test_the_plan_of_numbered_splits_is_asked_for_and_taken(name):
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.random((6, 2)), columns=["a", "b"])
    table.insert(0, name, range(6))
    with pytest.raises(InvalidArgumentError, match=r"sizes of training and test .*cv='1x6'"):
        compare_scores(table, measure="error")
    for cv, said in (("1x6", "1 x 6 folds"), ("3x2", "3 x 2 folds")):
        assert said in compare_scores(table, measure="error", cv=cv).plan_sentence


def check_verdict(n_splits, n_learners):
    means = np.linspace(0.1, 0.3, n_learners)
    values = np.random.default_rng(n_splits).normal(means, 0.02, (n_splits, n_learners)).round(3)
    names = [f"learner{i}" for i in range(n_learners)]
    table = pd.DataFrame(values, columns=names)
    findings = compare_scores(table, measure="error", n_train=60, n_test=30)
    assert sorted(findings.verdict.order) == sorted(names)
    assert findings.best in findings.verdict.candidates
    assert f"Use {findings.best}" in str(findings)


@pytest.mark.parametrize(
    ("n_learners", "numbers"), [(2, range(1, 41)), (3, range(1, 41)), (45, (1, 2, 3, 5, 10, 40))]
)
def test_every_number_of_splits_gives_a_verdict(n_learners, numbers):
    for n_splits in numbers:
        check_verdict(n_splits, n_learners)


def test_some_numbers_of_learners_give_a_verdict_at_three_splits():
    for n_learners in (*range(2, 12), 45, 46, 130):
        check_verdict(3, n_learners)


@pytest.mark.slow
def test_every_number_of_learners_gives_a_verdict_at_three_splits():
    for n_learners in range(2, 131):
        check_verdict(3, n_learners)
