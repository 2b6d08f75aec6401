"""Cells of printed tables, from files of every shape."""

from pathlib import Path

import pytest

from bestofk.audits.printed_grid import Cell, Grid, read_grid
from bestofk.errors import InvalidArgumentError


def _read(folder: Path, text: str, name: str = "table.txt") -> Grid:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_grid(path)


def _texts(grid: Grid) -> list[list[str]]:
    return [[cell.text for cell in row] for row in grid.rows]


@pytest.mark.parametrize(
    ("text", "value", "spread", "bracket"),
    [
        ("0.91", "0.91", None, None),
        (".907±.003", ".907", ".003", None),
        ("91.4 +/- 2.1", "91.4", "2.1", None),
        ("91,4 (2,1)", "91,4", None, "2,1"),
        ("0.91 ± 0.02 (3)", "0.91", "0.02", "3"),
        ("0.273 (±0.0004) (+1.20%)", "0.273", "0.0004", None),
        ("0.138 (-0.18%)", "0.138", None, None),
        ("94.7%* [1.5]", "94.7", None, "1.5"),
        ("2.25s", "2.25", None, None),
        ("4,500,000", "4,500,000", None, None),
        ("\u22121.5e-3†", "\u22121.5e-3", None, None),
    ],
)
def test_a_cell_holds_a_value_its_spread_and_what_is_in_brackets(text, value, spread, bracket):
    match = Cell(text).match()
    assert (match["value"], match["spread"], match["bracket"]) == (value, spread, bracket)


@pytest.mark.parametrize("text", ["", "C4.5", "1-NN", "0.91/0.92", "0.9 [0.8, 0.95]", ">10", "-"])
def test_a_cell_of_something_else_holds_no_number(text: str) -> None:
    assert Cell(text).match() is None


@pytest.mark.parametrize(
    "written", [r"0.91$^{1}$", r"$0.91^a$", r"0.91\textsuperscript{2}", r"\textbf{0.91}$^{*}$"]
)
def test_a_note_of_latex_is_no_digit(tmp_path: Path, written: str) -> None:
    rows = rf"& A & B \\ x & {written} & 0.8"
    grid = _read(tmp_path, rf"\begin{{tabular}}{{lcc}}{rows}\end{{tabular}}")
    match = grid.rows[1][1].match()
    assert match["value"] == "0.91"


def test_powers_of_ten_and_notes_of_html_are_not_run_into_the_number(tmp_path: Path) -> None:
    row = "| x | $1.2\\times10^{-3}$ | 0.3<sup>1</sup> |"
    text = f"| | A | B |\n|--|--|--|\n{row}\n| y | 0.2 | 0.4 |\n"
    grid = _read(tmp_path, text)
    assert [cell.match() for cell in grid.rows[1][1:]] == [None, None]


def test_latex_gives_texts_without_commands_and_bold_face(tmp_path: Path) -> None:
    text = r"""
    \begin{table}
    \caption{Errors of \textbf{trees} (\%)}  % a comment & another
    \begin{tabular*}{\textwidth}{@{\extracolsep{\fill}}l>{\bfseries}rcc}\toprule
    Data set & $n$ & C4.5~\cite{quinlan} & \multicolumn{1}{@{}c@{}}{$k$-NN} \\[2pt] \midrule
    \rowcolor[HTML]{EEEEEE} \texttt{tic\_tac} & 958 & $\mathbf{12.3}_{\pm 1.1}$ &
        \textcolor{red}{12{,}345.6} \\
    iris & 150 & \underline{5.0}\tnote{a} & {\bf4.0}$^{\dagger}$ \\
    wine & 178 & \makecell{9.1 \\ (2)} & \phantom{0}8.0$\pm$0.9 \tabularnewline \bottomrule
    \end{tabular*}\end{table}"""
    grid = _read(tmp_path, text, "paper.tex")
    assert _texts(grid) == [
        ["Data set", "n", "C4.5", "k-NN"],
        ["tic_tac", "958", "12.3± 1.1", "12,345.6"],
        ["iris", "150", "5.0", "4.0"],
        ["wine", "178", "9.1 (2)", "8.0±0.9"],
    ]
    assert [cell.is_bold for row in grid.rows[1:] for cell in row[2:]] == [
        True, False, False, True, False, False
    ]  # fmt: skip
    assert grid.caption == "Errors of trees (%)"


def test_a_sign_between_columns_of_latex_joins_spreads_to_values(tmp_path: Path) -> None:
    text = r"""\begin{tabular}{lr@{\,$\pm$\,}lr@{$\pm$}l}
    & \multicolumn{2}{c}{kNN} & \multicolumn{2}{c}{SVM} \\
    heart & 0.185 & 0.03 & \bf 0.161 & \bf 0.02 \\
    \end{tabular}"""
    grid = _read(tmp_path, text)
    assert _texts(grid)[1] == ["heart", "0.185 ± 0.03", "0.161 ± 0.02"]
    assert [cell.is_bold for cell in grid.rows[1]] == [False, False, True]


def test_rows_of_latex_need_no_environment(tmp_path: Path) -> None:
    grid = _read(tmp_path, "Data & A & B \\\\ \\hline\nx & 0.9 & 0.8 \\\\\ny & 0.7 & 0.6 \\\\")
    assert _texts(grid) == [["Data", "A", "B"], ["x", "0.9", "0.8"], ["y", "0.7", "0.6"]]


def test_each_table_of_latex_has_its_own_caption(tmp_path: Path) -> None:
    table = r"""\begin{table}CAPTION\begin{tabularx}{\linewidth}[t]{lcc} & A & B \\ ROW
    \end{tabularx}\end{table}"""
    sizes = table.replace("CAPTION", r"\caption{Sizes}").replace("ROW", r"x & 12 & 13 \\")
    scores = table.replace("CAPTION", r"\caption{Scores}").replace("ROW", r"x & .9 & .8 \\")
    assert _read(tmp_path, sizes + scores + sizes).caption == "Scores"


def test_of_several_rows_of_a_header_the_first_that_names_all_is_taken(tmp_path: Path) -> None:
    text = r"""\begin{tabular}{lrccc}
    \multirow{2}{*}{Dataset} & \multirow{2}{*}{$n$} & \multicolumn{2}{c}{Trees} & Linear \\
    & & CART & RF & LDA \\
    & & (acc.) & (acc.) & (acc.) \\
    iris & 150 & 94.1 & 95.3 & 98.0 \\
    \end{tabular}"""
    grid = _read(tmp_path, text)
    assert _texts(grid) == [["Dataset", "n", "CART", "RF", "LDA"],
                            ["iris", "150", "94.1", "95.3", "98.0"]]  # fmt: skip
    assert "(acc.)" in grid.caption
    assert grid.notes == ("Columns under several headings are read as one table: Trees, Linear.",)


def test_markdown_without_outer_bars_links_and_emphasis(tmp_path: Path) -> None:
    text = (
        "# Results\n\nLoss of four runs.\n\n"
        "| | [A](https://a.org) | B\n--- | --- | ---\n"
        "[Adult](https://x.y/z_z) | 0.27 | _**0.26**_ (±0.01)\nsnake_case | **0.3**<sup>1</sup> |"
        " `0.4`\n\nLower is better.\n\nMore."
    )
    grid = _read(tmp_path, text, "README.md")
    assert _texts(grid) == [
        ["", "A", "B"], ["Adult", "0.27", "0.26 (±0.01)"], ["snake_case", "0.3 1", "0.4"]
    ]  # fmt: skip
    assert [cell.is_bold for row in grid.rows[1:] for cell in row[1:]] == [False, True, True, False]
    assert grid.caption == "Loss of four runs. Lower is better."


def test_a_grid_of_signs_is_read_as_its_cells(tmp_path: Path) -> None:
    text = (
        "+------+-------+---------+\n| Name |  RF   | LightGBM |\n+======+=======+=========+\n"
        "| ijcnn | 98.07 | **98.61** |\n+------+-------+---------+\n| usps | N/A | 93.97 |\n"
        "+------+-------+---------+\n"
    )
    grid = _read(tmp_path, text, "docs.rst")
    assert _texts(grid)[1:] == [["ijcnn", "98.07", "98.61"], ["usps", "N/A", "93.97"]]
    assert grid.rows[2][1].is_missing


def test_of_several_tables_the_first_with_decimals_is_read(tmp_path: Path) -> None:
    sizes = "| Name | Rows | Columns |\n|--|--|--|\n| iris | 150 | 4 |\n\n"
    results = "| Name | A | B |\n|--|--|--|\n| iris | 0.91 | 0.92 |\n"
    grid = _read(tmp_path, f"{sizes}{results}\n{results}", "README.md")
    assert _texts(grid)[1] == ["iris", "0.91", "0.92"]
    assert grid.notes == ("Table 2 of 3 in the file was read. Save another on its own.",)


@pytest.mark.parametrize(
    "text",
    [
        "Errors of two learners\nDataset;A;B\niris;4,7;3,3\nvote;4,5;4,4\n",
        'Errors of two learners\nDataset,A,B\niris,"4,7","3,3"\nvote,"4,5","4,4"\n',
        "Errors of two learners\n\nDataset\tA\tB\niris\t4,7\t3,3\nvote\t$4,5$\t4,4\n",
        "Errors of two learners\nDataset  A  B\niris   4,7  3,3\nvote   4,5  4,4\n",
        "Errors of two learners\n\n Dataset A B\niris 4,7 3,3\nvote 4,5 4,4\n",
    ],
    ids=["semicolons", "commas", "tabs", "two blanks", "single blanks"],
)
def test_columns_may_be_divided_by_any_usual_sign(tmp_path: Path, text: str) -> None:
    grid = _read(tmp_path, text)
    assert _texts(grid) == [["Dataset", "A", "B"], ["iris", "4,7", "3,3"], ["vote", "4,5", "4,4"]]
    assert grid.caption == "Errors of two learners"


def test_names_of_several_words_stand_left_of_the_numbers(tmp_path: Path) -> None:
    text = "Name            Naive Bayes  Linear SVM\nbreast cancer 2   0.71 (2)   0.74 (1)\n"
    assert _texts(_read(tmp_path, text)) == [
        ["Name", "Naive Bayes", "Linear SVM"], ["breast cancer 2", "0.71 (2)", "0.74 (1)"]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Our method is best.", "must hold a table with a header and rows of numbers; got none"),
        ("Method\nA\n0.9\nB\n0.8\n", "two spaces or a tab between columns"),
        ("| a | 0.9 | 0.8 |\n| b | 0.7 | 0.6 |\n", r"must name its columns; got '0\.8'"),
        (
            "Set Naive Bayes Linear SVM\niris 0.9 0.8\n",
            "must name each of their 2 columns; got 'Set Naive Bayes Linear SVM'",
        ),
        ("iris 0.9 0.8\nvote 0.9 0.8\n", "must name each of their 2 columns; got ''"),
        ("Two learners\nSet Naive Bayes Linear SVM\niris 0.9 0.8\n", "got 'Set Naive Bayes"),
    ],
)
def test_a_file_without_a_table_is_refused_with_what_to_mend(tmp_path, text, message):
    with pytest.raises(InvalidArgumentError, match=message):
        _read(tmp_path, text)
