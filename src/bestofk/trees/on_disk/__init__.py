"""Trees of tables larger than memory, grown from files with equal results.

file_growth          `grow_from_file`: a Parquet or CSV file in, a fitted learner out
reading              the file, turned into one mapped table
mapped_arrays        arrays in files, and columns sorted there: runs, then a merge
pruning              error-based pruning with the rows sent down in passes

Trees grow level by level as in memory (`growing.grow_by_level`); only the sorted columns are mapped
files, processed one at a time (SLIQ, Mehta, Agrawal and Rissanen 1996).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
