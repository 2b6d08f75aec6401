from bestofk.report import to_latex
from bestofk.report.formats.latex import escaped


def test_the_best_is_bold_and_candidates_carry_a_dagger(make):
    text = to_latex(make())
    assert r"\begin{tabular}{lrrlrr}" in text
    best = r"\textbf{logistic}$^{\dagger}$ & \textbf{5.0\%} & 1.8 & pick & 6.6 ms & 1.0 ms \\"
    assert best in text
    assert r"cart$^{\dagger}$ & 6.0\%" in text
    assert r"majority & 66.7\% & 1.8 & worse (+61.7) & 100 $\mu$s & 1.0 ms" in text


def test_special_characters_are_escaped(make):
    text = to_latex(make(title=r"a_b&c%d#e{f}$g~h^i\j<k>"))
    escapes = r"a\_b\&c\%d\#e\{f\}\$g\textasciitilde{}h\textasciicircum{}i\textbackslash{}j"
    assert escapes + r"\textless{}k\textgreater{}" in text


def test_rows_have_as_many_cells_as_columns(make):
    lines = [line for line in to_latex(make()).splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in lines} == {5}


def test_quotes_and_bars_need_no_encoding_of_fonts():
    assert escaped('say "so" ("a|b") `` 5 "') == "say ``so'' (``a\\textbar{}b'') {`}{`} 5 ``"
    assert escaped("a \u2192 b \u2212 c") == r"a $\rightarrow$ b $-$ c"
