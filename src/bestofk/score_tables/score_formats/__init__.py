"""Formats of score tables: plain tables, and the result files of other tools.

Each format is one file with `FORMAT`, a `ScoreFormat`; `registry` lists them.
"""
