"""One protocol of results: each says its sections and numbers, and the base writes the formats."""

import ast
import json
from pathlib import Path

import pandas as pd
import pytest

import bestofk
from bestofk.calibration.claim_calibration import ClaimCalibration
from bestofk.calibration.estimates import EstimateBias
from bestofk.calibration.rates import CalibrationResult
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.comparison_across import ComparisonAcross
from bestofk.curves.cost import CostCurves
from bestofk.curves.imbalance import ImbalanceEffect
from bestofk.curves.learning import LearningCurves
from bestofk.curves.noise import NoiseCurves
from bestofk.curves.validation import ValidationCurve
from bestofk.recommendation.leave_one_out import RecommenderLosses
from bestofk.recommendation.report import Recommendation
from bestofk.report.parts import Row, Sections, Table
from bestofk.report.reported import Reported
from bestofk.score_tables.across import ScoreComparisonAcross
from bestofk.score_tables.score_table import ScoreComparison

SOURCE = Path(bestofk.__file__).parent
RESULTS = [
    CalibrationResult, ClaimCalibration, Comparison, ComparisonAcross, CostCurves, EstimateBias,
    ImbalanceEffect, LearningCurves, NoiseCurves, Recommendation, RecommenderLosses,
    ScoreComparison, ScoreComparisonAcross, ValidationCurve,
]  # fmt: skip


class Tea(Reported):
    """Smallest result."""

    def sections(self):
        table = Table(["tea", "cups"], [Row("green_1", "best", ("3",)), Row("black", "", ("1",))])
        answer = ("Use green_1.", "Black is fine.", "No claim.")
        return Sections("Tea", answer, [table], details=["It is hot."])

    def to_frame(self):
        return pd.DataFrame({"tea": ["green_1", "black"], "cups": [3, 1]})


@pytest.mark.parametrize("kind", RESULTS, ids=lambda kind: kind.__name__)
def test_every_result_has_all_formats(kind):
    assert issubclass(kind, Reported)
    assert not kind.__abstractmethods__


def test_all_formats_say_what_the_sections_hold(tmp_path):
    tea = Tea()
    tea.to_html(tmp_path / "tea.html")
    page = (tmp_path / "tea.html").read_text()
    for text in (tea.text(), tea.to_markdown(), tea.to_latex(), page, tea._repr_html_()):
        plain = text.replace("\\_", "_")
        assert all(said in plain for said in ("Use green_1.", "Black is fine.", "No claim.", "3"))
    assert "It is hot." in tea.text()
    assert str(tea) == tea.text()
    assert tea.answer == ("Use green_1.", "Black is fine.", "No claim.")
    assert "| **green\\_1** | 3 |" in tea.to_markdown()
    assert "    green\\_1 & 3 \\\\" in tea.to_latex()
    assert json.loads(tea.to_json()) == {
        "answer": list(tea.answer),
        "rows": [{"tea": "green_1", "cups": 3}, {"tea": "black", "cups": 1}],
    }


def test_parts_are_there_but_not_offered_first():
    assert {"text", "sections", "to_dict", "display"}.isdisjoint(dir(Tea()))
    assert {"to_frame", "to_html", "to_json", "to_latex", "to_markdown"} <= set(dir(Tea()))


def test_formats_are_written_by_the_bases_alone():
    writers = {"to_markdown": set(), "to_html": set(), "frame": set()}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        is_writer = any(f"def {name}(" in text for name in writers)
        for kind in ast.walk(ast.parse(text if is_writer else "")):
            for item in kind.body if isinstance(kind, ast.ClassDef) else ():
                if isinstance(item, ast.FunctionDef) and item.name in writers:
                    writers[item.name].add(kind.name)
    bases = {"Reported", "ReportedVerdict"}
    assert writers == {"to_markdown": bases, "to_html": bases, "frame": set()}
