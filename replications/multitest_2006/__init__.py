"""Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 learners, run again.

Thirty data sets, five learners, 1,000 runs of 5x2 cross-validation each::

    python -m replications.multitest_2006 --data FOLDER --jobs 2

`protocol` says what is run, `experiment` runs it, `selections` applies the four procedures,
`tables` and `figures` write the results with the printed values. `causes` tries other settings of
the learners, `levels` other levels of the tests, and `cells` lists every printed value that is
not met.
"""
