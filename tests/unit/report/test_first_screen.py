"""First screen of a verdict: few words, few columns, the gravest cautions first."""

import io
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from bestofk import compare, compare_scores, load_data
from bestofk.evaluation import Observer
from bestofk.inference import Caution
from bestofk.inference.cautions import CAUTIONS
from bestofk.report import render, to_text
from bestofk.report.sections import short_table
from bestofk.report.sentences import first_screen
from bestofk.report.sentences.details import STANDING, other_measures
from bestofk.stopping import growing_rows

pytestmark = pytest.mark.usefixtures("module_in_this_process")

LIGHT = ["nearest-mean", "naive-bayes", "logistic", "5nn", "cart", "majority"]
MOST_WORDS, MOST_WORDS_OF_ANSWER, MOST_COLUMNS, MOST_CAUTIONS, MOST_LEARNERS = 110, 60, 5, 3, 12
RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 4))
SIGNAL = X[:, 0] + 0.5 * X[:, 1] + RNG.normal(0, 0.7, 120)


class Fails(ClassifierMixin, BaseEstimator):
    """Learner that cannot be trained."""

    def fit(self, X, y):
        raise ValueError("there is no way to train it on these rows")

    def predict(self, X):
        raise AssertionError


class CutOff(Observer):
    """Interrupts after 17 runs, as Ctrl-C does."""

    n_runs = 0

    def finished(self, learner, records, store):
        self.n_runs += len(records)
        if self.n_runs > 17:
            raise KeyboardInterrupt


def classes(share: float = 0.5):
    return np.where(np.quantile(SIGNAL, share) > SIGNAL, "no", "yes")


def classification():
    return compare(LIGHT, "iris", cv="2x5")


def regression():
    return compare(None, X, 1000 * SIGNAL, cv="2x3")


def skewed():
    return compare(["mean", "least-squares", "cart-regressor"], X, np.exp(3 * SIGNAL), cv="2x3")


def imbalanced():
    return compare(LIGHT, X, classes(0.85), cv="2x5")


def failed():
    return compare([Fails(), "lda", "cart"], X, classes(), cv="2x3")


def repeated_rows():
    return compare(LIGHT, np.vstack([X, X[:40]]), np.r_[classes(), classes()[:40]], cv="2x3")


def ties():
    learners = {"strict": LogisticRegression(C=0.05), "usual": LogisticRegression()}
    return compare(learners, X, classes(), max_repeats=4)


def twenty():
    learners = {f"{name}-{k}": name for name in LIGHT[:5] for k in range(4)}
    return compare(learners, "iris", cv="5x2")


def growing_training_rows():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing_rows, "LARGE", 1_000)
        patch.setattr(growing_rows, "SMALLEST", 30)
        return compare(LIGHT, "waveform:2000:0")


def preference():
    return compare(["majority", "nearest-mean", "cart"], "iris", cv="2x5", prefer="given")


def given_scores():
    scores = pd.DataFrame(RNG.normal([0.2, 0.21, 0.4], 0.02, (10, 3)), columns=["a", "b", "c"])
    return compare_scores(scores, measure="error", cv="10")


def interrupted():
    return compare(LIGHT, "iris", cv="4x5", progress=CutOff(), batched="never")


KINDS: list[Callable[[], object]] = [
    classification, regression, skewed, imbalanced, failed, repeated_rows, ties, twenty,
    growing_training_rows, preference, given_scores, interrupted,
]  # fmt: skip


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.__name__)
def findings(request):
    return request.param().findings


def rendered(findings) -> str:
    file = io.StringIO()
    render(findings, Console(file=file, width=100))
    return file.getvalue()


def outside_table(text: str) -> str:
    """Return a printed verdict without the rows, heads and rule of its table."""
    lines = text.splitlines()
    (rule,) = [index for index, line in enumerate(lines) if line and set(line) == {"-"}]
    first = rule - lines[:rule][::-1].index("")
    last = rule + lines[rule:].index("")
    foot = [line for line in lines[rule:last] if re.match(r"\+ \d+ more|A larger gap", line)]
    return "\n".join([*lines[:first], *foot, *lines[last:]])


@pytest.mark.parametrize("printed", [to_text, rendered])
def test_the_words_outside_the_table_are_few(findings, printed):
    answer, _, rest = outside_table(printed(findings)).partition("\n\n")
    assert len(answer.split()) <= MOST_WORDS_OF_ANSWER
    assert len(answer.split()) + len(rest.split()) <= MOST_WORDS


def test_the_table_has_few_columns_and_learners(findings):
    table = short_table(findings)
    assert len(table.heads) <= MOST_COLUMNS
    assert not {"sd", "predict", "failed"} & set(table.heads)
    assert len(table.rows) == min(len(findings.ordered()), MOST_LEARNERS)
    assert all(len(row.cells) == len(table.heads) - 1 for row in table.rows)


def test_what_is_not_shown_of_the_cautions_is_counted(findings):
    text, whole = to_text(findings), to_text(findings, verbose=True)
    shown = re.findall(r"^! ", text, re.MULTILINE)
    assert len(shown) <= MOST_CAUTIONS
    _, _, caveats = whole.partition("\n\nCaveats\n")
    listed = re.findall(r"^  - ", caveats.partition("\n\n")[0], re.MULTILINE)
    other = other_measures(findings, findings.verdict.best)
    n_more = len(listed) + bool(other) - len(shown)
    said = re.findall(r"\((\d+) more cautions?\)", text)
    assert said == ([str(n_more)] if n_more else [])
    assert other.replace("\n", " ") in " ".join(whole.split())


def test_nothing_is_listed_below_the_first_screen(findings):
    text = rendered(findings)
    assert not re.search("^(Details|Caveats|Guessed)$", text, re.MULTILINE)
    more = r"\nMore: --verbose( \(\d+ more cautions?\))?, --report page\.html\.$"
    assert re.search(more, text[:-1])


def test_cautions_come_from_the_gravest_to_the_least(make):
    data = ("Rows leak.", "Dates run.")
    codes = [code for code in CAUTIONS if code not in STANDING]
    found = make(
        warnings=(*data[::-1], "Seconds vary.", *(Caution(code, f"{code}.") for code in codes)),
        data_warnings=data,
        resume="Call it again.",
    )
    assert first_screen.ranked_cautions(found) == [
        "Call it again.", "incomplete.", "Dates run.", "Rows leak.", "degenerate.", "few-scores.",
        "By AUROC, cart would win.", "Seconds vary.", "split-seed.", "unstable-learner.",
        "different-test-sets.", "overlap.", "pooled-folds.", "mean-ranks.", "partly-tuned.",
        "edge-of-space.", "crowded.",
    ]  # fmt: skip
    text = to_text(found)
    shown = re.findall("^! (.*)", text, re.MULTILINE)
    assert shown == ["Call it again.", "incomplete.", "Dates run."]
    more = "More: text(verbose=True) (14 more cautions), explain(a, b), to_html(path)."
    assert text.endswith(more)


def test_every_code_of_a_caution_has_one_rank():
    ranks = first_screen.RANKS
    own = {"resume", "data", "other measure", "runs"}
    assert len(set(ranks)) == len(ranks)
    assert set(ranks) == own | (set(CAUTIONS) - set(STANDING))
    assert set(STANDING) <= set(CAUTIONS)


def test_a_caution_that_words_do_not_suffice_for_is_counted(make):
    findings = make(warnings=("Look out.", "word " * 80))
    text = to_text(findings)
    assert "word word" not in text
    assert "! Look out.\n" in text
    assert "(1 more caution)" in text


def test_the_first_line_names_what_is_ahead_but_tied(findings):
    first = to_text(findings).splitlines()[0]
    assert ("tied with" in first) == bool(findings.ahead)
    if findings.ahead:
        means = findings.verdict.means
        best = min(findings.ahead, key=lambda name: means[name])
        assert f"; tied with {best} at " in first or f"(tied with {best} at " in first
        assert "; listed first)" in first


def test_of_many_learners_the_plausible_ones_and_the_next_are_shown():
    findings = twenty().findings
    plausible = set(findings.verdict.candidates)
    table = short_table(findings)
    names = [row.name for row in table.rows]
    assert plausible <= set(names[: len(plausible)]) or len(plausible) > MOST_LEARNERS
    assert table.foot.startswith("+ 8 more")


def test_how_data_were_read_is_not_said_twice_on_a_terminal(make):
    findings = replace(make(), reading=("tea: 150 rows, 4 numeric inputs.", "Separator guessed."))
    assert "\ntea: 150 rows, 4 numeric inputs.\nSeparator guessed.\n" in rendered(findings)
    file = io.StringIO()
    render(findings, Console(file=file, width=80, force_terminal=True, color_system=None))
    assert "150 rows" not in file.getvalue()


FILE = """\
key;size;when;grade;blank;word;answer
{rows}
"""


def read(tmp_path):
    lines = [
        f"id{k:04};{k % 9}{',5' if k % 2 else ''};2024-01-{k % 28 + 1:02};{'?' if k % 7 else 'low'}"
        f";;{'ab'[k % 2]}{k % 40};{'yes' if k % 3 else 'no'}"
        for k in range(60)
    ]
    path = tmp_path / "odd.csv"
    path.write_text(FILE.format(rows="\n".join(lines)), encoding="latin-1")
    return load_data(path, target="answer")


def test_the_first_line_on_reading_names_rows_inputs_target_and_what_is_left_out(tmp_path):
    data = read(tmp_path)
    left_out = [name for name, role in data.roles.items() if role == "drop"]
    assert {"key", "blank"} <= set(left_out)
    first = data.reading[0]
    assert first.startswith("odd: 60 rows, ")
    assert "; predicting answer (2 classes); " in first
    assert first.endswith(f"left out: {', '.join(left_out)}.")


def test_every_guess_about_data_is_on_the_first_screen_or_in_the_whole_report(tmp_path):
    data = read(tmp_path)
    usual = ("Target: ", "Task: ", "Positive class: ")
    plain = ("; boolean.", "; nominal.", "keeps it).", "no value at all; dropped.")
    unusual = [note for note in data.notes if not note.startswith(usual)]
    unusual = [note for note in unusual if not note.endswith(plain)]
    for word in ("separator", "missing", "decimal comma", "dates, "):
        assert any(word in note for note in unusual)
    assert list(data.reading[1:]) == unusual
    findings = compare(["majority", "cart"], data, cv="2x3").findings
    guessed = to_text(findings, 10_000, verbose=True).partition("\n\nGuessed\n")[2]
    assert {f"  - {note}" for note in data.notes} <= set(guessed.splitlines())
    assert set(data.notes) & set(data.warnings) == set()
