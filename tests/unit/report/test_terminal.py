import io

from rich.console import Console

from bestofk.report import render, to_text
from bestofk.report.parts import Sections

TEXT = """\
Use logistic: 5.0% error (AUROC 0.900).
Cannot be ruled out: cart. Significantly worse than another learner: 1nn.
Significantly worse: nearest-mean, majority.
No claim about new data: only scores were given.

learner       error  vs logistic         train
----------------------------------------------
logistic       5.0%  pick               6.6 ms
cart           6.0%  can't tell (+1.0)  2.6 ms
1nn            9.0%  can't tell (+4.0)  2.3 ms
nearest-mean  13.0%  worse (+8.0)       1.9 ms
majority      66.7%  worse (+61.7)      100 µs

! By AUROC, cart would win.
! Look out.
150 rows, 2 repeats of 2-fold cross-validation, error rate, corrected resampled
t test (Holm), 20 runs, 74 ms CPU.
More: text(verbose=True), explain(a, b), to_html(path)."""

VERBOSE = """\
Use logistic: 5.0% error (AUROC 0.900).
Cannot be ruled out: cart. Significantly worse than another learner: 1nn.
Significantly worse: nearest-mean, majority.
No claim about new data: only scores were given.

learner       error   sd  vs logistic        accuracy  AUROC   train  predict
-----------------------------------------------------------------------------
logistic       5.0%  1.8  pick                  0.950  0.900  6.6 ms   1.0 ms
cart           6.0%  1.8  can't tell (+1.0)     0.940  0.900  2.6 ms   1.0 ms
1nn            9.0%  1.8  can't tell (+4.0)     0.910  0.900  2.3 ms   1.0 ms
nearest-mean  13.0%  1.8  worse (+8.0)          0.870  0.900  1.9 ms   1.0 ms
majority      66.7%  1.8  worse (+61.7)         0.333  0.900  100 µs   1.0 ms

Details
  - 150 rows, 4 inputs, 2 classes. 2 repeats of 2-fold cross-validation.
  - Measure: error rate (lower is better). Test: corrected resampled t test, 20
    one-sided tests at a nominal 5% family-wise level (Holm).
  - By AUROC, cart would win.
  - 20 runs.
  - If time for training matters, consider cart: training takes 2.6 ms instead
    of 6.6 ms, and it is 1 point worse on average (at most 3.2 points with 95%
    confidence).
  - logistic had the lowest error rate in 1 of 2 repeats (ties counted).
  - A note.

Caveats
  - Look out. [runs]

Guessed
  - A guess."""


def test_the_first_screen_has_answer_table_cautions_and_a_line_of_facts(make):
    assert to_text(make()) == TEXT


def test_the_whole_report_has_the_answer_first_and_the_guesses_last(make):
    assert to_text(make(), verbose=True) == VERBOSE


def test_a_headline_comes_before_the_facts_and_notes_are_for_those_who_ask(make):
    findings = make(headline="AUROC decides.", notes=("A guess.", "First.", "Second."))
    assert "\nAUROC decides. 150 rows, 2 repeats of 2-fold" in to_text(findings)
    assert "First." not in to_text(findings)
    assert "  - First.\n  - Second.\n\nCaveats" in to_text(findings, verbose=True)


def test_more_than_eight_details_of_other_results_are_counted_unless_all_are_asked_for():
    sections = Sections("tea", ("Answer.",), (), details=[f"Fact {k}." for k in range(10)])
    assert to_text(sections).endswith("  - Fact 6.\n  - 3 more: --verbose")
    assert to_text(sections, verbose=True).endswith("  - Fact 8.\n  - Fact 9.")


def test_no_line_is_wider_than_the_terminal(make):
    assert max(map(len, to_text(make()).splitlines())) <= 80
    assert max(map(len, to_text(make(), 70).splitlines())) <= 70


def test_columns_move_together_before_they_overflow(make):
    assert "logistic       5.0%  pick               6.6 ms" in to_text(make(), 46)
    assert "logistic      5.0% pick              6.6 ms" in to_text(make(), 45)


def test_columns_without_room_follow_below_and_long_heads_are_broken(make):
    text = to_text(make(), 36)
    assert max(map(len, text.splitlines())) <= 36
    assert [line.split(" ")[0] for line in text.splitlines()].count("logistic") == 2


def test_without_learners_the_table_is_empty(make):
    findings = make(verdict={"best": None, "order": [], "candidates": []})
    findings.learners.clear()
    assert "No learner can be picked on tea" in to_text(findings)


def _rendered(findings, **options) -> str:
    file = io.StringIO()
    render(findings, Console(file=file, width=80, **options))
    return file.getvalue()


def test_a_console_without_colour_gets_the_same_text(make):
    lines = to_text(make(title="[red]tea")).splitlines()
    assert lines[-1] == "More: text(verbose=True), explain(a, b), to_html(path)."
    lines[-1] = "More: --verbose, --report page.html."
    assert _rendered(make(title="[red]tea")).splitlines() == lines


def test_colour_follows_the_terminal_and_no_color(make, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[1;32mlogistic" in _rendered(make(), force_terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;32m" not in _rendered(make(), force_terminal=True)
