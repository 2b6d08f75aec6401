"""Abdulrahman et al. (2018), Speeding up algorithm selection, on tables that are public.

Average ranking and active testing, with run time and without, leaving out one data set in turn::

    python -m replications.average_ranking_2018 --data FOLDER

`meta_data` reads the tables that take the place of the paper's, `tables` and `figures` write
what comes out.
"""
