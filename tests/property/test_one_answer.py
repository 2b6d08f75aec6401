"""One answer: text, table, JSON, LaTeX and page say the same of every learner and every pair."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from bestofk import compare, compare_scores
from bestofk.inference import Sampling, usable_tests
from bestofk.measures import get_measure
from bestofk.report import (
    Findings,
    LearnerFindings,
    to_json,
    to_latex,
    to_markdown,
    to_text,
    write_html,
)
from bestofk.report.sentences.answers import GROUPS
from bestofk.score_tables.across import compare_scores_across
from bestofk.verdict import Evidence, decide
from bestofk.verdict.verdict_options import VerdictOptions

PLANS = [
    Sampling("k-fold", 1, 5, n_train=80, n_test=20),
    Sampling("k-fold", 5, 2, n_train=50, n_test=50),
    Sampling("k-fold", 3, 4, n_train=75, n_test=25),
    Sampling("hold-out", 8, 1, n_train=70, n_test=30),
    Sampling("k-fold", 1, 1, n_train=70, n_test=30),
]
MEASURES = ("error", "accuracy", "auroc", "log_loss")
# What the table says of a learner that stands in a group of the second line.
CELLS = {
    "Significantly better": {"better"},
    "About the same": {"about the same"},
    "Same scores": {"same scores"},
    "Cannot be ruled out": {"can't tell", ""},
    "Significantly worse than another learner": {"can't tell", ""},
    "Preferred but significantly worse": {"overridden"},
    "Less preferred and not significantly better": {"not better"},
    "Not tested": {"not tested"},
    "Significantly worse": {"worse"},
    "All others are significantly worse": {"worse"},
}
WORDS = {word for words in CELLS.values() for word in words} - {""}
# What cannot be said of a learner where a preference decides.
FOREIGN = ("can't tell", "Cannot be ruled out", "bout the same", "may be best", "is undecided")


def random_findings(rng: np.random.Generator) -> Findings:
    """Return the findings of a random table under random settings, baselines included."""
    n_learners = int(rng.integers(2, 9))
    names = [f"learner-{i}" for i in rng.permutation(n_learners)]
    sampling = PLANS[rng.integers(len(PLANS))]
    measure = get_measure(str(rng.choice(MEASURES)), task="classification", classes=["a", "b"])
    n, spread = sampling.n_scores, rng.choice([0.0, 0.001, 0.01, 0.05])
    level = 0.5 + rng.choice([0.0, 0.005, 0.02, 0.1]) * rng.integers(-2, 3, n_learners)
    losses = level + spread * rng.normal(size=(n, n_learners))
    if rng.random() < 0.3:
        losses = np.round(losses, 2)
    baselines = [bool(rng.random() < 0.2) and i > 0 for i in range(n_learners)]
    test = str(rng.choice(usable_tests(sampling) or ["corrected-t"]))
    prefer = [None, None, "given", list(rng.permutation(names))][rng.integers(4)]
    prefer = (
        [name for name in prefer if not baselines[names.index(name)]]
        if isinstance(prefer, list)
        else prefer
    )
    settings = VerdictOptions(
        test=test,
        correction=str(rng.choice(["holm", "bonferroni"])),
        alpha=float(rng.choice([0.01, 0.05, 0.2])),
        prefer=prefer,
        rope=float(rng.choice([0.0, 0.01, 0.03])),
        center=str(rng.choice(["mean", "median"])) if prefer is None else "mean",
    )
    repeats = np.arange(n) // sampling.n_folds
    verdict = decide(
        Evidence(
            names=names,
            losses=losses,
            sampling=sampling,
            is_baseline=baselines,
            costs={},
            repeat_of_split=repeats,
        ),
        settings,
    )
    scores = 1 - losses if measure.greater_is_better else losses
    learners = [
        LearnerFindings(
            name=name,
            mean=float(values.mean()),
            sd=float(values.std()),
            scores=values,
            n_runs=n,
            fit_seconds=0.01,
            predict_seconds=0.01,
            is_baseline=is_baseline,
        )
        for name, values, is_baseline in zip(names, scores.T, baselines, strict=True)
    ]
    return Findings(
        "tea", "", "100 rows", "a plan", measure, [], learners, verdict, {},
        repeat_of_split=repeats, warnings=verdict.warnings,
    )  # fmt: skip


class Tables(HTMLParser):
    """Reader of all tables and lanes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.lanes: list[list[str]] = []
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        kind = dict(attrs).get("class") or ""
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self._open = "cell"
        elif tag == "div" and kind.split()[:1] == ["lane"]:
            self.lanes.append([])
        elif tag == "span" and kind in ("name", "said") and self.lanes and self._open != "cell":
            self.lanes[-1].append("")
            self._open = "lane"

    def handle_endtag(self, tag):
        if tag in ("td", "th") or (tag == "span" and self._open == "lane"):
            self._open = ""

    def handle_data(self, data):
        if self._open == "cell":
            self.rows[-1][-1] += data
        elif self._open == "lane":
            self.lanes[-1][-1] += data


def groups_of(lines: str) -> dict[str, tuple[list[str], int]]:
    """Return the learners of every group of the first lines, and how many more are counted."""
    found = {}
    titles = "|".join(map(re.escape, sorted(CELLS, key=len, reverse=True)))
    for title, names, more in re.findall(
        rf"(?:^|\. )({titles}): ([^.]*?)(?: \+ (\d+) more)?(?=\.)", lines
    ):
        assert title not in found
        found[title] = (names.split(", "), int(more or 0))
    return found


def answers_of(text: str, best: str) -> dict[str, str]:
    """Return the printed answer about every learner."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in text.split("\n\n")[1].splitlines()]
    rule = next(index for index, row in enumerate(rows) if set(row[0]) == {"-"})
    column = rows[rule - 1].index(f"vs {best}")
    return {row[0]: row[column] for row in rows[rule + 1 :] if len(row) > column}


def words_of(cell: str) -> str:
    """Return an answer without its difference."""
    return cell.partition(" (")[0]


def check_pairs(content: dict, *, has_preference: bool) -> None:
    """Check that edges, candidates and answers of pairs are one and the same."""
    pairs, edges = content["pairs"], content["edges"]
    better = set()
    for pair in pairs:
        first, second = pair["first"], pair["second"]
        if pair["answer"] == "better":
            winner = pair["finding"].removesuffix(" is better")
            assert winner in (first, second)
            better.add((second if winner == first else first, winner))
        if has_preference:
            said = {
                "better": f"{second} is better",
                "not better": f"{second} is not significantly better",
                "not tested": "not tested",
            }
            assert pair["finding"] == said[pair["answer"]]
            if pair["answer"] == "not tested":
                assert pair["p_adjusted"] is None
                assert content.get("data_sets") or pair["no_test"]
            else:
                assert (pair["answer"] == "better") == (pair["p_adjusted"] <= content["alpha"])
    shown = {(edge.get("from", edge.get("worse")), edge.get("to", edge.get("better")))
             for edge in edges}  # fmt: skip
    assert shown == better
    worse = {worse for worse, _ in shown}
    named = [name for name in content["order"] if name not in worse]
    assert sorted(content["candidates"]) == sorted(named)


def page_of(findings, folder) -> str:
    path = folder / "page.html"
    write_html(findings, path)
    return path.read_text(encoding="utf-8")


def check_one(findings: Findings, folder) -> None:
    text, page = to_text(findings, 10_000, verbose=True), page_of(findings, folder)
    content = json.loads(to_json(findings))
    verdict, best = findings.verdict, findings.verdict.best
    first, second, _ = content["answer"]
    assert text.startswith("\n".join(content["answer"]))
    assert first.startswith(f"Use {best}: ")
    groups = groups_of(second)
    # every learner but the pick stands in one group, or with the pick, or without a result
    held = re.findall(r"not significantly better than (.*?), which ignores?", first)
    held = re.split(r", | and ", held[0]) if held else []
    listed = [name for names, _ in groups.values() for name in names] + held
    listed += re.findall(r"No result: ([^.]*)\.", second)
    n_more = sum(more for _, more in groups.values())
    assert len(listed) == len(set(listed))
    assert best not in listed
    assert len(listed) + n_more == len(findings.learners) - 1
    # table, JSON, page and Markdown agree with the groups
    group_of = {name: title for title, (names, _) in groups.items() for name in names}
    answers = {item["name"]: item["versus_pick"] for item in content["learners"]}
    cells, tables = answers_of(text, best), Tables(page)
    for name, title in group_of.items():
        words = words_of(cells[name])
        assert words in CELLS[title], (name, title, cells[name])
        on_page = [cell for row in tables.rows if row[:1] == [name] and row[1] not in cells
                   for cell in row[1:] if words_of(cell) in WORDS]  # fmt: skip
        assert set(on_page) == {cells[name]}
        assert f"| {name} |" not in to_markdown(findings) or cells[name] in to_markdown(findings)
        said = {"about the same": "equivalent", "can't tell": "undecided"}
        said |= {"not tested": "untested", "same scores": "equivalent"}
        assert answers[name]["answer"] == said.get(words, words)
    assert answers[best]["answer"] == "pick"
    for name, said in (lane for lane in tables.lanes if len(lane) == 2):
        assert words_of(said) not in WORDS or said == cells[name]
    check_pairs(content, has_preference=verdict.has_preference)
    for item in content["learners"]:
        assert item["candidate"] == (item["name"] in content["candidates"])
        if item["candidate"] and item["name"] in group_of:
            assert "worse" not in group_of[item["name"]]
        by = (item["versus_pick"] or {}).get("by")
        if by and by not in findings.verdict.baselines and item["name"] in verdict.order:
            edge = next(e for e in content["edges"] if (e["from"], e["to"]) == (item["name"], by))
            assert edge["p_adjusted"] == item["versus_pick"]["p_adjusted"] <= verdict.alpha
    # the page's table of pairs
    finding = {(pair["first"], pair["second"]): pair["finding"] for pair in content["pairs"]}
    for row in tables.rows:
        if len(row) >= 9 and (row[0], row[1]) in finding:
            expected = {"undecided": "can't tell", "practically equivalent": "about the same"}
            said = finding[row[0], row[1]]
            assert row[-1].startswith(expected.get(said, said))
    # what is not true where a preference decides is said nowhere
    everything = [text, to_latex(findings), to_markdown(findings)]
    if verdict.has_preference:
        for words in FOREIGN[bool(held) :]:  # of a baseline "can't tell" is true
            assert not any(words in said for said in everything), words
    else:
        assert not any("overridden" in said.lower() for said in everything)
        assert not any("preferred" in said for said in everything)
    n_tests = len(verdict.order) * (len(verdict.order) - 1) // (1 + verdict.has_preference)
    counts = {int(n) for n in re.findall(r"(\d+) one-sided tests?\b", text)}
    assert counts <= {n_tests}
    assert set(re.findall(r"\b(Holm|Bonferroni)\)", text)) <= {verdict.correction.capitalize()}
    said_out = re.findall(r"(\S+) has the lowest mean loss and is not among the candidates", text)
    assert bool(said_out) == (best not in verdict.candidates)


@pytest.mark.parametrize("seed", range(30))
def test_no_two_statements_about_one_data_set_disagree(seed, tmp_path):
    check_one(random_findings(np.random.default_rng(seed)), tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_no_two_statements_about_many_data_sets_disagree(seed, tmp_path):
    rng = np.random.default_rng(seed)
    n_learners, n_sets = int(rng.integers(2, 8)), int(rng.integers(2, 15))
    names = [f"learner-{i}" for i in rng.permutation(n_learners)]
    level = 0.3 + rng.choice([0.0, 0.001, 0.02, 0.1]) * rng.integers(-2, 3, n_learners)
    scores = (
        level
        + 0.01 * rng.random((n_sets, 1))
        + rng.choice([0, 0.002, 0.02]) * rng.random((n_sets, n_learners))
    )
    table = pd.DataFrame(scores.round(3), columns=names)
    table.insert(0, "dataset", [f"set-{i}" for i in range(n_sets)])
    prefer = [None, None, "given", list(rng.permutation(names))][rng.integers(4)]
    control = names[0] if prefer is None and rng.random() < 0.3 else None
    findings = compare_scores_across(
        table, measure="error", prefer=prefer, control=control,
        correction=str(rng.choice(["holm", "bonferroni"])), alpha=float(rng.choice([0.05, 0.2])),
        rope=float(rng.choice([0.0, 0.01])),
    )  # fmt: skip
    text, content = to_text(findings, 10_000, verbose=True), json.loads(to_json(findings))
    first, second, _ = content["answer"]
    best = findings.verdict.best
    assert first.startswith(f"Use {best}: ")
    groups = groups_of(second)
    listed = [name for names, _ in groups.values() for name in names]
    n_more = sum(more for _, more in groups.values())
    assert len(listed) == len(set(listed))
    assert best not in listed
    assert len(listed) + n_more == n_learners - 1
    cells = answers_of(text, best)
    tables = Tables(page_of(findings, tmp_path))
    for title, (members, _) in groups.items():
        for name in members:
            words = words_of(cells[name])
            assert words in CELLS[title] or (control and "/" in words)
            assert any(row[:1] == [name] and words in " ".join(row) for row in tables.rows)
    check_pairs(content, has_preference=prefer is not None)
    if prefer is not None:
        assert not any(words in text for words in FOREIGN)
        assert "critical difference" not in text
    said = re.findall(r"(\S+) better than ([^;.\s]+)", text.partition("differences: ")[2][:400])
    shown = {(edge["worse"], edge["better"]) for edge in content["edges"]}
    assert all((worse.strip(";."), better) in shown for better, worse in said)


def test_every_group_has_its_words():
    assert set(GROUPS.values()) <= set(CELLS)


def test_a_table_of_scores_gives_the_same_answer_in_every_form(tmp_path):
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal([0.2, 0.25, 0.1], 0.01, (10, 3)), columns=["a", "b", "c"])
    for i, prefer in enumerate((None, ["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"])):
        result = compare_scores(table, measure="error", cv="5x2", prefer=prefer)
        (tmp_path / str(i)).mkdir()
        check_one(result.findings, tmp_path / str(i))


@pytest.mark.parametrize(
    "options",
    [
        {"cv": "5x2"},
        {"cv": "5x2", "prefer": "given"},
        {"protocol": "multitest-2006"},
        {"cv": "holdout"},
        {"cv": "holdout", "prefer": "given"},
        {"cv": "adaptive", "max_repeats": 6},
    ],
)
def test_the_explanation_of_a_pair_is_the_answer_about_it(options, tmp_path):
    names = ["majority", "nearest-mean", "lda", "1nn"]
    result = compare(names, "iris", progress=False, **options)
    check_one(result.findings, tmp_path)
    for pair in result.pairs().itertuples():
        one, other = (result.explain(*two) for two in
                      ((pair.first, pair.second), (pair.second, pair.first)))  # fmt: skip
        expected = {
            f"{pair.first} is better": ("better", "worse"),
            f"{pair.second} is better": ("worse", "better"),
            f"{pair.second} is not significantly better": ("not worse", "not better"),
            "undecided": ("undecided", "undecided"),
            "practically equivalent": ("equivalent", "equivalent"),
        }
        assert (one.answer, other.answer) == expected[pair.finding]
        assert one.p_adjusted == other.p_adjusted == pair.p_adjusted
        if pair.finding.endswith("is not significantly better"):
            said = f"{pair.second} is less preferred than {pair.first} and not significantly better"
            assert str(one).startswith(said)
            assert str(other).startswith(said)
