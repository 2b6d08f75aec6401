"""Learners on many data sets.

One score of each learner on each data set; the data sets are the sample.
"""
