"""Tests of bestofk; `given.py` says where the given data and reference cases are."""
