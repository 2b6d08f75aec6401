"""Trees of tables that are larger than memory: the same trees, grown from files.

file_growth          `grow_from_file`: a Parquet or CSV file in, a fitted learner out
reading              the file, turned into one file of numbers for each column
sorting              each column sorted on disk: runs, then a merge
disk_table           the files of a table, read in chunks, and what is resident of it
measuring, growing   growth level by level: every column is read once for each level
pruning              error-based pruning with the rows sent down in passes

Of each row only its node and class are in memory (SLIQ, Mehta, Agrawal and Rissanen 1996).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
