from __future__ import annotations

import io

from rich.console import Console

from bestofk.report import render, to_text

TEXT = """\
Use logistic: 5.0% error (AUROC 0.900).
Cannot be ruled out: cart. Significantly worse than another learner: 1nn.
Significantly worse: nearest-mean, majority.
No claim about new data: only scores were given.

learner       error   sd  vs logistic         train  predict
------------------------------------------------------------
logistic       5.0%  1.8  pick               6.6 ms   1.0 ms
cart           6.0%  1.8  can't tell (+1.0)  2.6 ms   1.0 ms
1nn            9.0%  1.8  can't tell (+4.0)  2.3 ms   1.0 ms
nearest-mean  13.0%  1.8  worse (+8.0)       1.9 ms   1.0 ms
majority      66.7%  1.8  worse (+61.7)      100 µs   1.0 ms

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


def test_the_answer_comes_first_and_the_guesses_last(make):
    assert to_text(make()) == TEXT


def test_more_than_eight_details_are_counted_unless_all_are_asked_for(make):
    findings = make(headline="AUROC decides.", notes=("A guess.", "First.", "Second."))
    assert "  - 2 more: --verbose\n\nCaveats" in to_text(findings)
    assert "First." not in to_text(findings)
    assert "  - First.\n  - Second.\n\nCaveats" in to_text(findings, verbose=True)


def test_no_line_is_wider_than_the_terminal(make):
    assert max(map(len, to_text(make()).splitlines())) <= 80
    assert max(map(len, to_text(make(), 70).splitlines())) <= 70


def test_columns_move_together_before_they_overflow(make):
    assert "logistic      5.0% 1.8 pick" in to_text(make(), 55)


def test_without_learners_the_table_is_empty(make):
    findings = make(verdict={"best": None, "order": [], "candidates": []})
    findings.learners.clear()
    assert "No learner can be picked on tea" in to_text(findings)


def _rendered(findings, **options) -> str:
    file = io.StringIO()
    render(findings, Console(file=file, width=80, **options))
    return file.getvalue()


def test_a_console_without_colour_gets_the_same_text(make):
    assert _rendered(make(title="[red]tea")).rstrip() == to_text(make(title="[red]tea"))


def test_colour_follows_the_terminal_and_no_color(make, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[1;32mlogistic" in _rendered(make(), force_terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;32m" not in _rendered(make(), force_terminal=True)
