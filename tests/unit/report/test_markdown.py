from bestofk.report import to_markdown


def test_the_answer_stands_above_the_table_and_lists_below(make):
    lines = to_markdown(make()).splitlines()
    assert lines[:3] == ["## tea", "", "**Use logistic: 5.0% error (AUROC 0.900).**"]
    heads = "| learner | error | sd | vs logistic | accuracy | AUROC | train | predict |"
    index = lines.index(heads)
    assert lines[index + 1] == "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |"
    best = "| **logistic** | 5.0% | 1.8 | pick | 0.950 | 0.900 | 6.6 ms | 1.0 ms |"
    assert lines[index + 2] == best
    assert lines[-4:] == ["", "### Guessed", "", "- A guess."]


def test_names_cannot_break_the_table(make):
    assert r"## a\|b\*c&lt;d&gt;" in to_markdown(make(title="a|b*c<d>"))
