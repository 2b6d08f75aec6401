import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression

from bestofk import compare
from bestofk.comparison.page import ALPHAS
from bestofk.errors import InvalidArgumentError
from bestofk.report.html.drawings import value_charts
from bestofk.report.prediction_curves import mean_roc
from bestofk.report.sections import sections

CANCER = load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def iris():
    return compare(["lda", "cart", "majority"], "iris", cv="2x3")


@pytest.fixture(scope="module")
def parts(iris):
    return iris._page_parts("bestofk compare iris")


def test_every_combination_is_there_and_the_report_is_the_start(iris, parts):
    switches = parts.switches
    sizes = [len(switches.options[name]) for name in switches.options]
    assert sizes == [len(iris.scores), 1, 2, len(ALPHAS), 3]
    assert len(switches.findings) == np.prod(sizes)
    start = switches.findings[switches.start]
    assert sections(start).answer == sections(iris.findings).answer


def test_switched_findings_are_those_of_python(iris, parts):
    changed = replace(iris.settings, alpha=0.1, prefer="fit-time", correction="bonferroni")
    expected = replace(iris.decided_by("auroc"), settings=changed).findings
    key = ("auroc", "corrected-t", "bonferroni", "0.1", "fit-time")
    item = parts.switches.findings[key]
    assert sections(item, verbose=True).answer == sections(expected, verbose=True).answer
    assert sections(item, verbose=True).tables == sections(expected, verbose=True).tables
    assert item.verdict.pairs == expected.verdict.pairs
    expected = replace(iris, settings=replace(iris.settings, correction="bonferroni")).findings
    item = parts.switches.findings["error", "corrected-t", "bonferroni", "0.05", "none"]
    assert item.verdict.pairs == expected.verdict.pairs
    assert item.verdict.pairs != iris.findings.verdict.pairs


def test_a_page_of_medians_offers_no_preference(tmp_path):
    result = compare(["lda", "cart"], "iris", cv="3x3", center="median")
    switches = result._page_parts("").switches
    assert list(switches.options["preference"]) == ["none"]
    start = switches.findings[switches.start]
    assert sections(start).answer == sections(result.findings).answer
    result.to_html(tmp_path / "page.html")
    assert "the median of 3 repeats" in (tmp_path / "page.html").read_text()


def test_one_learner_needs_no_switches_and_each_measure_has_its_test():
    assert compare(["lda"], "iris", cv=3)._page_parts("").switches is None
    result = compare(["lda", "cart"], *CANCER, cv="holdout", test="mcnemar")
    switches = result._page_parts("").switches
    measures = {key[0] for key in switches.findings}
    assert "error" in measures
    assert "auroc" not in measures  # McNemar's test is of errors
    result = compare(["lda", "cart"], *CANCER, cv="5x2", test="5x2cv-t", alpha=0.02)
    switches = result._page_parts("").switches
    assert list(switches.options["test"]) == ["5x2cv-t", "corrected-t"]
    assert list(switches.options["alpha"]) == ["0.01", "0.02", "0.05", "0.1"]
    assert switches.start == ("error", "5x2cv-t", "holm", "0.02", "none")
    result = compare(["lda", "cart"], "iris", cv="2x3", prefer=["cart", "lda"])
    switches = result._page_parts("").switches
    assert switches.start[-1] == "asked"
    assert switches.options["preference"]["asked"] == "as asked for"
    assert switches.findings[switches.start].verdict.best == result.best


def test_curves_are_those_of_the_pick_and_the_plausible_by_class(iris, parts):
    assert [item.label for item in parts.curves] == ["setosa", "versicolor", "virginica"]
    batch = iris.evaluation.predictions(0)
    np.testing.assert_array_equal(parts.curves[1].roc["lda"][:, 1], mean_roc(batch, 1)[:, 1])
    assert set(parts.curves[0].roc) <= {*iris.candidates, iris.best}
    result = compare(["lda", "cart"], *CANCER, cv=3, pos_label=0)
    assert [item.label for item in result._page_parts("").curves] == ["0"]
    result = compare(["lda", "cart"], "iris", cv=3, keep="scores")
    assert result._page_parts("").curves == []


def test_a_regression_shows_values_of_the_first_repeat():
    X, y = load_diabetes(return_X_y=True)
    parts = compare(["ridge", "mean"], X, y, cv="2x5")._page_parts("")
    assert parts.curves == []
    values = parts.values["ridge"]
    assert sorted(values[:, 0]) == sorted(y)
    first, *_ = value_charts("ridge", values)
    assert 200 < first.count("h0") <= 400  # points


def test_the_lines_of_python_give_the_same_comparison(iris, parts):
    names: dict = {}
    exec(parts.python, names)
    assert names["result"].findings.verdict == iris.findings.verdict


def test_the_lines_of_python_say_what_has_no_name_here():
    given = [("own", LogisticRegression()), "lda"]
    result = compare(given, *CANCER, cv="2x3", prefer=["lda", "own"], random_state=3)
    lines = result._page_parts("").python
    assert "learners = ...  # own, lda" in lines
    assert re.search(r"X, y = \.\.\.  # .*569 rows", lines)
    assert "cv='2x3'" in lines
    assert "prefer=['lda', 'own'], " in lines
    assert "random_state=3" in lines


def test_the_same_comparison_gives_the_same_page_with_both_ways_to_make_it_again(iris, tmp_path):
    for name in ("a.html", "b.html"):
        iris.to_html(tmp_path / name, command="bestofk compare 'my iris'")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<pre>bestofk compare &#39;my iris&#39;</pre>" in text
    assert "result = compare(learners, &#39;iris&#39;, cv=&#39;2x3&#39;)" in text
    assert (tmp_path / "b.html").read_text(encoding="utf-8") == text


def test_an_existing_file_is_refused_before_any_work(iris, tmp_path, monkeypatch):
    def work(self, command):
        raise AssertionError

    monkeypatch.setattr(type(iris), "_page_parts", work)
    (tmp_path / "page.html").write_text("mine")
    with pytest.raises(InvalidArgumentError, match=r"path must be a new file; got .*page\.html"):
        iris.to_html(tmp_path / "page.html")
