"""A page of a comparison, as its reader meets it."""

import math
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from bestofk import compare
from bestofk.measures.words import is_share
from bestofk.report.sections import sections

PHONE = {"width": 360, "height": 740}
WIDE = {"width": 1000, "height": 800}
NAMES = ["logistic", "cart", "1nn", "nearest-mean", "majority"]
LONG = "a-tree-with-a-name-that-is-much-longer-than-anything-in-a-table-should-be"
EVIL = "<script>alert(1)</script>"

# Rendered size of letters, scaled pictures included.
SMALL_TEXTS = """() => {
  const small = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (!text || element.closest("script, style") || !element.getClientRects().length) continue;
    let size = parseFloat(getComputedStyle(element).fontSize);
    if (element.closest("svg")) {
      const { a, b } = element.getScreenCTM();
      size *= Math.hypot(a, b);
    }
    if (size < 11.9) small.push([size, text]);
  }
  return small;
}"""


@pytest.fixture(scope="session")
def iris() -> Any:
    return compare(NAMES, "iris", cv="2x5")


@pytest.fixture(scope="session")
def halves() -> Any:
    """Return a comparison whose plan carries several tests, of two classes."""
    X, y = load_breast_cancer(return_X_y=True)
    return compare(["lda", "cart", "1nn"], X[::4], y[::4], cv="5x2", prefer=["1nn", "cart", "lda"])


@pytest.fixture(scope="session")
def hold_out() -> Any:
    X, y = load_breast_cancer(return_X_y=True)
    return compare(["lda", "cart", "1nn"], X, y, cv="holdout")


def texts_of(page: Any, selector: str) -> list[str]:
    return page.evaluate(
        "(selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent)", selector
    )


def table_of(page: Any, name: str) -> list[list[str]]:
    return page.evaluate(
        """(name) => [...document.querySelectorAll(`#${name} tbody tr`)]
        .map((row) => [...row.children].map((cell) => cell.textContent))""",
        name,
    )


def options_of(page: Any) -> dict[str, list[str]]:
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#switches select")]
        .map((select) => [select.name, [...select.options].map((option) => option.value)]))"""
    )


def switch_to(page: Any, choices: dict[str, str]) -> dict[str, str]:
    """Set every switch as a reader does, and return where they stand then."""
    for name, value in choices.items():
        select = page.locator(f"#switches select[name={name}]")
        if select.is_enabled() and len(select.locator("option").all()) > 1:
            select.select_option(value)
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#switches select")]
        .map((select) => [select.name, select.value]))"""
    )


def by_choices(result: Any, choices: dict[str, str]) -> Any:
    """Return the findings that Python gives by the choices of a page."""
    known = {"none": None, "asked": result.settings.prefer}
    settings = replace(
        result.settings,
        test=choices["test"],
        correction=choices["correction"],
        alpha=float(choices["alpha"]),
        prefer=known.get(choices["preference"], choices["preference"]),
    )
    return replace(result.decided_by(choices["measure"]), settings=settings).findings


def assert_shows(page: Any, findings: Any) -> None:
    report = sections(findings, verbose=True)
    assert texts_of(page, "#answer p") == list(report.answer)
    table = report.tables[0]
    assert table_of(page, "learners") == [[row.name, *row.cells] for row in table.rows]
    heads = ["".join(head.split()) for head in table.heads]
    assert ["".join(text.split()) for text in texts_of(page, "#learners thead th")] == heads
    pairs = table_of(page, "pairs")
    assert [row[:2] for row in pairs] == [[p.first, p.second] for p in findings.verdict.pairs]
    for row, pair in zip(pairs, findings.verdict.pairs, strict=True):
        low, high = row[3].split(" to ")
        printed = [row[2], low, high, row[4], row[5], row[6]]
        scale = 100 if is_share(findings.measure) else 1  # in points
        of_loss = [scale * value for value in (pair.difference, pair.low, pair.high)]
        values = [*of_loss, pair.p_value, pair.p_adjusted]
        for text, value in zip(printed, [*values, pair.p_first_better], strict=True):
            digits = 0.0051 if text == row[6] or scale > 1 else 5.1e-5
            if math.isnan(value):
                assert text == "-"
            elif text[0] in "<>":
                assert (value < float(text[1:])) == (text[0] == "<")
            else:
                assert float(text) == pytest.approx(value, abs=digits, rel=0.02)
    lanes = texts_of(page, "#differences .lane:not(.axis) .said")
    assert lanes == [row.cells[2] for row in table.rows if row.cells[2]]


@pytest.mark.parametrize("name", ["iris", "halves", "hold_out"])
def test_every_switch_shows_what_python_computes(name, opened, request):
    result = request.getfixturevalue(name)
    page = opened(result, viewport=WIDE)
    assert_shows(page, result.findings)
    options = options_of(page)
    seen = set()
    names = ("measure", "test", "preference", "correction", "alpha")
    for values in product(*(options[name] for name in names)):
        choices = dict(zip(names, values, strict=True))
        at = switch_to(page, choices)
        if tuple(at.values()) not in seen:
            assert at["measure"] == choices["measure"]
            assert_shows(page, by_choices(result, at))
        seen.add(tuple(at.values()))
    assert len(seen) == math.prod(map(len, options.values()))


def test_the_way_back_leads_to_the_report(iris, opened):
    page = opened(iris, viewport=WIDE)
    assert not page.locator("#changed").is_visible()
    switch_to(page, {"measure": "auroc", "alpha": "0.01", "preference": "fit-time"})
    assert page.locator("#changed").is_visible()
    page.get_by_role("button", name="Back to the report").click()
    page.wait_for_function("document.querySelector('#changed').hidden")
    assert_shows(page, iris.findings)


def test_the_matrix_has_the_answer_about_every_pair(iris, opened):
    page = opened(iris, viewport=PHONE)
    order, edges = iris.order, iris.verdict().edges
    rows = page.locator(".matrix").first.locator("tbody tr").all()
    assert [row.locator("th").inner_text() for row in rows] == [
        f"{number}. {name}" for number, name in enumerate(order, start=1)
    ]
    for first, row in zip(order, rows, strict=True):
        said = dict(zip(order, row.locator("td").all_text_contents(), strict=True))
        assert {name for name in order if said[name] == "better"} == {
            edge.worse for edge in edges if edge.better == first
        }
        assert said[first] == ""


def test_tables_are_sorted_by_their_heads(iris, opened):
    page = opened(iris, viewport=WIDE)
    error = page.locator("#learners thead th").nth(1)
    means = {item.name: item.mean for item in iris.findings.learners}
    for kind, sign in (("ascending", 1), ("descending", -1)):
        error.get_by_role("button").click()
        assert error.get_attribute("aria-sort") == kind
        shown = [sign * means[row[0]] for row in table_of(page, "learners")]
        assert shown == sorted(shown)
    page.locator("#learners thead th").first.get_by_role("button").click()
    assert [row[0] for row in table_of(page, "learners")] == sorted(means)
    assert page.locator("#learners [aria-sort]").count() == 1


def test_cells_are_sorted_by_their_numbers(iris, opened):
    numbers = {
        "4.4%": 0.044, "12 µs": 1.2e-05, "5.5 ms": 0.0055, "2.0 s": 2, "6.7 min": 402,
        "1,234": 1234, "-0.0142 to 0.0023": -0.0142, "1.23e-05": 1.23e-05, "-": None,
    }  # fmt: skip
    key = "texts => texts.map(text => sortKey(Object.assign(document.createElement('td'), "
    read = opened(iris).evaluate(f"{key}{{textContent: text}})))", list(numbers))
    assert read == [None if value is None else pytest.approx(value) for value in numbers.values()]


def test_seconds_are_sorted_as_seconds(iris, opened):
    page = opened(iris, viewport=WIDE)
    page.locator("#learners").get_by_role("button", name="train").click()
    seconds = {item.name: item.fit_seconds for item in iris.findings.learners}
    shown = [seconds[row[0]] for row in table_of(page, "learners")]
    # printed with two digits, so neighbors may be tied
    assert all(later > 0.9 * earlier for earlier, later in pairwise(shown))


def test_rows_are_filtered_by_name_and_by_what_is_plausible(iris, opened):
    page = opened(iris, viewport=WIDE)

    def visible() -> list[str]:
        return [
            row.locator("th").inner_text()
            for row in page.locator("#learners tbody tr").all()
            if row.is_visible()
        ]

    page.locator("#filter").fill("N")
    assert visible() == [item.name for item in iris.findings.ordered() if "n" in item.name]
    page.locator("#filter").fill("")
    page.locator("#plausible").check()
    expected = [item.name for item in iris.findings.ordered() if item.name in iris.candidates]
    assert visible() == expected
    assert page.locator("#count").inner_text() == f"{len(expected)} of 5 learners"
    switch_to(page, {"measure": "auroc"})  # the filter stays
    assert len(visible()) == len(by_choices(iris, options_at(page)).verdict.candidates)


def options_at(page: Any) -> dict[str, str]:
    return switch_to(page, {})


def test_the_keyboard_reaches_everything(iris, opened):
    page = opened(iris, viewport=WIDE)
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(
            "() => { const e = document.activeElement; return e.id || e.name || e.textContent; }"
        ))  # fmt: skip
    assert {"theme", "measure", "alpha", "preference", "filter", "plausible"} <= set(reached)
    page.locator("#learners thead button").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.locator("#learners thead th").nth(1).get_attribute("aria-sort") == "ascending"
    page.locator("select[name=alpha]").focus()
    page.keyboard.press("ArrowDown")
    assert_shows(page, by_choices(iris, options_at(page)))
    assert options_at(page)["alpha"] == "0.1"


def test_the_theme_can_be_chosen(iris, opened):
    page = opened(iris, viewport=WIDE, color_scheme="light")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark colors").click()
    assert page.evaluate(ground) != light
    page.get_by_role("button", name="Light colors").click()
    assert page.evaluate(ground) == light
    assert opened(iris, viewport=WIDE, color_scheme="dark").evaluate(ground) != light


def test_parts_of_a_learner_and_of_a_class_are_chosen_and_printed_whole(iris, opened):
    page = opened(iris, viewport=WIDE)
    page.locator("select[data-panels=curves]").select_option("virginica")
    assert page.locator("#curves > :visible h3").all_inner_texts() == ["Class virginica"]
    page.emulate_media(media="print")
    assert page.locator("#curves > :visible").count() == 3
    assert not page.locator("#switches").is_visible()
    assert not page.locator("#filter").is_visible()


def test_without_scripts_the_report_is_whole(iris, opened):
    page = opened(iris, viewport=WIDE, java_script_enabled=False)
    assert page.locator("#answer p").first.is_visible()
    assert page.locator("#curves > :visible").count() == 3
    assert not page.locator("#theme").is_visible()
    assert not page.locator("#switches").is_visible()


PAGES = {
    "classes": lambda: compare(NAMES, "iris", cv="adaptive", max_repeats=5),
    "values": lambda: compare(None, *load_diabetes(return_X_y=True), max_repeats=5),
    "many data sets": lambda: compare(
        ["lda", "cart", "majority"], {"iris": "iris", "wine": "wine"}, cv=3
    ),
    "names": lambda: compare(
        {LONG: DecisionTreeClassifier(random_state=0), EVIL: DummyClassifier(), "lda": "lda"},
        np.random.default_rng(0).normal(size=(60, 3)), [f"{EVIL}{i % 2}" for i in range(60)], cv=3,
    ),
}  # fmt: skip


@pytest.fixture(scope="session", params=PAGES)
def result(request: Any) -> Any:
    return PAGES[request.param]()


@pytest.mark.parametrize(
    "options",
    [
        {"viewport": WIDE, "color_scheme": "light"},
        {"viewport": WIDE, "color_scheme": "dark"},
        {"viewport": PHONE, "color_scheme": "light"},
    ],
    ids=["light", "dark", "phone"],
)
def test_axe_has_no_objections_and_letters_can_be_read(result, options, opened):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="no axe; install bestofk[browser]"
    )
    page = opened(result, **options)
    violations = axe.Axe().run(page).response["violations"]
    assert [(item["id"], item["nodes"][0]["html"]) for item in violations] == []
    assert page.evaluate(SMALL_TEXTS) == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width == options["viewport"]["width"]
