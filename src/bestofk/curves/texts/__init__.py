"""Texts of the reports of curves."""
