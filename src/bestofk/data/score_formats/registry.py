"""Formats that score tables are recognized by, in the order in which they are asked."""

from __future__ import annotations

from bestofk.data.score_formats.score_format import ScoreFormat
from bestofk.registry import Registry

# The last one takes any table.
SCORE_FORMATS: Registry[ScoreFormat] = Registry(
    "format of score tables",
    {
        "WEKA Experimenter": "bestofk.data.score_formats.weka_experimenter.FORMAT",
        "AMLB": "bestofk.data.score_formats.amlb.FORMAT",
        "TabArena": "bestofk.data.score_formats.tabarena.FORMAT",
        "mlr3": "bestofk.data.score_formats.mlr3.FORMAT",
        "cv_results_": "bestofk.data.score_formats.scikit_learn.FORMAT",
        "OpenML evaluations": "bestofk.data.score_formats.openml_evaluations.FORMAT",
        "ASlib": "bestofk.data.score_formats.aslib.FORMAT",
        "baycomp": "bestofk.data.score_formats.baycomp.FORMAT",
        "data sets by learners": "bestofk.data.score_formats.data_set_rows.FORMAT",
        "long": "bestofk.data.score_formats.long_table.FORMAT",
        "wide": "bestofk.data.score_formats.wide_table.FORMAT",
    },
)
