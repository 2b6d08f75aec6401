"""List of every example, figure, table and exercise of the sources, with what comes out here.

    python -m tests.published.sources

prints its counts, which docs/papers/how-it-was-checked.md quotes, and all of it as Markdown, which
docs/papers/from-the-sources.md holds on the site. The list is figures/sources.csv, and lines/ has
the expressions. Lines without an expression name here what shows them, or why nothing does.
"""

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from replications.cells import NOT_EXPLAINED, read_cells
from tests.given import FIGURES, ROOT
from tests.published.source_lines import LINES

TITLES = {
    "multitest-2006": "Yildiz & Alpaydin (2006)",
    "slides": "Lecture slides on trees and evaluation",
    "notes": "Course notes on trees and evaluation",
    "variability-2010": "Raeder, Hoens & Chawla (2010)",
    "average-ranking-2018": "Abdulrahman, Brazdil, van Rijn & Vanschoren (2018)",
}
_MULTITEST = "python -m replications.multitest_2006 --data FOLDER"
_VARIABILITY = "python -m replications.variability_2010 --data FOLDER"
_RANKING = "python -m replications.average_ranking_2018 --data FOLDER"
_BOUNDARIES = "python examples/tree_boundaries.py"
_TREES = "tests/published/test_tree_examples.py"
_RESULTS = "replications/{}/results/{}"

# Tables of 24 to 300 numbers: the command, the paper, the tables of its list of cells, their rows.
REPLICATED: dict[str, tuple[str, str, str, str]] = {
    "multitest-table-1": (_MULTITEST, "multitest_2006", "1", ""),
    "multitest-table-2": (_MULTITEST, "multitest_2006", "2", ""),
    "multitest-table-3": (_MULTITEST, "multitest_2006", "3", ""),
    "variability-table-1": (_VARIABILITY, "variability_2010", "I", ""),
    "variability-table-2": (_VARIABILITY, "variability_2010", "II", ""),
    "variability-table-3a": (_VARIABILITY, "variability_2010", "III", ", 2 folds, (?:C4.5|HDDT)"),
    "variability-table-3b": (_VARIABILITY, "variability_2010", "III", ", 2 folds, (?:NB|SMO)"),
    "variability-table-3c": (_VARIABILITY, "variability_2010", "III", ", 10 folds, "),
    "variability-table-4": (_VARIABILITY, "variability_2010", "IV", ""),
    "variability-table-5": (_VARIABILITY, "variability_2010", "V", ""),
}

# What shows a line, and the file (or test) that holds it to that.
SHOWN: dict[str, tuple[str, str]] = {
    **{
        name: (f"python examples/{script}.py", "tests/published/test_example_scripts.py")
        for name, script in (
            ("slides-45", "distorted_boundaries"),
            ("slides-46", "distorted_boundaries"),
            ("slides-56", "tree_replication"),
            ("slides-58", "tree_search_strategies"),
            ("slides-77", "evidence_two_error_rates"),
            ("slides-78", "evidence_two_error_rates"),
            ("notes-reduced-error", "reduced_error_curve"),
            ("notes-normal", "normal_approximation"),
        )
    },
    "notes-search": (
        "python examples/candidate_elimination.py",
        "tests/published/test_candidate_elimination.py",
    ),
    "multitest-fig-3": (_MULTITEST, _RESULTS.format("multitest_2006", "figure_3.png")),
    "multitest-fig-4": (_MULTITEST, _RESULTS.format("multitest_2006", "figure_4.png")),
    "slides-44": (
        "python examples/tree_pruning_effect.py",
        f"{_TREES}::test_rings_with_wrong_labels_large_trees_overfit",
    ),
    "slides-60": (_BOUNDARIES, "examples/tree_boundaries.py"),
    "slides-72": ("python examples/learning_curve.py", "examples/learning_curve.py"),
    "slides-85": (
        "python examples/evidence_two_learners.py",
        "examples/evidence_two_learners.py",
    ),
    "notes-tree": ("python examples/tree_play_tennis.py", "examples/tree_play_tennis.py"),
    "notes-overfitting": (
        "python examples/tree_pruning_effect.py",
        "examples/tree_pruning_effect.py",
    ),
    "notes-learning-curve": ("python examples/learning_curve.py", "examples/learning_curve.py"),
    "notes-noise-curves": ("python examples/noise_curve.py", "examples/noise_curve.py"),
    **{
        f"variability-fig-1{panel}": (
            _VARIABILITY,
            _RESULTS.format("variability_2010", "figure_1.png"),
        )
        for panel in "abcd"
    },
    "variability-fig-2": (_VARIABILITY, _RESULTS.format("variability_2010", "figure_2.png")),
    "ranking-fig-2a": (_RANKING, _RESULTS.format("average_ranking_2018", "figure_2.png")),
    "ranking-fig-2b": (_RANKING, _RESULTS.format("average_ranking_2018", "figure_2.png")),
    "ranking-fig-2c": (_RANKING, _RESULTS.format("average_ranking_2018", "figure_2.png")),
    "ranking-fig-3": (_RANKING, _RESULTS.format("average_ranking_2018", "figure_3.png")),
    "ranking-fig-4": (_RANKING, _RESULTS.format("average_ranking_2018", "figure_4.png")),
}

# What nothing here shows, and why.
GAPS: dict[str, str] = {
    "slides-4": "names applications only: nothing to compute",
    "ranking-data": "the table of results was not found; three other public tables are used",
}


def read_lines() -> pd.DataFrame:
    """Return the list, a row per line, by its name."""
    file = FIGURES / "sources.csv"
    return pd.read_csv(file, dtype=str, keep_default_na=False).set_index("id")


def tokens(value: Any) -> list[Any]:
    """Return what an expression gave as plain numbers and words, in order."""
    if isinstance(value, str | None | bool | np.bool_ | int | float | np.number):
        return [value]
    items = value.tolist() if hasattr(value, "tolist") else list(value)
    return [token for item in items for token in tokens(item)]


def half_unit(printed: str) -> float:
    """Return half a unit of the last digit that is printed; 0 of a whole number."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2]) if "." in printed else 0.0


def _number(printed: str) -> tuple[float, float] | None:
    """Return a printed number and by how much its digits leave it open; None of a word."""
    above, slash, below = printed.partition("/")
    try:
        value = float(above) / float(below or 1)
    except ValueError:
        return None
    error = half_unit(above) + value * half_unit(below) if slash else half_unit(above)
    return value, error / float(below or 1)


def agrees(printed: str, here: Any, text: str) -> bool:
    """Return whether a value is the printed one, as far as its digits go.

    Digits that were cut off, or computed from rounded numbers, leave twice as much open.
    """
    if here is None or isinstance(here, bool | np.bool_ | str):
        return printed == word(here)
    number = _number(printed)
    if number is None:
        return False
    open_by = number[1] * (2 if text in ("cut off", "from rounded") else 1)
    return bool(abs(here - number[0]) <= open_by + 1e-9)


def word(value: Any) -> str:
    """Return a value that is no number as the list prints it."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def shown(printed: str, here: Any, text: str) -> str:
    """Return a value with the digits of the printed one, and one more if those are cut off."""
    if here is None or isinstance(here, bool | np.bool_ | str):
        return word(here)
    digits = len(printed.partition("/")[0].partition(".")[2])
    if "/" in printed:
        return f"{here:.{max(digits, 3)}f}"
    return f"{here:.{digits + (text in ('cut off', 'from rounded'))}f}"


def expected(line: pd.Series) -> list[str]:
    """Return what must come out: what holds, or what is printed where that is right."""
    return (line["holds"] or line["printed"]).split()


def source_of(name: str) -> str:
    """Return the code of a line, without the frame of its function."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(LINES[name])))
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    *before, last = function.body
    assert isinstance(last, ast.Return)
    assert last.value is not None
    return "; ".join(ast.unparse(part) for part in [*before, last.value])


def cells_of(name: str) -> pd.DataFrame:
    """Return the cells of a replicated table."""
    _, paper, table, rows = REPLICATED[name]
    cells = read_cells(ROOT / "replications" / paper / "results" / "cells.csv")
    return cells[(cells["table"] == table) & cells["cell"].str.contains(rows)]


def _row(name: str, line: pd.Series) -> tuple[str, str]:
    """Return the command of a line and what it gives."""
    if name in LINES:
        here = tokens(LINES[name]())
        pairs = zip(expected(line), here, strict=True)
        return source_of(name), " ".join(shown(p, value, line["text"]) for p, value in pairs)
    if name in REPLICATED:
        cells = cells_of(name)
        page = REPLICATED[name][1].replace("_", "-")
        result = f"{cells['is_inside'].sum()} of {len(cells)} measured are within tolerance"
        return REPLICATED[name][0], f"[{result}]({page}.md)"
    command, reference = SHOWN[name]
    path = reference.partition("::")[0]
    inside = path.removeprefix("docs/papers/")
    link = f"../{path.removeprefix('docs/')}" if path.startswith("docs/") else f"../../{path}"
    return command, f"[{path.rpartition('/')[2]}]({inside if inside != path else link})"


def _printed(line: pd.Series) -> str:
    if not line["printed"]:
        return "lost" if line["text"] == "lost" else "no number"
    return line["printed"] + ("" if line["text"] == "whole" else f" ({line['text']})")


def _section(lines: pd.DataFrame) -> Iterator[str]:
    yield "| where | what | printed | here | line |"
    yield "|---|---|---|---|---|"
    for name, line in lines.iterrows():
        if name in GAPS:
            continue
        command, here = _row(str(name), line)
        what = f"{line['what']} ({line['note']})" if line["note"] else line["what"]
        yield f"| {line['place']} | {what} | {_printed(line)} | {here} | `{command}` |"


def _count(lines: pd.DataFrame) -> str:
    counts = [
        sum(name in group for name in lines.index) for group in (LINES, REPLICATED, SHOWN, GAPS)
    ]
    return f"{len(lines)} | " + " | ".join(map(str, counts))


def counts_of_lines() -> str:
    """Return how many lines of each source are computed, run again, shown, or a gap."""
    lines = read_lines()
    parts = ["| source | lines | computed | tables run again | shown | gaps |"]
    parts.append("|---|---|---|---|---|---|")
    for source, title in TITLES.items():
        parts.append(f"| {title} | {_count(lines[lines['source'] == source])} |")
    return "\n".join([*parts, f"| all | {_count(lines)} |"])


def counts_of_cells() -> str:
    """Return how many values of each table that was run again are as printed."""
    parts = ["| table | values | within tolerance | outside, explained | outside, not explained |"]
    parts.append("|---|---|---|---|---|")
    everything = []
    for paper in ("multitest_2006", "variability_2010"):
        cells = read_cells(ROOT / "replications" / paper / "results" / "cells.csv")
        everything.append(cells)
        title = TITLES[paper.replace("_", "-")]
        for table, own in cells.groupby("table", sort=False):
            parts.append(f"| {title}, Table {table} | {_count_cells(own)} |")
    return "\n".join([*parts, f"| all | {_count_cells(pd.concat(everything))} |"])


def _count_cells(cells: pd.DataFrame) -> str:
    n_inside = int(cells["is_inside"].sum())
    n_unexplained = int((cells["cause"] == NOT_EXPLAINED).sum())
    n_explained = len(cells) - n_inside - n_unexplained
    return f"{len(cells)} | {n_inside} | {n_explained} | {n_unexplained}"


def written() -> str:
    """Return the list as Markdown, with links from a page of docs/papers."""
    lines = read_lines()
    parts = []
    for source, title in TITLES.items():
        parts += [f"## {title}", "", *_section(lines[lines["source"] == source]), ""]
    parts += ["## Gaps", "", "| source | where | what | why |", "|---|---|---|---|"]
    for name, line in lines[lines.index.isin(list(GAPS))].iterrows():
        title = TITLES[line["source"]]
        parts.append(f"| {title} | {line['place']} | {line['what']} | {GAPS[str(name)]} |")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write("\n\n".join([counts_of_lines(), counts_of_cells(), written()]) + "\n")
