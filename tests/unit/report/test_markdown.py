from __future__ import annotations

from bestofk.report import to_markdown


def test_the_table_stands_between_basis_and_paragraph(make):
    lines = to_markdown(make(headline="AUROC decides.")).splitlines()
    assert lines[:3] == ["## tea", "", "AUROC decides."]
    index = lines.index("| learner | error rate | sd | accuracy | AUROC | fit | predict | note |")
    assert lines[index + 1] == "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    assert lines[index + 2] == (
        "| **logistic** | 0.0500 | 0.0183 | 0.950 | 0.900 | 6.6 ms | 1.0 ms | best |"
    )
    assert lines[-5:] == ["- Look out.", "", "### Notes", "", "- A guess."]


def test_names_cannot_break_the_table(make):
    assert r"## a\|b\*c\<d\>" in to_markdown(make(title="a|b*c<d>"))
