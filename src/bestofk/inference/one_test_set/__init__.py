"""Fitted learners on the rows of one test set."""
