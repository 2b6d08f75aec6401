"""Comparisons on many data sets: what comes back, and what is refused before any training."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from tests.observers import InterruptAfter

from bestofk import compare
from bestofk.data import load_data
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report import to_text
from bestofk.report.findings.many_data_sets import across_findings
from bestofk.score_tables.across import compare_scores_across

pytestmark = pytest.mark.usefixtures("module_in_this_process")

DATA = {"iris": "iris", "wine": "wine", "tennis": "play-tennis", "two": "twonorm:100:1"}
LEARNERS = ["nearest-mean", "naive-bayes", "majority"]


@pytest.fixture(scope="module")
def result():
    return compare(LEARNERS, DATA, cv="2x2")


def test_each_data_set_has_its_own_comparison_and_all_have_one_verdict(result):
    alone = compare(LEARNERS, "wine", cv="2x2")
    assert result["wine"].order == alone.order
    means = [alone.findings.learner(name).mean for name in LEARNERS]
    np.testing.assert_array_equal(result.table.loc["wine"], means)
    assert result.order == list(result.table.mean().sort_values().index)
    assert result.best == result.order[0]
    assert set(result.candidates) == set(LEARNERS)  # four data sets show nothing
    assert "few-scores" in [getattr(w, "code", "") for w in result.findings.warnings]
    assert repr(result).startswith("Use ")
    parts = {name: comparison.findings for name, comparison in result.comparisons.items()}
    across = across_findings(parts, settings=result.settings)
    assert across.data_sets == tuple(DATA)
    assert across.verdict.means == result.findings.verdict.means


def test_data_come_in_any_form():
    wine = load_data("wine")
    with_y = pd.DataFrame(np.asarray(wine.features)).add_prefix("x").assign(target=wine.y)
    data = {"pair": (with_y.drop(columns="target"), with_y["target"]), "iris": load_data("iris")}
    outcome = compare(LEARNERS[:2], data, cv="2x2")
    named = compare(LEARNERS[:2], {"a": with_y, "b": with_y.iloc[::2]}, "target", cv="2x2")
    assert outcome.table.index.tolist() == ["pair", "iris"]
    assert named.table.shape == (2, 2)


def test_win_tie_loss_counts_the_data_sets_of_the_verdict_alone():
    across = compare_scores_across(
        pd.DataFrame({"dataset": list("xyz"), "a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4]}),
        measure="error",
    )
    assert across.win_tie_loss("b", "a") == (0, 0, 3)
    left_out = replace(across, verdict=replace(across.verdict, left_out={"z": "no score of c"}))
    assert left_out.win_tie_loss("b", "a") == (0, 0, 2)


def test_one_store_keeps_all_and_fits_nothing_twice(tmp_path):
    store = tmp_path / "runs.db"
    first = compare(LEARNERS[:2], {"iris": "iris", "wine": "wine"}, cv="2x2", store=store)
    again = compare(LEARNERS[:2], DATA, cv="2x2", store=store)
    assert (first.findings.n_fitted, again.findings.n_reused) == (16, 16)
    np.testing.assert_array_equal(first.table, again.table.loc[["iris", "wine"]])


def test_another_way_of_weighing_fits_nothing(result):
    verdict = result.verdict(prefer=["majority", "naive-bayes", "nearest-mean"])
    assert verdict.best == "majority"
    assert result.verdict(control="majority").matrix.n_hypotheses == 2
    with pytest.raises(InvalidArgumentError, match="control must be left out where a preference"):
        result.verdict(prefer="given", control="majority")
    by_accuracy = result.verdict(scoring="log_loss", rope=0.0)
    assert by_accuracy.means != result.verdict().means
    assert result.verdict(correction="bonferroni", alpha=0.5).alpha == 0.5
    by_size = result.verdict(prefer="size")
    assert "size of the fitted learner" in by_size.preference
    assert by_size.order[0] == by_size.best  # nothing can be shown, so the preference stands


def test_procedures_of_many_data_sets_apply(result):
    table = result.table
    wilcoxon = result.test("wilcoxon", "nearest-mean", "majority")
    assert wilcoxon.w_minus == 10
    assert result.test("friedman").n == 4
    assert result.test("friedman").levels[2] == 3
    hierarchical = result.test("hierarchical-bayes", "nearest-mean", "majority")
    difference = table["nearest-mean"] - table["majority"]
    np.testing.assert_allclose(hierarchical.observed, difference)
    signed = result.test("bayesian-signed-rank", "nearest-mean", "majority", rope=0.02)
    assert signed.rope == 0.02


def test_procedures_of_one_data_set_and_unknown_learners_are_refused(result):
    with pytest.raises(
        DesignError, match=r"one of many data sets; got 'mcnemar'.*result\['iris'\]"
    ):
        result.test("mcnemar", "nearest-mean", "majority")
    with pytest.raises(InvalidArgumentError, match="Did you mean 'majority'"):
        result.test("wilcoxon", "majorityy", "nearest-mean")
    with pytest.raises(DesignError, match="must be two learners; got 3"):
        result.test("wilcoxon")
    with pytest.raises(InvalidArgumentError, match="Did you mean 'wine'"):
        result["wines"]


def test_the_latex_table_has_a_row_per_data_set_and_marks_against_a_reference(result):
    latex = result.to_latex(reference="majority")
    lines = latex.splitlines()
    assert r"\toprule" in latex
    rows = [line for line in lines if line.strip().startswith(tuple(DATA))]
    assert len(rows) == 4
    assert all(r"\textbf{" in row for row in rows)
    assert r"$^{\circ}$" in rows[0]
    assert any(line.strip().startswith("mean rank &") for line in lines)
    best = result.order.index("nearest-mean") + 1
    record = next(line for line in lines if "win/tie/loss &" in line).split("&")
    assert record[best].strip(" \\") == "4/0/0"
    assert record[-1].strip(" \\") == "--"
    with pytest.raises(InvalidArgumentError, match="reference must be one of the learners"):
        result.to_latex(reference="cart")


def test_every_key_that_the_methods_cite_has_an_entry(result):
    text, entries = result.methods_paragraph(), result.bibtex()
    cited = {key for part in text.split(r"\cite{")[1:] for key in part.partition("}")[0].split(",")}
    assert cited == {line[line.index("{") + 1 : -1] for line in entries.splitlines() if "@" in line}
    assert {"wilcoxon1945", "holm1979", "nadeau2003", "benavoli2014"} <= cited
    assert "2 repeats of 2-fold cross-validation" in text
    assert text.count("{") == text.count("}")


def test_texts_say_what_the_numbers_say(result):
    text = str(result)
    assert f"Use {result.best}: " in text
    assert "on average over 4 data sets" in text
    assert "mean ranks describe" in text
    bullets = [line for line in result.text(verbose=True).splitlines() if line.startswith("  - ")]
    assert bullets
    assert max(map(len, bullets)) <= 80
    assert " ".join(" ".join(result.answer).split()) in " ".join(text.split())
    assert "| data set |" in result.to_markdown()
    outcome = json.loads(result.to_json())
    assert outcome["best"] == result.best
    assert [item["name"] for item in outcome["data_sets"]] == list(DATA)
    assert len(outcome["pairs"]) == 3
    assert "<table>" in result._repr_html_()
    assert result.to_csv().startswith("dataset,")
    assert set(result.to_frame()["dataset"]) == set(DATA)


def test_the_page_is_written_once(result, tmp_path):
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.lstrip().startswith("<!DOCTYPE html>")
    for index, name in enumerate(DATA):
        assert f'href="#data-set-{index}">{name}</a>' in page
        section = page[page.index(f'<details id="data-set-{index}">') :].partition("</details>")[0]
        assert f"<strong>{name}</strong> Use {result[name].best}: " in section
        assert f"{result[name].findings.data_sentence}." in section
    assert page.count("<details id=") == 4
    assert page.index('id="caveats"') < page.index('id="data-sets"')
    assert "<summary>Pairs: 3</summary>" in page
    with pytest.raises(InvalidArgumentError, match="must be a new file"):
        result.to_html(tmp_path / "page.html")


class FailsOnWine(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        if X.shape[1] == 13:
            raise ValueError("no wine")
        return super().fit(X, y)


def test_a_data_set_that_a_learner_fails_on_is_left_out_for_all():
    data = {"iris": "iris", "wine": "wine", "two": "twonorm:100:1"}
    outcome = compare([("fails", FailsOnWine()), *LEARNERS[:2]], data, cv="2x2")
    verdict = outcome.findings.verdict
    assert verdict.left_out == {"wine": "no score of fails"}
    assert verdict.data_sets == ("iris", "two")
    assert outcome.findings.n_failed == 4
    sentence = "wine is left out for all learners: no score of fails (error)."
    assert outcome.findings.warnings[0] == sentence
    assert not any("failed in" in text for text in outcome.findings.warnings)
    assert any("wine: fails failed in 4 of 4 runs" in text for text in outcome.findings.remarks)
    (cell,) = outcome.findings.missing
    assert (cell.data_set, cell.learner, cell.reason) == ("wine", "fails", "error")
    assert "fails on 1 data set (error): wine. On wine: fit raised ValueError: no wine" in to_text(
        outcome.findings, 200, verbose=True
    )
    two = compare([("fails", FailsOnWine()), "cart"], {"i": "iris", "wine": "wine"}, cv="2x2")
    assert two.best is None
    assert " ".join(two.answer).startswith(
        "No learner can be picked over the data sets. A verdict over"
    )
    assert (two.order, two.candidates, len(two.pairs())) == ([], [], 0)
    assert two.to_latex().count(r"\\") == 5
    with pytest.raises(DesignError, match="at least 2 learners"):
        two.verdict()


def test_one_measure_decides_for_all_data_sets():
    skewed = pd.DataFrame({"x": np.arange(60.0), "y": ["a"] * 50 + ["b"] * 10})
    two = pd.DataFrame({"x": np.random.default_rng(0).normal(size=40), "y": ["a", "b"] * 20})
    outcome = compare(LEARNERS[:2], {"skewed": skewed, "two": two}, "y", cv="2x2")
    assert outcome.findings.measure.name == "error"
    assert any("Alone, skewed would use AUROC" in note for note in outcome.findings.notes)


def test_regression_is_judged_free_of_units():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    data = {"small": (X, X[:, 0]), "large": (X, 1000 * X[:, 1] + rng.normal(size=60))}
    outcome = compare(["ridge", "mean"], data, cv="2x2")
    assert outcome.findings.measure.name == "r2"
    assert outcome.best == "ridge"
    assert any("no common unit" in note for note in outcome.findings.notes)


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ({"iris": "iris"}, {}, InvalidArgumentError, "at least two data sets"),
        ({"a": "iris", "b": "iris"}, {}, InvalidArgumentError, "the same rows as a and b"),
        ({"a": "iris", "b": "diabetes"}, {}, InvalidArgumentError, "b: regression"),
        ({"a": "iris", "b": "irs"}, {}, InvalidArgumentError, "^b: "),
        (DATA, {"control": "cart"}, InvalidArgumentError, "control must be one of the learners"),
        (DATA, {"cv": "5x2", "test": "tt"}, InvalidArgumentError, "^test must be a known"),
        (DATA, {"cv": "3x2", "test": "5x2cv-t"}, DesignError, "^iris: .*exactly 5 repeats"),
        (DATA, {"prefer": ["majority"]}, InvalidArgumentError, "prefer must list every learner"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_is_trained(
    data, options, error, message, tmp_path
):
    store = tmp_path / "runs.db"
    with pytest.raises(error, match=message):
        compare(LEARNERS, data, store=store, **options)
    assert not store.exists()


def test_one_learner_or_a_control_on_one_data_set_is_refused():
    with pytest.raises(DesignError, match="at least two for a verdict over data sets; got cart"):
        compare(["cart"], DATA)
    with pytest.raises(InvalidArgumentError, match="control must be None on one data set"):
        compare(LEARNERS, "iris", control="majority")


def score_table(n_data_sets, n_folds=1, extras=(0.0, 0.05, 0.1), spread=0.005, base=None):
    rng = np.random.default_rng(3 if base is None else 5)
    rows = []
    for i in range(n_data_sets):
        level = rng.random() if base is None else base
        for fold in range(n_folds):
            for learner, extra in zip(("lda", "cart", "1nn"), extras, strict=False):
                rows.append((f"d{i}", learner, fold, level + extra + spread * rng.normal()))
    return pd.DataFrame(rows, columns=["dataset", "learner", "fold", "value"])


def test_a_score_table_of_many_data_sets_ends_in_the_verdict_over_them():
    across = compare_scores_across(score_table(10), measure="loss", greater_is_better=False)
    assert across.verdict.order == ["lda", "cart", "1nn"]
    assert across.verdict.candidates == ["lda"]
    assert across.within_test == ""
    folds = compare_scores_across(
        score_table(8, 5), measure="loss", greater_is_better=False, cv="5"
    )
    assert folds.within_test == "corrected resampled t test"
    assert (folds.marks("cart", 0.05) == [[1, 0, -1]] * 8).all()
    best = compare_scores_across(
        score_table(10), measure="gain", greater_is_better=True, prefer=["cart", "1nn", "lda"]
    )
    assert best.verdict.best == "1nn"


def test_score_tables_that_do_not_suit_are_refused():
    with pytest.raises(DesignError, match="at least two; got 1"):
        compare_scores_across(score_table(1), measure="error")
    table = score_table(3)
    partly = table[~((table.dataset == "d1") & (table.learner == "1nn"))]
    with pytest.raises(DesignError, match="got '1nn' on one of d0 and d1 alone"):
        compare_scores_across(partly, measure="loss", greater_is_better=False)


def test_small_data_sets_that_show_nothing_by_themselves_are_warned_of():
    table = score_table(10, 5, (0.0, 0.02), 0.03, base=0.3)
    across = compare_scores_across(table, measure="loss", greater_is_better=False, cv="5")
    assert across.verdict.best == "lda"
    assert across.verdict.edges
    assert any("take the mean of a data set as exact" in text for text in across.warnings)


def test_learners_eliminated_early_count_with_the_repeats_that_all_have():
    data = ["wine", "twonorm:200:1", "iris"]
    learners = ["lda", "majority", "1nn", "naive-bayes"]
    singly = {name: compare(learners, name, max_repeats=8) for name in data}
    parts = {name: comparison.findings for name, comparison in singly.items()}
    counts = {name: [len(item.scores) for item in part.learners] for name, part in parts.items()}
    assert min(counts["wine"]) < max(counts["wine"])
    across = across_findings(parts, settings=singly["wine"].settings)
    for row, (name, findings) in enumerate(parts.items()):
        shared = min(counts[name])
        expected = [learner.scores[:shared].mean() for learner in findings.learners]
        np.testing.assert_array_equal(across.values[row], expected)
    n_raced = sum(min(each) < max(each) for each in counts.values())
    assert across.notes[-1].startswith(f"On {n_raced} of 3 data sets some learners were eliminated")


def test_an_interrupted_comparison_says_what_is_left_and_goes_on(tmp_path):
    options = {"cv": "2x2", "store": tmp_path / "runs.db"}
    stopped = compare(LEARNERS[:2], DATA, progress=InterruptAfter(8), **options)
    assert stopped.not_begun == ("tennis", "two")
    assert stopped.best == "naive-bayes"  # iris and wine have their first repeat
    assert stopped.text().startswith("Use naive-bayes for now: ")
    wine = stopped["wine"].findings.learner("naive-bayes").scores
    assert len(wine) == 2
    assert stopped.table.loc["wine", "naive-bayes"] == wine.mean()
    unbegun = {cell.data_set for cell in stopped.findings.missing if cell.reason == "not begun"}
    assert unbegun == {"tennis", "two"}
    assert any("tennis, two were not begun" in text for text in stopped.findings.warnings)
    assert "same store" in stopped.findings.resume
    whole = compare(LEARNERS[:2], DATA, **options)
    assert whole.findings.n_reused >= 6
    assert whole.findings.resume == ""
    np.testing.assert_array_equal(whole.table, compare(LEARNERS[:2], DATA, cv="2x2").table)
