"""Formats that score tables are recognized by, in the order in which they are asked."""

from bestofk.registry import Registry
from bestofk.score_tables.score_formats.score_format import ScoreFormat

# The last one takes any table.
SCORE_FORMATS: Registry[ScoreFormat] = Registry(
    "format of score tables",
    {
        "WEKA Experimenter": "bestofk.score_tables.score_formats.weka_experimenter.FORMAT",
        "AMLB": "bestofk.score_tables.score_formats.amlb.FORMAT",
        "TabArena": "bestofk.score_tables.score_formats.tabarena.FORMAT",
        "mlr3": "bestofk.score_tables.score_formats.mlr3.FORMAT",
        "cv_results_": "bestofk.score_tables.score_formats.scikit_learn.FORMAT",
        "OpenML evaluations": "bestofk.score_tables.score_formats.openml_evaluations.FORMAT",
        "ASlib": "bestofk.score_tables.score_formats.aslib.FORMAT",
        "baycomp": "bestofk.score_tables.score_formats.baycomp.FORMAT",
        "data sets by learners": "bestofk.score_tables.score_formats.data_set_rows.FORMAT",
        "long": "bestofk.score_tables.score_formats.long_table.FORMAT",
        "wide": "bestofk.score_tables.score_formats.wide_table.FORMAT",
    },
)
