"""Trees that the sources print, as `bestofk tree` prints them."""

import pytest
from tests.published.source_data import CHEAT, TAX

from bestofk.cli import main


def printed(capsys, *arguments: object) -> list[str]:
    assert main(["tree", *map(str, arguments)]) == 0
    return capsys.readouterr().out.split("\n\n")


@pytest.mark.parametrize("learner", ["id3", "c45", "c45-unpruned"])
def test_the_days_are_divided_by_outlook_then_humidity_or_wind(capsys, learner):
    """Figure 3.1 of Mitchell (1997), and the rule that he reads off it."""
    answer, tree, _, rules = printed(capsys, "play-tennis", "--learner", learner, "--rules")
    assert tree.splitlines() == [
        "outlook = overcast: yes (4.0)",
        "outlook = rainy",
        "|   windy = false: yes (3.0)",
        "|   windy = true: no (2.0)",
        "outlook = sunny",
        "|   humidity = high: no (3.0)",
        "|   humidity = normal: yes (2.0)",
    ]
    assert "if outlook = sunny and humidity = high then no (3.0)" in rules.splitlines()
    assert "On its own 14 training rows: 0% error." in answer


@pytest.mark.parametrize(
    ("way", "leaves"),
    [
        ("equal-width", ["(-inf, 92]", "(92, 124]", "(124, 156]", "(156, 188]", "(188, inf)"]),
        ("equal-frequency", ["(-inf, 72.5]", "(72.5, 87.5]", "(87.5, 97.5]", "(97.5, 122.5]"]),
        ("kmeans", ["(-inf, 80.4167]", "(80.4167, 107.5]", "(107.5, 171.25]", "(171.25, inf)"]),
    ],
)
def test_incomes_are_divided_into_the_intervals_of_the_slides(capsys, tmp_path, way, leaves):
    """Tan, Steinbach & Kumar (2006), section 4.3.3, on the ten tax records."""
    file = tmp_path / "tax.csv"
    TAX[["income"]].assign(cheat=CHEAT).to_csv(file, index=False)
    learner = f"id3(discretization={way})"
    lines = printed(capsys, file, "--target", "cheat", "--learner", learner, "--cv", 2)[1]
    for line, leaf in zip(lines.splitlines(), leaves, strict=False):
        assert line.startswith(f"income = {leaf}: ")
