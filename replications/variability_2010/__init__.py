"""Raeder, Hoens & Chawla (2010), Consequences of variability in performance estimates, run again.

Eighteen data sets and two with a true test set, six learners, 500 iterations of 2-, 5- and
10-fold cross-validation::

    python -m replications.variability_2010 --data FOLDER --jobs 2

`protocol` says what is run, `experiment` runs it, `stopping` applies the termination criteria to
random orders of the iterations, `true_test_sets` has the rows of later years, `tables`,
`contradiction`, `agreement` and `figures` write the results with the printed values, and
`readings` says how settings were chosen that the paper does not tell. `causes` tries other
settings, and `cells` lists every printed value that is not met.
"""
