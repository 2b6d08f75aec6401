"""Learners on many data sets.

One score of each learner on each data set; the data sets are the sample.
"""

from bestofk.inference.former_homes import former_home

__getattr__ = former_home(__name__)
