"""The commands `procedures` and `compare-scores --procedure`: a result or one sentence."""

import json
import re
import shlex

import pytest
from tests.calls import printed, refused

from bestofk import compare
from bestofk.cli import main
from bestofk.inference import PROCEDURES, Result
from bestofk.learners import learner_catalogue, resolve_learners

FOLDS = "tree,lda\n0.16,0.20\n0.18,0.21\n0.20,0.25\n0.18,0.18\n"


@pytest.fixture
def folds(tmp_path):
    """Scores of a lecture: t = -2.777, p = 0.0691."""
    path = tmp_path / "folds.csv"
    path.write_text(FOLDS)
    return [str(path), "--measure", "error", "--cv", "4"]


@pytest.fixture
def data_sets(tmp_path):
    """Means on six data sets: the first loses by more and more."""
    path = tmp_path / "means.csv"
    rows = [f"d{i},0.{30 + 2 * i},0.{29 + i}" for i in range(6)]
    path.write_text("\n".join(["dataset,tree,lda", *rows]) + "\n")
    return [str(path), "--measure", "error"]


def test_every_procedure_is_listed_with_its_question(capsys):
    assert main(["procedures"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [*PROCEDURES, "proportion-interval"]
    assert lines[0].split() == ["procedure", "what", "it", "answers", "takes"]


def typed_lines(capsys, kind, name):
    assert main([kind, name, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts[kind.removesuffix("s")].startswith(f"{name}, ")
    return facts["type"]


def judged(capsys, *words):
    return printed(capsys, "compare-scores", *words)


def refusal(capsys, *words):
    return refused(capsys, "compare-scores", *words)


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        ("multitest", ["multitest-bonferroni", "multitest-holm"]),
        ("multitest_holm", ["multitest-bonferroni", "multitest-holm"]),
        ("testfirst", ["testfirst"]),
        ("Test-First", ["testfirst"]),
    ],
)
def test_names_of_orderings_lead_to_the_option_that_takes_them(capsys, folds, typed, lines):
    assert main(["procedures", typed, "--json"]) == 0
    line = "bestofk compare-scores example-5x2 --ordering"
    assert json.loads(capsys.readouterr().out)["type"] == [f"{line} {name}" for name in lines]
    assert "Type: --ordering " in refusal(capsys, *folds, "--procedure", typed)
    assert main(["compare-scores", *folds, "--ordering", typed]) == 0


def test_multitest_says_its_correction_and_that_there_are_two(capsys, folds):
    text = judged(capsys, *folds, "--ordering", "multitest")
    assert text.startswith("Best by MultiTest (Holm), ")
    assert text.endswith("Corrections: --ordering multitest-holm or multitest-bonferroni.\n")


@pytest.fixture(scope="module")
def once():
    return compare(["naive-bayes", "c45", "5nn"], "breast_cancer", cv="1xholdout")


@pytest.mark.parametrize("name", [*PROCEDURES, "proportion-interval"])
def test_every_line_to_type_of_a_procedure_runs(capsys, tmp_path, monkeypatch, once, name):
    monkeypatch.chdir(tmp_path)
    for line in typed_lines(capsys, "procedures", name):
        if line.startswith("compare("):
            assert isinstance(eval(line, {"compare": lambda _: once}), Result)
            continue
        words = shlex.split(line)[1:]
        if words[0] == "compare":
            words += ["--learners", "nearest-mean,1nn", "--n-jobs", "1"]
        assert main(words) == 0, (line, capsys.readouterr().err)
        capsys.readouterr()


def test_list_of_learners_has_groups_costs_and_what_they_handle(capsys):
    assert main(["learners", "--task", "regression"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    (line,) = [line for line in lines if line.startswith("ridge ")]
    assert line.split() == ["ridge", "ridge", "regression", "linear,", "fast", "W"]
    assert main(["learners", "--json"]) == 0
    (cart,) = [e for e in json.loads(capsys.readouterr().out)["learners"] if e["name"] == "cart"]
    assert cart["groups"] == ["default", "trees", "fast", "all"]
    assert cart["handles"] == ["gaps", "categories", "weights", "probabilities"]


def test_every_learner_shows_its_space_and_lines_that_are_learners(capsys):
    for name, entry in learner_catalogue(optional=True).items():
        assert main(["learners", name, "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["learner"].startswith(f"{name}, ")
        assert (facts["tunes"] == ["nothing"]) == (not entry.space)
        if entry.extra:
            continue
        for line in facts["type"]:
            written = re.split("--learners? ", line)[1].strip('"').removesuffix(",...")
            (learner,) = resolve_learners(written, entry.task)
            assert learner.name
    assert main(["learners", "knn"]) == 0
    assert "5nn, five nearest neighbors" in capsys.readouterr().out


def test_the_list_as_json_has_sides_and_options(capsys):
    assert main(["procedures", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["procedures"]
    results = {item["name"]: item for item in listed}
    assert results["corrected-t"]["sides"] == ["two-sided", "greater", "less"]
    assert results["bayesian-correlated-t"]["options"] == ["rope", "level"]
    assert results["anova"]["sides"] == []


def test_json_holds_every_field_and_infinity_as_text(capsys, folds):
    told = ("--procedure", "paired_t", "--alternative", "less", "--json")
    result = json.loads(judged(capsys, *folds, *told))
    assert result["p_value"] == pytest.approx(0.03457, abs=5e-6)
    assert (result["df"], result["n"], result["alternative"]) == (3, 4, "less")
    assert result["warnings"][0].startswith("Only 4 scores")


def test_json_of_pairs_has_matrices_with_null_where_nothing_was_tested(capsys, folds):
    result = json.loads(judged(capsys, *folds, "--procedure", "tukey-hsd", "--json"))
    assert result["names"] == ["tree", "lda"]
    (none, difference), (back, _) = result["estimate"]
    assert (none, difference, back) == (None, pytest.approx(-0.03), pytest.approx(0.03))


def test_a_procedure_over_data_sets_takes_the_whole_table(capsys, data_sets):
    out = judged(capsys, *data_sets, "--procedure", "wilcoxon")
    assert "  W+                         21\n" in out
    assert "0.03125 (two-sided)" in out


def test_settings_of_the_verdict_reach_a_procedure_that_knows_them(capsys, folds, data_sets):
    rope = ("--procedure", "bayesian-correlated-t", "--rope", "0.05")
    assert "P(below -0.05)" in judged(capsys, *folds, *rope)
    alpha = ("--procedure", "tukey-hsd", "--alpha", "0.2", "--json")
    assert json.loads(judged(capsys, *folds, *alpha))["alpha"] == 0.2
    dunn = ("--procedure", "control-ranks", "--control", "lda", "--correction", "hochberg")
    result = json.loads(judged(capsys, *data_sets, *dunn, "--json"))
    assert (result["control"], result["correction"]) == ("lda", "hochberg")


def test_what_is_told_twice_is_taken_from_its_own_option(capsys, folds):
    told = ("--procedure", "paired-t", "--option", "alternative=less", "--alternative", "greater")
    assert "(greater)" in judged(capsys, *folds, *told)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (["--procedure", "pared-t"], "Did you mean 'paired-t'"),
        (["--procedure", "paired-t", "--learners", "tree,ldq"], "got 'ldq'. Did you mean 'lda'"),
        (["--procedure", "paired-t", "--learners", "tree"], "must be two learners; got 1"),
        (["--procedure", "anova", "--alternative", "less"], "anova must be one it can test (no"),
        (["--procedure", "5x2cv-f", "--alternative", "less"], "it can test (two-sided); got"),
        (["--procedure", "paired-t", "--alternative", "more"], "must be one of three words"),
        (["--procedure", "anova", "--picture", "a.png"], "--picture must come with a procedure"),
        (["--procedure", "mcnemar"], "predictions must have a column row; got tree, lda. Name it"),
        (["--procedure", "wilcoxon"], "data sets of wilcoxon must be many; got 0"),
        (["--procedure", "5x2cv-t"], "needs exactly 5 repeats of 2 folds"),
        (["--procedure", "paired-t", "--rope", "0.1"], "options of paired-t must be alternative"),
        (["--procedure", "paired-t", "--test", "paired-t"], "--test must come without --procedure"),
        (["--procedure", "paired-t", "--prefer", "given"], "--prefer must come without"),
        (["--procedure", "paired-t", "--format", "latex"], "--format must come without"),
        (["--procedure", "paired-t", "--option", "json=1"], "got 'json'"),
        (["--procedure", "bayesian-correlated-t", "--rope", "-1"], "rope must be a number"),
        (["--alternative", "less"], "--alternative must come with --procedure"),
        (["--test", "mcnemar"], "test of paired scores must be a known name"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(capsys, folds, told, sentence):
    assert sentence in refusal(capsys, *folds, *told)


@pytest.mark.parametrize("option", ["n_draws=abc", "n_draws=1.5", "prior_strength=abc", "rope=x"])
def test_an_option_of_the_wrong_kind_is_one_sentence(capsys, data_sets, option):
    name = option.partition("=")[0]
    told = ("--procedure", "bayesian-signed-rank", "--option", option)
    assert f"{name} must be" in refusal(capsys, *data_sets, *told)
