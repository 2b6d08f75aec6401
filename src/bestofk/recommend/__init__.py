"""Station 6: from the history of earlier data sets to the learner to try first on the next.

Recommending builds on stores that the other stations fill; nothing is recommended yet.
"""
