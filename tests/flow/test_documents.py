"""Reports in LaTeX compile, and reports in Markdown render by the rules of GitHub."""

import itertools
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt

from bestofk import compare
from bestofk.report import to_latex, to_markdown
from bestofk.report.sentences.methods import bibtex, methods_paragraph
from bestofk.score_tables.across import compare_scores_across

ON_GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NAMES = (
    "a_b%c", "d&e#f", "~g^h", "back\\slash{x}", "µ-Schätzer → 5€", "$m|n*o<p>_q_`r`[s](t)",
    "<b>bold</b> **x**", 'say "so"', "[first](http://example.org)",
)  # fmt: skip
DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
\input{table}
\input{methods}
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""


def one_data_set():
    learners = dict.fromkeys(NAMES, "majority") | {NAMES[0]: "nearest-mean", NAMES[1]: "lda"}
    return compare(learners, "iris", cv="2x5", n_jobs=1).findings


def many_data_sets():
    rng = np.random.default_rng(2)
    columns = {name: rng.normal(0.2 + k / 50, 0.01, 6) for k, name in enumerate(NAMES[:6])}
    table = pd.DataFrame({"dataset": NAMES[:6], **columns})
    return compare_scores_across(table, measure="error")


def run(folder: Path, *words: str) -> str:
    ended = subprocess.run(words, cwd=folder, capture_output=True, check=False)
    printed = ended.stdout.decode(errors="replace")
    assert ended.returncode == 0, printed
    return printed


@pytest.mark.slow
@pytest.mark.parametrize("findings", [one_data_set, many_data_sets])
def test_latex_compiles_in_a_plain_article(findings, tmp_path):
    if not (shutil.which("pdflatex") and shutil.which("bibtex")):
        pytest.skip("no pdflatex; install texlive-latex-recommended to run this test")
    made = findings()
    (tmp_path / "document.tex").write_text(DOCUMENT, encoding="utf-8")
    (tmp_path / "table.tex").write_text(to_latex(made), encoding="utf-8")
    (tmp_path / "methods.tex").write_text(methods_paragraph(made), encoding="utf-8")
    (tmp_path / "references.bib").write_text(bibtex(made), encoding="utf-8")
    compile_once = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "document.tex")
    run(tmp_path, *compile_once)
    run(tmp_path, "bibtex", "document")
    run(tmp_path, *compile_once)
    printed = run(tmp_path, *compile_once)
    assert "undefined" not in printed
    assert "Missing character" not in printed
    assert "Output written on document.pdf" in printed
    cited = (tmp_path / "document.bbl").read_text(encoding="utf-8")
    assert cited.count(r"\bibitem") == (tmp_path / "references.bib").read_text("utf-8").count("@")


def tables_of(text: str) -> list[list[list[str]]]:
    """Return the cells of every table as GitHub shows them, the header first."""
    tokens = ON_GITHUB.parse(text)
    tables: list[list[list[str]]] = []
    for before, token in itertools.pairwise(tokens):
        if before.type == "table_open":
            tables.append([])
        if token.type == "tr_open":
            tables[-1].append([])
        if before.type in ("th_open", "td_open"):
            kinds = {child.type for child in token.children or []}
            assert kinds <= {"text", "text_special", "strong_open", "strong_close"}, token.content
            tables[-1][-1].append("".join(child.content for child in token.children or []))
    return tables


@pytest.mark.parametrize(
    ("findings", "names"),
    [(one_data_set, NAMES), (many_data_sets, NAMES[:6])],
    ids=["one", "many"],
)
def test_on_github_tables_have_a_row_for_each_learner_and_names_are_plain_text(findings, names):
    text = to_markdown(findings())
    head, *rows = tables_of(text)[0]
    assert head[0] == "learner"
    assert all(len(row) == len(head) for row in rows)
    assert sorted(row[0] for row in rows) == sorted(names)
    tokens = ON_GITHUB.parse(text)
    kinds = {child.type for token in tokens for child in token.children or []}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "softbreak"}
    assert all(token.type != "html_block" for token in tokens)
