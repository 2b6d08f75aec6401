import json
from dataclasses import replace

from tests.unit.report.given_findings import findings

from bestofk.report.html.views import (
    CHOICES,
    Switches,
    cell,
    controls,
    rows_of,
    view_of,
    views_as_json,
)
from bestofk.report.sections import sections

OPTIONS = {
    "measure": {"error": "error rate", "auroc": "AUROC"},
    "test": {"corrected-t": "corrected resampled t test"},
    "correction": {"holm": "Holm"},
    "alpha": {"0.05": "5%"},
    "preference": {"none": "none"},
}
START = ("error", "corrected-t", "holm", "0.05", "none")


def test_a_cell_is_escaped():
    assert cell("<b>") == "<td>&lt;b&gt;</td>"
    assert cell("5 kB", 5000.0) == '<td data-value="5000">5 kB</td>'
    assert cell("-", float("nan")) == '<td data-value="">-</td>'


def test_the_mark_of_an_answer_stands_in_its_cell_where_medians_decide_too():
    made = findings()
    by_median = replace(made, verdict=replace(made.verdict, center="median"))
    for row in rows_of(view_of(by_median).learners):
        assert ["glyph" in item for item in row[2:6]] == [False, False, False, True]


def pieces_of(parsed: dict, position) -> list:
    """Return the pieces of a list, or those of each column of a table."""
    if isinstance(position, list):
        return [tuple(pieces_of(parsed, column)) for column in position]
    return [parsed["pieces"][piece] for piece in parsed["lists"][position]]


def test_views_come_back_from_json_as_they_were():
    other = replace(findings(), title="</script>")
    switches = Switches(OPTIONS, START, {START: findings(), ("auroc", *START[1:]): other})
    text = views_as_json(switches)
    assert "<" not in text
    parsed = json.loads(text)
    assert list(parsed["views"]) == ["|".join(START), "|".join(("auroc", *START[1:]))]
    for key, item in zip(parsed["views"], switches.findings.values(), strict=True):
        view = view_of(item)
        for name, pieces in vars(view).items():
            assert pieces_of(parsed, parsed["views"][key][name]) == pieces


def test_equal_pieces_stand_once():
    one = json.loads(views_as_json(Switches(OPTIONS, START, {START: findings()})))
    shared = findings()
    keys = {START: shared, ("auroc", *START[1:]): shared, ("f1", *START[1:]): findings()}
    three = json.loads(views_as_json(Switches(OPTIONS, START, keys)))
    assert three["pieces"] == one["pieces"]
    assert three["lists"] == one["lists"]
    assert len({json.dumps(view) for view in three["views"].values()}) == 1


def test_columns_that_a_choice_leaves_alone_stand_once():
    made = findings()
    other = replace(made, verdict=replace(made.verdict, alpha=0.01))
    keys = {START: made, (*START[:3], "0.01", "none"): other}
    first, second = json.loads(views_as_json(Switches(OPTIONS, START, keys)))["views"].values()
    assert first["pairs"] == second["pairs"]  # but for the head, which has the level
    assert first["pairs_head"] != second["pairs_head"]


def test_a_view_has_the_answer_and_the_table_of_the_report():
    view, report = view_of(findings()), sections(findings(), verbose=True)
    assert view.answer == list(report.answer)
    rows = rows_of(view.learners)
    assert [len(row) for row in rows] == [len(row.cells) + 2 for row in report.tables[0].rows]
    plausible = [row[1] for row in rows if "data-plausible" in row[0]]
    assert ["logistic" in name or "cart" in name for name in plausible] == [True, True]


def test_every_choice_has_a_control_that_stands_at_the_start():
    parts = controls(Switches(OPTIONS, START, {}))
    assert [part["name"] for part in parts] == list(CHOICES)
    assert [part["start"] for part in parts] == list(START)
    assert parts[0]["options"] == [("error", "error rate"), ("auroc", "AUROC")]
