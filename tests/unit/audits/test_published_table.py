"""Published tables: what is a learner, a data set, a spread, a rank; which values are better."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bestofk.array_types import Bools, Floats
from bestofk.audits.published_table import PublishedTable, read_published
from bestofk.errors import InvalidArgumentError


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, name="table.txt", **options):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return read_published(path, **options)

    return write_and_read


# A random table, written in every form, comes back equal.

_LEARNERS = ("C4.5", "1-NN", "SVM (RBF)", "naive Bayes", "L1 + trees", "k=3", "A*B")
_DATA_SETS = ("iris", "breast-w", "tic tac toe", "monks 1", "kr_vs_kp", "D (small)", "97-98")


@dataclass
class Made:
    learners: list[str]
    data_sets: list[str]
    values: Floats
    spreads: Floats | None
    ranks: Floats | None
    is_bold: Bools
    digits: int

    def cells(self, bold: str, pm: str, point: str = ".") -> list[list[str]]:
        """Return the texts of the values; `bold` has a place for what is bold."""
        rows = []
        for i, name in enumerate(self.data_sets):
            row = [name]
            for j in range(len(self.learners)):
                text = f"{self.values[i, j]:.{self.digits}f}"
                text = bold.format(text) if self.is_bold[i, j] else text
                if self.spreads is not None:
                    text += f"{pm}{self.spreads[i, j]:.{self.digits}f}"
                text += f" ({self.ranks[i, j]:g})" if self.ranks is not None else ""
                row.append(text.replace(".", point))
            rows.append(row)
        return rows


@st.composite
def tables(draw) -> Made:
    learners = draw(st.lists(st.sampled_from(_LEARNERS), min_size=2, max_size=5, unique=True))
    data_sets = draw(st.lists(st.sampled_from(_DATA_SETS), min_size=3, max_size=6, unique=True))
    shape, digits = (len(data_sets), len(learners)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    scale = draw(st.sampled_from([1, 100]))
    values = np.round(rng.uniform(0, scale, shape), digits)
    spreads = np.round(rng.uniform(0, scale / 10, shape), digits) if draw(st.booleans()) else None
    ranks = pd.DataFrame(values).rank(axis=1).to_numpy() if draw(st.booleans()) else None
    return Made(learners, data_sets, values, spreads, ranks, rng.random(shape) < 0.2, digits)


def _escape(text: str) -> str:
    return text.replace("_", r"\_")


def _latex(made: Made) -> str:
    lines = [["Dataset", *made.learners], *made.cells(r"\textbf{{{}}}", r" $\pm$ ")]
    rows = "\n".join(" & ".join(map(_escape, line)) + r" \\ \hline" for line in lines)
    columns = "l|" + "c" * len(made.learners)
    return f"\\begin{{tabular}}{{{columns}}}\n{rows}\n\\end{{tabular}}"


def _math(made: Made) -> str:
    """Return learners in rows, in math mode."""
    lines = [["Dataset", *made.learners], *made.cells(r"$\mathbf{{{}}}$", r"$_{\pm}$")]
    lines = [["Method", *lines_[1:]] if i == 0 else list(lines_)
             for i, lines_ in enumerate(zip(*lines, strict=True))]  # fmt: skip
    rows = "\\\\\n".join(" & ".join(map(_escape, line)) for line in lines)
    return f"\\begin{{tabular}}{{lccc}}\\toprule {rows} \\\\ \\bottomrule\\end{{tabular}}"


def _markdown(made: Made) -> str:
    lines = [["Data set", *made.learners], ["---"] * (len(made.learners) + 1)]
    lines += made.cells("**{}**", " ± ")
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _csv(made: Made) -> str:
    lines = [["dataset", *made.learners], *made.cells("{}", " +/- ")]
    return "\n".join(",".join(line) for line in lines)


def _decimal_commas(made: Made) -> str:
    lines = [["dataset", *made.learners], *made.cells("{}", " ± ", ",")]
    return "\n".join(";".join(line) for line in lines)


def _aligned(made: Made) -> str:
    lines = [["Dataset", *made.learners], *made.cells("{}", " ± ")]
    return "\n".join("".join(f"{cell:24}" for cell in line) for line in lines)


@pytest.mark.parametrize("write", [_latex, _math, _markdown, _csv, _decimal_commas, _aligned])
@given(made=tables())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_table_comes_back_as_it_was_written(write, made: Made) -> None:
    if write is _decimal_commas and made.ranks is not None:
        made.ranks = None  # "2,5" beside "2" is as good as any other number
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.txt"
        path.write_text(write(made), encoding="utf-8")
        read = read_published(path, greater_is_better=True)
    assert list(read.learners) == made.learners
    assert list(read.data_sets) == made.data_sets
    np.testing.assert_array_equal(read.values, made.values)
    np.testing.assert_allclose(read.steps, 10.0**-made.digits)
    for name in ("spreads", "ranks"):
        if (wanted := getattr(made, name)) is None:
            assert getattr(read, name) is None
        else:
            np.testing.assert_array_equal(getattr(read, name), wanted)
    has_bold = write in (_latex, _math, _markdown)
    np.testing.assert_array_equal(read.is_bold, made.is_bold & has_bold)


# What is a learner, and what else stands in the table.


def test_a_printed_table_with_all_that_may_stand_in_it(read) -> None:
    table = read(
        r"""\begin{table}\caption{Accuracy (\%) and ranks}
        \begin{tabular}{lrrccc}
        Data set & \# inst. & depth & NB & TAN & AODE$^\dagger$ \\ \hline
        anneal & 898 & 4 & $\mathbf{96.3}_{\pm 1.1}$ (1) & 95.1$_{\pm 1.4}$ (2) & 94.0$\pm$1.9 (3)\\
        balance & 625 & 5 & $91.4_{\pm 1.3}^{*}$ (1.5) & $86.1_{\pm 2.9}$ (3)
            & 91.4 $\pm$ 1.2 (1.5)\\
        \multicolumn{6}{l}{\emph{Large}} \\
        credit & 690 & 7 & 77.7$_{\pm 4.2}$ (3) & 84.6$_{\pm 4.1}$ (2)
            & \textbf{85.9}$_{\pm 3.7}$ (1)\\
        colic & 368 & 6 & -- & 84.6$_{\pm 4.1}$ (2)& 85.9$_{\pm 3.7}$ (1)\\
        Average & & & 88.5 & 88.6 & 90.4 \\
        \textit{Avg.\ rank} & & & 1.83 & 2.33 & 1.83 \\
        W/T/L & & & -- & 1/0/2 & 1/1/1\\
        \end{tabular}\end{table}"""
    )
    assert (table.measure, table.greater_is_better) == ("accuracy", True)
    assert table.learners == ("NB", "TAN", "AODE*")
    assert table.data_sets == ("anneal", "balance", "credit")
    assert table.values.tolist() == [[96.3, 95.1, 94.0], [91.4, 86.1, 91.4], [77.7, 84.6, 85.9]]
    assert table.spreads[0].tolist() == [1.1, 1.4, 1.9]
    assert table.ranks[1].tolist() == [1.5, 3, 1.5]
    assert table.n_rows.tolist() == [898, 625, 690]
    assert table.is_bold.tolist() == [[True, False, False], [False] * 3, [False, False, True]]
    assert table.notes == (
        "Columns that are no learners: # inst. and depth.",
        "Measure: 'accuracy', as the text says; --direction says otherwise.",
        "Left out, as values are missing: 1 data set, colic.",
    )


def test_summaries_of_a_whole_table_are_kept(read) -> None:
    table = read("Method;iris;vote;Average\nC4.5;94,7 %;95,5 %;95,1\nLDA;98,0 %;95,6 %;96,8\n"
                 "Accuracy of two", "a.csv")  # fmt: skip
    assert table.data_sets == ("iris", "vote")
    assert table.values.tolist() == [[94.7, 98.0], [95.5, 95.6]]
    assert table.summaries["mean"].tolist() == [[95.1, 96.8], [0.1, 0.1]]


@pytest.mark.parametrize(
    ("first", "rows", "learners"),
    [
        ("Approaches", ("a", "b"), ("a", "b")),
        ("Dataset/AUC", ("a", "b"), ("Random Forest", "XGBoost")),
    ],
)
def test_the_first_cell_tells_the_rows(read, first, rows, learners) -> None:
    text = f"AUC\n\n| {first} | Random Forest | XGBoost |\n|--|--|--|\n"
    table = read(text + "".join(f"| {name} | 0.9 | 0.8 |\n" for name in rows))
    assert table.learners == learners


def test_a_table_that_may_be_read_either_way_asks_for_its_rows(read) -> None:
    with pytest.raises(InvalidArgumentError, match="which may be either"):
        read("AUC\n\n| | Random Forest | XGBoost |\n|--|--|--|\n| a | 0.9 | 0.8 |\n")


def test_brackets_with_decimals_are_spreads_and_other_whole_numbers_are_not_used(read) -> None:
    head = "Accuracy\n\n| Dataset | A | B |\n|--|--|--|\n"
    spreads = read(head + "| x | 0.9 (0.02) | 0.8 (0.01) |\n").spreads
    assert spreads.tolist() == [[0.02, 0.01]]
    table = read(head + "| x | 0.901(12) | 0.812(9) |\n")
    assert table.spreads is None
    assert table.ranks is None
    assert "neither ranks nor spreads" in table.notes[0]


def test_commas_divide_thousands_only_beside_points(read) -> None:
    head = "RMSE\n\n| Dataset | A | B |\n|--|--|--|\n"
    assert read(head + "| x | 1,234.5 | 999.5 |\n").values.tolist() == [[1234.5, 999.5]]
    assert read(head + "| x | 1,234 | 0,999 |\n").values.tolist() == [[1.234, 0.999]]
    assert read(head + "| x | 1,234.50 | 999.5 |\n").steps.tolist() == [[0.01, 0.01]]


def test_headings_quantities_and_rows_without_a_value_are_no_data_sets(read) -> None:
    table = read(
        "Accuracy\n\n| Model | Params (M) | iris | vote |\n|--|--|--|--|\n| *Small* | | | |\n"
        "| A | 1.25 | 0.9 | 0.8 |\n| Model | Params (M) | iris | vote |\n"
        "| B | 1.50 | 0.7 | > 10 |\n"
    )
    assert (table.learners, table.data_sets) == (("A", "B"), ("iris",))
    assert table.notes[-1] == "Left out, as values are missing: 1 data set, vote."


# Which values are better.


@pytest.mark.parametrize(
    ("caption", "name", "is_higher"),
    [
        ("Mean accuracies of ten runs", "accuracies", True),
        ("Misclassification rates", "misclassification", False),
        ("Percent_incorrect", "incorrect", False),
        ("The scores (lower is better)", "score", False),
        ("Score ↑", "score", True),
        ("Log loss, the smaller the better", "loss", False),
        ("", "acc", True),  # in all names
    ],
)
def test_a_caption_tells_which_values_are_better(read, caption, name, is_higher) -> None:
    names = "A (acc) | cost-sensitive B (acc)" if not caption else "A | cost-sensitive B"
    table = read(f"{caption}\n\n| Dataset | {names} |\n|--|--|--|\n| x | 0.9 | 0.8 |\n")
    assert (table.measure, table.greater_is_better) == (name, is_higher)


@pytest.mark.parametrize(
    "caption",
    ["Results", "Error analysis beside accuracy", "Access to data", "Means and standard errors"],
)
@pytest.mark.parametrize("is_higher", [True, False])
def test_bold_face_tells_where_the_caption_does_not(read, caption, is_higher) -> None:
    row = "| x | **0.9** | 0.8 |" if is_higher else "| x | 0.9 | **0.8** |"
    table = read(f"{caption}\n\n| Dataset | A | B |\n|--|--|--|\n{row}\n")
    assert table.greater_is_better == is_higher
    assert "as bold face marks" in table.notes[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("| | u | v |\n|--|--|--|\n| x | 0.9 | 0.8 |", "known as data sets or learners; got 'x'"),
        ("| Dataset | A | B |\n|--|--|--|\n| x | 0.9 | 0.8 |", "neither a measure nor bold face"),
        (
            "Error rates\n\n| Dataset | A | B |\n|--|--|--|\n| x | **0.9** | 0.8 |",
            "got 'error', but bold others",
        ),
        (
            "| Dataset | Model | Accuracy |\n|--|--|--|\n| x | A | 0.9 |\n| x | B | 0.8 |",
            "got a row per value in table.txt. Save it as CSV",
        ),
        ("| Model | Accuracy | F1 |\n|--|--|--|\n| A | 0.9 | 0.8 |", "got the measure 'Accuracy'"),
        ("| Dataset | A | A |\n|--|--|--|\n| x | 0.9 | 0.8 |", "must differ; got 'A' twice"),
        (
            "| Dataset | A | B |\n|--|--|--|\n| x | 0.9 | 0.8 |\n| x | 0.9 | 0.7 |",
            "data sets must differ; got 'x' twice. Keep one measure",
        ),
        (
            "| Dataset | A | B |\n|--|--|--|\n| x | 0.9 | 0.8 [0.7, 0.9] |\n| y | 0.9 | 0.8 |",
            r"got '0\.8 \[0\.7, 0\.9\]' in column 3",
        ),
        ("| Dataset | A | |\n|--|--|--|\n| x | 0.9 | 0.8 |", "got 'no name' in column 3"),
        (
            "| Dataset | A | B |\n|--|--|--|\n| x | 0.9 | 0.8 |\n| | 0.02 | 0.01 |",
            "rows of numbers must have names; got none for number 2",
        ),
        (
            "| Task | A | B |\n|--|--|--|\n| x | 0.9 | 0.8 |\n| y | 0.82 IoU | 0.84 IoU |",
            "got '0.82 IoU' in column 2",
        ),
        ("| Dataset | A | size |\n|--|--|--|\n| x | 0.9 | 0.8 |", "at least two learners; got 1"),
        ("| Dataset | A | B |\n|--|--|--|\n| mean | 0.9 | 0.8 |", "got summaries alone"),
        (
            "Accuracy\n\n| Dataset | A | B |\n|--|--|--|\n| x | - | 0.8 |\n| y | 0.9 | n/a |",
            "gaps in all 2 rows",
        ),
    ],
)  # fmt: skip
def test_what_is_open_is_refused_with_what_to_mend(read, text, message) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        read(text)


def test_options_are_checked_and_learners_are_kept(read) -> None:
    rows = "| x | 0.9 | 0.8 | 0.7 |\n| y | 0.9 | 0.8 | 0.7 |"
    text = f"Accuracy\n\n| | a | b | c |\n|--|--|--|--|\n{rows}"
    assert read(text, rows="data-sets", learners=["C", "a"]).learners == ("a", "c")
    assert read(text, rows="learners").learners == ("x", "y")
    with pytest.raises(InvalidArgumentError, match="rows must be data-sets or learners"):
        read(text, rows="columns")
    with pytest.raises(InvalidArgumentError, match="of the table, a, b and c; got 'd'"):
        read(text, rows="data-sets", learners=["d", "a"])


def test_runs_become_means_and_spreads(tmp_path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        "dataset,method,fold,accuracy\niris,a,0,0.9\niris,a,1,0.8\niris,b,0,0.7\niris,b,1,0.7\n"
    )
    table = read_published(path)
    assert (table.learners, table.data_sets) == (("a", "b"), ("iris",))
    np.testing.assert_allclose(table.values, [[0.85, 0.7]])
    np.testing.assert_allclose(table.spreads, [[np.std([0.9, 0.8], ddof=1), 0]])
    assert not table.steps.any()
    assert isinstance(table, PublishedTable)
    assert read_published(table) is table
