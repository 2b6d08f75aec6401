from __future__ import annotations

import io

from rich.console import Console

from bestofk.report import render, to_text

OPENING = """\
AUROC decides.
tea: 150 rows, 4 inputs, 2 classes
2 repeats of 2-fold cross-validation
Decided by error rate (lower is better); corrected resampled t test, Holm
  correction, level 5 %
20 runs done now, 0 found in the store, 0 failed

                 error
  learner         rate      sd  accuracy  AUROC     fit  predict
----------------------------------------------------------------
* logistic      0.0500  0.0183     0.950  0.900  6.6 ms   1.0 ms
+ cart          0.0600  0.0183     0.940  0.900  2.6 ms   1.0 ms
  1nn           0.0900  0.0183     0.910  0.900  2.3 ms   1.0 ms
  nearest-mean  0.1300  0.0183     0.870  0.900  1.9 ms   1.0 ms
  majority      0.6667  0.0183     0.333  0.900  100 µs   1.0 ms

* best average; + may be best as well; sd over splits; fit and predict: median
per run

Of 5 learners on tea, logistic"""


def test_the_text_begins_with_headline_basis_and_table(make):
    assert to_text(make(headline="AUROC decides.")).startswith(OPENING)


def test_the_text_ends_with_warnings_and_notes(make):
    assert to_text(make()).endswith("Warnings:\n- Look out.\n\nNotes:\n- A guess.")


def test_no_line_is_wider_than_the_terminal(make):
    assert max(map(len, to_text(make()).splitlines())) <= 80
    assert max(map(len, to_text(make(), 70).splitlines())) <= 70


def test_columns_move_together_before_they_overflow(make):
    assert "* logistic     0.0500 0.0183    0.950 0.900" in to_text(make(), 60)


def test_without_learners_the_table_is_empty(make):
    findings = make(verdict={"best": None, "order": [], "candidates": []})
    findings.learners.clear()
    assert "No verdict is possible on tea" in to_text(findings)


def _rendered(findings, **options) -> str:
    file = io.StringIO()
    render(findings, Console(file=file, width=80, **options))
    return file.getvalue()


def test_a_console_without_colour_gets_the_same_text(make):
    assert _rendered(make(title="[red]tea")).rstrip() == to_text(make(title="[red]tea"))


def test_colour_follows_the_terminal_and_no_color(make, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[1;32m* logistic" in _rendered(make(), force_terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;32m" not in _rendered(make(), force_terminal=True)
