"""Fitted learners on the rows of one test set."""

from bestofk.inference.former_homes import former_home

__getattr__ = former_home(__name__)
